import { hash } from 'node:crypto';

import { ALL_EVENT_TYPES, findChoice, NEW_FILING } from './knownValues';
import type { License } from './license';
import { DAY, momentOf, plain, textOf } from './text';

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

/** The same as hashes of six characters, as a trigger remembers them. */
export function keysOf(record: License): EventIdentity {
	const { keys, knownBy } = identityOf(record);
	return { keys: keys.map(toKey), knownBy: knownBy.map(toKey) };
}

export const KEY_LENGTH = 6;

const toKey = (text: string): string => hash('sha256', text, 'base64url').slice(0, KEY_LENGTH);

export const firstOf = ({ keys }: Pick<EventIdentity, 'keys'>): string => String(keys[0]);

function detailsOf(record: License, event: string): { keys: string[]; knownBy?: string[] } {
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
		case 'cancellation': {
			const near = seasonsOf(record);
			return { keys: near.slice(0, 1), knownBy: near };
		}
		default:
			return oneOrMore([day]);
	}
}

function renewalDetails(record: License) {
	const expires = labeled('expires', dayOf(record.expirationDate));
	const near = seasonsOf(record);
	const undated = near.map((season) => `undated ${season}`);
	const season = near.slice(0, 1);
	if (expires) return { keys: [expires, ...season], knownBy: [expires, ...undated] };
	return { keys: [...season, ...undated.slice(0, 1)], knownBy: near };
}

/** The season of its day, the one before, and the one after. */
function seasonsOf({ eventTimestamp }: License): string[] {
	const day = dayOf(eventTimestamp);
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
function dayOf(date: unknown): number | undefined {
	const moment = momentOf(date);
	return moment === undefined ? undefined : Math.round(moment / DAY);
}

/** One of those that are known, however it is written. */
export const eventOf = ({ eventType }: License): string | undefined =>
	findChoice(ALL_EVENT_TYPES, eventType);

/** What a record is called: its ID or, without one, its number. */
export const licenseKey = (record: Named): string | undefined =>
	textOf(record.id) || licenseNumberOf(record) || undefined;

/** As it is written; empty if there is none. "N/A", "PENDING" or "0000" is none: many licenses may share it. */
export function licenseNumberOf({ licenseNumber }: Named): string {
	const number = textOf(licenseNumber).trim();
	return /[1-9]/.test(number) ? number : '';
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

type Named = Partial<Record<'id' | 'licenseNumber' | 'legalName', unknown>>;

/**
 * One lead: a license in the hands of one holder, e.g. "BEV0000001-rusty-anchor-llc". A license that changes
 * hands keeps its number and its ID, so neither alone may name a lead: the new owner would overwrite the old
 * one in a CRM. Without a holder it is the number, and without a number the service's ID takes its place.
 */
export function leadId(record: Named): string | null {
	const number = licenseNumberOf(record) || textOf(record.id);
	const holder = holderKey(record);
	return number === '' ? null : safeKey(holder === null ? number : `${number}-${holder}`);
}

/** Each short form, and how else it is written. Companies with different forms are different companies. */
// cspell:ignore pllc lllp
const LEGAL_FORMS: Array<[RegExp, string]> = [
	[/\bp l l c\b/g, 'pllc'],
	[/\bl l c\b|\blimited liability (?:company|co)\b|\bltd liability (?:company|co)\b/g, 'llc'],
	[/\bl l l p\b/g, 'lllp'],
	[/\bl l p\b|\blimited liability partnership\b/g, 'llp'],
	[/\bl p\b|\blimited partnership\b/g, 'lp'],
	[/\bp a\b|\bprofessional association\b/g, 'pa'],
	[/\bincorporated\b/g, 'inc'],
	[/\bcorporation\b/g, 'corp'],
	[/\bcompany\b/g, 'co'],
	[/\blimited\b/g, 'ltd'],
];

/** One key for the owner of a license, however the name is written, e.g. "rusty-anchor-llc". */
export function holderKey({ legalName }: Named): string | null {
	const name = typeof legalName === 'string' ? normalizeLegalName(legalName) : '';
	return name === '' ? null : keyOfWords(name);
}

function normalizeLegalName(legalName: string): string {
	const name = plain(legalName.replaceAll('&', ' and ')).replace(/^the /, '');
	return LEGAL_FORMS.reduce((text, [spellings, form]) => text.replace(spellings, form), name);
}

/**
 * Begins with a letter or a digit, because ".." leads elsewhere in an address, and "-" begins a formula. What
 * is longer does not fit into the fields that CRMs have for keys.
 */
const SAFE_KEY = /^[a-z0-9][\w.:-]{0,63}$/i;

/**
 * A key that means only itself in an address, a query or a formula, wherever a workflow puts it. A text that
 * could mean more is replaced by its hash, the same each time.
 */
const safeKey = (text: string): string =>
	SAFE_KEY.test(text) ? text : `hash_${hash('sha256', text).slice(0, 20)}`;

/** A key that people can read, e.g. "rusty-anchor-llc". */
export const keyOfWords = (text: string): string => safeKey(text.trim().split(/\s+/).join('-'));
