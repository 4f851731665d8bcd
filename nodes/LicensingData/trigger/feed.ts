import { NEW_FILING } from '../licenses/eventTypes';
import type { License } from '../licenses/license';
import { momentOf } from '../licenses/moment';
import { bulkAdditions, type Unseen } from './bulk';
import type { WatchedList } from './lists';
import { firstOf, readKeys, Seen, writeKeys, type EventKeys, type Key } from './memory';
import type { Selection, Verdict } from './news';
import { ListReader, type ListReport, type PollOfLists, type Scan } from './scan';
import {
	newList,
	newMemory,
	type Batch,
	type Fate,
	type KeyKind,
	type ListState,
	type Memory,
	type TriggerState,
} from './state';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** So long without any change, a test key is said to show the same every time. */
const STANDSTILL = 7 * DAY;

/** An event has two keys at most, and what has left the lists for a while stays known: a fifth more. */
const KEYS_PER_EVENT = 2.4;

export interface Limits {
	/** How many events are remembered of all lists together, as long as they are listed. */
	events: number;
	/** How many pages of a list are read. */
	pages: number;
}

/** What the user has chosen. */
export interface Settings {
	/** The filters as a text, lookback included, and what they select. */
	filters: string;
	wanted: Selection;
	/** What filters select that were entered earlier; undefined if nobody can read them any more. */
	selectionOf: (filters: string) => Selection | undefined;
	/** Events since this time are news even in the first reading. */
	startFrom?: number;
	maxItems: number;
}

/** What the service shows, and how long a poll may read it. */
export interface Lists {
	kind: KeyKind;
	/** New filings first. */
	watched: WatchedList[];
	hasTime: () => boolean;
	/** Whether the service may be asked at all, or still wants to be left alone. */
	mayAsk: boolean;
	now: number;
}

/** What is left of earlier polls, and what n8n has told about it. */
export interface Session {
	/** What n8n has saved, or what the process knows better; undefined if there is nothing that can be read. */
	lastState: TriggerState | undefined;
	/** Whether there was nothing at all. */
	isNew: boolean;
	progress: Progress | undefined;
	fateOf: (batch: Batch) => Fate | 'inFlight';
	/** For the batch that this poll emits; undefined if n8n saves it together with the state. */
	newBatch: (() => Pick<Batch, 'id' | 'at'>) | undefined;
	limits: Limits;
}

/** What a process knows beyond the saved state. If it is lost, the list is read again. */
export interface Progress {
	kind: KeyKind;
	since: number;
	/** The filters with which the readings began. */
	filters: string;
	/** What was found, and is not emitted yet, by its first key. */
	queue: Map<Key, Found>;
	/** What was emitted, by batch, until n8n has said what became of it. */
	inFlight: Map<string, Found[]>;
	/** Full readings that have not ended, by event. */
	scans: Map<string, Scan>;
	/** When the first page of each list was last asked for, by event. */
	polledAt: Map<string, number>;
}

/** An event that is to be emitted. */
export interface Found {
	keys: Key[];
	record: License;
	foundAt: number;
	/** When an earlier process emitted it, perhaps in vain. */
	firstAt: number | undefined;
}

/** What a poll returns. */
export interface Outcome {
	/** Oldest first. */
	events: License[];
	/** Of the batch that these are; undefined if there are none, or n8n saves them together with the state. */
	batchId?: string;
	state: TriggerState;
	progress: Progress;
	/** Why not even one first page could be read. Then nothing has changed but what was emitted. */
	failure?: unknown;
	/** How many events are left for later polls to emit, and since when the oldest of them has waited. */
	waiting: number;
	waitingSince: number;
	/** What the list was enlarged by, and is not emitted. */
	additions: Unseen[];
	/** Whether a first reading goes on with the next poll. */
	isFirstReading: boolean;
	/** How many requests full readings of all lists take. */
	requestsToReadAll: number;
	/** Whether nothing has changed for seven days, and a test key may be why. */
	standsStill: boolean;
	lists: ListReport[];
}

/**
 * One poll. It reads the first page of each list, and goes on with the full readings that are due. What the lists show
 * for the first time waits in a queue, of which the oldest are emitted. It depends only on the state, the progress and
 * the pages. See docs/trigger.md.
 */
