import type { License, ListQuery } from '../../nodes/LicensingData/licenses/license.ts';
import type { Failure as FailureClass } from '../../nodes/LicensingData/licenses/failure.ts';
import { endless } from '../../nodes/LicensingData/service/list.ts';
import type { Session } from '../../nodes/LicensingData/trigger/run.ts';
import { TriggerSessions } from '../../nodes/LicensingData/trigger/handshake.ts';
import {
	joinLists,
	type AskForPage,
	shortestLists,
	type Selection,
} from '../../nodes/LicensingData/trigger/watchedLists.ts';
import { TriggerLog } from '../../nodes/LicensingData/trigger/messages.ts';
import { firstOf, keysOf } from '../../nodes/LicensingData/licenses/identity.ts';

import { runSession } from '../../nodes/LicensingData/trigger/poll.ts';
import type { TriggerState } from '../../nodes/LicensingData/trigger/memory.ts';
import { FakeN8n, type PollCall, type PollResult, type TriggerProcess } from './fake-n8n.mts';
import { calmPoll, type Change, type Filters, type History, type PollStep } from './history.mts';
import { Oracle, type ListView } from './oracle.mts';
import type { Situations } from './situations.mts';
import { DAY, MINUTE, World, type Entry } from './world.mts';

type PageResult = Awaited<ReturnType<AskForPage>>;

/** The one that the nodes compare with: outside of vitest, a module that is imported from here is loaded once more. */
const Failure = endless().constructor as typeof FailureClass;

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
const SETTLING_HOURS = 6;

/** Plays one history to the trigger, and to a judge that sees all of it. */
export async function play(
	history: History,
	limits: Session['limits'],
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
	total: number | undefined;
}

class Player {
	private readonly world: World;
	private readonly n8n: FakeN8n;
	/** A judge for each kind of key. */
	private readonly oracles = new Map<string, Oracle>();
	private readonly violations: string[] = [];
	private readonly played = { polls: 0, requests: 0, emitted: 0, largestState: 0 };
	private filters: Filters;
	private isByCounty: boolean;
	private readonly selections: Record<string, Selection> = {};
	private brokenBelow = Number.POSITIVE_INFINITY;
	private readonly startFrom: number | undefined;
	/** By list and cursor. */
	private passes = new Map<string, Pass>();
	/** Parts of a list that have ended with the page that is being read. */
	private ended: Pass[] = [];
	private readonly eventOf = new Map<License, string>();
	/** What was emitted since the state was last saved. */
	private unsaved: string[] = [];
	private lastState: TriggerState | undefined;
	private savedState: TriggerState | undefined;
	private readonly eventOfKey = new Map<string, string>();
	/** Whether a list has become known, with these or other filters, since the state was last saved. */
	private isKnowledgeUnsaved = false;
	private isKnowledgeOpen = false;
	/** What n8n has lost, and has not come since. Another process repeats it for five minutes alone. */
	private inDoubt: Array<{ kind: string; event: string }> = [];
	/** What my lists have shown since each of them was read in full, and when these readings began. */
	private readonly shownSince = new Set<string>();
	/** In which poll a page has shown an event for the first time. */
	private readonly pagedIn = new Map<string, number>();
	private readTimes = new Map<string, number>();

