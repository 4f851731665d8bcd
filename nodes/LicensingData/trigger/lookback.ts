import { eventOf, NEW_FILING } from '../licenses/eventTypes';
import type { License } from '../licenses/license';
import { filedAt, typeOf } from './bulkAdditions';
import type { Listed } from './stateFormat';

/** How many days before the newest of its type a new filing may be filed. */
export const LOOKBACK_DAYS = { usual: 90, min: 0, max: 3650 };

/** Says whether a new filing is dated longer than that, here in milliseconds, before the newest of its type. */
export function isTooOld(
	record: License,
	lookback: number,
	...readings: Array<Listed | undefined>
): boolean {
	const newest = Math.max(...readings.map((listed) => listed?.newest[typeOf(record)] ?? 0));
	return eventOf(record) === NEW_FILING && Number(filedAt(record)) < newest - lookback;
}
