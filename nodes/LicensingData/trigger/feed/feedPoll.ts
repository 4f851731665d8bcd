import type { EventRecord } from '../../licenses/eventIdentity';
import type { Met, Verdict } from './news';
import { byTime, bytesOf, foundNow, type Found } from './queue';
import { ListReader, type PagesRead, type PollOfLists, type Reading } from './reading';
import { countKeys, findKey, lastKeys, readKeys, Seen, writeKeys, type EventKey } from './seen';
import { accountIn, newList, type AccountState, type Batch, type FeedState } from './state';
import type { FeedInput, Outcome, Progress } from './types';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A fifth more than the lists may hold: what has left them for a while stays known. */
const SEEN_PER_LISTED = 1.2;

export const bytesHeld = <Entry>({ queue, inFlight }: Progress<Entry>): number =>
	bytesOf(queue.values()) + [...inFlight.values()].reduce((sum, one) => sum + bytesOf(one), 0);

/**
 * One poll. It reads the first page of each list, and goes on with a full reading if one is due. What the lists
 * show for the first time waits in a queue, of which the oldest are emitted. It depends only on the state, the progress
 * and the pages. See docs/trigger.md.
 */
export class FeedPoll<Entry extends EventRecord> {
	readonly progress: Progress<Entry>;
	private readonly account: AccountState;
	/** What the lists have shown, what waits and what is in flight included. */
	private readonly seen: Seen;
	/** The batches that are saved again. */
	private batches: Batch[] = [];
	/** What an earlier process emitted, and when it did so first. Nobody knows whether n8n took it over. */
	private readonly repeats = new Map<EventKey, number>();
	private readers: Array<ListReader<Entry>>;
	private hasStopped = false;
	private readonly poll: PollOfLists<Entry>;

	constructor(private readonly input: FeedInput<Entry>) {
		const { lists, settings, session } = input;
		this.account = copyOf(accountIn(session.lastState, lists.account));
		const known = session.progress;
		const hasNoProgress = known?.account !== lists.account;
		this.progress = hasNoProgress ? newProgress(lists.account) : known;
		this.seen = new Seen(this.account.seen);
		this.settleBatches();
		if (hasNoProgress && this.account.hasBacklog) this.readAllAgain();
		this.applyFilters();
		this.poll = {
			now: lists.now,
			settings,
			mayGoOn: () => !this.hasStopped && lists.hasTime() && this.hasRoom(),
			stop: () => (this.hasStopped = true),
			meet: (record, key, verdict) => this.meet(record, key, verdict),
			mostPages: session.limits.pages,
			roomOf: (reader) => this.roomOf(reader),
			nextReading: this.nextReading(),
		};
		this.readers = this.readersOfLists();
	}

	async run(): Promise<Outcome<Entry> | { failure: unknown }> {
		if (this.hasRoom()) {
			await this.readTops();
			this.readers = this.readers.filter(({ isLacking }) => !isLacking);
			const [failed] = this.readers.flatMap(({ report }) => report.failed ?? []);
			if (failed && this.readers.every(({ top }) => !top)) return { failure: failed.failure };
			for (const reader of this.readers) if (this.isFlood(reader.top)) reader.beginFlooded();
			for (const reader of this.inTurns()) {
				await reader.readOn();
				// Known lists are read one after the other: together they keep to a request a minute.
				if (reader.top && reader.reading && !reader.isQuiet) break;
			}
		}
		return this.emit();
	}

	/** Those that had to wait longest come first. */
	private async readTops(): Promise<void> {
		const inOrder = [...this.readers].sort((a, b) => (a.polledAt ?? 0) - (b.polledAt ?? 0));
		for (const [index, reader] of inOrder.entries()) {
			if (index > 0 && !this.poll.mayGoOn()) return;
			this.progress.polledAt.set(reader.list.event, this.input.lists.now);
			await reader.readTop();
		}
	}

	/** Those that are read quietly, then the one that is being read, then what was read longest ago. */
	private inTurns(): Array<ListReader<Entry>> {
		const rank = ({ reading, isQuiet, state }: ListReader<Entry>) =>
			isQuiet ? 0 : reading ? 1 : 2 + state.readAt;
		return [...this.readers].sort((a, b) => rank(a) - rank(b));
	}

	/** While what waits fills the memory, it is emitted before more is read. */
	private hasRoom(): boolean {
		return this.progress.queue.size === 0 || this.input.session.room() > bytesHeld(this.progress);
	}