	constructor(
		private readonly history: History,
		private readonly limits: Session['limits'],
		private readonly situations: Situations,
	) {
		this.world = new World(history.world, START);
		this.startFrom = history.startFrom === null ? undefined : START - history.startFrom * DAY;
		this.filters = history.filters;
		this.isByCounty = this.queries().every(({ county }) => county !== undefined);
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
		const oracle = this.oracles.get(this.filters.kind) ?? new Oracle(this.violations);
		this.oracles.set(this.filters.kind, oracle);
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
		} else if (change.kind === 'correct') {
			if (world.correct(change.pick, change.what))
				this.situations.meet(
					change.what === 'id' ? 'an ID that changed' : 'a name that was corrected',
				);
		} else if (change.kind === 'useIdAgain') {
			this.situations.meet('an ID that was used again');
			world.useIdAgain(change.pick);
		} else if (change.kind === 'flip') {
			if (world.flip(change.pick)) this.situations.meet('a record of two versions');
		} else if (change.kind === 'addSource') world.addSource(change.count, change.isAtOnce);
		else if (change.kind === 'standStill') {
			if (change.days > 40) this.situations.meet('a list that stood still for weeks');
			world.standStill(change.days);
		} else if (change.kind === 'expire') world.expireCursors();
		else if (change.kind === 'transfer') {
			if (world.transfer(change.pick, change.isBeside)) this.situations.meet('a transfer');
		} else if (change.kind === 'hide') world.hide(change.pick, change.count, change.days);
		else if (change.kind === 'break') this.brokenBelow = change.below ?? Number.POSITIVE_INFINITY;
		else if (change.kind === 'wait') {
			this.pass(change.minutes * MINUTE);
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
			mayAsk: true,
			watched: this.watchedLists(async ({ cursor, ...query }) => {
				const number = request++;
				this.played.requests++;
				if (this.pass(100)) this.show();
				for (const { before, change } of step.during) if (before === number) this.change(change);
				if (step.diesAt === number) {
					lose();
					return await new Promise<never>(() => {});
				}
				if (step.overlapsAt === number) await this.n8n.overlap({ ...call, now: this.world.now });
				if (step.faults.includes(number)) return this.fail('a page that failed');
				if (step.limitedAfter !== null && number >= step.limitedAfter) {
					this.situations.meet('a rate limit');
					return new Failure('wait', '', { status: 429 });
				}
				return this.page(query, cursor ?? null);
			}),
		};
		const typesBefore = this.typesThatAreJudged();
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
		const events = result.emitted.map((record) => this.eventOf.get(record) ?? '?');
		const found = events.filter((event) => this.pagedIn.get(event) === this.played.polls);
		if (typesBefore) this.oracle.cameAtOnce(found, typesBefore, this.world.listed);
		if (batch?.isExecuted) {
			this.played.emitted += events.length;
			for (const event of events) this.oracle.emitted(event, this.world.now);
			const { kind } = this.filters;
			this.inDoubt = this.inDoubt.filter((one) => one.kind !== kind || !events.includes(one.event));
			if (!batch.isStateSaved) this.unsaved.push(...events);
		}
		if (batch && !batch.isExecuted) {
			this.situations.meet('a batch that n8n lost');
			const { kind } = this.filters;
			for (const event of events) this.inDoubt.push({ kind, event });
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
		this.pass(minutes * MINUTE);
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
		const isOther = filters.kind !== this.filters.kind;
		this.situations.meet(isOther ? 'a key of the other kind' : 'changed filters');
		this.filters = filters;
		this.isByCounty = this.queries().every(({ county }) => county !== undefined);
		this.oracle.filtersChanged((entry) => this.isWanted(textOf(filters), entry));
		this.n8n.publish();
		this.show();
	}

	async settle(): Promise<void> {
		this.brokenBelow = Number.POSITIVE_INFINITY;
		for (let hour = 0; hour < SETTLING_DAYS * 24; hour += SETTLING_HOURS) {
			this.change({ kind: 'wait', minutes: SETTLING_HOURS * 60 });
			await this.poll(calmPoll);
		}
		this.oracle.ends();
	}

	private page(query: ListQuery, cursor: string | null): PageResult {
		const name = JSON.stringify(query);
		const page = this.world.page(query as Record<string, string>, cursor, this.isAllKnown());
		const pass =
			cursor === null
				? { since: this.world.now, shown: [], total: page?.total }
				: this.passes.get(`${name} ${cursor}`);
		if (!page) {
			this.situations.meet('a cursor refused');
			return new Failure('expired', '');
		}
		const depth = pass ? pass.shown.length / this.history.world.pageSize : 0;
		if (depth > this.brokenBelow || (depth === 0 && this.brokenBelow === 0))
			return this.fail('a page that never came');
		for (const { record, event, county, listedAs } of page.shown) {
			this.eventOf.set(record, event);
			if (!this.pagedIn.has(event)) this.pagedIn.set(event, this.played.polls);
			this.eventOfKey.set(firstOf(keysOf(record)), event);
			if (record.address?.county !== county) this.situations.meet('a record without its county');
			if (record.eventType !== listedAs) this.situations.meet('a record without its event');
		}
		const { cursor: next, total } = page;
		const answer = { records: page.shown.map(({ record }) => record), cursor: next, total };
		if (page.isSample) this.situations.meet('a page of another server');
		// The trigger asks again for such a page, and takes nothing from it.
		const { total: before = total } = pass ?? {};
		if ((total ?? 0) * 2 < (before ?? 0) || (total ?? 0) > (before ?? 0) * 2) return answer;
		const shown = [...(pass?.shown ?? []), ...page.shown.map((entry) => entry.event)];
		if (pass && next !== null) this.passes.set(`${name} ${next}`, { ...pass, shown });
		else if (pass) this.ended.push({ ...pass, shown });
		return answer;
	}

