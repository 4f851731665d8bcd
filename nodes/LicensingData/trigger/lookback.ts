import { eventOf, NEW_FILING } from '../licenses/eventTypes';
import type { License } from '../licenses/license';
import { DAY } from '../licenses/time';
import { filedAt, typeOf } from './fullReading';
import type { Listed } from './memory';

/**
 * Says whether a new filing is dated more than Lookback Days before the newest one of its license type that these
 * readings have shown. Of several such limits the shortest counts; 0 days are none.
 */
export function isTooOld(
	record: License,
	readings: Array<Listed | undefined>,
	limits: number[],
): boolean {
	const newest = readings.map((listed) => listed?.newest[typeOf(record)] ?? 0);
	const lookback = limits.map((days) => days * DAY || Number.POSITIVE_INFINITY);
	const oldest = Math.max(...newest) - Math.min(...lookback);
	return eventOf(record) === NEW_FILING && Number(filedAt(record)) < oldest;
}
