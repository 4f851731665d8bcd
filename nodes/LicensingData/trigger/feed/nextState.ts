import type { EventRecord } from '../../domain/eventIdentity';
import type { Found } from './findings';
import { baselineEnd, type Known } from './judge';
import { isSweepDue, NEEDS_SWEEP, POLLS_UNTIL_SWEEP } from './newState';
import type { Scan } from './scan';
import type { SortKey } from './sortKey';
import { hashOf, readKeys, startOf, writeKeys } from './sortKey';
import type { Batch, FeedState, Forgotten } from './state';
import { belowBatches, remember, windowStart } from './state';

const MOST_NEWS_DURING_BASELINE = 500;

/** How much of the first page is remembered. The interface allows fifty. */
const LONGEST_PAGE = 50;

/** What a poll has done. */
export interface Done<Entry extends EventRecord> {
	state: FeedState;
	known: Known;
	/** What earlier polls have left pending. */
	pending: Partial<FeedState>;
	/** The scans that have read something. */
	scans: { top?: Scan<Entry>; sweep?: Scan<Entry> };
	/** What has been found, oldest first, and how much of it from the beginning on is seen now. */
	backlog: Array<Found<Entry>>;
	handled: number;
	/** Whether a top scan goes on with the next poll. */
	isReadingTop: boolean;
	batches: Batch[];
	emitted: SortKey[];
	capacity: number;
}

export interface Next {
	state: FeedState;
	/** What changes once the backlog is empty. */
	pending: Partial<FeedState>;
	forgotten: Forgotten;
}

/**
 * The state that n8n is to save. While events wait, it changes only in what was emitted and what belongs to the
 * baseline, so that the backlog looks new to any process that goes on from it (promise 6).
 */
export function nextState<Entry extends EventRecord>(done: Done<Entry>): Next {
	const { known, batches, emitted, capacity, backlog, handled } = done;
	const nowSeen = backlog.slice(0, handled).map(({ key }) => key);
	const waiting = backlog.slice(handled).map(({ key }) => key);
	const onceNothingWaits = afterScans(done);
	// An unfinished sweep holds nothing back: the state still says that one is due.
	const isUnfinished = waiting.length > 0 || done.isReadingTop;
	const firstPage = firstPageWithout(waiting, known, onceNothingWaits.firstPage);
	const changes = isUnfinished ? { ...NEEDS_SWEEP, firstPage } : onceNothingWaits;

	const endOfBaseline = isBaselineRead(done) ? watermarkAfterBaseline(done) : undefined;
	const state = { ...done.state, ...changes };
	if (endOfBaseline !== undefined) state.baseline = undefined;
	else if (state.baseline)
		state.baseline = { ...state.baseline, news: withLatest(state.baseline.news, nowSeen) };
	// What is below the end of the baseline must stay below the watermark, whatever it emitted.
	const lowest = endOfBaseline ?? done.state.watermark;
	const watermark = belowBatches(endOfBaseline ?? state.watermark, batches);
	const written = { ...state, watermark: watermark > lowest ? watermark : lowest };
	const seen = nowSeen.length > 0 ? new Set([...known.seen, ...nowSeen]) : known.seen;
	return {
		...remember(written, seen, batches, emitted, capacity),
		pending: isUnfinished ? onceNothingWaits : {},
	};
}

/**
 * What the scans change once nothing waits. A top scan alone adds to the count of polls, and a finished sweep
 * resets it. After an unreadable page, or with too little room, the state needs a sweep.
 */
function afterScans<Entry extends EventRecord>(done: Done<Entry>): Partial<FeedState> {
	const { state, known, pending, scans, backlog } = done;
	const { top, sweep } = scans;
	const first = top ?? sweep;
	if (!first || top?.status === 'reading') return pending;
	const isWhole = [top, sweep].every(
		(scan) => scan?.status !== 'stuck' && !scan?.findings.hasDropped,
	);
	if (!isWhole) return { ...pending, ...NEEDS_SWEEP };
	// An empty page proves nothing, not even that the list is empty.
	if (first.firstPage.length === 0) return { ...pending, at: known.now };

	const now = { ...state, ...pending };
	const firstPage = first.firstPage.slice(0, LONGEST_PAGE);
	// Only a sweep proves a total: if the last one is not proven, none is kept.
	const total = known.lastTotal === null ? null : first.total;
	const { isIncomplete, pollsSinceSweep } = now;
	const read = { ...pending, isIncomplete, total, at: known.now, firstPage };
	if (sweep?.status === 'reading') return { ...read, pollsSinceSweep: POLLS_UNTIL_SWEEP };
	if (!sweep && top?.status !== 'atEnd') return { ...read, pollsSinceSweep: pollsSinceSweep + 1 };
	// A total that grew for no visible reason is not believed before the next sweep.
	const isBaseless = !isSweepDue(now) && sweep?.findings.met === 0;
	const found = backlog.map(({ key }) => key);
	return {
		...read,
		total: isBaseless ? null : first.total,
		pollsSinceSweep: 0,
		isIncomplete: false,
		watermark: state.nextWatermark > state.watermark ? state.nextWatermark : state.watermark,
		nextWatermark: windowStart([...known.seen, ...found], known.now, known.lookback),
	};
}

/** It has been read once the scan is over, even if events still wait. */
function isBaselineRead<Entry extends EventRecord>({ known, scans }: Done<Entry>): boolean {
	const { top, sweep } = scans;
	return known.mode !== 'watching' && (sweep ?? top)?.status === 'atEnd';
}

function watermarkAfterBaseline<Entry extends EventRecord>({ state, known, backlog }: Done<Entry>) {
	const { newsFrom, now, lookback } = known;
	// A list in which nothing was found may not have been all there: what is old when it shows is not news.
	const start = baselineEnd(known, backlog) || startOf(now - lookback);
	const end = newsFrom !== null && newsFrom < start ? newsFrom : start;
	// If room ran short in the meantime, the watermark has risen, and stays up.
	return end > state.watermark ? end : state.watermark;
}

/** The backlog must look new to any process that goes on from the state. */
function firstPageWithout(waiting: SortKey[], known: Known, read: string[] = []): string[] {
	const hashes = new Set([...read, ...known.firstPage]);
	for (const key of waiting) hashes.delete(hashOf(key));
	return [...hashes].slice(0, LONGEST_PAGE);
}

/** Older ones may count as part of the baseline: what comes next is usually above them. */
const withLatest = (text: string, news: SortKey[]): string =>
	writeKeys([...readKeys(text), ...news].slice(-MOST_NEWS_DURING_BASELINE));
