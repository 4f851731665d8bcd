import type { Failure as FailureClass } from '../../nodes/LicensingData/licenses/failure.ts';
import { firstKey, keysOf } from '../../nodes/LicensingData/licenses/eventIdentity.ts';
import type { License, ListQuery } from '../../nodes/LicensingData/licenses/license.ts';
import { endless } from '../../nodes/LicensingData/service/listRequests.ts';
import { TriggerSessions } from '../../nodes/LicensingData/trigger/savedState.ts';
import type { ListState, TriggerState } from '../../nodes/LicensingData/trigger/memory.ts';
import { TriggerLog } from '../../nodes/LicensingData/trigger/triggerLog.ts';
import { runPoll } from '../../nodes/LicensingData/trigger/poll.ts';
import { joinLists, type AskForPage } from '../../nodes/LicensingData/trigger/listPages.ts';
import { type Selection, shortestLists } from '../../nodes/LicensingData/trigger/watchedLists.ts';
import { FakeN8n, type PollCall, type PollResult, type TriggerProcess } from './fake-n8n.mts';
import type { Change, Filters, History, PollStep } from './history.mts';
import { Oracle, type ListView } from './oracle.mts';
import type { Situation } from './situations.mts';
import { DAY, MINUTE, World, type Entry } from './world.mts';

type PageResult = Awaited<ReturnType<AskForPage>>;

/** The one that the nodes compare with: outside of vitest, a module that is imported from here is loaded once more. */
const Failure = endless().constructor as typeof FailureClass;

const START = Date.parse('2026-07-01T12:34:56Z');
/** Room for what is known, as the document promises it, and for the rest of the state. */
const mostBytes = (events: number): number => 16 * 1.2 * events + 12_000;

/** Plays one history to the trigger, and to a judge that sees all of it. */
export async function play(history: History, meet: (situation: Situation) => void = () => {}) {
	const player = new Player(history, meet);
	for (const step of history.steps) {
		if (step.kind === 'poll') await player.poll(step);
		else if (step.kind === 'restart') player.restarts(step.down);
		else if (step.kind === 'lead') player.leads(step.main);
		else if (step.kind === 'filters') player.changeFilters(step.filters);
		else if (step.kind === 'break') player.brokenBelow = step.below ?? Number.POSITIVE_INFINITY;
		else player.change(step);
	}
	await player.settle();
	return player.played;
}

/** A list that is read from its top on, as the service sees it. */
interface Pass {
	since: number;
	shown: string[];
	total: number | undefined;
}

class Player {
	readonly played = { polls: 0, requests: 0, emitted: 0, violations: [] as string[] };
	private readonly world: World;
	private readonly n8n: FakeN8n;
	/** A judge for each kind of key. */
	private readonly oracles = new Map<string, Oracle>();
	private filters: Filters;
	private readonly selections = new Map<string, Selection>();
	private queries: ListQuery[] = [];
	/** Pages below that one cannot be read. */
	brokenBelow = Number.POSITIVE_INFINITY;
	private readonly startFrom: number | undefined;
	/** By list and cursor. */
	private readonly passes = new Map<string, Pass>();
	/** Parts of a list that have ended with the page that is being read. */
	private ended: Pass[] = [];
	private readonly eventOf = new Map<License, string>();
	private readonly eventOfKey = new Map<string, string>();
	/** What was emitted since the state was last saved. */
	private unsaved: string[] = [];
	private lastState: TriggerState | undefined;
	private savedState: TriggerState | undefined;
	/** Whether a list has become known, with these or other filters, since the state was last saved. */
	private isKnowledgeUnsaved = false;
	private isKnowledgeOpen = false;
	/** What n8n has lost, and has not come since. Another process repeats it for five minutes alone. */
	private inDoubt: Array<{ kind: string; event: string }> = [];
	/** What my lists have shown since each of them was read in full, and when these readings began. */
	private readonly shownSince = new Set<string>();
	private readTimes = new Map<string, number>();
	/** What the trigger said in this poll that was added to a list, and when that was read in full before. */
	private kept: Array<{ list: string; events: string[]; since: number }> = [];
	/** In which poll a page has shown an event for the first time. */
	private readonly pagedIn = new Map<string, number>();

