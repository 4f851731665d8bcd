import type { EventRecord } from '../../licenses/eventIdentity';
import { NEW_FILING } from '../../licenses/eventTypes';
import { momentOf } from '../../licenses/moment';
import type { ListState } from './state';
import type { Selection } from './types';

const DAY = 86_400_000;
const WEEK = 7 * DAY;

/** What a list is known by, and what is wanted of it now. */
interface KnownList<Entry> {
	state: ListState;
	/** What other filters select, with which it was last read in full; undefined if there were none. */
	before: Selection<Entry> | undefined;
	wanted: Selection<Entry>;
	isQuiet: boolean;
	/** Whether it stands where the last reading of a cut list did not get. */
	isBelowKnown: boolean;
}

export type Verdict = 'news' | 'known' | 'tooOld';
/** Undefined for what the list has shown before. A repeat was emitted by an earlier process, perhaps in vain. */
export type Met = Verdict | 'repeat' | undefined;

/**
 * What an event is that the list has not shown before, and that matches the filters.
 *
 * The list                            News is
 * was never read in full              what Start From asks for
 * was read with other filters         what those select as well, unless the list was cut
 * is cut                              on pages that were read last time: what Start From asks for, and what is dated
 *                                     within a week of the newest date, two weeks before the first reading or later
 * any other                           everything
 *
 * But for the first, new filings older than Lookback Days are too old, unless Start From asks for them.
 */
export function verdictOn<Entry extends EventRecord>(
	record: Entry,
	{ state, before, wanted, isQuiet, isBelowKnown }: KnownList<Entry>,
): Verdict {
	const date = momentOf(record.eventTimestamp);
	const { startFrom, newest = Number.NEGATIVE_INFINITY, isCut, knownSince = 0 } = state;
	const isAskedFor = startFrom !== undefined && date !== undefined && date >= startFrom;
	if (state.filters === undefined) return isAskedFor ? 'news' : 'known';
	if (isQuiet && (isCut || !before?.matches(record))) return 'known';
	const lookback = Math.min(wanted.lookback, before?.lookback ?? wanted.lookback);
	// Tens of thousands may have one date, years ago. Where some of them leave, others move up to what is read.
	const isRecent = date !== undefined && date >= Math.max(newest - WEEK, knownSince - 2 * WEEK);
	if (isCut && (isBelowKnown || !(isRecent || isAskedFor))) return 'known';
	const isFiling = record.eventType === NEW_FILING;
	if (isFiling && !isAskedFor && date !== undefined && date < newest - lookback) return 'tooOld';
	return 'news';
}

/** Dates in the future are left out: one typing error would make everything else old. */
export function newestOf(
	newest: number | undefined,
	records: EventRecord[],
	now: number,
): number | undefined {
	const dates = [newest, ...records.map(({ eventTimestamp }) => momentOf(eventTimestamp))];
	const past = dates.filter((date) => date !== undefined && date <= now) as number[];
	return past.length > 0 ? Math.max(...past) : undefined;
}
