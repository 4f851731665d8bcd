import type { EventRecord } from '../../domain/event';
import type { SortKey } from './sortKey';
import { hashOf, isDated, readKeys, startOf, writeKeys } from './sortKey';
import type { Found, ScanContext } from './scan';
import { Scan } from './scan';
import { NEEDS_SWEEP, POLLS_UNTIL_SWEEP, newState, withOtherList } from './newState';
import type { Batch, FeedState, Forgotten } from './state';
import { belowBatches, isEqual, remember, restore, seenKeys, windowStart } from './state';
import type { FeedInput, Outcome, Progress } from './types';

const MOST_NEWS_DURING_BASELINE = 500;

/** How much of the first page is remembered. The interface allows fifty. */
const LONGEST_PAGE = 50;

export const bytesOf = <Entry extends EventRecord>(progress: Progress<Entry>): number =>
	[...progress.backlog.values()].reduce((sum, { bytes }) => sum + bytes, 0) +
	(progress.top?.bytes ?? 0) +
	(progress.sweep?.bytes ?? 0);

/**
 * One poll: a top scan, sometimes a sweep, and then a batch of what they found. It depends only on the state, the
 * progress and the pages. See docs/trigger.md.
 */
export class FeedPoll<Entry extends EventRecord> {
	private readonly state: FeedState;
	private readonly batchesInFlight: Batch[];
	private readonly seen: Set<SortKey>;
	private readonly firstPage: Set<string>;
	private readonly newsDuringBaseline: Set<SortKey>;
	private readonly progress: Progress<Entry>;
	/** What has to come again. */
	private readonly lost: Set<SortKey>;
	/**
	 * Whether a baseline is being read of which nothing is known yet, or of the list of other filters. If what
	 * belongs to it was forgotten for lack of room, the watermark has risen.
	 */
	private readonly hasNothingToCompare: boolean;
	/** Without room, a poll reads nothing. */
	private hasRead = false;
	private unread: Outcome<Entry>['unread'];
	private shortBy = 0;

	constructor(private readonly input: FeedInput<Entry>) {
		const saved = restore(input.saved);
		const isSameAccount = saved?.account === input.account;
		const state = !isSameAccount
			? newState(input)
			: isEqual(saved.query, input.query)
				? saved
				: withOtherList(saved, input);
		const lost = state.batches.filter((batch) => input.fateOf(batch) === 'lost');
		const notLost = state.batches.filter((batch) => !lost.includes(batch));

		this.batchesInFlight = notLost.filter((batch) => input.fateOf(batch) === 'inFlight');
		this.seen = seenKeys(state, notLost);
		const hasLost = lost.length > 0;
		this.lost = new Set(lost.flatMap(({ keys }) => readKeys(keys)));
		const lostHashes = [...this.lost].map(hashOf);
		this.firstPage = new Set(state.firstPage.filter((hash) => !lostHashes.includes(hash)));
		this.newsDuringBaseline = new Set(readKeys(state.baseline?.news ?? ''));
		this.state = { ...state, ...(hasLost && NEEDS_SWEEP) };

		const purpose = JSON.stringify([input.query, input.filters]);
		const goesOn = input.progress?.purpose === purpose && isSameAccount && !hasLost;
		const waiting = isSameAccount ? waitingIn(input.progress, input.matches) : [];
		this.progress = (goesOn && input.progress) || {
			purpose,
			backlog: new Map(waiting.map((event) => [event.key, event])),
			pending: {},
		};
		this.hasNothingToCompare =
			state.baseline !== undefined &&
			(state.baseline.isOfOtherList ||
				(state.watermark === '' &&
					[...this.seen].every((key) => this.newsDuringBaseline.has(key))));
	}

	async run(): Promise<Outcome<Entry> | { failure: unknown; progress: Progress<Entry> }> {
		const { progress } = this;
		this.hasRead = this.hasRoom();
		if (this.hasRead) {
			const failure = (await this.readTop()) ?? (await this.readSweep());
			if (failure) return { ...failure, progress };
		}
		return this.emit();
	}