	constructor(
		private readonly history: History,
		private readonly meet: (situation: Situation) => void,
	) {
		const { world, startFrom, saving, filters } = history;
		this.world = new World(world, START, meet);
		this.startFrom = startFrom === undefined ? undefined : START - startFrom * DAY;
		this.filters = filters;
		this.choose(filters);
		if (filters.events.length === 6) meet('six lists');
		this.n8n = new FakeN8n(
			saving,
			() => this.newProcess(),
			() => {
				this.unsaved = [];
				this.savedState = this.lastState;
				this.isKnowledgeUnsaved = false;
			},
		);
	}

	private get oracle(): Oracle {
		const oracle = this.oracles.get(this.filters.kind) ?? new Oracle(this.played.violations);
		this.oracles.set(this.filters.kind, oracle);
		return oracle;
	}

	private get memory() {
		return this.lastState?.memories[this.filters.kind];
	}

	change(change: Change): void {
		if (change.kind === 'wait') {
			this.pass(change.minutes * MINUTE);
			// What n8n has to say of a batch takes it seconds, not minutes.
			if (change.minutes > 1) this.n8n.settle();
		} else {
			this.world.apply(change);
			// Where lists are sorted by that date, it moves up, perhaps past what the first reading has read.
			const isDated = change.kind === 'edit' && change.what === 'date';
			if (isDated && this.history.world.kind !== 'register') this.oracle.somethingMoved();
		}
		this.show();
	}

	async poll(step: PollStep): Promise<void> {
		this.played.polls++;
		this.show();
		let request = 0;
		let lose = () => {};
		const lost = new Promise<undefined>((resolve) => (lose = () => resolve(undefined)));
		const { kind } = this.filters;
		const filters = textOf(this.filters);
		const { maxItems = 10_000, pages = Number.POSITIVE_INFINITY, during = [] } = step;
		const call: Omit<PollCall, 'context'> = {
			...{ kind, filters, wanted: selectionOf(filters), maxItems },
			savedSelection: (before) => (before === undefined ? undefined : selectionOf(before)),
			limits: this.history.limits,
			startFrom: this.startFrom,
			now: this.world.now,
			clock: () => this.world.now,
			hasTime: () => request < pages,
			mayAsk: true,
			watched: this.watchedLists(async ({ cursor, ...query }) => {
				const number = request++;
				this.played.requests++;
				if (this.pass(100)) this.show();
				for (const { before, change } of during) if (before === number) this.change(change);
				if (step.diesAt === number) {
					lose();
					return await new Promise<never>(() => {});
				}
				if (step.overlapsAt === number) await this.n8n.overlap({ ...call, now: this.world.now });
				if (step.faults?.includes(number)) return this.fail('a page that failed');
				if (step.limitedAfter !== undefined && number >= step.limitedAfter) {
					this.meet('a rate limit');
					return new Failure('wait', '', { status: 429 });
				}
				return this.page(query, cursor ?? null);
			}),
		};
		const typesBefore = this.typesThatAreJudged();
		const polled = this.n8n.poll(call, step, (result) => this.noteResult(result));
		const done = await Promise.race([polled, lost]);
		if (this.n8n.bytes > mostBytes(this.history.limits.events))
			this.played.violations.push(`state of ${this.n8n.bytes} bytes`);
		if (!done) {
			this.meet('a process lost in the middle of a poll');
			return this.restarts(step.down);
		}
		const { result, batch } = done;
		if (result.failure !== undefined) return;
		const events = result.emitted.map((record) => this.eventOf.get(record) ?? '?');
		const found = events.filter((event) => this.pagedIn.get(event) === this.played.polls);
		if (typesBefore) this.oracle.cameAtOnce(found, typesBefore, this.world.listed);
		if (batch?.isExecuted) {
			this.played.emitted += events.length;
			for (const event of events) this.oracle.emitted(event, this.world.now);
			this.inDoubt = this.inDoubt.filter((one) => one.kind !== kind || !events.includes(one.event));
			if (!batch.isStateSaved) this.unsaved.push(...events);
		} else if (batch) {
			this.meet('a batch that n8n lost');
			for (const event of events) this.inDoubt.push({ kind, event });
		}
		if (step.fate?.stops && batch) {
			this.meet('n8n stopped between its two writes');
			this.restarts(step.down);
		}
		// State and batch, or the state of a silent poll, are saved together, or not at all.
		const isDropped = step.isAbandoned || (batch && !batch.isExecuted);
		if (isDropped && this.history.saving === 'cursors') this.goesOnFromSaved();
		this.show();
	}

