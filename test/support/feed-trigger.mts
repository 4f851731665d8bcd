import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import {
	TriggerSessions,
	type SessionContext,
} from '../../nodes/LicensingData/trigger/handshake.ts';
import { LIMITS } from '../../nodes/LicensingData/trigger/input.ts';
import {
	joinLists,
	type AskForPage,
	type Selection,
	selectionOf,
} from '../../nodes/LicensingData/trigger/watchedLists.ts';
import { TriggerLog, type LogContext } from '../../nodes/LicensingData/trigger/messages.ts';
import { runPoll } from '../../nodes/LicensingData/trigger/poll.ts';
import type { KeyKind } from '../../nodes/LicensingData/trigger/state.ts';

type PageResult = Awaited<ReturnType<AskForPage>>;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The day of the first poll. */
const TODAY = '2026-07-01T00:00:00Z';

export const filing = (id: string, more: License = {}): License => ({
	id,
	legalName: `${id} LLC`,
	eventType: 'new_filing',
	eventTimestamp: TODAY,
	address: { county: 'Lee' },
	...more,
});

/** A failure that may pass, except for a rate limit. */
export const fault = (status?: number) =>
	new Failure('A fault', '', { status, isTransient: status !== 429 });

export const renewal = { eventType: 'renewal' };

export const daysAgo = (days: number): License => ({
	eventTimestamp: new Date(Date.parse(TODAY) - days * DAY).toISOString(),
});

/** `old-0`, `old-1` and so on. */
export const many = (count: number, name = 'old', more: License = {}): License[] =>
	Array.from({ length: count }, (_, index) => filing(`${name}-${index}`, more));

/** What becomes of a batch: n8n takes it over, cannot, or stops before it says anything. */
type Writes = 'both' | 'memory only' | 'stops';

/** `room` for so many events; `mostPages` counts only with it. */
type Settings = Partial<FeedTrigger> & { room?: number; mostPages?: number };

/** A trigger on a list in memory, with a clock that the test moves. n8n saves whatever a poll leaves. */
export class FeedTrigger {
	now = Date.parse('2026-07-01T12:00:00Z');
	pageSize = 5;
	kind: KeyKind = 'live';
	events: string[];
	counties: string[] = [];
	lookbackDays = 90;
	startFrom: number | undefined;
	maxItems = 1000;
	/** How many requests a poll has the time for. */
	time = Number.POSITIVE_INFINITY;
	/** Answers in the list's place, if it returns something. */
	answer: (page: number, event: string) => PageResult | undefined = () => undefined;
	writes: Writes = 'both';
	/** Whether n8n saves what a poll leaves together with what it emits. */
	hasCursors = false;
	saved: IDataObject = {};
	/** Each request of the last poll: the event and the page, from 0. */
	asked: string[] = [];
	/** How many requests all polls have sent. */
	requests = 0;
	/** What the last poll emitted. */
	items: License[] = [];
	readonly log: string[] = [];
	/** Failed executions beside polls that went well. */
	readonly shown: string[] = [];
	private readonly limits: typeof LIMITS;
	private sessions!: TriggerSessions;
	private logger!: TriggerLog;

	/** `records`: all lists in one, in the service's order. It watches those that are there. */
	constructor(
		public records: License[],
		{ room, mostPages = 400, ...more }: Settings = {},
	) {
		this.events = [...new Set(records.map(({ eventType }) => String(eventType)))];
		Object.assign(this, more);
		this.limits = room === undefined ? LIMITS : { events: room, pages: mostPages };
		this.restart();
	}

	/** Another process, this long after the last poll. It knows what n8n has saved. */
	restart(after = 0): void {
		this.now += after;
		this.sessions = new TriggerSessions(() => this.now);
		this.logger = new TriggerLog({} as LogContext);
	}

	/** A poll this long after the last one. Returns the IDs of what it emitted. */
	async poll(after = 0): Promise<string[]> {
		this.now += after;
		this.asked = [];
		const data = structuredClone(this.saved);
		if (!this.hasCursors) data.__dataChanged = false;
		const note = (line: string) => void this.log.push(line);
		const context = {
			getWorkflowStaticData: () => data,
			getNode: () => ({ name: 'Trigger' }),
			getWorkflow: () => ({ name: 'Leads' }),
			logger: { info: note, warn: note },
			__emit: ((_items, _response, done) => {
				if (this.writes === 'both') done?.resolve(undefined as never);
				if (this.writes === 'memory only') done?.reject(new Error('The database is locked'));
			}) as SessionContext['__emit'],
			...(this.hasCursors ? { __commitCursor: () => {} } : {}),
			__emitError: ({ message }: Error) => void this.shown.push(message),
		} as unknown as SessionContext & LogContext;
		const session = this.sessions.begin('Trigger', context);
		if (!session) return [];
		Object.assign(this.logger, { context, now: this.now });
		const items = await runPoll(this.input, session, this.logger, false, (events) =>
			events.length > 0 ? events : null,
		);
		const { __dataChanged: _, ...saved } = data;
		this.saved = structuredClone(saved);
		if (items) context.__emit?.([items.map((json) => ({ json: json as IDataObject }))]);
		this.items = items ?? [];
		return this.items.map(({ id }) => String(id));
	}

	/** Polls at this interval. Returns the IDs of everything that they emitted. */
	async polls(count: number, every: number): Promise<string[]> {
		const came: string[] = [];
		for (let polls = 0; polls < count; polls++) came.push(...(await this.poll(every)));
		return came;
	}

	private get input() {
		const { kind, startFrom, maxItems, counties, lookbackDays, events, now, limits } = this;
		const filters = JSON.stringify({ filters: { counties }, lookbackDays });
		const watched = events.map((event) => ({
			event,
			readPage: joinLists([{ event_type: event }], {}, async ({ cursor }) =>
				this.page(event, Number(cursor ?? 0)),
			),
		}));
		const hasTime = () => this.asked.length < this.time;
		const wanted = selectionOf(filters) as Selection;
		const settings = { kind, filters, wanted, selectionOf, startFrom, maxItems, limits };
		return { ...settings, watched, hasTime, mayAsk: true, now };
	}

	private page(event: string, page: number): PageResult {
		this.asked.push(`${event} ${page}`);
		this.requests++;
		const listed = this.records.filter(({ eventType }) => eventType === event);
		const from = page * this.pageSize;
		const records = listed.slice(from, from + this.pageSize);
		const cursor = from + this.pageSize < listed.length ? String(page + 1) : null;
		return this.answer(page, event) ?? { records, cursor, total: listed.length };
	}
}

/** Published: what the list shows is known. */
export async function published(...args: ConstructorParameters<typeof FeedTrigger>) {
	const feed = new FeedTrigger(...args);
	await feed.poll();
	if (feed.items.length > 0) throw new Error('Publishing has emitted something');
	return feed;
}