	/** The newest never wait for late ones: first comes the top scan, then a sweep in the time left. */
	private async readTop(): Promise<{ failure: unknown } | undefined> {
		const { progress } = this;
		// With nothing to compare with, one scan reads everything.
		if (this.hasNothingToCompare) return undefined;
		progress.top ??= new Scan<Entry>('top');
		const failed = await progress.top.readOn(this.contextOf(progress.top));
		if (failed?.isFirstPage) return failed;
		// This is the page that the sweep could not read in an earlier poll.
		if (failed && progress.sweep?.failsWhere(progress.top)) progress.top.status = 'stuck';
		this.note(progress.top, failed);
		if (progress.top.status === 'reading') return undefined;
		this.addToBaseline(progress.top);
		this.enqueue(progress.top);
		return undefined;
	}

	private async readSweep(): Promise<{ failure: unknown } | undefined> {
		const { progress, input } = this;
		const { top } = progress;
		// Nothing below a page that never comes can be reached. What a sweep has found there is emitted.
		if (top?.status === 'stuck' && progress.sweep) progress.sweep.status = 'stuck';
		else if (top && (top.status !== 'over' || !input.hasTime())) return undefined;
		else if (top && !top.hasReachedEnd && this.isSweepDue(top))
			progress.sweep ??= top.startSweep(
				this.state.baseline || this.isIncomplete ? 'thoroughSweep' : 'sweep',
			);
		// If it got stuck, it starts over.
		if (this.hasNothingToCompare) progress.sweep ??= new Scan('thoroughSweep');
		const { sweep } = progress;
		if (!sweep) return undefined;
		const failed = await sweep.readOn(this.contextOf(sweep));
		if (failed?.isFirstPage && !top) return failed;
		this.note(sweep, failed);
		const isOver = sweep.status !== 'reading';
		this.addToBaseline(sweep);
		if (isOver) this.enqueue(sweep);
		return undefined;
	}

	private isSweepDue({ total, unfamiliarMet }: Scan<Entry>): boolean {
		const grownBy = total !== null && this.lastTotal !== null ? total - this.lastTotal : 0;
		return this.isSweepDueAnyway || grownBy > unfamiliarMet;
	}

	private get isSweepDueAnyway(): boolean {
		return this.isIncomplete || this.pollsSinceSweep >= POLLS_UNTIL_SWEEP;
	}

	private get isIncomplete(): boolean {
		return this.progress.pending.isIncomplete ?? this.state.isIncomplete;
	}

	private get pollsSinceSweep(): number {
		return this.progress.pending.pollsSinceSweep ?? this.state.pollsSinceSweep;
	}

	private get lastTotal(): number | null {
		return this.progress.pending.total ?? this.state.total;
	}

	private contextOf(scan: Scan<Entry>): ScanContext<Entry> {
		const { input, state, seen, progress } = this;
		const isFound = (key: SortKey) =>
			progress.backlog.has(key) || progress.sweep?.found.has(key) === true;
		return {
			readPage: input.readPage,
			hasTime: input.hasTime,
			lastTotal: this.lastTotal,
			room: () => input.room() - bytesOf(progress) + scan.bytes,
			judge: (key, isBelowBaseline) => {
				if (seen.has(key) || isFound(key)) return 'familiar';
				const wasOnFirstPage = this.firstPage.has(hashOf(key));
				const isOld = isDated(key)
					? key <= state.watermark
					: state.hasForgottenUndated && (isBelowBaseline || wasOnFirstPage);
				if (!isOld) return 'unseen';
				return wasOnFirstPage ? 'familiar' : 'history';
			},
			countsAsBaseline: (key) => !this.newsDuringBaseline.has(key) && !isFound(key),
			belongsToBaseline: (...met) => this.belongsToBaseline(...met),
			matches: input.matches,
			// If records are within the lookback of the list's own date, any two are within twice that.
			mostDisorder: 2 * input.lookback,
			stopAt: (found) =>
				state.baseline?.isOfOtherList === false ? this.baselineEnd(found) : state.watermark,
		};
	}

	/**
	 * Promise 3: what is below an event of the baseline belongs to it, unless Start From asks for it. Promise
	 * 11: in the list of other filters, so does what is not newer than everything seen.
	 */
	private belongsToBaseline(key: SortKey, isBelowBaseline: boolean): boolean {
		const { baseline } = this.state;
		if (!baseline || this.lost.has(key)) return false;
		const { newsFrom, isOfOtherList } = baseline;
		const isAskedFor = isDated(key) && newsFrom !== null && key >= newsFrom;
		if (isOfOtherList) return !isAskedFor || key >= startOf(this.input.now + 1);
		return isBelowBaseline && !isAskedFor;
	}

