import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import type {
	Limits,
	PageResult,
	Selection,
} from '../../nodes/LicensingData/trigger/feed/types.ts';
import { Reports } from '../../nodes/LicensingData/trigger/reports.ts';
import { runSession } from '../../nodes/LicensingData/trigger/runSession.ts';
import { TriggerSessions } from '../../nodes/LicensingData/trigger/session.ts';
import type { FeedState } from '../../nodes/LicensingData/trigger/feed/state.ts';
import { WaitingBytes } from '../../nodes/LicensingData/licenses/waitingBytes.ts';
import { FakeN8n, type PollCall, type PollResult, type TriggerProcess } from './fake-n8n.mts';
import { calmPoll, type Change, type Filters, type History, type PollStep } from './history.mts';
import { Oracle, type ListView } from './oracle.mts';
import type { Situations } from './situations.mts';
import { DAY, MINUTE, World } from './world.mts';

export interface Played {
	polls: number;
	requests: number;
	emitted: number;
	largestState: number;
	violations: string[];
}

const START = Date.parse('2026-07-01T12:34:56Z');
/** Room for what is known, as the document promises it, and for the rest of the state. */
const mostBytes = (events: number): number => 16 * 1.2 * events + 12_000;
const SETTLING_DAYS = 4;

/** Plays one history to the trigger, and to a judge that sees all of it. */
export async function play(
	history: History,
	limits: Limits,
	situations: Situations,
): Promise<Played> {
	const player = new Player(history, limits, situations);
	for (const step of history.steps) {
		if (step.kind === 'poll') await player.poll(step);
		else if (step.kind === 'restart') player.restarts(step.down);
		else if (step.kind === 'lead') player.leads(step.main);
		else if (step.kind === 'filters') player.changeFilters(step.filters);
		else player.change(step);
	}
	await player.settle();
	return player.result;
}

/** A list that is read from its top on, as the service sees it. */
interface Pass {
	since: number;
	shown: string[];
}

class Player {
	private readonly world: World;
	private readonly n8n: FakeN8n;
	/** A judge for each account. */
	private readonly oracles = new Map<string, Oracle>();
	private readonly violations: string[] = [];
	private readonly played = { polls: 0, requests: 0, emitted: 0, largestState: 0 };
	private filters: Filters;
	private brokenBelow = Number.POSITIVE_INFINITY;
	private readonly startFrom: number | undefined;
	/** By list and cursor. */
	private passes = new Map<string, Pass>();
	private readonly eventOf = new Map<License, string>();
	/** What was emitted since the state was last saved. */
	private unsaved: string[] = [];
	private lastState: FeedState | undefined;
	private savedState: FeedState | undefined;
	/** Whether a list has become known, with these or other filters, since the state was last saved. */
	private isKnowledgeUnsaved = false;
	private isKnowledgeOpen = false;
	/** What n8n has lost, and has not come since. Another process repeats it for five minutes alone. */
	private inDoubt: Array<{ account: string; event: string }> = [];
	/** What my lists have shown since each of them was read in full, and when these readings began. */
	private readonly shownSince = new Set<string>();
	private readTimes = new Map<string, number>();

	constructor(
		private readonly history: History,
		private readonly limits: Limits,
		private readonly situations: Situations,
	) {
		this.world = new World(history.world, START);
		this.startFrom = history.startFrom === null ? undefined : START - history.startFrom * DAY;
		this.filters = history.filters;
		this.n8n = new FakeN8n(
			history.saving,
			() => this.newProcess(),
			() => {
				this.unsaved = [];
				this.savedState = this.lastState;
				this.isKnowledgeUnsaved = false;
			},
		);
		this.show();
	}

	get result(): Played {
		return { ...this.played, violations: this.violations };
	}

	private get oracle(): Oracle {
		const oracle = this.oracles.get(this.filters.account) ?? new Oracle(this.violations);
		this.oracles.set(this.filters.account, oracle);
		return oracle;
	}

