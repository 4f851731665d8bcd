import type { IDataObject } from 'n8n-workflow';

import { findLicenseType, ALL_LICENSE_TYPES, LIQUOR_TYPES } from '../domain/licenseTypes';
import { findChoice } from '../domain/choice';
import { eventId } from '../domain/eventIdentity';
import { ALL_EVENT_TYPES } from '../domain/eventTypes';
import type { Address, License } from '../domain/license';
import { LAST_MOMENT, momentOf } from '../domain/moment';
import { numberOf } from '../domain/number';
import { joined, textOf } from '../domain/readableText';
import { singleLine } from './singleLine';
import { holderKey } from '../domain/holderKey';
import { venueKey } from '../matching/venueKey';

/** As long as an address that browsers and CRMs take. A shortened one would lead elsewhere. */
const WEB_ADDRESS = /^https?:\/\/[^\s"'<>\\]{1,2000}$/i;

/**
 * A license without nesting, with null for absent values, so that every item has the same columns. Texts are
 * single lines of a sensible length, so that no node that follows has to mind what was sent; only `id` stays
 * as it came. What a seller reads comes first, keys last.
 */
export function flatten(license: License) {
	const address: Address = license.address ?? {};
	const street = singleLine(address.street);
	const city = singleLine(address.city);
	const state = singleLine(address.state);
	const zip = singleLine(address.zip);
	const known = findLicenseType(license.licenseType);
	const licenseType = ALL_LICENSE_TYPES.find(({ value }) => value === known);
	const knownEvent = findChoice(ALL_EVENT_TYPES, license.eventType);
	return {
		businessName: singleLine(license.businessName),
		street,
		city,
		state,
		zip,
		county: singleLine(address.county),
		phone: singleLine(textOf(license.enrichment?.phone)) || null,
		website: webAddress(license.enrichment?.website),
		licenseType: singleLine(license.licenseType),
		licenseTypeName: licenseType?.name ?? null,
		isLiquor: licenseType ? LIQUOR_TYPES.includes(licenseType.value) : null,
		status: singleLine(license.status),
		eventType: singleLine(license.eventType),
		eventTypeName: ALL_EVENT_TYPES.find(({ value }) => value === knownEvent)?.name ?? null,
		eventTimestamp: singleLine(readable(license.eventTimestamp)),
		filedDate: singleLine(readable(license.filedDate)),
		issuedDate: singleLine(readable(license.issuedDate)),
		effectiveDate: singleLine(readable(license.effectiveDate)),
		expirationDate: singleLine(readable(license.expirationDate)),
		legalName: singleLine(license.legalName),
		dbaName: singleLine(license.dbaName),
		address: joined(', ', street, city, joined(' ', state, zip)) || null,
		lat: coordinate(address.lat),
		lng: coordinate(address.lng),
		licenseNumber: singleLine(license.licenseNumber),
		sourceUrl: webAddress(license.sourceUrl),
		id: license.id ?? null,
		eventId: eventId(license),
		venueKey: venueKey(license),
		holderKey: holderKey(license),
	};
}

export const webAddress = (value: unknown): string | null =>
	WEB_ADDRESS.exec(textOf(value))?.[0] ?? null;

type FlatField = keyof ReturnType<typeof flatten>;

const FLAT_FIELDS = Object.keys(flatten({})) as FlatField[];

/** What tells records and events apart is always included. */
const IDENTIFIERS: FlatField[] = ['id', 'eventId'];

/** What a delivery says beside the record; no list has it, so it would be an empty column there. */
const DELIVERED_FIELD = 'previousStatus';

export const SELECTABLE_FIELDS = [
	...FLAT_FIELDS.filter((field) => !IDENTIFIERS.includes(field)),
	DELIVERED_FIELD,
].sort();

/**
 * And the `id`. n8n's guidelines allow ten for a record: with more, people and AI agents lose sight of what
 * matters. Almost all licenses are active, and nobody calls a license number.
 */
const SIMPLIFIED_FIELDS: FlatField[] = [
	'businessName',
	'address',
	'county',
	'phone',
	'website',
	'licenseType',
	'filedDate',
	'eventType',
	'eventTimestamp',
];

export function simplified(license: License): IDataObject {
	return pick(license, SIMPLIFIED_FIELDS);
}

/** An expression may ask for a field that the interface does not name (yet). */
export function selectedFields(license: License, fields: readonly string[]): IDataObject {
	return pick(license, fields);
}

function pick(license: License, fields: readonly string[]): IDataObject {
	const previousStatus = singleLine(license[DELIVERED_FIELD]);
	const known = { ...license, ...flatten(license), previousStatus } as IDataObject;
	return Object.fromEntries(
		[...fields, ...IDENTIFIERS].map((field) => [
			field,
			(Object.hasOwn(known, field) ? known[field] : null) ?? null,
		]),
	);
}

function coordinate(value: unknown): number | null {
	const degrees = numberOf(value);
	return Number.isFinite(degrees) ? degrees : null;
}

/** A moment that comes as a number is written as the interface writes it; any text stays as it came. */
function readable(value: unknown): string | null {
	const isNumber = typeof value === 'number' || /^\d+$/.test(textOf(value));
	const moment = isNumber ? momentOf(value) : undefined;
	const isDate = moment !== undefined && moment <= LAST_MOMENT;
	return isDate ? new Date(moment).toISOString() : ((value ?? null) as string | null);
}
