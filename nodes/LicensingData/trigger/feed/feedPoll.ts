import type { EventRecord } from '../../domain/eventIdentity';
import { byTime, bytesOf, foundNow, type Found } from './queue';
import { ListReader, type PollOfLists } from './reading';
import { readKeys, Seen, writeKeys, type EventKey } from './seen';
import { accountIn, unread, type AccountState, type Batch, type FeedState } from './state';
import type { FeedInput, Outcome, Progress, Selection } from './types';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A fifth more than the lists may hold: what has left them for a while stays known. */
const SEEN_PER_LISTED = 1.2;

const MOST_OTHER_ACCOUNTS = 9;

const NO_FILTERS = { matches: () => true, lookback: Number.POSITIVE_INFINITY };

export const bytesHeld = <Entry>({ queue, inFlight }: Progress<Entry>): number =>
	bytesOf(queue.values()) + [...inFlight.values()].reduce((sum, one) => sum + bytesOf(one), 0);

/**
 * One poll. It looks at the first page of each list, and goes on with a full reading if one is due. What the lists
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
	private readonly readers: Array<ListReader<Entry>>;
	private hasStopped = false;
	private readonly poll: PollOfLists<Entry>;

	constructor(private readonly input: FeedInput<Entry>) {
		const { lists, settings, session } = input;
		this.account = copyOf(accountIn(session.lastState, lists.account));
		const known = session.progress;
		const isNewProcess = known?.account !== lists.account;
		this.progress = isNewProcess ? newProgress(lists.account) : known;
		this.seen = Seen.read(this.account.seen, lists.now);
		this.settleBatches();
		if (isNewProcess && (this.account.hasBacklog || this.repeats.size > 0)) this.readAllAgain();
		const wanted = settings.selectionOf(settings.filters) ?? NO_FILTERS;
		this.applyFilters(wanted);
		this.poll = {
			now: lists.now,
			filters: settings.filters,
			wanted,
			selectionOf: settings.selectionOf,
			mayGoOn: () => !this.hasStopped && lists.hasTime() && this.hasRoom(),
			stop: () => (this.hasStopped = true),
			meet: (record, key, verdict) => this.meet(record, key, verdict),
			mostPages: session.limits.pages,
			roomOf: (event) => this.roomOf(event),
			nextReading: this.account.nextReading,
			holdBack: (found, read) => this.holdBack(found, read),
		};
		this.readers = this.readersOfLists();
	}

	async run(): Promise<Outcome<Entry> | { failure: unknown }> {
		if (this.hasRoom()) {
			await this.lookAtLists();
			const [first] = this.readers.flatMap(({ report }) => report.unread ?? []);
			const isNothingRead = this.readers.every(({ way, list }) => !way || list.mayBeUnknown);
			if (first && isNothingRead) return { failure: first.failure };
			for (const reader of this.inTurns()) {
				const isAnotherRead = this.readers.some(({ reading, isQuiet }) => reading && !isQuiet);
				if (reader.isQuiet || reader.reading || !isAnotherRead) await reader.readOn();
			}
		}
		return this.emit();
	}

	/** Those that had to wait longest come first. */
	private async lookAtLists(): Promise<void> {
		const inOrder = [...this.readers].sort((a, b) => (a.lastLook ?? 0) - (b.lastLook ?? 0));
		for (const [index, reader] of inOrder.entries()) {
			if (index > 0 && !this.poll.mayGoOn()) return;
			await reader.look();
			if (reader.way) this.progress.lookedAt.set(reader.list.event, this.input.lists.now);
		}
	}

	private inTurns(): Array<ListReader<Entry>> {
		const rank = ({ reading, isQuiet, state }: ListReader<Entry>) =>
			reading ? 0 : isQuiet ? 1 : 2 + state.readAt;
		return [...this.readers].sort((a, b) => rank(a) - rank(b));
	}

	/** While what waits fills the memory, it is emitted before more is read. */
	private hasRoom(): boolean {
		return this.progress.queue.size === 0 || this.input.session.room() > bytesHeld(this.progress);
	}

	private meet(
		record: Entry,
		key: EventKey,
		verdict: () => 'news' | 'known' | 'tooOld',
	): ReturnType<PollOfLists<Entry>['meet']> {
		const { queue } = this.progress;
		const { now } = this.input.lists;
		const known = this.seen.find(key);
		const waiting = known === undefined ? undefined : queue.get(known);
		const isRepeat = this.repeats.has(key);
		const found = known === undefined && (isRepeat ? 'news' : verdict());
		this.seen.meet(key, now);
		if (waiting && known !== undefined) {
			const { foundAt, isHeld } = waiting;
			queue.delete(known);
			queue.set(this.seen.find(key) ?? key, { ...foundNow(key, record, foundAt), isHeld });
		}
		if (found === 'news') queue.set(key, foundNow(key, record, now));
		return { isUnseen: known === undefined, verdict: found || undefined, isRepeat };
	}

	/** What n8n has lost comes again. What it may have lost comes again as long as the session says so. */
	private settleBatches(): void {
		const { queue, inFlight } = this.progress;
		const { session, lists } = this.input;
		for (const batch of this.account.batches) {
			const fate = session.fateOf(batch);
			const keys = readKeys(batch.keys);
			const emitted = inFlight.get(batch.id) ?? [];
			if (fate === 'inFlight' || fate === 'unknown') this.batches.push(batch);
			if (fate === 'lost' || fate === 'unknown')
				for (const found of emitted) queue.set(found.key, found);
			if (fate === 'lost' && emitted.length === 0) this.readAllAgain();
			if (fate === 'unknown') for (const key of keys) this.repeats.set(key, batch.first);
			if (fate === 'inFlight' || fate === 'acknowledged')
				for (const key of keys) {
					this.seen.meet(key, lists.now);
					queue.delete(key);
				}
			if (fate !== 'inFlight') inFlight.delete(batch.id);
		}
		for (const key of queue.keys()) this.seen.meet(key, lists.now);
	}

	/** A list that is watched for the first time while others are known begins quietly. */
	private readersOfLists(): Array<ListReader<Entry>> {
		const { account, input, progress, poll } = this;
		const isFirstTime = Object.keys(account.lists).length === 0;
		const startFrom = isFirstTime ? input.settings.startFrom : undefined;
		const readers = input.lists.watched.map((list) => {
			const state = account.lists[list.event] ?? unread(startFrom);
			const { event } = list;
			const reading = progress.readings.get(event);
			return new ListReader(list, state, reading, progress.lookedAt.get(event), poll);
		});
		account.lists = Object.fromEntries(readers.map(({ list, state }) => [list.event, state]));
		return readers;
	}

	/** Readings begin again with other filters. What waits is emitted only if it is still wanted. */
	private applyFilters(wanted: Selection<Entry>): void {
		const { settings, lists } = this.input;
		if (this.progress.filters !== settings.filters) this.progress.readings.clear();
		this.progress.filters = settings.filters;
		for (const [key, { record }] of this.progress.queue) {
			const isListed = lists.watched.some((list) => list.lists(record));
			if (isListed && wanted.matches(record)) continue;
			this.progress.queue.delete(key);
			this.seen.forget(key);
		}
	}

	/** As soon as possible, whatever that costs: a process has ended before it had emitted what it had found. */
	private readAllAgain(): void {
		for (const state of Object.values(this.account.lists)) state.top = '';
		this.account.nextReading = 0;
	}

	/** Every list gets its share of the memory; what the others do not need goes to the first. */
	private roomOf(event: string): number {
		const share = this.input.session.limits.events / this.readers.length;
		let left = this.input.session.limits.events;
		for (const [index, reader] of this.readers.entries()) {
			const others = this.readers.slice(index + 1);
			const room = left - others.reduce((sum, one) => sum + Math.min(needOf(one), share), 0);
			if (reader.list.event === event) return room;
			left -= Math.min(needOf(reader), room);
		}
		return 0;
	}

	private holdBack(found: EventKey[], read: number): void {
		if (found.length <= this.input.session.limits.newAtOnce || found.length <= read / 2) return;
		for (const key of found) {
			const waiting = this.progress.queue.get(key);
			if (!waiting) continue;
			waiting.isHeld = true;
			this.account.heldSince ??= this.input.lists.now;
		}
	}

	private emit(): Outcome<Entry> {
		const { progress, account } = this;
		const { settings, lists, session } = this.input;
		for (const { reading, state } of this.readers)
			if (reading && state.filters !== undefined) this.holdBack(reading.found, reading.read);
		const isBraking = Math.abs(lists.now - (account.heldSince ?? 0)) < DAY;
		const isFree = (one: Found<Entry>) => !(isBraking && one.isHeld);
		const emitted = [...progress.queue.values()]
			.filter(isFree)
			.sort(byTime)
			.slice(0, settings.maxItems);
		const batch = emitted.length > 0 ? session.newBatch?.() : undefined;
		this.handOver(emitted, batch);
		const left = [...progress.queue.values()];
		for (const { list, reading } of this.readers) {
			if (reading) progress.readings.set(list.event, reading);
			else progress.readings.delete(list.event);
		}
		// The next that is too much at once waits for a day of its own. But a new process has to find all of this one first.
		const isOver = !isBraking && progress.readings.size === 0;
		if (isOver && !left.some(({ isHeld }) => isHeld)) delete account.heldSince;
		const waiting = left.filter(isFree);
		return {
			events: emitted.map(({ record }) => record),
			batchId: batch?.id,
			state: this.nextState(),
			progress,
			waiting: waiting.length,
			waitingSince: waiting.reduce((first, { foundAt }) => Math.min(first, foundAt), lists.now),
			held: left.filter((one) => !isFree(one)).map(({ record }) => record),
			isReadingFirst: this.readers.some(({ state }) => state.filters === undefined),
			requestsToReadAll: this.readers.reduce((sum, { state }) => sum + state.pages, 0),
			lists: this.readers.map(({ report }) => report),
		};
	}

	private handOver(emitted: Array<Found<Entry>>, batch?: Pick<Batch, 'id' | 'at'>): void {
		for (const { key } of emitted) this.progress.queue.delete(key);
		if (!batch) return;
		this.progress.inFlight.set(batch.id, emitted);
		// What is repeated is no longer in doubt.
		const keysNow = new Set(emitted.map(({ key }) => key));
		this.batches = this.batches
			.map((one) => ({
				...one,
				keys: writeKeys(readKeys(one.keys).filter((key) => !keysNow.has(key))),
			}))
			.filter(({ keys }) => keys !== '');
		const byFirst = new Map<number, EventKey[]>();
		for (const { key } of emitted) {
			const first = this.repeats.get(key) ?? batch.at;
			const keys = byFirst.get(first) ?? [];
			keys.push(key);
			byFirst.set(first, keys);
		}
		for (const [first, keys] of byFirst)
			this.batches.push({ ...batch, first, keys: writeKeys(keys) });
	}

	private nextState(): FeedState {
		const { account, progress, batches, input } = this;
		const isElsewhere = new Set(batches.flatMap(({ keys }) => readKeys(keys)));
		const most = Math.floor(input.session.limits.events * SEEN_PER_LISTED) - isElsewhere.size;
		const seen = this.seen.write(most, (key) => isElsewhere.has(key) || progress.queue.has(key));
		const current: AccountState = {
			...account,
			seen,
			batches,
			hasBacklog: progress.queue.size > 0,
			nextReading: this.poll.nextReading,
		};
		let room = most - Seen.count(seen);
		// The account unused longest is forgotten first. One that would be known in part would bring the rest as news.
		const others = (input.session.lastState?.accounts ?? [])
			.filter((other) => other.account !== account.account)
			.slice(0, MOST_OTHER_ACCOUNTS)
			.flatMap((other) => {
				const listed = Object.values(other.lists).reduce((sum, { size }) => sum + size, 0);
				if (listed > room) return [];
				const latest = Seen.latest(other.seen, room);
				room -= Seen.count(latest);
				return { ...other, seen: latest };
			});
		return { version: 3, accounts: [current, ...others] };
	}
}

/** A first reading may find anything: the whole list, by its own account. */
const needOf = ({
	state,
	isQuiet,
	way,
}: Pick<ListReader<EventRecord>, 'state' | 'isQuiet' | 'way'>): number =>
	isQuiet ? (way?.total ?? Number.POSITIVE_INFINITY) : state.size;

/** n8n hands out saved data as a proxy, which cannot be cloned in any other way. */
const copyOf = (account: AccountState): AccountState =>
	JSON.parse(JSON.stringify(account)) as AccountState;

const newProgress = <Entry>(account: string): Progress<Entry> => ({
	account,
	filters: '',
	queue: new Map(),
	inFlight: new Map(),
	readings: new Map(),
	lookedAt: new Map(),
});