	change(change: Change): void {
		const { world } = this;
		if (change.kind === 'add')
			for (let added = 0; added < change.count; added++)
				world.add(change.age * DAY, {}, change.isAtOnce);
		else if (change.kind === 'amend') {
			world.amend(change.pick);
			// Where lists are sorted by that date, it moves up, perhaps past what the first reading has read.
			if (this.history.world.kind !== 'register') this.oracle.somethingMoved();
		} else if (change.kind === 'fillInName') world.fillInName();
		else if (change.kind === 'expire') world.expireCursors();
		else if (change.kind === 'transfer') world.transfer(change.pick, change.isBeside);
		else if (change.kind === 'hide') world.hide(change.pick, change.count, change.days);
		else if (change.kind === 'break') this.brokenBelow = change.below ?? Number.POSITIVE_INFINITY;
		else if (change.kind === 'wait') {
			world.pass(change.minutes * MINUTE);
			// What n8n has to say of a batch takes it seconds, not minutes.
			if (change.minutes > 1) this.n8n.settle();
		}
		this.show();
	}

	async poll(step: PollStep): Promise<void> {
		this.played.polls++;
		this.show();
		let request = 0;
		let lose = () => {};
		const lost = new Promise<undefined>((resolve) => (lose = () => resolve(undefined)));
		const call: Omit<PollCall, 'context'> = {
			...this.settings(step.maxItems),
			now: this.world.now,
			clock: () => this.world.now,
			hasTime: () => step.pages === null || request < step.pages,
			readPage: async (event, cursor) => {
				const number = request++;
				this.played.requests++;
				if (this.world.pass(100)) this.show();
				for (const { before, change } of step.during) if (before === number) this.change(change);
				if (step.diesAt === number) {
					lose();
					return await new Promise<never>(() => {});
				}
				if (step.overlapsAt === number) await this.n8n.overlap({ ...call, now: this.world.now });
				if (step.faults.includes(number)) return this.fail('a page that failed');
				if (step.limitedAfter !== null && number >= step.limitedAfter) {
					this.situations.meet('a rate limit');
					return { failure: new Failure('status', 'wait', ''), isRateLimit: true };
				}
				return this.page(event, cursor);
			},
		};
		const polled = this.n8n.poll(call, step.batch, {
			isAbandoned: step.isAbandoned,
			readAhead: step.readAhead,
			onResult: (result) => this.noteResult(result),
		});
		const done = await Promise.race([polled, lost]);
		this.played.largestState = Math.max(this.played.largestState, this.n8n.bytes);
		if (this.n8n.bytes > mostBytes(this.limits.events))
			this.violations.push(`state of ${this.n8n.bytes} bytes`);
		if (!done) {
			this.situations.meet('a process lost in the middle of a poll');
			return this.restarts(step.down);
		}
		const { result, batch } = done;
		if (!('emitted' in result)) return;
		if (batch?.isExecuted) {
			const events = result.emitted.map((record) => this.eventOf.get(record) ?? '?');
			this.played.emitted += events.length;
			for (const event of events) this.oracle.emitted(event, this.world.now);
			const { account } = this.filters;
			this.inDoubt = this.inDoubt.filter(
				(one) => one.account !== account || !events.includes(one.event),
			);
			if (!batch.isStateSaved) this.unsaved.push(...events);
		}
		if (batch && !batch.isExecuted) {
			this.situations.meet('a batch that n8n lost');
			const { account } = this.filters;
			for (const record of result.emitted)
				this.inDoubt.push({ account, event: this.eventOf.get(record) ?? '?' });
			// State and batch are saved together, or not at all.
			if (this.history.saving === 'cursors') this.goesOnFromSaved();
		}
		if (step.batch.stops && batch) {
			this.situations.meet('n8n stopped between its two writes');
			this.restarts(step.down);
		}
		// Durable cursors save a poll's state with its result, or not at all.
		if (step.isAbandoned && this.history.saving === 'cursors') this.goesOnFromSaved();
		this.show();
	}

	restarts(minutes: number): void {
		this.world.pass(minutes * MINUTE);
		this.n8n.loseProcess();
		this.processLost();
	}

	leads(main: number): void {
		const process = this.n8n.lead(main);
		this.situations.meet(
			process === 'new' ? 'another main process' : 'a main process that leads again',
		);
		this.processLost();
		if (process === 'new') return;
		// It goes on from what it knows itself, if that is more than what is saved.
		this.isKnowledgeOpen = true;
		for (const oracle of this.oracles.values()) oracle.somethingMoved();
	}

	changeFilters(filters: Filters): void {
		const isOther = filters.account !== this.filters.account;
		this.situations.meet(isOther ? 'another account' : 'changed filters');
		this.filters = filters;
		this.oracle.filtersChanged((record) => this.isWanted(textOf(filters), record));
		this.n8n.publish();
		this.show();
	}

