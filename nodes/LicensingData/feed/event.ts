import { createHash } from 'node:crypto';

/** What the feed needs to know of a record. It may hold anything else, and any of this may be missing. */
export interface FeedRecord {
	id?: unknown;
	licenseNumber?: unknown;
	eventType?: unknown;
	eventTimestamp?: unknown;
	filedDate?: unknown;
}

export interface FeedEvent {
	/** Stands for the event's key (id, eventType, eventTimestamp): the same license can bring several. */
	hash: string;
	/** When it happened, in milliseconds; what the order and the window go by. */
	time: number;
	/** Whether the record itself says when: only then does its place in the list mean anything. */
	timed: boolean;
}

/** 48 bits: among the few thousand that are remembered, two alike would take millions of years. */
export const HASH_LENGTH = 8;

/** The latest time that fits into eight base-36 digits, in the year 2059. Events without any date stand here. */
export const UNDATED = 36 ** 8 - 1;

const LAST_MOMENT_OF_DAY = 86_399_999;

export function eventOf(record: FeedRecord): FeedEvent {
	const stamp = parse(record.eventTimestamp);
	const day = parse(record.filedDate);
	// Where only the day of filing is known, its end: rather too new than history.
	const time = stamp ?? (day === undefined ? UNDATED : day + LAST_MOMENT_OF_DAY);
	const who = record.id || record.licenseNumber || record;
	const key = JSON.stringify([who, record.eventType, stamp ?? record.eventTimestamp]);
	return {
		hash: createHash('sha256').update(key).digest('base64url').slice(0, HASH_LENGTH),
		time: Math.min(time, UNDATED),
		timed: stamp !== undefined && stamp < UNDATED,
	};
}

function parse(date: unknown): number | undefined {
	const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
	return time >= 0 ? time : undefined;
}