export class FeedPoll {
	private readonly progress: Progress;
	private readonly memory: Memory;
	private readonly seen: Seen;
	/** The batches that are saved again. */
	private batches: Batch[] = [];
	/** What an earlier process found, or emitted at this time for the first time, perhaps in vain. */
	private readonly toFind = new Map<Key, number | undefined>();
	private readers: ListReader[];
	private hasStopped: boolean;
	private failure: unknown;

	constructor(
		private readonly settings: Settings,
		private readonly lists: Lists,
		private readonly session: Session,
	) {
		const { kind, now } = lists;
		const saved = session.lastState?.memories[kind];
		this.memory = saved ? copyOf(saved) : newMemory(now);
		const known = session.progress;
		this.progress = known?.kind === kind ? known : newProgress(kind, now);
		this.seen = new Seen(this.memory.seen);
		this.hasStopped = !lists.mayAsk;
		this.settleBatches();
		this.applyFilters();
		this.readers = this.readersOfLists(saved === undefined && this.startsFrom());
	}

	async run(): Promise<Outcome> {
		await this.readTops();
		this.readers = this.readers.filter(({ isLacking }) => !isLacking);
		for (const reader of this.inTurns()) await reader.readOn();
		const failed = this.readers.find(({ report }) => report.failed?.isFirst);
		if (failed && this.readers.every(({ hasRead }) => !hasRead))
			this.failure = failed.report.failed?.failure;
		return this.emit(this.reportAdditions());
	}

	/** For the first memory of all, and for that of the first live key. */
	private startsFrom(): boolean {
		const { lastState, isNew } = this.session;
		return lastState ? this.lists.kind === 'live' : isNew;
	}

	/** What waits is emitted before more is read. */
	private mayGoOn(): boolean {
		const { lists, progress, settings } = this;
		return !this.hasStopped && lists.hasTime() && progress.queue.size < settings.maxItems;
	}

	/** Those that had to wait longest come first. */
	private async readTops(): Promise<void> {
		const inOrder = [...this.readers].sort((a, b) => (a.polledAt ?? 0) - (b.polledAt ?? 0));
		for (const [index, reader] of inOrder.entries()) {
			const isFirst = index === 0 && this.progress.queue.size === 0;
			if (this.hasStopped || !(isFirst || this.mayGoOn())) return;
			this.progress.polledAt.set(reader.list.event, this.lists.now);
			await reader.readTop();
		}
	}

	/** First readings, then the one under way, then what was read longest ago. */
	private inTurns(): ListReader[] {
		const rank = ({ scan, isQuiet, state }: ListReader) =>
			isQuiet ? 0 : scan ? 1 : 2 + state.readAt;
		return [...this.readers].sort((a, b) => rank(a) - rank(b));
	}

	private observe(record: License, keys: EventKeys, verdict: () => Verdict) {
		const { queue } = this.progress;
		const { now } = this.lists;
		const key = firstOf(keys);
		const isKnown = this.seen.has(keys);
		this.seen.add(keys.keys);
		if (isKnown) {
			const waiting = queue.get(key);
			if (waiting) queue.set(key, { ...waiting, record });
			return undefined;
		}
		const again = keys.knownBy.find((one) => this.toFind.has(one));
		const met = again === undefined ? verdict() : ('repeat' as const);
		const firstAt = again === undefined ? undefined : this.toFind.get(again);
		for (const one of keys.keys) this.toFind.delete(one);
		if (met === 'news' || met === 'repeat')
			queue.set(key, { keys: keys.keys, record, foundAt: now, firstAt });
		return met;
	}

