import type { EventRecord } from '../../domain/eventIdentity';
import type { Found } from './findings';
import { baselineEnd } from './judge';
import { remember, type Forgotten } from './remember';
import type { Resumed } from './resume';
import type { Scan } from './scan';
import type { Point, SortKey } from './sortKey';
import { BEFORE_ALL, hashOf, later, readKeys, startOf, timeOf, writeKeys } from './sortKey';
import type { Batch, FeedState, ListFacts } from './state';
import { isSweepDue, NEEDS_SWEEP, POLLS_UNTIL_SWEEP } from './state';
import { windowStart } from './window';

/** How much of the first page is remembered. The interface allows fifty. */
const LONGEST_PAGE = 50;

/** What a poll has done. */
export interface Done<Entry extends EventRecord> extends Resumed<Entry> {
	/** The scans that have read something. */
	scans: { top?: Scan<Entry>; sweep?: Scan<Entry> };
	/** The oldest of the backlog, which are seen now. */
	handled: Array<Found<Entry>>;
	/** Those of them that match the filters. */
	emitted: SortKey[];
	/** The rest of the backlog. */
	rest: Array<Found<Entry>>;
	/** Those in flight, with the one that is emitted now. */
	batches: Batch[];
	capacity: number;
}

export interface Next {
	state: FeedState;
	unwritten: ListFacts;
	forgotten: Forgotten;
}

/**
 * The state that n8n is to save. Whatever waits must look new to any process that goes on from it (promise 6). What
 * is seen and the end of the baseline hide nothing, so they are written now. What the scans say of the list as a whole
 * would hide the backlog, so it is written once that is empty; until then, the state says that a thorough sweep is
 * due. What unfinished scans have found is hidden by nothing, as they say nothing yet that would: see `listFacts`.
 */
export function nextState<Entry extends EventRecord>(done: Done<Entry>): Next {
	const { state, known, handled, rest, batches, emitted, capacity } = done;
	const facts = listFacts(done);
	const hasBacklog = rest.length > 0;
	const written = { ...state, ...(hasBacklog ? whileBacklog(done, facts) : facts) };

	const { baseline } = state;
	let watermark = belowBatches(written.watermark, batches);
	if (baseline && isBaselineRead(done)) {
		written.baseline = undefined;
		const end = baselineEnd(known, [...handled, ...rest]);
		// Of another list, all has been read that is above the old watermark.
		watermark = baseline.isOfOtherList ? belowBatches(end, batches) : end;
	}
	written.watermark = later(watermark, state.watermark);
	const nowSeen = handled.map(({ key }) => key);
	const seen = nowSeen.length > 0 ? new Set([...known.seen, ...nowSeen]) : known.seen;
	const { state: remembered, forgotten } = remember(written, seen, batches, emitted, capacity);
	return {
		state: withBaselineApart(remembered, known.ofBaseline),
		forgotten,
		unwritten: hasBacklog ? facts : {},
	};
}

/** The first page is known but for the backlog, so that the next poll recognizes it. When that was hides nothing. */
function whileBacklog<Entry extends EventRecord>(
	{ state, known, rest }: Done<Entry>,
	{ firstPage = [], at = state.at }: ListFacts,
): ListFacts {
	const hashes = new Set([...firstPage, ...known.firstPage]);
	for (const { key } of rest) hashes.delete(hashOf(key));
	return { ...NEEDS_SWEEP, at, firstPage: [...hashes].slice(0, LONGEST_PAGE) };
}

/**
 * What the scans of this poll say of the list, added to what earlier ones have said. An unfinished top scan says
 * nothing, and an unfinished sweep leaves the watermark and says that the next poll sweeps.
 */
function listFacts<Entry extends EventRecord>(done: Done<Entry>): ListFacts {
	const { drained, known, progress, scans, handled, rest } = done;
	const { top, sweep } = scans;
	const before = progress.unwritten;
	const first = top ?? sweep;
	if (!first || top?.status === 'reading') return before;
	if (top?.hasGaps || sweep?.hasGaps) return { ...before, ...NEEDS_SWEEP };
	// An empty page proves nothing, not even that the list is empty.
	if (first.hasReadNothing) return { ...before, at: known.now };

	const { isIncomplete, pollsSinceSweep } = drained;
	const read = {
		...before,
		at: known.now,
		firstPage: first.firstPage.slice(0, LONGEST_PAGE),
		isIncomplete,
		// Only a sweep proves a total: if the last one is not proven, none is kept.
		total: known.lastTotal === null ? null : first.total,
	};
	if (sweep?.status === 'reading') return { ...read, pollsSinceSweep: POLLS_UNTIL_SWEEP };
	const hasSwept = sweep !== undefined || top?.status === 'complete';
	if (!hasSwept) return { ...read, pollsSinceSweep: pollsSinceSweep + 1 };
	// A total that grew for no visible reason is not believed before the next sweep.
	const isBaseless = !isSweepDue(drained) && sweep?.findings.met === 0;
	const found = [...handled, ...rest].map(({ key }) => key);
	return {
		...read,
		total: isBaseless ? null : first.total,
		pollsSinceSweep: 0,
		isIncomplete: false,
		// Promise 5: it rises in two steps, so that what one sweep misses, the next still finds.
		watermark: drained.nextWatermark,
		nextWatermark: windowStart([...known.seen, ...found], known.now, known.lookback) ?? BEFORE_ALL,
	};
}

/** Once a scan has read it to its end, even if events still wait. */
function isBaselineRead<Entry extends EventRecord>({ scans: { top, sweep } }: Done<Entry>) {
	return (sweep ?? top)?.status === 'complete';
}

/** Promise 9: the watermark stays below what may be emitted again. Each batch starts with its oldest event. */
function belowBatches(watermark: Point, batches: Batch[]): Point {
	return batches
		.flatMap(({ keys }) => readKeys(keys).slice(0, 1))
		.map((key) => startOf(timeOf(key)))
		.reduce((lowest, start) => (start < lowest ? start : lowest), watermark);
}

/** Until it has been read, what belongs to it is told from the news that was handled meanwhile. */
function withBaselineApart(state: FeedState, ofBaseline: Set<SortKey>): FeedState {
	const { baseline } = state;
	if (!baseline) return state;
	const seen = readKeys(state.seen);
	return {
		...state,
		seen: writeKeys(seen.filter((key) => !ofBaseline.has(key))),
		baseline: { ...baseline, keys: writeKeys(seen.filter((key) => ofBaseline.has(key))) },
	};
}
