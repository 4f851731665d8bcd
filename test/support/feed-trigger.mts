import { ObservableObject } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';

import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { TriggerSessions } from '../../nodes/LicensingData/trigger/session.ts';
import { Reports } from '../../nodes/LicensingData/trigger/reports.ts';
import type { SessionInput } from '../../nodes/LicensingData/trigger/runSession.ts';
import { runSession } from '../../nodes/LicensingData/trigger/runSession.ts';
import { FakeService, isShown, type FakeServiceOptions } from './fake-service.mts';

export const NOON = Date.parse('2026-07-01T12:00:00Z');
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

type Page = Awaited<ReturnType<SessionInput['list']['readPage']>>;

/** n8n settles it when the execution has ended, or could not be created. */
export interface Done {
	resolve(value: undefined): void;
	reject(error: Error): void;
}

interface PollOptions extends Partial<SessionInput['settings']>, Partial<SessionInput['list']> {
	/** Requests that the time budget allows. */
	pages?: number;
	/** How many bytes it may hold. */
	room?: () => number;
	/** Makes the items. */
	prepare?: (licenses: License[]) => License[];
	/** Comes between the trigger and the service, and may answer instead. */
	before?: (cursor: string | null, request: number) => Page | undefined;
}

interface TriggerOptions extends PollOptions {
	/** How many events it remembers. */
	capacity?: number;
	hasDurableCursors?: boolean;
}

/** The trigger without n8n and HTTP: its feed and its handshake, on a list that a test fills. */
export class FeedTrigger {
	requests = 0;
	/** What n8n's database would hold. */
	saved: string | undefined;
	readonly log: string[] = [];
	/** What the user was shown as failed executions. */
	readonly shown: string[] = [];
	/** How many times it asked n8n to save its durable cursor. */
	commits = 0;
	now = NOON;
	/** What becomes of each execution that a batch starts. */
	execution: (done: Done) => void = (done) => done.resolve(undefined);
	private sessions: TriggerSessions;
	private reports = new Reports();
	private data: IDataObject;
	/** One for all polls of a process, as n8n's in-memory scheduler has it. */
	private context: ReturnType<FeedTrigger['contextOfN8n']>;

	constructor(
		private readonly service: FakeService,
		private readonly options: TriggerOptions = {},
	) {
		this.sessions = this.newSessions();
		this.data = this.held({});
		this.context = this.contextOfN8n();
	}

	/** Returns the ids of what is emitted. A minute passes with each poll. */
	async poll(more: PollOptions = {}): Promise<string[]> {
		const {
			pages = Infinity,
			before,
			room,
			prepare = (licenses: License[]) => licenses,
			query = {},
			account = 'an account',
			...settings
		} = { ...this.options, ...more };
		this.now += MINUTE;
		this.requests = 0;
		const { context } = this;
		const session = this.sessions.begin('trigger', context);
		if (!session) throw new Error('The trigger did nothing');
		try {
			const input: SessionInput = {
				settings: {
					filters: '',
					matches: () => true,
					matchesAll: (license) => isShown(license, query) && (settings.matches?.(license) ?? true),
					lookback: 24 * HOUR,
					maxItems: 1000,
					...settings,
				},
				list: {
					account,
					query,
					now: this.now,
					readPage: async (cursor) =>
						before?.(cursor, ++this.requests) ??
						(before || this.requests++, this.page(cursor, query)),
					hasTime: () => this.requests < pages,
				},
				session: room ? { ...session, room } : session,
			};
			const events = await runSession(input, context, this.reports, prepare);
			if (events) context.__emit([]);
			return (events ?? []).map(({ id }) => String(id));
		} finally {
			session.end();
			this.saved = JSON.stringify(this.data);
		}
	}

	/** Returns the ids of what these polls emit together. */
	async pollTimes(count: number, more: PollOptions = {}): Promise<string[]> {
		const ids: string[] = [];
		for (let polls = 0; polls < count; polls++) ids.push(...(await this.poll(more)));
		return ids;
	}

	/** Polls until nothing more comes. */
	async drain(more: PollOptions = {}): Promise<string[]> {
		const ids: string[] = [];
		for (let quiet = 0; quiet < 3; ) {
			const emitted = await this.poll(more);
			ids.push(...emitted);
			quiet = emitted.length > 0 ? 0 : quiet + 1;
		}
		return ids;
	}

	/** The process ends, and after the grace period another one starts from what was saved. */
	loseProcess(pause = HOUR): void {
		this.now += pause;
		this.sessions = this.newSessions();
		this.reports = new Reports();
		this.context = this.contextOfN8n();
		this.data = this.held(JSON.parse(this.saved ?? '{}') as IDataObject);
	}

	/** From what another process has saved. */
	goOnFrom({ saved, now }: FeedTrigger): void {
		this.now = now;
		this.data = this.held(JSON.parse(saved ?? '{}') as IDataObject);
	}

	/** Bytes that another trigger of the same process may hold. */
	roomForOthers(): number {
		const session = this.sessions.begin('another trigger', this.context);
		session?.end();
		return session?.room() ?? 0;
	}

	private newSessions(): TriggerSessions {
		return new TriggerSessions(() => this.now, this.options.capacity);
	}

	private page(cursor: string | null, query: Record<string, string>): Page {
		const page = this.service.page({ ...query, limit: '50', ...(cursor !== null && { cursor }) });
		if (!page) return { expired: true };
		const { data, pagination } = page;
		return { records: data, cursor: pagination.cursor, total: pagination.total };
	}

	private held(data: IDataObject): IDataObject {
		return this.options.hasDurableCursors ? data : (ObservableObject.create(data) as IDataObject);
	}

	private contextOfN8n() {
		const note = (line: string) => this.log.push(line);
		return {
			getNode: () => ({ name: 'Trigger' }) as INode,
			getWorkflowStaticData: () => this.data,
			logger: { info: note, warn: note, error: note, debug: note },
			__emit: (_: unknown, __?: unknown, done?: Done) => done && this.execution(done),
			__emitError: (error: Error) => void this.shown.push(error.message),
			...(this.options.hasDurableCursors && { __commitCursor: async () => void this.commits++ }),
		};
	}
}

type Options = Partial<FakeServiceOptions> & TriggerOptions;

/** A trigger on a list of these records, the first one listed first. */
export function triggerOn(records: License[], options: Options = {}) {
	const service = new FakeService(options);
	list(service, records);
	return { service, trigger: new FeedTrigger(service, options) };
}

/** The same, after the poll that takes in what is there. */
export async function watching(records: License[], options: Options = {}) {
	const { service, trigger } = triggerOn(records, options);
	await trigger.poll();
	return { service, trigger };
}

let made = 0;

/** A record of its own, this long before noon; undefined for one without a date. */
export function filed(before: number | undefined, more: License = {}): License {
	const eventTimestamp = before === undefined ? null : new Date(NOON - before).toISOString();
	return { id: `lic_${++made}`, eventType: 'new_filing', eventTimestamp, ...more };
}

/** Lists them, first one first, and returns their ids. */
export function list(service: FakeService, records: License[]): string[] {
	for (const record of records) service.insert(record);
	return records.map(({ id }) => String(id));
}

/** This many, a second apart, the last one this long before noon. Oldest first. */
export const series = (count: number, until: number, more: License = {}): License[] =>
	Array.from({ length: count }, (_, index) => filed(until + (count - 1 - index) * SECOND, more));

/** This many of one moment, or without a date. */
export const alike = (count: number, before?: number, more: License = {}): License[] =>
	Array.from({ length: count }, () => filed(before, more));
