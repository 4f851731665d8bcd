import type { License } from '../licenses/license';
import type { ListQuery } from '../licenses/licenseList';
import { dayOf } from '../licenses/moment';

/** Takes a list's pages in order, and returns true once nothing that is wanted can follow. */
export type WatchForEnd = (page: License[]) => boolean;

/**
 * For a list that may be left before its end; undefined for others. "Newest first" does not say by which date, but a
 * list of one kind of event may be in the order of filing. It has ended once a whole page lies before the requested
 * day, if everything so far was in that order.
 */
export function watchForEnd(
	firstDay: unknown,
	{ event_type: kind }: ListQuery,
): WatchForEnd | undefined {
	if (typeof firstDay !== 'string' || kind === undefined) return undefined;
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
