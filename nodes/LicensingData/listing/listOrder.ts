import { NEW_FILING } from '../licenses/eventTypes';
import type { License, ListQuery } from '../licenses/license';
import { dayOf, momentOf } from '../licenses/time';
import type { OpenList } from '../service/listPages';

/** Where in a list a license belongs: the highest number is on top. Undefined if it lacks the date. */
export type ListOrder = (license: License) => number | undefined;

/** More than any moment. */
const ABOVE_ALL_MOMENTS = 1e15;

/** Less than any moment. Of most licenses, a service may know of no event. */
const BELOW_ALL_MOMENTS = -1;

export const byEvent: ListOrder = ({ eventType, eventTimestamp }) =>
	eventType === null && eventTimestamp === null ? BELOW_ALL_MOMENTS : momentOf(eventTimestamp);

/** New filings first, and then everything else. */
const byFiling: ListOrder = ({ eventType, filedDate }) => {
	const moment = momentOf(filedDate);
	return moment === undefined || eventType !== NEW_FILING ? moment : moment + ABOVE_ALL_MOMENTS;
};

/** The order that all of these lists are in, as far as their first pages show: by event or by filing. */
export const orderOf = (lists: OpenList[]): ListOrder | undefined =>
	[byEvent, byFiling].find((order) =>
		lists.every(({ first }) => isInOrder(first.records.map(order))),
	);

/** Nothing tells where in the list a record without a date on top belongs. */
function isInOrder(places: Array<number | undefined>): boolean {
	const dated = places.filter((place) => place !== undefined);
	const isSorted = dated.every((place, at) => at === 0 || place <= (dated[at - 1] as number));
	return isSorted && (places.length === 0 || places[0] !== undefined);
}

/** Takes a list's pages in order, and returns true once nothing that is wanted can follow. */
export type EarlyStop = (page: License[]) => boolean;

/**
 * For a list that may be left before its end; undefined for others. "Newest first" does not say by which date, but a
 * list of new filings is in the order of filing. It has ended once a whole page lies before the requested day, if
 * everything so far was in that order. Renewals and the like may share one old filing date for many pages.
 */
export function earlyStop(
	firstDay: string | undefined,
	{ event_type: kind }: ListQuery,
): EarlyStop | undefined {
	if (firstDay === undefined || kind !== NEW_FILING) return undefined;
	let last: string | undefined;
	let isInOrder = true;
	return (page) => {
		const days = page.map(({ filedDate }) => dayOf(filedDate));
		for (const day of days) {
			isInOrder &&= !(last && day && day > last);
			last = day ?? last;
		}
		return isInOrder && page.length > 0 && days.every((day) => day && day < firstDay);
	};
}