	restarts(minutes = 0): void {
		this.pass(minutes * MINUTE);
		this.n8n.loseProcess();
		this.processLost();
	}

	leads(main: number): void {
		const isBack = this.n8n.lead(main);
		this.meet(isBack ? 'a main process that leads again' : 'another main process');
		this.processLost();
		if (!isBack) return;
		// It goes on from what it knows itself, if that is more than what is saved.
		this.isKnowledgeOpen = true;
		for (const oracle of this.oracles.values()) oracle.somethingMoved();
	}

	changeFilters(filters: Filters): void {
		const isOther = filters.kind !== this.filters.kind;
		this.meet(isOther ? 'a key of the other kind' : 'changed filters');
		this.choose(filters);
		this.oracle.filtersChanged((entry) => this.isWanted(textOf(filters), entry));
		this.n8n.publish();
		this.show();
	}

	/** Four days, in which what is new has time to come. */
	async settle(): Promise<void> {
		this.brokenBelow = Number.POSITIVE_INFINITY;
		for (let polls = 0; polls < 16; polls++) {
			this.change({ kind: 'wait', minutes: 360 });
			await this.poll({});
		}
		this.oracle.ends();
	}

	private choose(filters: Filters): void {
		this.filters = filters;
		const { counties, types: licenseTypes, events } = filters;
		this.queries = shortestLists({ counties, licenseTypes }, events.length);
	}

	private page(query: ListQuery, cursor: string | null): PageResult {
		const name = JSON.stringify(query);
		const page = this.world.page(query as Record<string, string>, cursor, this.isAllKnown());
		if (!page) {
			this.meet('a cursor refused');
			return new Failure('expired', '');
		}
		const { cursor: next, total } = page;
		const begun = { since: this.world.now, shown: [], total };
		const pass: Pass | undefined = cursor === null ? begun : this.passes.get(`${name} ${cursor}`);
		const depth = (pass?.shown.length ?? 0) / this.history.world.pageSize;
		if (depth > this.brokenBelow || (depth === 0 && this.brokenBelow === 0))
			return this.fail('a page that never came');
		for (const { record, event, county, listedAs } of page.shown) {
			this.eventOf.set(record, event);
			if (!this.pagedIn.has(event)) this.pagedIn.set(event, this.played.polls);
			this.eventOfKey.set(firstKey(keysOf(record)), event);
			if (record.address?.county !== county) this.meet('a record without its county');
			if (record.eventType !== listedAs) this.meet('a record without its event');
			if (!record.filedDate) this.meet('a record without its filing date');
			if (listedAs === 'renewal' && !record.expirationDate)
				this.meet('a renewal without its expiration date');
		}
		const answer = { records: page.shown.map(({ record }) => record), cursor: next, total };
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
		const { lists, waiting, batches } = this.memory ?? {};
		const { filters, beganAt } = lists?.new_filing ?? {};
		const isFoundAgain = waiting !== '' || batches?.length !== 0 || beganAt === 0;
		const isKnown = !this.isKnowledgeOpen && filters === textOf(this.filters);
		return isKnown && !isFoundAgain ? this.oracle.typesRead : undefined;
	}