	/** What n8n has lost comes again. What it may have lost comes again as long as the session says so. */
	private settleBatches(): void {
		const { queue, inFlight } = this.progress;
		const ended = new Set<string>();
		for (const batch of this.memory.batches) {
			const fate = this.session.fateOf(batch);
			const keys = readKeys(batch.keys);
			if (fate === 'inFlight' || fate === 'unknown') this.batches.push(batch);
			if (fate === 'unknown') for (const key of keys) this.toFind.set(key, batch.firstAt);
			if (fate === 'inFlight' || fate === 'acknowledged') {
				this.seen.add(keys);
				// It was found again, and waits while its five minutes pass.
				for (const key of keys) queue.delete(key);
			}
			if (fate === 'lost') {
				for (const found of inFlight.get(batch.id) ?? [])
					if (keys.includes(String(found.keys[0]))) queue.set(String(found.keys[0]), found);
				for (const key of keys) this.toFind.set(key, undefined);
			}
			if (fate !== 'inFlight') ended.add(batch.id);
		}
		for (const id of ended) inFlight.delete(id);
		for (const key of readKeys(this.memory.waiting)) this.toFind.set(key, undefined);
		for (const { keys } of queue.values()) {
			this.seen.add(keys);
			for (const key of keys) this.toFind.delete(key);
		}
	}

	/** Readings begin again with other filters. What waits is emitted only if it is still wanted. */
	private applyFilters(): void {
		const { progress, settings, lists } = this;
		if (progress.filters !== settings.filters) progress.scans.clear();
		progress.filters = settings.filters;
		for (const [key, { record }] of progress.queue) {
			const isWanted = lists.watched.some(({ parts }) =>
				parts.some(({ place }) => {
					const its = place(record);
					return its !== undefined && settings.wanted.matches(its.placed);
				}),
			);
			if (!isWanted) progress.queue.delete(key);
		}
	}

	/** A list that is watched for the first time while others are known begins quietly. */
	private readersOfLists(startsFrom: boolean): ListReader[] {
		const { memory, progress, settings, lists } = this;
		const poll = this.pollOfLists();
		const readers = lists.watched.map((list) => {
			const { event } = list;
			const state = memory.lists[event] ?? newList(startsFrom ? settings.startFrom : undefined);
			// The clock was wrong then.
			if ((state.knownSince ?? 0) > lists.now) delete state.knownSince;
			const polledAt = progress.polledAt.get(event);
			const scan = progress.scans.get(event);
			return new ListReader(list, state, scan, polledAt, poll, settings.selectionOf);
		});
		memory.lists = Object.fromEntries(readers.map(({ list, state }) => [list.event, state]));
		return readers;
	}

	private pollOfLists(): PollOfLists {
		const { memory, settings, lists, session, progress } = this;
		const { now } = lists;
		// A clock that was set back must not make the wait longer.
		if (memory.paidUntil > now + 2 * DAY) memory.paidUntil = now;
		return {
			now,
			filters: settings.filters,
			wanted: settings.wanted,
			mostPages: session.limits.pages,
			mayGoOn: () => this.mayGoOn(),
			// Who polls once a day has a day's requests at once.
			mayBegin: () => memory.paidUntil <= now,
			pay: () => (memory.paidUntil = Math.max(memory.paidUntil, now - DAY) + MINUTE),
			stop: () => (this.hasStopped = true),
			observe: (record, keys, verdict) => this.observe(record, keys, verdict),
			roomOf: (reader) => this.roomOf(reader),
			isToFindAgain: ({ readAt }: ListState) => this.toFind.size > 0 && readAt < progress.since,
		};
	}

	/** New filings get all that they need. The others share the rest, and what one does not need goes to the first. */
	private roomOf(reader: ListReader): number {
		let left = this.session.limits.events;
		for (const [index, one] of this.readers.entries()) {
			const others = this.readers.slice(index + 1);
			const share = left / (others.length + 1);
			const kept = others.reduce((sum, { roomNeeded }) => sum + Math.min(roomNeeded, share), 0);
			const room = one.list.event === NEW_FILING ? left : left - kept;
			if (one === reader) return room;
			left -= Math.min(one.roomNeeded, room);
		}
		return 0;
	}

	/** Takes what the list was enlarged by out of the queue: it is known, and the user is told. */
	private reportAdditions(): Unseen[] {
		const reader = this.readers.find(({ list }) => list.event === NEW_FILING);
		const last = reader?.listedBefore;
		if (!reader?.latest || !last || reader.wasQuiet) return [];
		const { filings, tally } = reader.latest;
		return bulkAdditions(filings, last, tally.listed).filter(({ key }) =>
			this.progress.queue.delete(key),
		);
	}