	/**
	 * The license types that the list of filings had when it was last read, with these filters; undefined where a new
	 * process may have to find again what was found.
	 */
	private typesThatAreJudged(): ReadonlySet<unknown> | undefined {
		const { lists, waiting, batches } = this.lastState?.memories[this.filters.kind] ?? {};
		const { filters, toFind } = lists?.new_filing ?? {};
		const isFoundAgain = waiting !== 0 || batches?.length !== 0 || toFind !== undefined;
		const isKnown = !this.isKnowledgeOpen && filters === textOf(this.filters);
		return isKnown && !isFoundAgain ? this.oracle.typesRead : undefined;
	}

	/** Whether nothing that a sample lacks would count as new. */
	private isAllKnown(): boolean {
		const { lists = {} } = this.lastState?.memories[this.filters.kind] ?? {};
		const isTotalGiven = this.history.world.totals;
		const isKnown = (event: string) => lists[event]?.filters === textOf(this.filters);
		return isTotalGiven && this.filters.events.every(isKnown);
	}

	private fail(situation: Parameters<Situations['meet']>[0]): PageResult {
		this.situations.meet(situation);
		return new Failure('fault', '', { isTransient: true });
	}

	private queries(): ListQuery[] {
		const { counties, types, events } = this.filters;
		const values = { counties: counties ?? undefined, licenseTypes: types ?? undefined };
		return shortestLists(values, events.length);
	}

	private watchedLists(askForPage: AskForPage) {
		const counties = this.filters.counties ?? undefined;
		return this.filters.events.map((event) => {
			const asked = this.queries().map((query) => ({ ...query, event_type: event }));
			const readJoined = joinLists(asked, { counties }, askForPage);
			return {
				event,
				readPage: async (cursor: string | null) => {
					this.ended = [];
					const page = await readJoined(cursor);
					// The first pages of its parts are one page. Where one fails, nothing of the list changes (promise 10).
					if (page instanceof Failure) return page;
					for (const { shown, since } of this.ended) this.oracle.wasRead(shown, since);
					return page;
				},
			};
		});
	}

	private settings(maxItems: number) {
		const { kind } = this.filters;
		const { startFrom } = this;
		const filters = textOf(this.filters);
		const wanted = selectionOf(filters);
		return { kind, filters, wanted, selectionOf, startFrom, maxItems };
	}

	/**
	 * Says whether the list has changed. What is dated anew each day has moved up, perhaps past a first reading, and so
	 * has what was amended while the list stood still.
	 */
	private pass(milliseconds: number): boolean {
		const { isStandingStill } = this.world;
		const hasChanged = this.world.pass(milliseconds);
		const hasMoved = hasChanged && this.history.world.undatedStock > 0;
		if (hasMoved || (isStandingStill && !this.world.isStandingStill)) this.oracle.somethingMoved();
		return hasChanged;
	}

	/** Tells the judge what is listed now. */
	private show(): void {
		if (this.played.polls === 0) return;
		const { kind } = this.filters;
		const memory = this.lastState?.memories[kind];
		const startFrom = this.lastState && kind === 'test' ? undefined : this.startFrom;
		const viewOf = ({ listedAs }: Entry): ListView => {
			const list = memory?.lists[listedAs];
			return {
				known: list?.filters,
				readAt: list?.readAt ?? 0,
				isCut: list?.isCut ?? false,
				current: textOf(this.filters),
				matches: (filters, entry) => this.isWanted(filters, entry),
				startFrom: list ? list.startFrom : memory ? undefined : startFrom,
				isOpen: this.isKnowledgeOpen,
			};
		};
		this.oracle.lists(this.world.listed, viewOf, this.filters.lookbackDays, this.world.now);
	}

	/** By the county under which the service lists it, if it was asked for counties. */
	private isWanted(filters: string, { record, county, listedAs }: Entry): boolean {
		if (!this.filters.events.includes(listedAs as 'renewal')) return false;
		const { [filters]: selection = selectionOf(filters) } = this.selections;
		this.selections[filters] = selection;
		return selection.matches(this.isByCounty ? { ...record, address: { county } } : record);
	}

