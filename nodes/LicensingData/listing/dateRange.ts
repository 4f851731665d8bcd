import type { License } from '../domain/license';
import type { ListQuery } from '../domain/licenseList';
import { momentOf } from '../domain/moment';

/** Allows for time zones: the filter's day and the list's times may be in different ones. */
const ONE_DAY = 86_400_000;

/** Takes a list's pages in order, and returns true once nothing that is wanted can follow. */
export type WatchForEnd = (page: License[]) => boolean;

/**
 * For a list that may be left before its end; undefined for others. "Newest first" does not say by which date, but a
 * list of one kind of event may be in the order of filing. It has ended once a whole page lies before the requested
 * day, if everything so far was in that order.
 */
export function watchForEnd(
	day: unknown,
	{ event_type: kind }: ListQuery,
): WatchForEnd | undefined {
	const start = kind && momentOf(day);
	if (typeof start !== 'number') return undefined;
	let last = Number.POSITIVE_INFINITY;
	let isInOrder = true;
	return (page) => {
		const moments = page.map(({ filedDate }) => momentOf(filedDate) ?? Number.NaN);
		for (const moment of moments) {
			isInOrder &&= !(moment > last);
			if (!Number.isNaN(moment)) last = moment;
		}
		return isInOrder && page.length > 0 && moments.every((moment) => moment < start - ONE_DAY);
	};
}
