import { type IDataObject, NodeApiError } from 'n8n-workflow';

import { ALL_EVENT_TYPES } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { DAY, MINUTE } from '../../nodes/LicensingData/licenses/time.ts';
import { LIMITS } from '../../nodes/LicensingData/trigger/limits.ts';
import { TriggerLog } from '../../nodes/LicensingData/trigger/triggerLog.ts';
import type { ListState, TriggerState } from '../../nodes/LicensingData/trigger/stateFormat.ts';
import { shortestLists } from '../../nodes/LicensingData/filters/queries.ts';
import { copy } from '../support/host.mts';
import type { Answer, Query } from '../support/list-service.mts';
import { ListedTrigger } from '../support/listed-trigger.mts';
import { triggerAnew } from '../support/nodes.mts';
import type { Poller } from '../support/poller.mts';
import type { Change, Filters, History, PollStep } from './history.mts';
import { Oracle, type ListView } from './oracle.mts';
import type { Situation } from './situations.mts';
import { World, type Entry } from './world.mts';

const START = Date.parse('2026-07-01T12:34:56Z');
const EVENTS = ALL_EVENT_TYPES.map(({ value }) => value);
/** More than half of what is left of a poll's time. */
const WAIT = { 'retry-after': '40' };
/** Room for what is known, as the document promises it, and for the rest of the state. */
const mostBytes = (events: number): number => 16 * 1.2 * events + 12_000;

/** Plays one history to the trigger, and to a judge that sees all of it. */
export async function play(history: History, meet: (situation: Situation) => void) {
	vi.setSystemTime(START);
	Object.assign(LIMITS, history.limits);
	const player = new Player(history, meet);
	await player.starts();
	for (const step of history.steps) {
		if (step.kind === 'poll') await player.poll(step);
		else if (step.kind === 'restart') await player.restarts(step.down);
		else if (step.kind === 'lead') await player.leads(step.main);
		else if (step.kind === 'filters') player.changeFilters(step.filters);
		else if (step.kind === 'break') player.brokenBelow = step.below ?? Number.POSITIVE_INFINITY;
		else player.change(step);
	}
	await player.settle();
	return player.violations;
}

/** A list that is read from its top on, as the service sees it. */
interface Pass {
	since: number;
	shown: string[];
	total: number | undefined;
}