	/** Whether nothing that a sample lacks would count as new. */
	private isAllKnown(): boolean {
		const isKnown = (event: string) => this.memory?.lists[event]?.filters === textOf(this.filters);
		return !this.history.world.hidesTotals && this.filters.events.every(isKnown);
	}

	private fail(situation: Situation): PageResult {
		this.meet(situation);
		return new Failure('fault', '', { isTransient: true });
	}

	private watchedLists(askForPage: AskForPage) {
		const { counties, events } = this.filters;
		return events.map((event) => {
			const asked = this.queries.map((query) => ({ ...query, event_type: event }));
			const readJoined = joinLists(asked, { counties }, askForPage);
			const readPage: typeof readJoined = async (cursor) => {
				this.ended = [];
				const page = await readJoined(cursor);
				// The first pages of its parts are one page. Where one fails, nothing of the list changes (promise 10).
				if (page instanceof Failure) return page;
				for (const { shown, since } of this.ended) this.oracle.wasRead(shown, since);
				return page;
			};
			return { event, readPage };
		});
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
		const { memory } = this;
		const isLater = memory !== undefined || (this.lastState && this.filters.kind === 'test');
		const viewOf = ({ listedAs }: Entry): ListView => {
			const list = memory?.lists[listedAs];
			return {
				known: list?.filters,
				readAt: list?.listed?.readAt ?? 0,
				isCut: list?.isCut ?? false,
				current: textOf(this.filters),
				matches: (filters, entry) => this.isWanted(filters, entry),
				startFrom: list ? list.startFrom : isLater ? undefined : this.startFrom,
				isOpen: this.isKnowledgeOpen,
			};
		};
		this.oracle.lists(this.world.listed, viewOf, this.filters.lookbackDays, this.world.now);
	}

	/** By the county under which the service lists it, if it was asked for counties. */
	private isWanted(filters: string, { record, county, listedAs }: Entry): boolean {
		if (!this.filters.events.includes(listedAs)) return false;
		const selection = this.selections.get(filters) ?? selectionOf(filters);
		this.selections.set(filters, selection);
		return selection.matches(
			this.queries[0]?.county !== undefined ? { ...record, address: { county } } : record,
		);
	}

	/** Where n8n has not saved what was known, the next process may know it or not. */
	private processLost(): void {
		for (const [name, oracle] of this.oracles) {
			const inDoubt = this.inDoubt.filter(({ kind }) => kind === name);
			oracle.processLost(
				this.unsaved,
				inDoubt.map(({ event }) => event),
			);
		}
		this.goesOnFromSaved();
	}

	private goesOnFromSaved(): void {
		if (this.isKnowledgeUnsaved) for (const oracle of this.oracles.values()) oracle.excuse();
		this.isKnowledgeOpen ||= this.isKnowledgeUnsaved;
		this.isKnowledgeUnsaved = false;
		this.lastState = this.savedState;
		this.show();
	}

	private noteResult({ state }: PollResult): void {
		for (const { list, events, since } of this.kept.splice(0)) {
			const readAt = state?.memories[this.filters.kind]?.lists[list]?.listed?.readAt ?? since;
			this.oracle.keptBack(events, since, readAt !== since);
		}
		if (!state) return;
		const before = this.memory?.lists.new_filing?.listed?.readAt;
		this.isKnowledgeUnsaved ||= knownBy(state) !== knownBy(this.lastState);
		this.isKnowledgeOpen = false;
		this.lastState = state;
		const { lists = {}, waiting = '' } = this.memory ?? {};
		if (lists.new_filing?.listed?.readAt !== before) this.oracle.filingsWereRead();
		const all = Object.values(lists);
		if (waiting !== '') this.meet('a backlog');
		if (all.some(({ isCut }) => isCut)) this.meet('a list that is cut');
		if (all.some(({ filters }) => filters === undefined))
			this.meet('a first reading that goes on with the next poll');
		this.excuseWhatIsForgotten(state, lists);
	}

