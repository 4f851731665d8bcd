import type { EventRecord } from '../../domain/eventIdentity';
import type { Found } from './findings';
import { baselineEnd } from './judge';
import { remember, type Forgotten } from './remember';
import type { Resumed } from './resume';
import type { Scan } from './scan';
import type { SortKey } from './sortKey';
import { hashOf, readKeys, startOf, timeOf, writeKeys } from './sortKey';
import type { Batch, FeedState } from './state';
import { isSweepDue, NEEDS_SWEEP, POLLS_UNTIL_SWEEP } from './state';
import { windowStart } from './window';

const MOST_NEWS_DURING_BASELINE = 500;

/** How much of the first page is remembered. The interface allows fifty. */
const LONGEST_PAGE = 50;

/** What a poll has done. */
export interface Done<Entry extends EventRecord> extends Resumed<Entry> {
	/** The scans that have read something. */
	scans: { top?: Scan<Entry>; sweep?: Scan<Entry> };
	/** The oldest of the backlog, which is seen now, and the rest of it. */
	handled: Array<Found<Entry>>;
	waiting: Array<Found<Entry>>;
	/** Those in flight, with the one that is emitted now. */
	batches: Batch[];
	emitted: SortKey[];
	capacity: number;
}

export interface Next {
	state: FeedState;
	onceNothingWaits: Partial<FeedState>;
	forgotten: Forgotten;
}

/**
 * The state that n8n is to save (promise 6). What hides nothing that waits is written now: what is seen, that the
 * baseline has been read, what was emitted since it began and, while something waits, that a sweep is due and
 * what else is on the first page. What the scans say of the whole list is written once nothing waits. So whatever
 * waits looks new to any process that goes on from the state.
 */
export function nextState<Entry extends EventRecord>(done: Done<Entry>): Next {
	const { state, known, handled, waiting, batches, emitted, capacity } = done;
	const read = afterScans(done);
	const isWaiting = waiting.length > 0;
	const now = { ...state, ...(isWaiting ? whileWaiting(done, read) : read) };
	// It has been read once the scan is over, even if events still wait.
	const hasEnded = isBaselineRead(done);
	const watermark = hasEnded ? watermarkAfterBaseline(done) : belowBatches(now.watermark, batches);
	const nowSeen = handled.map(({ key }) => key);
	const written: FeedState = {
		...now,
		watermark: watermark > state.watermark ? watermark : state.watermark,
		baseline: state.baseline && !hasEnded ? withNews(state.baseline, nowSeen) : undefined,
	};
	const seen = nowSeen.length > 0 ? new Set([...known.seen, ...nowSeen]) : known.seen;
	return {
		...remember(written, seen, batches, emitted, capacity),
		onceNothingWaits: isWaiting ? read : {},
	};
}

/** Whoever goes on from this state sweeps, and knows the first page but for what waits. */
function whileWaiting<Entry extends EventRecord>(
	{ known, waiting }: Done<Entry>,
	{ firstPage = [] }: Partial<FeedState>,
): Partial<FeedState> {
	const hashes = new Set([...firstPage, ...known.firstPage]);
	for (const { key } of waiting) hashes.delete(hashOf(key));
	return { ...NEEDS_SWEEP, firstPage: [...hashes].slice(0, LONGEST_PAGE) };
}

/**
 * What the scans change, once nothing waits: earlier polls' changes, with those of this one. A top scan alone adds
 * to the count of polls, and a finished sweep resets it.
 */
function afterScans<Entry extends EventRecord>(done: Done<Entry>): Partial<FeedState> {
	const { state, known, progress, scans, handled, waiting } = done;
	const { top, sweep } = scans;
	const before = progress.onceNothingWaits;
	const first = top ?? sweep;
	if (!first || top?.status === 'reading') return before;
	if (top?.hasGaps || sweep?.hasGaps) return { ...before, ...NEEDS_SWEEP };
	// An empty page proves nothing, not even that the list is empty.
	if (first.firstPage.length === 0) return { ...before, at: known.now };

	const now = { ...state, ...before };
	const read = {
		...before,
		at: known.now,
		firstPage: first.firstPage.slice(0, LONGEST_PAGE),
		// Only a sweep proves a total: if the last one is not proven, none is kept.
		total: now.total === null ? null : first.total,
		isIncomplete: now.isIncomplete,
	};
	if (sweep?.status === 'reading') return { ...read, pollsSinceSweep: POLLS_UNTIL_SWEEP };
	if (!sweep && top?.status !== 'atEnd')
		return { ...read, pollsSinceSweep: now.pollsSinceSweep + 1 };
	// A total that grew for no visible reason is not believed before the next sweep.
	const isBaseless = !isSweepDue(now) && sweep?.findings.met === 0;
	const found = [...handled, ...waiting].map(({ key }) => key);
	return {
		...read,
		total: isBaseless ? null : first.total,
		pollsSinceSweep: 0,
		isIncomplete: false,
		// In two steps: what one sweep misses, the next still finds.
		watermark: state.nextWatermark,
		nextWatermark: windowStart([...known.seen, ...found], known.now, known.lookback),
	};
}

function isBaselineRead<Entry extends EventRecord>({ known, scans }: Done<Entry>): boolean {
	const { top, sweep } = scans;
	return known.mode !== 'watching' && (sweep ?? top)?.status === 'atEnd';
}

/** What is below the end of the baseline is history from now on, whatever is emitted again. */
function watermarkAfterBaseline<Entry extends EventRecord>({ known, ...done }: Done<Entry>) {
	const { newsFrom, now, lookback } = known;
	// A list in which nothing was found may not have been all there: what is old when it shows is not news.
	const start =
		baselineEnd(known, [...done.handled, ...done.waiting]) || startOf(now - lookback);
	return newsFrom !== null && newsFrom < start ? newsFrom : start;
}

/** Promise 9: the watermark stays below what may be emitted again. Each batch starts with its oldest event. */
function belowBatches(watermark: SortKey, batches: Batch[]): SortKey {
	return batches
		.flatMap(({ keys }) => readKeys(keys).slice(0, 1))
		.map((key) => startOf(timeOf(key)))
		.reduce((lowest, start) => (start < lowest ? start : lowest), watermark);
}

/** Older ones may count as part of the baseline: what comes next is usually above them. */
function withNews(baseline: NonNullable<FeedState['baseline']>, emitted: SortKey[]) {
	const news = [...readKeys(baseline.news), ...emitted].slice(-MOST_NEWS_DURING_BASELINE);
	return { ...baseline, news: writeKeys(news) };
}
