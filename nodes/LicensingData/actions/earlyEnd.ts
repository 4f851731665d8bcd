import type { FilterValues } from '../fields/filter';
import type { License } from '../license/license';
import { momentOf } from '../license/moment';

/** For time zones: the day of a filter and the moments of a list may be of different ones. */
const ONE_DAY = 86_400_000;

interface Borders {
	filed?: number;
	happened?: number;
}

const bordersOf = ({ filedAfter, happenedAfter }: FilterValues): Borders => ({
	filed: borderOf(filedAfter),
	happened: borderOf(happenedAfter),
});

const borderOf = (day: unknown): number | undefined => {
	const time = momentOf(day);
	return time === undefined ? undefined : time - ONE_DAY;
};

/**
 * Is shown one page of a list after the other, and tells whether nothing further down can pass a filter by
 * date. The list is newest first, but the interface does not say by which date, and a renewal today may have
 * been filed years ago. So the end is only called when a whole page lies before the day that was asked for,
 * and when all that was read so far stands in the order of events that come no earlier than their filing.
 */
export function watchForEnd(filters: FilterValues): (page: License[]) => boolean {
	const { filed: filedBorder, happened: happenedBorder } = bordersOf(filters);
	if (filedBorder === undefined && happenedBorder === undefined) return () => false;
	let isInOrder = true;
	let previous = Number.POSITIVE_INFINITY;
	return (page) => {
		let isBehind = page.length > 0;
		for (const { filedDate, eventTimestamp } of page) {
			const filed = momentOf(filedDate) ?? Number.NaN;
			const happened = momentOf(eventTimestamp) ?? Number.NaN;
			const isTooOld =
				happened < (happenedBorder ?? Number.NaN) ||
				(happened < (filedBorder ?? Number.NaN) && filed < (filedBorder ?? Number.NaN));
			isBehind &&= isTooOld;
			isInOrder &&= !(happened > previous || filed > happened + ONE_DAY);
			if (!Number.isNaN(happened)) previous = happened;
		}
		return isBehind && isInOrder;
	};
}

/** About how many records stand above that end, judged by the first page. */
export function countUntilEnd(filters: FilterValues, firstPage: License[], total: number): number {
	const { filed = Number.NEGATIVE_INFINITY, happened = Number.NEGATIVE_INFINITY } =
		bordersOf(filters);
	const border = Math.max(filed, happened);
	if (border === Number.NEGATIVE_INFINITY) return total;
	const newest = momentOf(firstPage[0]?.eventTimestamp) ?? Number.NaN;
	const oldest = momentOf(firstPage.at(-1)?.eventTimestamp) ?? Number.NaN;
	const pages = (newest - border) / (newest - oldest);
	return pages >= 0 ? Math.min(total, pages * firstPage.length) : total;
}
