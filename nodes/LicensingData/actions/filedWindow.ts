import type { License } from '../api/types';

/** Days as year-month-day, both included. */
export interface FiledWindow {
	after?: string;
	before?: string;
}

const ONE_DAY = 86_400_000;

export const isOpen = ({ after, before }: FiledWindow): boolean =>
	after === undefined && before === undefined;

export function wasFiledWithin({ after, before }: FiledWindow): (license: License) => boolean {
	return ({ filedDate }) =>
		typeof filedDate === 'string' &&
		/^\d{4}-\d\d-\d\d/.test(filedDate) &&
		(after === undefined || filedDate.slice(0, 10) >= after) &&
		(before === undefined || filedDate.slice(0, 10) <= before);
}

/**
 * Tells of each page of a list whether nothing further down can fall into the window. The list is newest
 * first, but the interface does not say by which date, and a renewal today may have been filed years ago.
 * So the end is only called when a whole page is older by both dates, and when all that was read so far
 * stands in the order of events that come no earlier than their filing. A day is left for time zones.
 */
export function endOf({ after }: FiledWindow): (page: License[]) => boolean {
	if (after === undefined) return () => false;
	const border = Date.parse(after) - ONE_DAY;
	let isInOrder = true;
	let previous = Number.POSITIVE_INFINITY;
	return (page) => {
		let isBehind = page.length > 0;
		for (const { filedDate, eventTimestamp } of page) {
			const [filed, happened] = [timeOf(filedDate), timeOf(eventTimestamp)];
			isBehind &&= filed < border && happened < border;
			isInOrder &&= !(happened > previous || filed > happened + ONE_DAY);
			if (!Number.isNaN(happened)) previous = happened;
		}
		return isBehind && isInOrder;
	};
}

/** What a service sends in the place of a text may be anything. */
const timeOf = (date: unknown): number =>
	typeof date === 'string' ? Date.parse(date) : Number.NaN;

/** About how many records stand above the end that `endOf` will call, judged by the first page. */
export function countUntilEnd({ after }: FiledWindow, firstPage: License[], total: number): number {
	if (after === undefined) return total;
	const newest = timeOf(firstPage[0]?.eventTimestamp);
	const oldest = timeOf(firstPage.at(-1)?.eventTimestamp);
	const pages = (newest - Date.parse(after) + ONE_DAY) / (newest - oldest);
	return pages >= 0 ? Math.min(total, pages * firstPage.length) : total;
}

/** What is left of a license that the window drops: as much as tells where it stood. */
export const withoutDetails = (license: License): License => {
	const { id, licenseNumber, eventType, eventTimestamp, filedDate } = license;
	return { id, licenseNumber, eventType, eventTimestamp, filedDate };
};
