import { NEW_FILING } from '../licenses/knownValues';
import type { License } from '../licenses/license';
import { momentOf } from '../licenses/text';
import type { OpenList } from './openList';

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
