import type { FilterValues } from '../parameters/filter';
import type { License } from '../domain/license';
import { momentOf } from '../domain/moment';

/** Allows for time zones: the filter's day and the list's times may be in different ones. */
const ONE_DAY = 86_400_000;

interface Cutoffs {
	filed?: number;
	happened?: number;
}

const cutoffsOf = ({ filedAfter, happenedAfter }: FilterValues): Cutoffs => ({
	filed: cutoffOf(filedAfter),
	happened: cutoffOf(happenedAfter),
});

const cutoffOf = (day: unknown): number | undefined => {
	const time = momentOf(day);
	return time === undefined ? undefined : time - ONE_DAY;
};

/** Whether a list need not be read to its end. */
export const mayEndEarly = ({ filedAfter, happenedAfter }: FilterValues): boolean =>
	filedAfter !== undefined || happenedAfter !== undefined;

/**
 * Given one page of a list after another, returns true once nothing further down can pass a date filter. The
 * list is newest first, but the interface does not say by which date, and a license that was renewed today
 * may have been filed years ago. So the end is reached only when a whole page lies before the requested day,
 * and everything read so far was in order of its events, with no event before its filing.
 */
export function watchForEnd(filters: FilterValues): (page: License[]) => boolean {
	const { filed: filedCutoff, happened: happenedCutoff } = cutoffsOf(filters);
	if (filedCutoff === undefined && happenedCutoff === undefined) return () => false;
	let isInOrder = true;
	let previous = Number.POSITIVE_INFINITY;
	return (page) => {
		let isAllTooOld = page.length > 0;
		for (const { filedDate, eventTimestamp } of page) {
			const filed = momentOf(filedDate) ?? Number.NaN;
			const happened = momentOf(eventTimestamp) ?? Number.NaN;
			const isTooOld =
				happened < (happenedCutoff ?? Number.NaN) ||
				(happened < (filedCutoff ?? Number.NaN) && filed < (filedCutoff ?? Number.NaN));
			isAllTooOld &&= isTooOld;
			isInOrder &&= !(happened > previous || filed > happened + ONE_DAY);
			if (!Number.isNaN(happened)) previous = happened;
		}
		return isAllTooOld && isInOrder;
	};
}

/** About how many records come before that end, judging by the first page. */
export function countUntilEnd(filters: FilterValues, firstPage: License[], total: number): number {
	const { filed = Number.NEGATIVE_INFINITY, happened = Number.NEGATIVE_INFINITY } =
		cutoffsOf(filters);
	const cutoff = Math.max(filed, happened);
	if (cutoff === Number.NEGATIVE_INFINITY) return total;
	const newest = momentOf(firstPage[0]?.eventTimestamp) ?? Number.NaN;
	const oldest = momentOf(firstPage.at(-1)?.eventTimestamp) ?? Number.NaN;
	if (oldest <= newest && newest < cutoff) return firstPage.length;
	const pages = (newest - cutoff) / (newest - oldest);
	return pages >= 0 ? Math.min(total, pages * firstPage.length) : total;
}