	private meet(record: Entry, key: EventKey, verdict: () => Verdict): Met {
		const { queue } = this.progress;
		const known = this.seen.find(key);
		this.seen.meet(key);
		if (known === undefined) {
			const met = this.firstEmissionOf(key) === undefined ? verdict() : 'repeat';
			const isWaiting = met === 'news' || met === 'repeat';
			if (isWaiting) queue.set(key, foundNow(key, record, this.input.lists.now));
			return met;
		}
		const waiting = queue.get(known);
		if (waiting) {
			const { foundAt, isHeld } = waiting;
			const kept = this.seen.find(key) ?? key;
			queue.delete(known);
			queue.set(kept, { ...foundNow(kept, record, foundAt), isHeld });
		}
		return undefined;
	}

	/** Of what may have to be repeated, under whichever key it was emitted. */
	private firstEmissionOf(key: EventKey): number | undefined {
		const repeated = findKey(this.repeats, key);
		return repeated === undefined ? undefined : this.repeats.get(repeated);
	}

	/** What n8n has lost comes again. What it may have lost comes again as long as the session says so. */
	private settleBatches(): void {
		const { queue, inFlight } = this.progress;
		const ended = new Set<string>();
		for (const batch of this.account.batches) {
			const fate = this.input.session.fateOf(batch);
			const keys = readKeys(batch.keys);
			if (fate === 'inFlight' || fate === 'unknown') this.batches.push(batch);
			if (fate === 'unknown') for (const key of keys) this.repeats.set(key, batch.firstAt);
			if (fate === 'inFlight' || fate === 'acknowledged') {
				for (const key of keys) {
					this.seen.meet(key);
					// It was found again, and waits while its five minutes pass.
					queue.delete(findKey(queue, key) ?? key);
				}
			} else {
				for (const found of inFlight.get(batch.id) ?? [])
					if (keys.includes(found.key)) queue.set(found.key, found);
				this.account.hasBacklog = true;
			}
			if (fate !== 'inFlight') ended.add(batch.id);
		}
		for (const id of ended) inFlight.delete(id);
		for (const key of queue.keys()) this.seen.meet(key);
	}

	/** A list that is watched for the first time while others are known begins quietly. */
	private readersOfLists(): Array<ListReader<Entry>> {
		const { account, input, progress, poll } = this;
		const isFirstTime = Object.keys(account.lists).length === 0;
		const startFrom = isFirstTime ? input.settings.startFrom : undefined;
		const readers = input.lists.watched.map((list) => {
			const state = account.lists[list.event] ?? newList(startFrom);
			// The clock was wrong then.
			if ((state.knownSince ?? 0) > input.lists.now) delete state.knownSince;
			const { event } = list;
			const reading = progress.readings.get(event);
			return new ListReader(list, state, reading, progress.polledAt.get(event), poll);
		});
		account.lists = Object.fromEntries(readers.map(({ list, state }) => [list.event, state]));
		return readers;
	}

	/** Readings begin again with other filters. What waits is emitted only if it is still wanted. */
	private applyFilters(): void {
		const { settings, lists } = this.input;
		const { progress } = this;
		if (progress.filters !== settings.filters) progress.readings.clear();
		progress.filters = settings.filters;
		for (const [key, { record }] of progress.queue) {
			const isListed = lists.watched.some((list) => list.lists(record));
			if (!isListed || !settings.wanted.matches(record)) progress.queue.delete(key);
		}
	}

	/** As soon as possible, whatever that costs: a process has ended before n8n had all that it had found. */
	private readAllAgain(): void {
		for (const state of Object.values(this.account.lists)) state.due = 'atOnce';
	}

	/**
	 * Every list gets its share of the memory; what the others do not need goes to the first. With room for 30 and
	 * lists of 25, 5 and 12: the first gets 15 (5 and 10 are the others'), then 5, then 10.
	 */
	private roomOf(reader: ListReader<Entry>): number {
		const all = this.input.session.limits.events;
		const share = all / this.readers.length;
		let left = all;
		for (const [index, one] of this.readers.entries()) {
			const others = this.readers.slice(index + 1);
			const room =
				left - others.reduce((sum, { roomNeeded }) => sum + Math.min(roomNeeded, share), 0);
			if (one === reader) return room;
			left -= Math.min(one.roomNeeded, room);
		}
		return 0;
	}

	/**
	 * By what was read of a list so far: a reading that goes on may let go of what it held. One that a new process
	 * begins while the brake is on finds the rest of what is held, however little of it fits into a poll.
	 */
	private holdBack(pages: PagesRead | Reading, isBraking: boolean): void {
		const { found, unseen, size } = pages;
		const isRest = isBraking && 'began' in pages && pages.isRecovery;
		const isHeld = (this.isFlood(pages) || isRest) && unseen > size / 2;
		const waiting = found.flatMap((key) => this.progress.queue.get(key) ?? []);
		for (const one of waiting) one.isHeld = isHeld;
		if (isHeld && waiting.length > 0) this.account.heldSince ??= this.input.lists.now;
	}

