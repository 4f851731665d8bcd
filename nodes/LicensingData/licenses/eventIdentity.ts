import { hash } from 'node:crypto';

import { eventOf, NEW_FILING } from './eventTypes';
import { holderKey } from './leadKeys';
import { type License, licenseKey, licenseNumberOf } from './license';
import { textOf } from './text';
import { DAY, momentOf } from './time';

export interface EventIdentity {
	/** What the event is remembered by. The first makes its `eventId`. */
	keys: string[];
	/** It has been seen if any of these was. */
	knownBy: string[];
}

/** Renewals are a year apart, or more. What is dated anew each day stays in its season or moves to the next. */
const SEASON = 120;

/**
 * License, event, and one or two details. All that a register corrects or dates anew leaves one of them as it was; what
 * really happens changes both.
 *
 * New filing     its holder; its filing date. A corrected name keeps the date, a grocery dated today keeps its holder
 * Renewal        its expiration date; its season. With a date, it is known by that, or by a season of one without;
 *                without, by any season of about its day
 * Transfer       its holder; its day
 * Status change  its status with its day
 * Cancellation   its season. It is known by the neighboring ones as well
 * Anything else  its day
 */
export function identityOf(record: License): EventIdentity {
	const event = eventOf(record) ?? textOf(record.eventType);
	const subject = [licenseOf(record), event];
	const toKey = (detail: string) => JSON.stringify([...subject, detail]);
	const { keys, knownBy = keys } = detailsOf(record, event);
	return { keys: keys.map(toKey), knownBy: knownBy.map(toKey) };
}

/** The identity as hashes of six characters, which a trigger remembers. */
export function keysOf(record: License): EventIdentity {
	const { keys, knownBy } = identityOf(record);
	return { keys: keys.map(toKey), knownBy: knownBy.map(toKey) };
}

export const KEY_LENGTH = 6;

const toKey = (text: string): string => hash('sha256', text, 'base64url').slice(0, KEY_LENGTH);

export const firstKey = ({ keys }: Pick<EventIdentity, 'keys'>): string => String(keys[0]);

function detailsOf(record: License, event: string): { keys: string[]; knownBy?: string[] } {
	const holder = labeled('holder', holderKey(record));
	const day = labeled('day', dayNumber(record.eventTimestamp));
	switch (event) {
		case NEW_FILING:
			// No holder is one, too: groceries without a name are dated today as well.
			return oneOrMore([holder || 'no holder', labeled('filed', dayNumber(record.filedDate))]);
		case 'renewal':
			return renewalDetails(record);
		case 'ownership_transfer':
			return oneOrMore([holder, day]);
		case 'status_change':
			return { keys: [`${textOf(record.status).trim().toLowerCase()} ${day}`] };
		case 'cancellation': {
			const near = seasonsOf(record);
			return { keys: near.slice(0, 1), knownBy: near };
		}
		default:
			return oneOrMore([day]);
	}
}

function renewalDetails(record: License) {
	const expires = labeled('expires', dayNumber(record.expirationDate));
	const near = seasonsOf(record);
	const undated = near.map((season) => `undated ${season}`);
	const season = near.slice(0, 1);
	if (expires) return { keys: [expires, ...season], knownBy: [expires, ...undated] };
	return { keys: [...season, ...undated.slice(0, 1)], knownBy: near };
}

/** The season of its day, the one before, and the one after. */
function seasonsOf({ eventTimestamp }: License): string[] {
	const day = dayNumber(eventTimestamp);
	if (day === undefined) return ['no season'];
	const season = Math.floor(day / SEASON);
	return [season, season - 1, season + 1].map((one) => `season ${one}`);
}

const oneOrMore = (details: string[]) => {
	const keys = details.filter(Boolean);
	return { keys: keys.length > 0 ? keys : [''] };
};

const labeled = (label: string, value: string | number | null | undefined): string =>
	value === null || value === undefined ? '' : `${label} ${value}`;

/** The nearest midnight UTC: a register's days may begin an hour earlier in summer. */
function dayNumber(date: unknown): number | undefined {
	const moment = momentOf(date);
	return moment === undefined ? undefined : Math.round(moment / DAY);
}

/** By its number, as a service may give all licenses other IDs. */
const licenseOf = (record: License): string | undefined =>
	licenseNumberOf(record)
		.replace(/[^\p{L}\p{N}]/gu, '')
		.toUpperCase() || licenseKey(record);

/** The identity as users see it. Lower case, because many CRMs do not tell "a" from "A". */
export const eventId = (record: License): string =>
	`evt_${hash('sha256', String(identityOf(record).keys[0])).slice(0, 20)}`;

/** All that it says of the event, in eight characters: what a service delivers again says the same. */
export const eventHash = (record: License): string =>
	hash('sha256', JSON.stringify(identityOf(record).keys), 'base64url').slice(0, 8);
