import { hash } from 'node:crypto';

import { NEW_FILING } from './eventTypes';
import { holderKey } from './holderKey';
import { momentOf } from './moment';
import { textOf } from './readableText';

/** What tells one event from another. A record may hold anything else, and any of this may be missing. */
export interface EventRecord {
	id?: unknown;
	licenseNumber?: unknown;
	legalName?: unknown;
	eventType?: unknown;
	eventTimestamp?: unknown;
	status?: unknown;
	[field: string]: unknown;
}

/** What has happened to which license, and which of several such events it is; null if the record does not say. */
interface EventIdentity {
	subject: string;
	detail: string | null;
}

/**
 * A new filing is a license and its holder. No date makes it another: a certificate that is amended gets a new
 * date, and a register may give a license without one today's date, every day. Any other event is the license,
 * the type of the event, and its time or, without a usable one, the license's status.
 */
export function identityOf(record: EventRecord): EventIdentity {
	const { eventType, eventTimestamp, status, legalName } = record;
	const subject = JSON.stringify([licenseName(record) ?? null, eventType ?? null]);
	if (eventType === NEW_FILING) return { subject, detail: holderKey({ legalName }) };
	const moment = momentOf(eventTimestamp);
	return { subject, detail: moment === undefined ? textOf(status) || null : String(moment) };
}

/** The identity as users see it. Lower case, because many CRMs do not tell "a" from "A". */
export const eventId = (record: EventRecord): string =>
	`evt_${hash('sha256', eventKey(record)).slice(0, 20)}`;

/** The same in eight characters. */
export const eventHash = (record: EventRecord): string =>
	hash('sha256', eventKey(record), 'base64url').slice(0, 8);

function eventKey(record: EventRecord): string {
	const { subject, detail } = identityOf(record);
	return JSON.stringify([subject, detail]);
}

/** What tells one license from another: its ID or, without one, its number. */
export const licenseName = ({ id, licenseNumber }: EventRecord): string | undefined =>
	textOf(id) || textOf(licenseNumber) || undefined;
