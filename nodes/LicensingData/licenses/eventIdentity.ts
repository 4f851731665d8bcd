import { hash } from 'node:crypto';

import { findChoice } from './choice';
import { ALL_EVENT_TYPES, NEW_FILING } from './eventTypes';
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
	filedDate?: unknown;
	expirationDate?: unknown;
	status?: unknown;
	[field: string]: unknown;
}

export interface EventIdentity {
	/** What the event is remembered by. The first makes its `eventId`. */
	keys: string[];
	/** It has been seen if any of these was. */
	knownBy: string[];
}

const DAY = 86_400_000;

/** Renewals are a year apart, or more. What is dated anew each day stays in its season or moves to the next. */
const SEASON = 120;

/**
 * License, event, and one or two details. All that a register corrects or dates anew leaves one of them as it was; what
 * really happens changes both.
 *
 * New filing     its holder; its filing date. A corrected name keeps the date, a grocery dated today keeps its holder
 * Renewal        its expiration date. Without one: whether any with one was seen, or one of about these months
 * Transfer       its holder; its day
 * Status change  its status with its day
 * Anything else  its day
 */
export function identityOf(record: EventRecord): EventIdentity {
	const event = eventOf(record) ?? textOf(record.eventType);
	const subject = [licenseOf(record), event];
	const toKey = (detail: string) => JSON.stringify([...subject, detail]);
	const { keys, knownBy = keys } = detailsOf(record, event);
	return { keys: keys.map(toKey), knownBy: knownBy.map(toKey) };
}

function detailsOf(record: EventRecord, event: string): { keys: string[]; knownBy?: string[] } {
	const holder = labeled('holder', holderKey(record));
	const day = labeled('day', dayOf(record.eventTimestamp));
	switch (event) {
		case NEW_FILING:
			// No holder is one, too: groceries without a name are dated today as well.
			return oneOrMore([holder || 'no holder', labeled('filed', dayOf(record.filedDate))]);
		case 'renewal':
			return renewalDetails(record);
		case 'ownership_transfer':
			return oneOrMore([holder, day]);
		case 'status_change':
			return { keys: [`${textOf(record.status).trim().toLowerCase()} ${day}`] };
		default:
			return oneOrMore([day]);
	}
}

function renewalDetails({ expirationDate, eventTimestamp }: EventRecord) {
	const expires = labeled('expires', dayOf(expirationDate));
	if (expires) return { keys: [expires, 'dated'], knownBy: [expires] };
	const day = dayOf(eventTimestamp);
	if (day === undefined) return { keys: ['undated'], knownBy: ['undated', 'dated'] };
	const season = Math.floor(day / SEASON);
	const near = [season, season - 1, season + 1].map((one) => `season ${one}`);
	return { keys: near.slice(0, 1), knownBy: [...near, 'dated'] };
}

const oneOrMore = (details: string[]) => {
	const keys = details.filter(Boolean);
	return { keys: keys.length > 0 ? keys : [''] };
};

const labeled = (label: string, value: string | number | null | undefined): string =>
	value === null || value === undefined ? '' : `${label} ${value}`;

/** The nearest midnight UTC: a register's days may begin an hour earlier in summer. */
function dayOf(date: unknown): number | undefined {
	const moment = momentOf(date);
	return moment === undefined ? undefined : Math.round(moment / DAY);
}

/** One of those that are known, however it is written. */
export const eventOf = ({ eventType }: EventRecord): string | undefined =>
	findChoice(ALL_EVENT_TYPES, eventType);

/** By its number, as a service may give all licenses other IDs. "N/A" or "0000" is none. */
function licenseOf(record: EventRecord): string | undefined {
	const number = textOf(record.licenseNumber)
		.replace(/[^\p{L}\p{N}]/gu, '')
		.toUpperCase();
	return /[1-9]/.test(number) ? number : licenseName(record);
}

/** The identity as users see it. Lower case, because many CRMs do not tell "a" from "A". */
export const eventId = (record: EventRecord): string =>
	`evt_${hash('sha256', firstKey(record)).slice(0, 20)}`;

const firstKey = (record: EventRecord): string => String(identityOf(record).keys[0]);

/** All that it says of the event, in eight characters: what a service delivers again says the same. */
export const eventHash = (record: EventRecord): string =>
	hash('sha256', JSON.stringify(identityOf(record).keys), 'base64url').slice(0, 8);

/** What a record is called: its ID or, without one, its number. */
export const licenseName = ({ id, licenseNumber }: EventRecord): string | undefined =>
	textOf(id) || textOf(licenseNumber) || undefined;
