import type { License } from '../domain/license';
import type { ListQuery } from '../domain/licenseList';
import { momentOf } from '../domain/moment';

/** Allows for time zones: the filter's day and the list's times may be in different ones. */
const ONE_DAY = 86_400_000;

/** How far down a list there may be licenses that pass the date filters. */
export interface DateRange {
	/** Whether a list need not be read to its end. */
	mayEndEarly: boolean;
	/** Makes a function that takes a list's pages in order, and returns true once nothing wanted can follow. */
	watchForEnd(query: ListQuery): (page: License[]) => boolean;
	/** About how many records come before that end, judging by the first page. */
	countUntilEnd(firstPage: License[], total: number): number;
}

/**
 * The list is newest first, but the interface does not say by which date, and a license that was renewed today
 * may have been filed years ago. So the end is reached only when a whole page lies before the requested day,
 * and everything read so far was in order: of its events, with no event before its filing; or, in a list of one
 * kind of event, of filing dates.
 */
export function dateRange(days: { filedAfter?: unknown; happenedAfter?: unknown }): DateRange {
	const filedCutoff = cutoffOf(days.filedAfter);
	const happenedCutoff = cutoffOf(days.happenedAfter);
	const cutoff = Math.max(filedCutoff, happenedCutoff);
	const mayEndEarly = cutoff > Number.NEGATIVE_INFINITY;
	return {
		mayEndEarly,
		watchForEnd({ event_type: kind }) {
			if (!mayEndEarly) return () => false;
			let isByEvent = true;
			let isByFiling = kind !== undefined;
			let lastEvent = Number.POSITIVE_INFINITY;
			let lastFiled = Number.POSITIVE_INFINITY;
			return (page) => {
				let isAllTooOld = page.length > 0;
				let isAllFiledBefore = page.length > 0;
				for (const { filedDate, eventTimestamp } of page) {
					const filed = momentOf(filedDate) ?? Number.NaN;
					const happened = momentOf(eventTimestamp) ?? Number.NaN;
					isAllTooOld &&=
						happened < happenedCutoff || (happened < filedCutoff && filed < filedCutoff);
					isAllFiledBefore &&= filed < filedCutoff;
					isByEvent &&= !(happened > lastEvent || filed > happened + ONE_DAY);
					isByFiling &&= !(filed > lastFiled);
					if (!Number.isNaN(happened)) lastEvent = happened;
					if (!Number.isNaN(filed)) lastFiled = filed;
				}
				return (isAllTooOld && isByEvent) || (isAllFiledBefore && isByFiling);
			};
		},
		countUntilEnd(firstPage, total) {
			const filed = momentsOf(firstPage, 'filedDate');
			const isByFiling = happenedCutoff < filedCutoff && filed.every(isFalling);
			const moments = isByFiling ? filed : momentsOf(firstPage, 'eventTimestamp');
			const [newest = Number.NaN, oldest = Number.NaN] = [moments[0], moments.at(-1)];
			if (oldest <= newest && newest < cutoff) return firstPage.length;
			const pages = (newest - cutoff) / (newest - oldest);
			return pages >= 0 ? Math.min(total, pages * firstPage.length) : total;
		},
	};
}

/** No date is before minus infinity. */
const cutoffOf = (day: unknown): number => (momentOf(day) ?? Number.NEGATIVE_INFINITY) - ONE_DAY;

const momentsOf = (page: License[], field: 'filedDate' | 'eventTimestamp'): number[] =>
	page.map((license) => momentOf(license[field]) ?? Number.NaN);

const isFalling = (moment: number, at: number, all: number[]): boolean =>
	at === 0 || moment <= (all[at - 1] as number);
