import { eventOf } from '../licenses/identity';
import { NEW_FILING } from '../licenses/knownValues';
import type { License } from '../licenses/license';
import { momentOf } from '../licenses/text';
import { ANY_EVENT, filedAt, typeOf } from './bulk';
import type { ListState } from './state';

const WEEK = 7 * 86_400_000;

/** What filters select. */
export interface Selection {
	matches: (record: License) => boolean;
	/** How long before the newest one of its type a new filing may be filed, in milliseconds. */
	lookback: number;
}

/** What a list is known by. */
export interface KnownList {
	state: ListState;
	/** What other filters select, with which it was last read in full; undefined if there were none. */
	before: Selection | undefined;
	/** Whether it was never read in full with these filters. */
	isQuiet: boolean;
	/** Whether the record stands where the last reading of a cut list did not get. */
	isBelowKnown: boolean;
	/** The newest date of any event in the list, and of a filing of a license type. */
	newestOf: (of: string) => number;
}

export type Verdict = 'news' | 'known' | 'tooOld';

/**
 * What an event is that the list has not shown before, and that matches the filters.
 *
 * The list                   News is
 * was never read in full     what Start From asks for
 * was read with other        what those select as well, unless the list was cut
 *   filters
 * is cut                     on pages that were read last time: what Start From asks for, and what is dated within a
 *                            week of the newest, and no more than two weeks before the first reading
 * any other                  everything
 *
 * Except in the first, new filings older than Lookback Days are too old, unless Start From asks for them.
 */
export function classify(record: License, wanted: Selection, known: KnownList): Verdict {
	const { state, before, isQuiet, isBelowKnown, newestOf } = known;
	const { startFrom, isCut, knownSince = 0 } = state;
	const date = momentOf(record.eventTimestamp);
	const isAskedFor = startFrom !== undefined && date !== undefined && date >= startFrom;
	if (state.filters === undefined) return isAskedFor ? 'news' : 'known';
	if (isQuiet && (isCut || !before?.matches(record))) return 'known';
	// Tens of thousands may have one date, years ago. Where some of them leave, others move up to what is read.
	const isRecent =
		date !== undefined && date >= Math.max(newestOf(ANY_EVENT) - WEEK, knownSince - 2 * WEEK);
	if (isCut && (isBelowKnown || !(isRecent || isAskedFor))) return 'known';
	const lookback = Math.min(wanted.lookback, before?.lookback ?? wanted.lookback);
	const filed = eventOf(record) === NEW_FILING ? filedAt(record) : undefined;
	if (filed !== undefined && !isAskedFor && filed < newestOf(typeOf(record)) - lookback)
		return 'tooOld';
	return 'news';
}
