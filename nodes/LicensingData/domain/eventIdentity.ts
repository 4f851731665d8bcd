import { hash } from 'node:crypto';

import { momentOf } from './moment';
import { textOf } from './readableText';

/** What tells one event from another. A record may hold anything else, and any of this may be missing. */
export interface EventRecord {
	id?: unknown;
	licenseNumber?: unknown;
	eventType?: unknown;
	eventTimestamp?: unknown;
	[field: string]: unknown;
}

/**
 * An event's one identity: the license, what happened, and when. The same license can have several events.
 * Without a usable timestamp, the whole record stands in for it, so that two renewals without dates are two
 * events. The same moment written in two ways is one moment. What a delivery says beside the record is not part
 * of it.
 */
export function eventKey(record: EventRecord): string {
	const license = licenseName(record);
	const moment = momentOf(record.eventTimestamp);
	const isComplete = license !== undefined && moment !== undefined;
	return isComplete
		? JSON.stringify([license, record.eventType ?? null, moment])
		: canonical({ ...record, previousStatus: undefined, newStatus: undefined });
}

/** The identity as users see it. Lower case, because many CRMs do not tell "a" from "A". */
export const eventId = (record: EventRecord): string =>
	`evt_${hash('sha256', eventKey(record)).slice(0, 20)}`;

/** The same identity in eight characters, for remembering thousands of them. */
export const eventHash = (record: EventRecord): string =>
	hash('sha256', eventKey(record), 'base64url').slice(0, 8);

/** What tells one license from another: its ID or, without one, its number. */
export const licenseName = ({ id, licenseNumber }: EventRecord): string | undefined =>
	textOf(id) || textOf(licenseNumber) || undefined;

/** The same text whatever the order of the fields. */
const canonical = (value: unknown): string =>
	JSON.stringify(value, (_, inner: unknown) =>
		typeof inner === 'object' && inner !== null && !Array.isArray(inner)
			? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
			: inner,
	);