	/** Promise 3: the baseline reads down to the start of the window, or to Start From if that is lower. */
	private baselineEnd(found: Iterable<Found<Entry>>): SortKey {
		const all = [...found];
		const ofBaseline = [
			...[...this.seen].filter((key) => !this.newsDuringBaseline.has(key)),
			...all.filter(({ isBaseline }) => isBaseline).map(({ key }) => key),
		];
		// What has come since then does not move the window, or events in between could be missed.
		const { now, lookback } = this.input;
		const start =
			windowStart(ofBaseline, now, lookback) ||
			windowStart([...this.seen, ...all.map(({ key }) => key)], now, lookback);
		const newsFrom = this.state.baseline?.newsFrom ?? start;
		return newsFrom < start ? newsFrom : start;
	}

	/** What belongs to the baseline counts as seen right away, so that any process can go on from there. */
	private addToBaseline(scan: Scan<Entry>): void {
		for (const { key, isBaseline } of scan.found.values()) {
			if (!isBaseline) continue;
			this.seen.add(key);
			scan.remove(key);
		}
	}

	private enqueue(scan: Scan<Entry>): void {
		for (const event of scan.takeFound())
			if (!this.seen.has(event.key)) this.progress.backlog.set(event.key, event);
	}

	private note(scan: Scan<Entry>, failed: { failure: unknown } | undefined): void {
		if (failed) this.unread = { failure: failed.failure, isStuck: scan.status === 'stuck' };
		this.shortBy ||= scan.shortBy;
	}

	/** While the backlog fills the memory, it is emitted before more is read. */
	private hasRoom(): boolean {
		const { backlog } = this.progress;
		return backlog.size === 0 || this.input.room() > bytesOf(this.progress);
	}

	/**
	 * What these scans will change in the state once the backlog is empty. A top scan alone adds to the count of
	 * polls, and a finished sweep resets it. After an unreadable page, or with too little room, the
	 * state needs a sweep.
	 */
	private nextPending(): Partial<FeedState> {
		const { state, input, seen, progress } = this;
		const { top, sweep, pending } = progress;
		const first = top ?? sweep;
		if (!this.hasRead || !first || top?.status === 'reading') return pending;
		const scans = [top, sweep].filter((scan) => scan !== undefined);
		const isWhole = scans.every((scan) => scan.status !== 'stuck' && !scan.hasDropped);
		if (!isWhole) return { ...pending, ...NEEDS_SWEEP };
		// An empty page proves nothing, not even that the list is empty.
		if (first.firstPage.length === 0) return { ...pending, at: input.now };

		const firstPage = first.firstPage.slice(0, LONGEST_PAGE);
		// Only a sweep proves a total: if the last one is not proven, none is kept.
		const total = this.lastTotal === null ? null : first.total;
		const { isIncomplete } = this;
		const read = { ...pending, isIncomplete, total, at: input.now, firstPage };
		if (sweep?.status === 'reading') return { ...read, pollsSinceSweep: POLLS_UNTIL_SWEEP };
		if (!sweep && !top?.hasReachedEnd)
			return { ...read, pollsSinceSweep: this.pollsSinceSweep + 1 };
		// A total that grew for no visible reason is not believed before the next sweep.
		const isBaseless = !this.isSweepDueAnyway && sweep?.unseenMet === 0;
		return {
			...read,
			total: isBaseless ? null : first.total,
			pollsSinceSweep: 0,
			isIncomplete: false,
			watermark: state.nextWatermark > state.watermark ? state.nextWatermark : state.watermark,
			nextWatermark: windowStart([...seen, ...progress.backlog.keys()], input.now, input.lookback),
		};
	}

	/** The baseline has been read once the scan is over, even if events still wait. */
	private endOfBaseline(): Partial<FeedState> {
		const { state, progress } = this;
		const { top, sweep } = progress;
		const isRead = sweep ? sweep.status === 'over' : top?.hasReachedEnd === true;
		if (!isRead || !state.baseline) return {};
		const { newsFrom } = state.baseline;
		// A list in which nothing was found may not have been all there: what is old when it shows is not news.
		const { now, lookback } = this.input;
		const found = this.baselineEnd(progress.backlog.values()) || startOf(now - lookback);
		const end = newsFrom !== null && newsFrom < found ? newsFrom : found;
		// If room ran short in the meantime, the watermark has risen, and stays up.
		const watermark = end > state.watermark ? end : state.watermark;
		return { baseline: undefined, watermark };
	}