	async settle(): Promise<void> {
		this.brokenBelow = Number.POSITIVE_INFINITY;
		for (let hour = 0; hour < SETTLING_DAYS * 24; hour++) {
			this.change({ kind: 'wait', minutes: 60 });
			await this.poll(calmPoll);
		}
		this.oracle.ends();
	}

	private page(event: string, cursor: string | null): PageResult<License> {
		const query = this.queryOf(event);
		const page = this.world.page(query, cursor);
		const pass =
			cursor === null
				? { since: this.world.now, shown: [] }
				: this.passes.get(`${event} ${cursor}`);
		if (!page) {
			this.situations.meet('a cursor refused');
			return { failure: new Failure('status', 'expired', ''), hasExpired: true };
		}
		const depth = pass ? pass.shown.length / this.history.world.pageSize : 0;
		if (depth > this.brokenBelow || (depth === 0 && this.brokenBelow === 0))
			return this.fail('a page that never came');
		const shown = [...(pass?.shown ?? []), ...page.shown.map((entry) => entry.event)];
		if (pass && page.cursor !== null)
			this.passes.set(`${event} ${page.cursor}`, { since: pass.since, shown });
		else if (pass) this.oracle.wasRead(shown, pass.since);
		for (const { record, event: name } of page.shown) this.eventOf.set(record, name);
		return {
			records: page.shown.map(({ record }) => record),
			cursor: page.cursor,
			total: page.total,
		};
	}

	private fail(situation: Parameters<Situations['meet']>[0]): PageResult<License> {
		this.situations.meet(situation);
		return { failure: new Failure('network', 'fault', '', { isTransient: true }) };
	}

	private queryOf(event: string): Record<string, string | undefined> {
		const { counties, types } = this.filters;
		return {
			event_type: event,
			county: counties?.length === 1 ? counties[0] : undefined,
			license_type: types?.length === 1 ? types[0] : undefined,
		};
	}

	private settings(maxItems: number) {
		return {
			account: this.filters.account,
			events: this.filters.events,
			filters: textOf(this.filters),
			wanted: selectionOf(textOf(this.filters)),
			selectionOf,
			startFrom: this.startFrom,
			maxItems,
		};
	}

	/** Tells the judge what is listed now. */
	private show(): void {
		if (this.played.polls === 0) return;
		const account = this.lastState?.accounts.find(
			({ account }) => account === this.filters.account,
		);
		const viewOf = ({ eventType }: License): ListView => {
			const list = account?.lists[String(eventType)];
			return {
				known: list?.filters,
				readAt: list?.readAt ?? 0,
				isCut: list?.isCut ?? false,
				current: textOf(this.filters),
				matches: (filters, record) => this.isWanted(filters, record),
				startFrom: list ? list.startFrom : account ? undefined : this.startFrom,
				isOpen: this.isKnowledgeOpen,
			};
		};
		this.oracle.lists(this.world.listed, viewOf, this.filters.lookbackDays, this.world.now);
	}

	private isWanted(filters: string, record: License): boolean {
		const isChosen = this.filters.events.includes(record.eventType as 'renewal');
		return isChosen && selectionOf(filters).matches(record);
	}

	/** Where n8n has not saved what was known, the next process may know it or not. */
	private processLost(): void {
		for (const [name, oracle] of this.oracles) {
			oracle.processChanged();
			oracle.excuseRepeats(this.unsaved);
			const inDoubt = this.inDoubt.filter(({ account }) => account === name);
			oracle.excuse(inDoubt.map(({ event }) => event));
		}
		this.goesOnFromSaved();
	}

	private goesOnFromSaved(): void {
		if (this.isKnowledgeUnsaved) for (const oracle of this.oracles.values()) oracle.excuseAll();
		this.isKnowledgeOpen ||= this.isKnowledgeUnsaved;
		this.isKnowledgeUnsaved = false;
		this.lastState = this.savedState;
		this.show();
	}

