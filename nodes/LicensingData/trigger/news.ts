import { eventOf } from '../licenses/identity';
import { findLicenseType, NEW_FILING } from '../licenses/knownValues';
import type { License } from '../licenses/license';
import { DAY, momentOf } from '../licenses/text';
import { countiesOf } from '../places/places';
import type { Listed, ListState } from './memory';
import type { Selection } from './watchedLists';

/** What a list is known by. */
interface KnownList {
	state: ListState;
	/** What other filters select, with which it was last read in full; undefined if there were none. */
	before: Selection | undefined;
	/** Whether it was never read in full with these filters. */
	isUnknown: boolean;
	/** Whether the record stands where a cut list is not watched. */
	isBelow: boolean;
	/** The newest filing date of a license type. */
	newestOf: (type: string) => number;
}

/**
 * What an event is that the list has not shown before, and that matches the filters.
 *
 * The list                            News is
 * was never read in full              what Start From asks for
 * was read with other filters         what those select as well, unless the list was cut
 * is cut                              what stands where the last reading got to, and not at its lower edge
 * any other                           everything
 *
 * Except in the first, new filings older than Lookback Days are too old, unless Start From asks for them.
 */
export function classify(record: License, wanted: Selection, known: KnownList) {
	const { state, before, isUnknown, isBelow, newestOf } = known;
	const { filters, startFrom, isCut } = state;
	const isAskedFor =
		startFrom !== undefined && Number(momentOf(record.eventTimestamp)) >= startFrom;
	if (filters === undefined) return isAskedFor ? 'news' : 'known';
	if (isUnknown && (isCut || !before?.matches(record))) return 'known';
	if (isBelow) return 'known';
	const lookback = Math.min(wanted.lookback, before?.lookback ?? wanted.lookback);
	const isTooOld =
		eventOf(record) === NEW_FILING && Number(filedAt(record)) < newestOf(typeOf(record)) - lookback;
	return isTooOld && !isAskedFor ? 'tooOld' : 'news';
}

/** A source without filing dates still says when a filing took effect, or was published. */
export const filedAt = ({ filedDate, eventTimestamp }: License): number | undefined =>
	momentOf(filedDate) ?? momentOf(eventTimestamp);

export const typeOf = ({ licenseType }: License): string => findLicenseType(licenseType) ?? 'OTHER';

export type Unseen = ReturnType<typeof toUnseen>;

/** What is judged of an event that the list had not shown before. */
export const toUnseen = (key: string, record: License, event: string) => ({
	key,
	type: typeOf(record),
	county: countiesOf(record.address)[0] ?? 'no county',
	/** When it was filed, or took effect. */
	date: event === NEW_FILING ? filedAt(record) : momentOf(record.eventTimestamp),
	/** The filing date that the record itself gives. */
	filedDate: event === NEW_FILING ? momentOf(record.filedDate) : undefined,
});

export const groupsOf = ({ type, county }: Unseen) => ['all', `type ${type}`, `county ${county}`];

/** A few are old each day, as licenses are listed weeks after they were filed. */
const MOST_OLD = 20;
/** No register has filed as many on one day. */
const MOST_OF_A_DAY = 150;
/** One festival takes more permits than that. */
const PERMIT = 'TEMP_PERMIT';
/** What has happened since the last reading is listed within days. */
const LONGEST_DELAY = 14 * DAY;

/** Events are judged as bulk additions if they are new filings, or if the last whole reading has shown none of them. */
export const isJudged = (event: string, last: Listed | undefined): boolean =>
	last !== undefined && (event === NEW_FILING || !last.counts.all);

/**
 * Which of these are no news, but an addition to the list: a source, a county, the rest of a sample. In the whole list,
 * or in one type or county of it, more than twenty are old and more than half of what is listed there; or more than 150
 * bear one filing date. An old filing is dated before the newest of its type, as the last whole reading left the list;
 * any other old event is dated more than two weeks before that reading.
 */
export function bulkAdditions(
	event: string,
	found: Unseen[],
	last: Listed,
	/** How many were listed of each group: now or last time, or so far as the list was read. */
	listed: (group: string) => number,
): Unseen[] {
	const isLate = ({ date }: Unseen) => date === undefined || date < last.readAt - LONGEST_DELAY;
	const lateOf = countBy(found.filter(isLate).map(({ type }) => type));
	const foundOf = countBy(found.map(({ type }) => type));
	const isOld = (one: Unseen) => {
		const { type, date, filedDate } = one;
		if (event !== NEW_FILING) return isLate(one);
		const newest = last.newest[type];
		if (newest !== undefined) return date !== undefined && date < newest;
		// A source that does not know when its first filings were filed dates them as it finds them.
		const isDated = filedDate !== undefined && last.counts.all !== undefined;
		return isDated || (lateOf[type] ?? 0) > (foundOf[type] ?? 0) / 10;
	};
	const oldIn = countBy(found.filter(isOld).flatMap(groupsOf));
	const dayOf = ({ type, filedDate }: Unseen) =>
		type === PERMIT || filedDate === undefined ? '' : String(filedDate);
	const filedOn = countBy(found.map(dayOf).filter(Boolean));
	const isAddition = (group: string) => {
		const { [group]: old = 0 } = oldIn;
		return old > MOST_OLD && old > listed(group) / 2;
	};
	return found.filter(
		(one) =>
			(isOld(one) && groupsOf(one).some(isAddition)) || (filedOn[dayOf(one)] ?? 0) > MOST_OF_A_DAY,
	);
}

/** How often each name occurs, together with what was counted before. */
export function countBy(names: string[], counts: Record<string, number> = {}) {
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	return counts;
}
