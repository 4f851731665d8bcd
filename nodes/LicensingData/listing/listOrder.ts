import { NEW_FILING } from '../domain/eventTypes';
import type { License } from '../domain/license';
import { momentOf } from '../domain/moment';

/** Where in a list a license belongs: the highest number is on top. Undefined if it lacks the date. */
export type ListOrder = (license: License) => number | undefined;

/** More than any moment. */
const ABOVE_ALL_MOMENTS = 1e15;

export const byEvent: ListOrder = ({ eventTimestamp }) => momentOf(eventTimestamp);

/** New filings first, and then everything else. */
const byFiling: ListOrder = ({ eventType, filedDate }) => {
	const moment = momentOf(filedDate);
	return moment === undefined || eventType !== NEW_FILING ? moment : moment + ABOVE_ALL_MOMENTS;
};

/** The interface says "newest first", but not by which date. These are the orders that services have. */
const ORDERS = [byEvent, byFiling];

/** The order that all of these pages are in, as far as they show. */
export const orderOf = (pages: License[][]): ListOrder | undefined =>
	ORDERS.find((order) => pages.every((page) => isInOrder(page, order)));

/** Nothing tells where in the list a record without a date on top belongs. */
function isInOrder(page: License[], order: ListOrder): boolean {
	const places = page.map(order);
	const dated = places.filter((place) => place !== undefined);
	const isSorted = dated.every((place, at) => at === 0 || place <= (dated[at - 1] as number));
	return isSorted && (page.length === 0 || places[0] !== undefined);
}