	private noteResult(result: PollResult): void {
		if (!('state' in result)) return;
		if (!result.state) return;
		const isKnown = knownBy(result.state) === knownBy(this.lastState);
		this.isKnowledgeUnsaved ||= !isKnown;
		this.lastState = result.state;
		this.isKnowledgeOpen = false;
		const listed = result.state.accounts
			.flatMap(({ lists }) => Object.values(lists))
			.reduce((sum, { size }) => sum + size, 0);
		const wanted = this.world.listed.filter(({ record }) =>
			this.isWanted(textOf(this.filters), record),
		);
		// Until it is read again, the trigger does not know how long the list is.
		// What turns up between two full readings may be so much that some of what is listed is forgotten.
		const readTimes = Object.entries(result.state.accounts[0]?.lists ?? {}).map(
			([event, { readAt }]) => [event, readAt] as const,
		);
		if (readTimes.every(([event, at]) => at > (this.readTimes.get(event) ?? 0))) {
			this.readTimes = new Map(readTimes);
			this.shownSince.clear();
		}
		for (const { event } of wanted) this.shownSince.add(event);
		const isOverfull =
			Math.max(listed, wanted.length) > this.limits.events ||
			this.shownSince.size > this.limits.events * 1.2;
		if (this.n8n.bytes > 10 * this.limits.events)
			this.oracle.memoryIsFull(isOverfull || this.brokenBelow < Number.POSITIVE_INFINITY);
		// Where memory is full, the account unused longest is forgotten, and begins anew.
		for (const [name, oracle] of this.oracles) {
			const isIn = (state?: FeedState) => state?.accounts.some(({ account }) => account === name);
			if (isIn(result.state)) continue;
			// A process that goes on from what is saved may still know it.
			if (isIn(this.savedState)) oracle.forget();
			else this.oracles.delete(name);
		}
		for (const situation of result.situations) this.situations.meet(situation);
	}

	private newProcess(): TriggerProcess {
		let clock = () => 0;
		const sessions = new TriggerSessions(() => clock(), this.limits, new WaitingBytes());
		const reports = new Reports();
		return {
			poll: async ({ context, readPage, events, account, hasTime, now, ...call }) => {
				clock = call.clock;
				const session = sessions.begin('trigger', context as never);
				if (!session) return { emitted: [], situations: [] };
				Object.assign(context, {
					getNode: () => ({ name: 'Licensing Data Trigger' }),
					logger: { info: () => {}, warn: () => {} },
					__emitError: () => {},
				});
				let state: FeedState | undefined;
				const watched = events.map((event) => ({
					event,
					readPage: async (cursor: string | null) => await readPage(event, cursor),
					lists: (record: License) => record.eventType === event,
				}));
				const lists = { account, watched, hasTime, now };
				const { filters, wanted, selectionOf: read, startFrom, maxItems } = call;
				const settings = { filters, wanted, selectionOf: read, startFrom, maxItems };
				const committed = {
					...session,
					commit: (outcome: Parameters<typeof session.commit>[0]) => {
						state = outcome.state;
						session.commit(outcome);
					},
				};
				try {
					const input = { settings, lists, session: committed };
					const emitted = await runSession(input, context as never, reports, (news) => news);
					return { emitted: emitted ?? [], state, situations: situationsOf(state) };
				} catch (failure) {
					if (!(failure instanceof Failure)) throw failure;
					return { failure };
				} finally {
					session.end();
				}
			},
		};
	}
}

const textOf = ({ counties, types, lookbackDays }: Filters): string =>
	JSON.stringify({ counties, types, lookbackDays });

function selectionOf(filters: string): Selection<License> {
	const { counties, types, lookbackDays } = JSON.parse(filters) as Filters;
	return {
		matches: ({ address, licenseType }) =>
			(counties?.includes(address?.county ?? '') ?? true) &&
			(types?.includes(licenseType ?? '') ?? true),
		lookback: lookbackDays === 0 ? Number.POSITIVE_INFINITY : lookbackDays * DAY,
	};
}

const knownBy = (state: FeedState | undefined): string =>
	JSON.stringify(
		state?.accounts.map(({ account, lists }) => [
			account,
			Object.entries(lists).map(([event, one]) => [event, one.filters, one.knownSince]),
		]),
	);

const situationsOf = (state: FeedState | undefined) =>
	(state?.accounts ?? [])
		.slice(0, 1)
		.flatMap(({ lists, heldSince, hasBacklog }) => [
			...(Object.values(lists).some(({ isCut }) => isCut) ? (['a list that is cut'] as const) : []),
			...(Object.values(lists).some(({ filters }) => filters === undefined)
				? (['a first reading that goes on with the next poll'] as const)
				: []),
			...(heldSince === undefined ? [] : (['so many at once that they wait'] as const)),
			...(hasBacklog ? (['a backlog'] as const) : []),
		]);