	private excuseWhatIsForgotten(state: TriggerState, lists: Record<string, ListState>): void {
		const { events: room } = this.history.limits;
		const listed = Object.values(lists).reduce(
			(sum, one) => sum + (one.listed?.counts.all ?? 0),
			0,
		);
		const wanted = this.world.listed.filter((entry) => this.isWanted(textOf(this.filters), entry));
		// What turns up between two full readings may be so much that some of what is listed is forgotten.
		const readTimes = Object.entries(lists).map(
			([name, { listed: read }]) => [name, read?.readAt ?? 0] as const,
		);
		if (readTimes.every(([name, at]) => at > (this.readTimes.get(name) ?? 0))) {
			this.readTimes = new Map(readTimes);
			this.shownSince.clear();
		}
		for (const { event } of wanted) this.shownSince.add(event);
		// What was not met for longest is forgotten first, and is new when it returns or can be read again: also of what is
		// listed, if that is more than has room, or a part of it cannot be read. Until it is read again, the trigger does
		// not know how long the list is.
		const isListedForgotten =
			Math.max(listed, wanted.length) > room ||
			this.shownSince.size > room * 1.2 ||
			this.brokenBelow < Number.POSITIVE_INFINITY;
		// Each takes twelve bytes, or six. Where n8n has not saved this state yet, the process knows no more than it, either.
		if (Buffer.byteLength(JSON.stringify(state)) > 10 * room)
			this.oracle.forget(({ isListed }) => !isListed || isListedForgotten);
		// Where memory is full, that of the test key is forgotten, and begins anew.
		for (const [name, oracle] of this.oracles) {
			if (state.memories[name as 'live']) continue;
			// A process that goes on from what is saved may still know it.
			if (this.savedState?.memories[name as 'live']) oracle.forget();
			else this.oracles.delete(name);
		}
	}

	private newProcess(): TriggerProcess {
		let clock = () => 0;
		const sessions = new TriggerSessions(() => clock());
		const log = new TriggerLog({
			getNode: () => ({ name: 'Licensing Data Trigger' }),
			getWorkflow: () => ({ id: '1' }),
			logger: { info: () => {}, warn: () => {} },
		} as never);
		log.aboutAdditions = (list, additions) => {
			this.meet('a bulk addition');
			const events = additions.map((one) => this.eventOfKey.get(firstKey(keysOf(one))) ?? '?');
			this.kept.push({ list, events, since: this.memory?.lists[list]?.listed?.readAt ?? 0 });
		};
		return async ({ context, ...call }) => {
			({ clock } = call);
			log.now = call.now;
			const session = sessions.begin('trigger', context);
			if (!session) return { emitted: [] };
			let state: TriggerState | undefined;
			const commit: typeof session.commit = (outcome) => {
				({ state } = outcome);
				session.commit(outcome);
			};
			try {
				const emitted = await runPoll(call, { ...session, commit }, log, false, (news) => news);
				return { emitted, state };
			} catch (failure) {
				if (!(failure instanceof Failure)) throw failure;
				return { emitted: [], failure };
			}
		};
	}
}

const textOf = ({ counties, types, lookbackDays }: Filters): string =>
	JSON.stringify({ counties, types, lookbackDays });

function selectionOf(filters: string): Selection {
	const { counties, types, lookbackDays } = JSON.parse(filters) as Filters;
	const isIn = (chosen: readonly string[] | undefined, value?: string | null) =>
		chosen?.includes(value ?? '') ?? true;
	return {
		matches: ({ address, licenseType }) =>
			isIn(counties, address?.county) && isIn(types, licenseType),
		lookbackDays,
	};
}

/** Which lists are known, with which filters. */
const knownBy = (state: TriggerState | undefined): string =>
	JSON.stringify(
		Object.entries(state?.memories ?? {}).map(([kind, memory]) => [
			kind,
			Object.entries(memory?.lists ?? {}).map(([event, { filters }]) => [event, filters]),
		]),
	);