	/** Where n8n has not saved what was known, the next process may know it or not. */
	private processLost(): void {
		for (const [name, oracle] of this.oracles) {
			oracle.processChanged();
			oracle.excuseRepeats(this.unsaved);
			const inDoubt = this.inDoubt.filter(({ kind }) => kind === name);
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
		const readAtOf = (state?: TriggerState) =>
			state?.memories[this.filters.kind]?.lists.new_filing?.readAt;
		if (readAtOf(result.state) !== readAtOf(this.lastState)) this.oracle.filingsWereRead();
		this.lastState = result.state;
		this.isKnowledgeOpen = false;
		const memory = result.state.memories[this.filters.kind];
		const lists = Object.entries(memory?.lists ?? {});
		const listed = lists.reduce((sum, [, { listed }]) => sum + (listed?.counts.all ?? 0), 0);
		const wanted = this.world.listed.filter((entry) => this.isWanted(textOf(this.filters), entry));
		// Until it is read again, the trigger does not know how long the list is.
		// What turns up between two full readings may be so much that some of what is listed is forgotten.
		const readTimes = lists.map(([event, { readAt = 0 }]) => [event, readAt] as const);
		if (readTimes.every(([event, at]) => at > (this.readTimes.get(event) ?? 0))) {
			this.readTimes = new Map(readTimes);
			this.shownSince.clear();
		}
		for (const { event } of wanted) this.shownSince.add(event);
		const isOverfull =
			Math.max(listed, wanted.length) > this.limits.events ||
			this.shownSince.size > this.limits.events * 1.2;
		// Each takes twelve bytes, or six. Where n8n has not saved this state yet, the process knows no more than it, either.
		if (sizeOf(result.state) > 10 * this.limits.events)
			this.oracle.memoryIsFull(isOverfull || this.brokenBelow < Number.POSITIVE_INFINITY);
		// Where memory is full, that of the test key is forgotten, and begins anew.
		for (const [name, oracle] of this.oracles) {
			const isIn = (state?: TriggerState) => state?.memories[name as 'live'] !== undefined;
			if (isIn(result.state)) continue;
			// A process that goes on from what is saved may still know it.
			if (isIn(this.savedState)) oracle.forget();
			else this.oracles.delete(name);
		}
		for (const situation of result.situations) this.situations.meet(situation);
	}

	private newProcess(): TriggerProcess {
		let clock = () => 0;
		const sessions = new TriggerSessions(() => clock(), this.limits);
		const log = new TriggerLog({
			getNode: () => ({ name: 'Licensing Data Trigger' }),
			getWorkflow: () => ({ id: '1' }),
			logger: { info: () => {}, warn: () => {} },
		} as never);
		log.aboutAdditions = (additions) => {
			this.situations.meet('a bulk addition');
			const { readAt } = this.lastState?.memories[this.filters.kind]?.lists.new_filing ?? {};
			const events = additions.map(({ key }) => this.eventOfKey.get(key) ?? '?');
			this.oracle.keptBack(events, readAt ?? 0);
		};
		return {
			poll: async ({ context, ...call }) => {
				clock = call.clock;
				log.now = call.now;
				const name = { id: 'trigger', node: 'Licensing Data Trigger' };
				const session = sessions.begin(name, context as never);
				if (!session) return { emitted: [], situations: [] };
				let state: TriggerState | undefined;
				const committed = {
					...session,
					commit: (outcome: Parameters<typeof session.commit>[0]) => {
						state = outcome.state;
						session.commit(outcome);
					},
				};
				try {
					const emitted = await runSession(call, committed, log, false, (news) => news);
					const situations = situationsOf(state, this.filters.kind);
					return { emitted: emitted ?? [], state, situations };
				} catch (failure) {
					if (!(failure instanceof Failure)) throw failure;
					return { failure };
				}
			},
		};
	}
}

const textOf = ({ counties, types, lookbackDays }: Filters): string =>
	JSON.stringify({ counties, types, lookbackDays });

function selectionOf(filters: string): Selection {
	const { counties, types, lookbackDays } = JSON.parse(filters) as Filters;
	return {
		matches: ({ address, licenseType }) =>
			(counties?.includes(address?.county ?? '') ?? true) &&
			(types?.includes(licenseType ?? '') ?? true),
		lookback: lookbackDays === 0 ? Number.POSITIVE_INFINITY : lookbackDays * DAY,
	};
}

const sizeOf = (state: TriggerState): number => Buffer.byteLength(JSON.stringify(state));

const knownBy = (state: TriggerState | undefined): string =>
	JSON.stringify(
		Object.entries(state?.memories ?? {}).map(([kind, memory]) => [
			kind,
			Object.entries(memory?.lists ?? {}).map(([event, { filters, knownSince }]) => [
				event,
				filters,
				knownSince,
			]),
		]),
	);

function situationsOf(state: TriggerState | undefined, kind: 'live' | 'test') {
	const { lists = {}, waiting } = state?.memories[kind] ?? {};
	const all = Object.values(lists);
	return [
		...(all.some(({ isCut }) => isCut) ? (['a list that is cut'] as const) : []),
		...(all.some(({ filters }) => filters === undefined)
			? (['a first reading that goes on with the next poll'] as const)
			: []),
		...(waiting ? (['a backlog'] as const) : []),
	];
}
