import { type License, licenseKey } from '../licenses/license';
import { momentOf } from '../licenses/time';
import { isTooOld } from './lookback';
import type { PollRun } from './pollRun';
import type { Scan } from './scan';
import type { ListState } from './stateFormat';
import type { Selection } from './watchedLists';

/**
 * Says whether an event is news that the list has not shown before, and that matches the filters.
 *
 * The list                            News is
 * was never read in full              what Start From asks for
 * was read with other filters         what those select as well, unless the list was cut
 * is cut                              what stands where the last reading got to, and not at its lower edge
 * any other                           everything
 *
 * Except in the first, new filings older than Lookback Days (lookback.ts) are too old, unless Start From asks for them.
 */
export function isNews(
	record: License,
	scan: Scan,
	{ filters, startFrom, isCut, pages = 0, listed }: ListState,
	/** What other filters select, with which it was last read in full. */
	before: Selection | undefined,
	run: PollRun,
): boolean {
	const isAskedFor = Number(momentOf(record.eventTimestamp)) >= Number(startFrom);
	if (filters === undefined) return isAskedFor;
	if (filters !== run.filters && (isCut || !before?.matches(record))) return false;
	if (isCut && scan.pages > pages) return false;
	const lookback = Math.min(run.wanted.lookback, before?.lookback ?? Number.POSITIVE_INFINITY);
	if (isAskedFor || !isTooOld(record, lookback, listed, scan.listed)) return true;
	run.log.leaveOut(String(licenseKey(record)), TOO_OLD);
	return false;
}

const TOO_OLD = "older than 'Lookback Days' allows";
