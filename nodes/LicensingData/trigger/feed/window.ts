import type { Point, SortKey } from './sortKey';
import { startOf, timeOf } from './sortKey';

/**
 * The window reaches back from the newest event, not from now: a service may publish days after the fact.
 * Events dated in the future are left out, or one typo would drag the window along.
 * Undefined if there is no other.
 */
export function windowStart(
	keys: Iterable<SortKey>,
	now: number,
	lookback: number,
): Point | undefined {
	const newest = newestOf(keys, now);
	return newest === undefined ? undefined : startOf(timeOf(newest) - lookback);
}

export function newestOf(keys: Iterable<SortKey>, now: number): SortKey | undefined {
	const end = startOf(now + 1);
	let newest: SortKey | undefined;
	for (const key of keys) if (key < end && !(newest !== undefined && key < newest)) newest = key;
	return newest;
}
