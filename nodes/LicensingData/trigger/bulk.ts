import type { License } from '../licenses/license';
import { findLicenseType } from '../licenses/knownValues';
import { momentOf } from '../licenses/text';
import { countiesOf } from '../places/address';
import type { Key } from './memory';

/** A few are old each day, as licenses are listed weeks after they were filed. */
const MOST_OLD = 20;
/** No register has filed as many on one day. */
const MOST_OF_A_DAY = 150;

/** What a full reading has shown. */
export interface Listed {
	/** How many match the filters; and of new filings, how many of each type and county. */
	counts: Record<string, number>;
	/** The tenth-newest date of any event, and the tenth-newest filing date of each license type. */
	newest: Record<string, number>;
}

/** A new filing that the list had not shown before. */
export interface Unseen {
	key: Key;
	type: string;
	county: string;
	filedAt: number | undefined;
}

export const filedAt = ({ filedDate, eventTimestamp }: License): number | undefined =>
	momentOf(filedDate) ?? momentOf(eventTimestamp);

export const typeOf = ({ licenseType }: License): string => findLicenseType(licenseType) ?? 'OTHER';

export const toUnseen = (key: Key, record: License): Unseen => ({
	key,
	type: typeOf(record),
	county: countiesOf(record.address)[0] ?? 'no county',
	filedAt: filedAt(record),
});

/**
 * Which of these are no news, but an addition to the list: a source, a county, the rest of a sample. In the whole list,
 * or in one type or county of it, more than twenty are old and more than half of what is listed there; or more than 150
 * were filed on one day. Old is what was filed before the newest of its type, as the last full reading left the list.
 */
export function bulkAdditions(found: Unseen[], last: Listed, now: Listed): Unseen[] {
	const isOld = ({ type, filedAt: date }: Unseen) => {
		const newest = last.newest[type];
		return newest === undefined || (date !== undefined && date < newest);
	};
	const old = found.filter(isOld);
	const oldIn = countBy(old.flatMap((one) => groupsOf(one)));
	const ofDay = countBy(found.map(({ filedAt: date }) => String(date)));
	const isAddition = (group: string) => {
		const count = oldIn.get(group) ?? 0;
		const listed = Math.max(last.counts[group] ?? 0, now.counts[group] ?? 0);
		return count > MOST_OLD && count > listed / 2;
	};
	const additions = new Set(old.filter((one) => groupsOf(one).some(isAddition)));
	for (const one of found)
		if (one.filedAt !== undefined && (ofDay.get(String(one.filedAt)) ?? 0) > MOST_OF_A_DAY)
			additions.add(one);
	return [...additions];
}

export const ANY_EVENT = 'any event';

export const groupsOf = (filing?: Unseen): string[] =>
	filing ? ['all', `type ${filing.type}`, `county ${filing.county}`] : ['all'];

function countBy(names: string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	return counts;
}
