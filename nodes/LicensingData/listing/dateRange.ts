import type { License, ListQuery } from '../licenses/license';
import { NEW_FILING } from '../licenses/knownValues';
import { dayOf } from '../licenses/text';

/** Takes a list's pages in order, and returns true once nothing that is wanted can follow. */
export type WatchForEnd = (page: License[]) => boolean;

/**
 * For a list that may be left before its end; undefined for others. "Newest first" does not say by which date, but a
 * list of new filings is in the order of filing. It has ended once a whole page lies before the requested day, if
 * everything so far was in that order. Renewals and the like may share one old filing date for many pages.
 */
export function watchForEnd(
	firstDay: unknown,
	{ event_type: kind }: ListQuery,
): WatchForEnd | undefined {
	if (typeof firstDay !== 'string' || kind !== NEW_FILING) return undefined;
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