	private isFlood(pages: PagesRead | undefined): boolean {
		return pages !== undefined && pages.found.length > this.input.session.limits.newAtOnce;
	}

	private isBraking(): boolean {
		return Math.abs(this.input.lists.now - (this.account.heldSince ?? 0)) < DAY;
	}

	/** A clock that was set back must not make the wait longer. */
	private nextReading(): number {
		const { lists, session } = this.input;
		const { nextReading } = this.account;
		return nextReading - lists.now <= session.limits.pages * MINUTE ? nextReading : 0;
	}

	private emit(): Outcome<Entry> {
		const { progress, account } = this;
		const { settings, lists, session } = this.input;
		const wasBraking = this.isBraking();
		for (const { readNow, isFirstReading } of this.readers)
			if (!isFirstReading) for (const pages of readNow) this.holdBack(pages, wasBraking);
		const isBraking = this.isBraking();
		const isFree = (one: Found<Entry>) => !(isBraking && one.isHeld);
		const emitted = [...progress.queue.values()]
			.filter(isFree)
			.sort(byTime)
			.slice(0, settings.maxItems);
		const batch = emitted.length > 0 ? session.newBatch?.() : undefined;
		this.handOver(emitted, batch);
		const left = [...progress.queue.values()];
		progress.readings = new Map(
			this.readers.flatMap(({ list, reading }) => (reading ? [[list.event, reading]] : [])),
		);
		// Once all of it has gone, the next that is too much at once waits for a day of its own.
		if (!isBraking && !left.some(({ isHeld }) => isHeld)) delete account.heldSince;
		const waiting = left.filter(isFree);
		return {
			events: emitted.map(({ record }) => record),
			batchId: batch?.id,
			state: this.nextState(),
			progress,
			waiting: waiting.length,
			waitingSince: waiting.reduce((first, { foundAt }) => Math.min(first, foundAt), lists.now),
			held: left.filter((one) => !isFree(one)).map(({ record }) => record),
			hasUnknownList: this.readers.some(({ state }) => state.filters === undefined),
			requestsToReadAll: this.readers.reduce((sum, { state }) => sum + state.pages, 0),
			lists: this.readers.map(({ report }) => report),
		};
	}

	private handOver(emitted: Array<Found<Entry>>, batch?: Pick<Batch, 'id' | 'at'>): void {
		for (const { key } of emitted) this.progress.queue.delete(key);
		// What is repeated is no longer in doubt.
		const keysNow = new Set(emitted.map(({ key }) => key));
		this.batches = this.batches
			.map((one) => ({
				...one,
				keys: writeKeys(readKeys(one.keys).filter((key) => findKey(keysNow, key) === undefined)),
			}))
			.filter(({ keys }) => keys !== '');
		if (!batch) return;
		this.progress.inFlight.set(batch.id, emitted);
		const byFirst = new Map<number, EventKey[]>();
		for (const { key } of emitted) {
			const firstAt = this.firstEmissionOf(key) ?? batch.at;
			const keys = byFirst.get(firstAt) ?? [];
			keys.push(key);
			byFirst.set(firstAt, keys);
		}
		for (const [firstAt, keys] of byFirst)
			this.batches.push({ ...batch, firstAt, keys: writeKeys(keys) });
	}

	private nextState(): FeedState {
		const { account, progress, batches, input } = this;
		const inBatches = new Set(batches.flatMap(({ keys }) => readKeys(keys)));
		const most = Math.floor(input.session.limits.events * SEEN_PER_LISTED) - inBatches.size;
		const seen = this.seen.write(most, (key) => inBatches.has(key) || progress.queue.has(key));
		const current: AccountState = {
			...account,
			seen,
			batches,
			hasBacklog: progress.queue.size > 0,
			nextReading: this.poll.nextReading,
		};
		let room = most - countKeys(seen);
		// The account unused longest is forgotten first. One that would be known in part would bring the rest as news.
		const others = (input.session.lastState?.accounts ?? [])
			.filter((other) => other.account !== account.account)
			.flatMap((other) => {
				const listed = Object.values(other.lists).reduce((sum, { size }) => sum + size, 0);
				if (listed > room) return [];
				const latest = lastKeys(other.seen, room);
				room -= countKeys(latest);
				return { ...other, seen: latest };
			});
		return { version: 4, accounts: [current, ...others] };
	}
}

/** n8n hands out saved data as a proxy, which cannot be cloned in any other way. */
const copyOf = (account: AccountState): AccountState =>
	JSON.parse(JSON.stringify(account)) as AccountState;

const newProgress = <Entry>(account: string): Progress<Entry> => ({
	account,
	filters: '',
	queue: new Map(),
	inFlight: new Map(),
	readings: new Map(),
	polledAt: new Map(),
});