	/**
	 * Promises 2 and 6. Of the events found, only those older than the rest of the backlog count as seen. So a
	 * process that ends here loses nothing: the next one finds the backlog again.
	 */
	private emit(): Outcome<Entry> {
		const { input, seen, progress } = this;
		// Both read the scans and the backlog, so they come before any of these change.
		const endOfBaseline = this.endOfBaseline();
		progress.pending = this.nextPending();
		if (progress.top?.status !== 'reading') progress.top = undefined;
		if (progress.sweep?.status !== 'reading') progress.sweep = undefined;

		const events: Entry[] = [];
		const emitted: SortKey[] = [];
		const nowSeen: SortKey[] = [];
		for (const { key, record } of [...progress.backlog.values()].sort(byKey)) {
			if (record && events.length === input.maxItems) break;
			if (record) emitted.push(key);
			if (record) events.push(record);
			nowSeen.push(key);
			seen.add(key);
			progress.backlog.delete(key);
		}
		const { state, forgotten } = this.write(emitted, nowSeen, endOfBaseline);
		return {
			events,
			state,
			progress,
			backlog: [...progress.backlog.values()].filter(({ record }) => record).length,
			isBaseline: state.baseline !== undefined,
			forgotten,
			shortBy: this.shortBy,
			unread: this.unread,
		};
	}

	/** The backlog must look new to any process that goes on from the state. */
	private firstPageWithoutBacklog(): string[] {
		const { backlog, pending } = this.progress;
		const hashes = new Set([...(pending.firstPage ?? []), ...this.firstPage]);
		for (const key of backlog.keys()) hashes.delete(hashOf(key));
		return [...hashes].slice(0, LONGEST_PAGE);
	}

	private write(
		emitted: SortKey[],
		nowSeen: SortKey[],
		endOfBaseline: Partial<FeedState>,
	): { state: FeedState; forgotten: Forgotten } {
		const { input, progress, seen } = this;
		// An unfinished sweep holds nothing back: the state still says that one is due.
		const isUnfinished = progress.backlog.size > 0 || progress.top !== undefined;
		const changes = isUnfinished
			? { ...NEEDS_SWEEP, firstPage: this.firstPageWithoutBacklog() }
			: progress.pending;
		const { baseline } = this.state;
		const state = {
			...this.state,
			...(baseline && { baseline: { ...baseline, news: withLatest(baseline.news, nowSeen) } }),
			...changes,
			...endOfBaseline,
		};
		if (!isUnfinished) progress.pending = {};
		const batches = this.batchesInFlight.slice();
		if (input.newBatch && emitted.length > 0)
			batches.push({ ...input.newBatch(), keys: writeKeys(emitted) });
		const watermark = belowBatches(state.watermark, batches);
		// What is below the end of the baseline must stay below the watermark, whatever it emitted.
		const lowest = endOfBaseline.watermark ?? this.state.watermark;
		return remember(
			{ ...state, watermark: watermark > lowest ? watermark : lowest },
			seen,
			batches,
			emitted,
			input.capacity,
		);
	}
}

/** Older ones may count as part of the baseline: what comes next is usually above them. */
const withLatest = (text: string, news: SortKey[]): string =>
	writeKeys([...readKeys(text), ...news].slice(-MOST_NEWS_DURING_BASELINE));

/** What waits when the filters change stays, if it matches the new ones. The rest is read again. */
function waitingIn<Entry extends EventRecord>(
	progress: Progress<Entry> | undefined,
	matches: (record: Entry) => boolean,
): Array<Found<Entry>> {
	if (!progress) return [];
	const { backlog, top, sweep } = progress;
	return [backlog, top?.found, sweep?.found]
		.flatMap((found) => [...(found?.values() ?? [])])
		.filter(({ record }) => record && matches(record));
}

const byKey = (a: { key: SortKey }, b: { key: SortKey }): number => (a.key < b.key ? -1 : 1);
