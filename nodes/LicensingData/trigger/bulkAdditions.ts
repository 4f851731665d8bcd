import { NEW_FILING } from '../licenses/eventTypes';
import type { License } from '../licenses/license';
import { findLicenseType } from '../licenses/licenseTypes';
import { DAY, momentOf } from '../licenses/time';
import { countiesOf } from '../places/address';
import type { Listed } from './stateFormat';

/** A source without filing dates still says when a filing took effect, or was published. */
export const filedAt = ({ filedDate, eventTimestamp }: License): number | undefined =>
	momentOf(filedDate) ?? momentOf(eventTimestamp);

export const typeOf = ({ licenseType }: License): string => findLicenseType(licenseType) ?? 'OTHER';

export const countyOf = ({ address }: License): string => countiesOf(address)[0] ?? 'no county';

/** When it was filed, or took effect. */
export const dateOf = (record: License, event: string): number | undefined =>
	event === NEW_FILING ? filedAt(record) : momentOf(record.eventTimestamp);

export const groupsOf = (record: License): string[] => [
	'all',
	`type ${typeOf(record)}`,
	`county ${countyOf(record)}`,
];

/** A few are old each day, as licenses are listed weeks after they were filed. */
const MAX_OLD = 20;
/** No register has filed as many on one day. */
const MAX_OF_A_DAY = 150;
/** One festival takes more permits than that. */
const PERMIT = 'TEMP_PERMIT';
/** What has happened since the last reading is listed within days. */
const MAX_DELAY = 14 * DAY;

/**
 * Which of these are no news, but an addition to the list: a source, a county, the rest of a sample. In the whole list,
 * or in one type or county of it, more than twenty are old and more than half of what is listed there; or more than 150
 * bear one filing date. An old filing is dated before the newest of its type, as the last whole reading left the list,
 * or is of a type that this lacked. Any other old event, or filing of such a type without a date of its own, is dated
 * more than two weeks before that reading.
 */
export function bulkAdditions(
	event: string,
	found: License[],
	last: Listed,
	/** How many were listed of each group: now or last time, or so far as the list was read. */
	listed: (group: string) => number,
): License[] {
	const ownDateOf = ({ filedDate }: License) =>
		event === NEW_FILING ? momentOf(filedDate) : undefined;
	const isOld = (record: License) => {
		const newest = event === NEW_FILING ? last.newest[typeOf(record)] : undefined;
		const date = Number(dateOf(record, event));
		if (newest !== undefined) return date < newest;
		return ownDateOf(record) !== undefined || !(date >= last.readAt - MAX_DELAY);
	};
	const oldIn = countBy(found.filter(isOld).flatMap(groupsOf));
	const dayOf = (record: License) => (typeOf(record) === PERMIT ? undefined : ownDateOf(record));
	const filedOn = countBy(found.flatMap((one) => dayOf(one) ?? []).map(String));
	const isOfOneDay = (one: License) => Number(filedOn[String(dayOf(one))]) > MAX_OF_A_DAY;
	const isAddition = (group: string) => Number(oldIn[group]) > Math.max(MAX_OLD, listed(group) / 2);
	return found.filter((one) => (isOld(one) && groupsOf(one).some(isAddition)) || isOfOneDay(one));
}

/** How often each name occurs, together with what was counted before. */
export function countBy(names: string[], counts: Record<string, number> = {}) {
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	return counts;
}