	private emit(additions: Unseen[]): Outcome {
		const { progress, settings, lists, session, readers } = this;
		const emitted = [...progress.queue.values()].sort(byTime).slice(0, settings.maxItems);
		const batch = emitted.length > 0 ? session.newBatch?.() : undefined;
		this.handOver(emitted, batch);
		const left = [...progress.queue.values()];
		progress.scans = new Map(
			readers.flatMap(({ list, scan }) => (scan ? [[list.event, scan]] : [])),
		);
		return {
			events: emitted.map(({ record }) => record),
			batchId: batch?.id,
			standsStill: this.standsStill(),
			state: this.nextState(),
			progress,
			failure: this.failure,
			waiting: left.length,
			waitingSince: left.reduce((first, { foundAt }) => Math.min(first, foundAt), lists.now),
			additions,
			isFirstReading: readers.some(({ isFirstReading }) => isFirstReading),
			requestsToReadAll: readers.flatMap(({ state }) => state.pages).reduce((a, b) => a + b, 0),
			lists: readers.map(({ report }) => report),
		};
	}

	private handOver(emitted: Found[], batch?: Pick<Batch, 'id' | 'at'>): void {
		const { queue, inFlight } = this.progress;
		for (const { keys } of emitted) queue.delete(String(keys[0]));
		// What is repeated is no longer in doubt.
		const now = new Set(emitted.flatMap(({ keys }) => keys));
		this.batches = this.batches
			.map((one) => ({
				...one,
				keys: writeKeys(readKeys(one.keys).filter((key) => !now.has(key))),
			}))
			.filter(({ keys }) => keys !== '');
		if (!batch) return;
		inFlight.set(batch.id, emitted);
		const byFirst = new Map<number, Key[]>();
		for (const { keys, firstAt = batch.at } of emitted)
			byFirst.set(firstAt, [...(byFirst.get(firstAt) ?? []), ...keys]);
		for (const [firstAt, keys] of byFirst)
			this.batches.push({ ...batch, firstAt, keys: writeKeys(keys) });
	}

	/** Says once that a test key shows the same every time. */
	private standsStill(): boolean {
		const { memory, readers, lists } = this;
		const hasChanged = readers.some((reader) => reader.hasChanged) || memory.changedAt > lists.now;
		if (hasChanged) Object.assign(memory, { changedAt: lists.now, isStandstillSaid: false });
		const isLong = lists.kind === 'test' && lists.now - memory.changedAt >= STANDSTILL;
		const isToBeSaid = isLong && memory.isStandstillSaid !== true;
		if (isToBeSaid) memory.isStandstillSaid = true;
		return isToBeSaid;
	}

	private nextState(): TriggerState {
		const { memory, progress, batches, session, lists, readers } = this;
		const waiting = [...progress.queue.values()].flatMap(({ keys }) => keys);
		const isFound = readers.every(({ state }) => state.readAt >= progress.since);
		// What an earlier process found is to be found again until all lists were read in full.
		if (!isFound)
			for (const [key, firstAt] of this.toFind) if (firstAt === undefined) waiting.push(key);
		const leftOut = new Set([...waiting, ...batches.flatMap(({ keys }) => readKeys(keys))]);
		const most = Math.floor(session.limits.events * KEYS_PER_EVENT) - leftOut.size;
		const seen = this.seen.write(most, (key) => leftOut.has(key));
		const current: Memory = { ...memory, seen, waiting: writeKeys(waiting), batches };
		return { version: 5, memories: { ...session.lastState?.memories, [lists.kind]: current } };
	}
}

const byTime = (a: Found, b: Found): number =>
	timeOf(a) - timeOf(b) || (String(a.keys[0]) < String(b.keys[0]) ? -1 : 1);

/** When it happened, as far as the record says. */
const timeOf = ({ record, foundAt }: Found): number => momentOf(record.eventTimestamp) ?? foundAt;

/** n8n hands out saved data as a proxy, which cannot be cloned in any other way. */
const copyOf = (memory: Memory): Memory => JSON.parse(JSON.stringify(memory)) as Memory;

const newProgress = (kind: KeyKind, since: number): Progress => ({
	kind,
	since,
	filters: '',
	queue: new Map(),
	inFlight: new Map(),
	scans: new Map(),
	polledAt: new Map(),
});
