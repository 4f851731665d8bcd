import type { License } from '../domain/license';
import { momentOf } from '../domain/moment';

/** Allows for time zones: the filter's day and the list's times may be in different ones. */
const ONE_DAY = 86_400_000;

/** How far down a list there may be licenses that pass the date filters. */
export interface DateRange {
	/** Whether a list need not be read to its end. */
	mayEndEarly: boolean;
	/** Makes a function that takes a list's pages in order, and returns true once nothing wanted can follow. */
	watchForEnd(): (page: License[]) => boolean;
	/** About how many records come before that end, judging by the first page. */
	countUntilEnd(firstPage: License[], total: number): number;
}

/**
 * The list is newest first, but the interface does not say by which date, and a license that was renewed today
 * may have been filed years ago. So the end is reached only when a whole page lies before the requested day,
 * and everything read so far was in order of its events, with no event before its filing.
 */
export function dateRange(days: { filedAfter?: unknown; happenedAfter?: unknown }): DateRange {
	const filedCutoff = cutoffOf(days.filedAfter);
	const happenedCutoff = cutoffOf(days.happenedAfter);
	const cutoff = Math.max(filedCutoff, happenedCutoff);
	const mayEndEarly = cutoff > Number.NEGATIVE_INFINITY;
	return {
		mayEndEarly,
		watchForEnd() {
			if (!mayEndEarly) return () => false;
			let isInOrder = true;
			let previous = Number.POSITIVE_INFINITY;
			return (page) => {
				let isAllTooOld = page.length > 0;
				for (const { filedDate, eventTimestamp } of page) {
					const filed = momentOf(filedDate) ?? Number.NaN;
					const happened = momentOf(eventTimestamp) ?? Number.NaN;
					isAllTooOld &&=
						happened < happenedCutoff || (happened < filedCutoff && filed < filedCutoff);
					isInOrder &&= !(happened > previous || filed > happened + ONE_DAY);
					if (!Number.isNaN(happened)) previous = happened;
				}
				return isAllTooOld && isInOrder;
			};
		},
		countUntilEnd(firstPage, total) {
			const newest = momentOf(firstPage[0]?.eventTimestamp) ?? Number.NaN;
			const oldest = momentOf(firstPage.at(-1)?.eventTimestamp) ?? Number.NaN;
			if (oldest <= newest && newest < cutoff) return firstPage.length;
			const pages = (newest - cutoff) / (newest - oldest);
			return pages >= 0 ? Math.min(total, pages * firstPage.length) : total;
		},
	};
}

/** No date is before minus infinity. */
const cutoffOf = (day: unknown): number => (momentOf(day) ?? Number.NEGATIVE_INFINITY) - ONE_DAY;
