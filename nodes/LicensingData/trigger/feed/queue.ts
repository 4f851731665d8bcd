import type { EventRecord } from '../../licenses/eventIdentity';
import { momentOf } from '../../licenses/moment';
import type { EventKey } from './seen';

/** An event that is to be emitted. */
export interface Found<Entry> {
	key: EventKey;
	record: Entry;
	/** When it was found. */
	foundAt: number;
	/** When it happened, as far as the record says. */
	time: number;
	bytes: number;
	/** Whether it waits for a day, as so much turned out to be new at once. */
	isHeld: boolean;
}

export const foundNow = <Entry extends EventRecord>(
	key: EventKey,
	record: Entry,
	now: number,
): Found<Entry> => ({
	key,
	record,
	foundAt: now,
	time: momentOf(record.eventTimestamp) ?? now,
	bytes: bytesInMemory(record),
	isHeld: false,
});

export const byTime = (a: Found<unknown>, b: Found<unknown>): number =>
	a.time - b.time || (a.key < b.key ? -1 : 1);

export const bytesOf = (found: Iterable<Found<unknown>>): number =>
	[...found].reduce((sum, { bytes }) => sum + bytes, 0);

/** Roughly: what takes three characters in JSON, such as `{},`, takes twenty times as much in memory. */
function bytesInMemory(value: unknown): number {
	if (typeof value === 'string') return 16 + value.length;
	if (typeof value !== 'object' || value === null) return 8;
	return Object.values(value).reduce<number>((sum, inner) => sum + bytesInMemory(inner), 64);
}