class Player {
	readonly violations: string[] = [];
	private polls = 0;
	private readonly world: World;
	/** The leader of the main processes, of which one polls. The others live on, and may take over again. */
	private readonly trigger: ListedTrigger;
	private readonly mains = new Map<number, Poller>();
	private leader = 0;
	/** Those of which a poll went well. */
	private readonly hasPolled = new Set<Poller>();
	private isPublished = false;
	/** Whether the next poll is n8n's first one: of a process that keeps the memory, or at all. */
	private isActivating = true;
	private readonly keys: Record<string, string>;
	/** A judge for each kind of key. */
	private readonly oracles = new Map<string, Oracle>();
	private filters: Filters;
	/** Pages below that one cannot be read. */
	brokenBelow = Number.POSITIVE_INFINITY;
	private readonly startFrom: number | undefined;
	/** By list and cursor. */
	private readonly passes = new Map<string, Pass>();
	/** Parts of a list that have ended with the first pages that are being read. */
	private ended: Pass[] = [];
	/** What happens during the requests of a poll, and how many there were. */
	private step: PollStep = {};
	private request = 0;
	private lose = () => {};
	private lastState: TriggerState | undefined;
	private savedState: TriggerState | undefined;
	/** Whether a list has become known, with these or other filters, since the state was last saved. */
	private isKnowledgeUnsaved = false;
	private isKnowledgeOpen = false;
	/** What my lists have shown since each of them was read in full, and when these readings began. */
	private readonly shownSince = new Set<string>();
	/** And before that, as long as n8n has not saved these readings. */
	private shownBefore = new Set<string>();
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
		this.world = new World(world, meet);
		this.startFrom = startFrom === undefined ? undefined : START - startFrom * DAY;
		this.filters = filters;
		if (filters.events.length === 6) meet('six lists');
		this.trigger = new ListedTrigger([], {}, { saving, budget: 60_000 });
		const { credentials, database } = this.trigger.poller;
		const { apiKey } = credentials;
		this.keys = { live: apiKey, test: apiKey.replace('live', 'test') };
		this.trigger.answer = async (query) => await this.answer(query);
		database.onSaved = () => {
			for (const oracle of this.oracles.values()) oracle.saved();
			this.savedState = this.lastState;
			this.isKnowledgeUnsaved = false;
			this.shownBefore.clear();
		};
		vi.spyOn(TriggerLog.prototype, 'aboutAdditions').mockImplementation((list, additions) => {
			this.meet('a bulk addition');
			const since = this.memory?.lists[list]?.listed?.readAt ?? 0;
			this.kept.push({ list, events: additions.map(eventOf), since });
		});
	}

	/** The leader is a new process, or lives on. */
	async starts(): Promise<void> {
		const nodeType = await triggerAnew(this.trigger.poller.database);
		const { poll } = nodeType;
		const note = (state?: TriggerState) => this.noteState(state);
		nodeType.poll = async function () {
			const data = this.getWorkflowStaticData('node');
			const { revision } = data;
			const items = await poll.call(this);
			note(data.revision === revision ? undefined : (copy(data.feed) as unknown as TriggerState));
			return items;
		};
		await this.trigger.restart(0, { nodeType });
		this.mains.set(this.leader, this.trigger.poller);
		this.choose();
	}

	private get oracle(): Oracle {
		const oracle = this.oracles.get(this.filters.kind) ?? new Oracle(this.violations);
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
			if (change.minutes > 1) void this.trigger.poller.settle();
		} else {
			this.world.apply(change);
			// Where lists are sorted by that date, it moves up, perhaps past what the first reading has read.
			const isDated = change.kind === 'edit' && change.what === 'date';
			if (isDated && this.history.world.kind !== 'register') this.oracle.somethingMoved();
		}
		this.show();
	}

	async poll(step: PollStep): Promise<void> {
		this.polls++;
		this.show();
		Object.assign(this, { step, request: 0, ended: [] });
		this.trigger.asked = [];
		const lost = new Promise<undefined>((resolve) => (this.lose = () => resolve(undefined)));
		const { poller } = this.trigger;
		poller.fate = step.fate ?? {};
		const typesBefore = this.typesThatAreJudged();
		const polled = this.isActivating ? poller.activate() : poller.poll();
		const failed = (error: unknown) => {
			if (!(error instanceof NodeApiError)) throw error;
			return 'failed' as const;
		};
		const items = await Promise.race([polled.catch(failed), lost]);
		if (JSON.stringify(this.lastState ?? '').length > mostBytes(this.history.limits.events))
			this.violations.push('a state of too many bytes');
		if (!items) {
			this.meet('a process lost in the middle of a poll');
			return await this.restarts(step.down);
		}
		this.pagesEnd();
		if (!poller.fate.isLate) await poller.settle();
		if (items === 'failed') return;
		this.hasPolled.add(poller);
		const { saving } = this.history;
		const { isDropped = false, stops } = poller.fate;
		if (!isDropped) this.isPublished = true;
		this.isActivating = isDropped ? saving === 'memory' || this.isActivating : false;
		const { batch } = poller;
		const events = items.map(eventOf);
		const found = events.filter((event) => this.pagedIn.get(event) === this.polls);
		if (typesBefore) this.oracle.cameAtOnce(found, typesBefore, this.world.listed);
		if (batch?.isExecuted) {
			for (const event of events) this.oracle.emitted(event, this.world.now, batch.isStateSaved);
		} else if (batch) {
			this.meet('a batch that n8n lost');
			this.oracle.lost(events);
		}
		if (stops && batch) {
			this.meet('n8n stopped between its two writes');
			await this.restarts(step.down);
		}
		// State and batch, or the state of a silent poll, are saved together, or not at all.
		if ((isDropped || (batch && !batch.isExecuted)) && saving === 'durable') this.goesOnFromSaved();
		this.show();
	}

	async restarts(minutes = 0): Promise<void> {
		this.pass(minutes * MINUTE);
		await this.starts();
		this.processLost();
	}

	async leads(main: number): Promise<void> {
		await this.trigger.poller.settle();
		this.leader = main;
		const before = this.mains.get(main);
		if (before) this.trigger.poller = before;
		else await this.starts();
		this.choose();
		const isBack = this.hasPolled.has(this.trigger.poller);
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
		this.filters = filters;
		this.choose();
		this.oracle.filtersChanged((entry) => this.isWanted(textOf(filters), entry));
		this.show();
	}

	/** Four days, in which what is new has time to come. */
	async settle(): Promise<void> {
		this.brokenBelow = Number.POSITIVE_INFINITY;
		this.choose(10_000);
		for (let polls = 0; polls < 16; polls++) {
			this.change({ kind: 'wait', minutes: 360 });
			await this.poll({});
		}
		this.oracle.ends();
	}

	/** What the user has entered counts from now on: n8n publishes the workflow anew. */
	private choose(maxItems = this.filters.maxItems ?? 10_000): void {
		const { events, kind, lookbackDays } = this.filters;
		const startFrom = this.startFrom === undefined ? '' : new Date(this.startFrom).toISOString();
		const { poller } = this.trigger;
		const { filters } = JSON.parse(textOf(this.filters)) as { filters: IDataObject };
		const options = { maxItems, lookbackDays, startFrom };
		Object.assign(poller.parameters, { eventTypes: events, filters, options });
		poller.credentials = { ...poller.credentials, apiKey: String(this.keys[kind]) };
		poller.restart();
		this.isActivating = this.history.saving === 'memory' || !this.isPublished;
	}

	private async answer(query: Query): Promise<Answer> {
		const { step, request: number } = this;
		// From a page that is asked for again, nothing was taken, nor may be now: its cursor is that of two readings.
		const same = this.trigger.asked.filter((one) => JSON.stringify(one) === JSON.stringify(query));
		const isAgain = query.cursor !== undefined && same.length > 1;
		if (isAgain) this.ended = [];
		else if (query.cursor !== undefined) this.pagesEnd();
		this.request++;
		this.pass(100);
		for (const { before, change } of step.during ?? []) if (before === number) this.change(change);
		if (step.diesAt === number) {
			this.lose();
			return await new Promise<never>(() => {});
		}
		if (step.overlapsAt === number) await this.trigger.poller.poll();
		if (this.request === step.pages) this.pass(0.8 * this.trigger.poller.budget);
		if (step.faults?.includes(number)) return this.fail('a page that failed');
		if (step.limitedAfter === undefined || number < step.limitedAfter)
			return this.page(query, isAgain);
		this.meet('a rate limit');
		return { status: 429, headers: WAIT };
	}

	/** What has been read of lists that have no further page. */
	private pagesEnd(): void {
		for (const { shown, since } of this.ended.splice(0)) this.oracle.wasRead(shown, since);
	}

	private page({ cursor, limit: _, ...query }: Query, isAgain: boolean): Answer {
		const name = JSON.stringify(query);
		const page = this.world.page(query, cursor, this.isAllKnown());
		if (!page) return this.fail('a cursor refused');
		const { cursor: next, total } = page;
		const begun = { since: this.world.now, shown: [], total };
		const pass: Pass | undefined = cursor ? this.passes.get(`${name} ${cursor}`) : begun;
		const depth = (pass?.shown.length ?? 0) / this.history.world.pageSize;
		if (depth > this.brokenBelow || (depth === 0 && this.brokenBelow === 0))
			return this.fail('a page that never came');
		for (const { record, event, county, listedAs } of page.shown) {
			if (!this.pagedIn.has(event)) this.pagedIn.set(event, this.polls);
			if (record.address?.county !== county) this.meet('a record without its county');
			if (record.eventType !== listedAs) this.meet('a record without its event');
			if (!record.filedDate) this.meet('a record without its filing date');
			if (listedAs === 'renewal' && !record.expirationDate)
				this.meet('a renewal without its expiration date');
		}
		// So that what comes says which event it is.
		const data = page.shown.map(({ record, event }) => ({ ...record, sourceUrl: event }));
		const pagination = { cursor: next, hasMore: next !== null, total };
		const answer = { status: 200, body: { data, pagination } };
		// The trigger asks again for such a page, and takes nothing from it.
		const { total: before = total } = pass ?? {};
		if ((total ?? 0) * 2 < (before ?? 0) || (total ?? 0) > (before ?? 0) * 2) return answer;
		const shown = [...(pass?.shown ?? []), ...page.shown.map((entry) => entry.event)];
		if (pass && next !== null) this.passes.set(`${name} ${next}`, { ...pass, shown });
		else if (pass && !isAgain) this.ended.push({ ...pass, shown });
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

	/** It may be over with the next poll, and nothing is asked for again before. */
	private fail(situation: Situation): Answer {
		this.meet(situation);
		// The first pages of the parts of a list are one page. Where one fails, nothing of it changes (promise 10).
		this.ended = [];
		return { status: 400 };
	}

	/**
	 * Lets time pass, and tells the judge if the list has changed. What is dated anew each day has moved up, perhaps past a first reading, and so
	 * has what was amended while the list stood still.
	 */
	private pass(milliseconds: number): void {
		const { isStandingStill } = this.world;
		const hasChanged = this.world.pass(milliseconds);
		const hasMoved = hasChanged && this.history.world.undatedStock > 0;
		if (hasMoved || (isStandingStill && !this.world.isStandingStill)) this.oracle.somethingMoved();
		if (hasChanged) this.show();
	}

	/** Tells the judge what is listed now. */
	private show(): void {
		if (this.polls === 0) return;
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
		const { counties, types: licenseTypes, events } = this.filters;
		if (!events.includes(listedAs)) return false;
		const [query] = shortestLists({ counties, licenseTypes }, events.length);
		return isSelected(filters, query?.county ? { ...record, address: { county } } : record);
	}

	/** Where n8n has not saved what was known, the next process may know it or not. */
	private processLost(): void {
		for (const oracle of this.oracles.values()) oracle.processLost();
		this.goesOnFromSaved();
	}

	private goesOnFromSaved(): void {
		if (this.isKnowledgeUnsaved) for (const oracle of this.oracles.values()) oracle.excuse();
		this.isKnowledgeOpen ||= this.isKnowledgeUnsaved;
		this.isKnowledgeUnsaved = false;
		this.lastState = this.savedState;
		for (const event of this.shownBefore) this.shownSince.add(event);
		this.show();
	}

	/** What a poll leaves, before n8n saves it. */
	private noteState(state?: TriggerState): void {
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
			this.shownBefore = new Set([...this.shownBefore, ...this.shownSince]);
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
}

const eventOf = ({ sourceUrl }: License | IDataObject): string => String(sourceUrl);

/** As the trigger keeps it. */
const textOf = ({ counties, types: licenseTypes, lookbackDays }: Filters): string =>
	JSON.stringify({ filters: { counties, licenseTypes }, lookbackDays });

function isSelected(text: string, { address, licenseType }: License): boolean {
	const { filters } = JSON.parse(text) as { filters: Record<string, string[] | undefined> };
	return (
		(filters.counties?.includes(address?.county ?? '') ?? true) &&
		(filters.licenseTypes?.includes(licenseType ?? '') ?? true)
	);
}

/** Which lists are known, with which filters. */
const knownBy = (state: TriggerState | undefined): string =>
	JSON.stringify(state?.memories ?? {}, ['live', 'test', 'lists', ...EVENTS, 'filters']);
