import type { IDataObject } from 'n8n-workflow';

import { findChoice } from '../domain/choice';
import { LICENSE_TYPES, LIQUOR_TYPES } from '../domain/licenseTypes';
import { eventId } from '../domain/event';
import type { Address, License } from '../domain/license';
import { momentOf } from '../domain/moment';
import { holderKey, venueKey } from '../matching/venueKeys';

/** The end of the year 9999. Later years have five digits, which hardly anything reads. */
const LAST_MOMENT = 253_402_300_799_999;

/**
 * A license without nesting, with null for absent values, so that every item has the same columns. The
 * address comes in one line as well as in parts.
 */
export function flatten(license: License) {
	// Some services write the whole address in one text.
	const address: Address =
		typeof license.address === 'string' ? { street: license.address } : (license.address ?? {});
	const licenseType = LICENSE_TYPES.find(
		({ value }) => value === findChoice(LICENSE_TYPES, license.licenseType),
	);
	return {
		id: license.id ?? null,
		eventId: eventId(license),
		licenseNumber: license.licenseNumber ?? null,
		businessName: license.businessName ?? null,
		legalName: license.legalName ?? null,
		dbaName: license.dbaName ?? null,
		licenseType: license.licenseType ?? null,
		licenseTypeName: licenseType?.name ?? null,
		isLiquor: licenseType ? LIQUOR_TYPES.includes(licenseType.value) : null,
		status: license.status ?? null,
		eventType: license.eventType ?? null,
		eventTimestamp: readable(license.eventTimestamp),
		filedDate: readable(license.filedDate),
		effectiveDate: readable(license.effectiveDate),
		address: oneLine(address),
		street: address.street ?? null,
		city: address.city ?? null,
		county: address.county ?? null,
		state: address.state ?? null,
		zip: address.zip ?? null,
		lat: address.lat ?? null,
		lng: address.lng ?? null,
		sourceUrl: license.sourceUrl ?? null,
		venueKey: venueKey(license),
		holderKey: holderKey(license),
	};
}

type FlatField = keyof ReturnType<typeof flatten>;

const FLAT_FIELDS = Object.keys(flatten({})) as FlatField[];

/** What tells records and events apart is always included. */
const IDENTIFIERS: FlatField[] = ['id', 'eventId'];

export const SELECTABLE_FIELDS = FLAT_FIELDS.filter((field) => !IDENTIFIERS.includes(field)).sort();

/** n8n's guidelines allow ten for a record: with more, people and AI agents lose sight of what matters. */
const SIMPLIFIED_FIELDS: FlatField[] = [
	...IDENTIFIERS,
	'businessName',
	'licenseNumber',
	'licenseType',
	'eventType',
	'status',
	'filedDate',
	'eventTimestamp',
	'address',
	'county',
];

export function simplified(license: License): IDataObject {
	return pick(license, SIMPLIFIED_FIELDS);
}

/** An expression may ask for a field that the interface does not name (yet). */
export function selectedFields(license: License, fields: readonly string[]): IDataObject {
	return pick(license, [...IDENTIFIERS, ...fields]);
}

function pick(license: License, fields: readonly string[]): IDataObject {
	const known = { ...license, ...flatten(license) } as IDataObject;
	return Object.fromEntries(
		fields.map((field) => [field, (Object.hasOwn(known, field) ? known[field] : null) ?? null]),
	);
}

function oneLine({ street, city, state, zip }: Address): string | null {
	return words(', ', street, city, words(' ', state, zip)) || null;
}

/** A moment that comes as a number is written as the interface writes it; any text stays as it came. */
function readable(value: unknown): string | null {
	const isNumber = typeof value === 'number' || /^\d+$/.test(words('', value));
	const moment = isNumber ? momentOf(value) : undefined;
	const isDate = moment !== undefined && moment <= LAST_MOMENT;
	return isDate ? new Date(moment).toISOString() : ((value ?? null) as string | null);
}

/** Joins what is there; a service may leave out any part, or send something other than text. */
export function words(separator: string, ...parts: unknown[]): string {
	const texts = parts.map((part) => (typeof part === 'number' ? String(part) : part));
	return texts.filter((text) => typeof text === 'string' && text.trim() !== '').join(separator);
}
