import type { IDataObject } from 'n8n-workflow';

import { findLicenseType, LICENSE_TYPES, LIQUOR_TYPES } from '../licenses/licenseTypes';
import { findChoice } from '../licenses/choice';
import { eventId } from '../licenses/eventIdentity';
import { ALL_EVENT_TYPES } from '../licenses/eventTypes';
import type { Address, License } from '../licenses/license';
import { numberOf } from '../licenses/number';
import { joined, textOf } from '../licenses/readableText';
import { holderKey } from '../licenses/holderKey';
import { venueKey } from '../match/venueKey';
import { singleLine } from './singleLine';

/**
 * As long as an address that browsers and CRMs take. A shortened one would lead elsewhere, and so does one with a
 * user name, such as https://good.example@evil.example.
 */
const WEB_ADDRESS = /^https?:\/\/(?![^/?#]*@)[^\s\p{Cf}"'<>\\]{1,2000}$/iu;

type Value = string | number | boolean | null;

const addressOf = ({ address }: License): Address => address ?? {};

const typeOf = ({ licenseType }: License) => {
	const known = findLicenseType(licenseType);
	return LICENSE_TYPES.find(({ value }) => value === known);
};

/** What a seller reads comes first, keys last. */
const FIELDS = {
	businessName: ({ businessName }) => singleLine(businessName),
	street: (license) => singleLine(addressOf(license).street),
	city: (license) => singleLine(addressOf(license).city),
	state: (license) => singleLine(addressOf(license).state),
	zip: (license) => singleLine(addressOf(license).zip),
	county: (license) => singleLine(addressOf(license).county),
	phone: ({ enrichment }) => singleLine(textOf(enrichment?.phone)) || null,
	website: ({ enrichment }) => webAddress(enrichment?.website),
	licenseType: ({ licenseType }) => singleLine(licenseType),
	licenseTypeName: (license) => typeOf(license)?.name ?? null,
	isLiquor: (license) => {
		const type = typeOf(license);
		return type ? LIQUOR_TYPES.includes(type.value) : null;
	},
	status: ({ status }) => singleLine(status),
	eventType: ({ eventType }) => singleLine(eventType),
	eventTypeName({ eventType }) {
		const known = findChoice(ALL_EVENT_TYPES, eventType);
		return ALL_EVENT_TYPES.find(({ value }) => value === known)?.name ?? null;
	},
	eventTimestamp: ({ eventTimestamp }) => singleLine(eventTimestamp),
	filedDate: ({ filedDate }) => singleLine(filedDate),
	issuedDate: ({ issuedDate }) => singleLine(issuedDate),
	effectiveDate: ({ effectiveDate }) => singleLine(effectiveDate),
	expirationDate: ({ expirationDate }) => singleLine(expirationDate),
	legalName: ({ legalName }) => singleLine(legalName),
	dbaName: ({ dbaName }) => singleLine(dbaName),
	address(license) {
		const { street, city, state, zip } = addressOf(license);
		const last = joined(' ', singleLine(state), singleLine(zip));
		return joined(', ', singleLine(street), singleLine(city), last) || null;
	},
	lat: (license) => coordinate(addressOf(license).lat),
	lng: (license) => coordinate(addressOf(license).lng),
	licenseNumber: ({ licenseNumber }) => singleLine(licenseNumber),
	sourceUrl: ({ sourceUrl }) => webAddress(sourceUrl),
	id: ({ id }) => singleLine(id),
	eventId,
	venueKey,
	holderKey,
} satisfies Record<string, (license: License) => Value>;

type FlatField = keyof typeof FIELDS;
export type Flat = Record<FlatField, Value>;

const FLAT_FIELDS = Object.keys(FIELDS) as FlatField[];

const isFlatField = (field: string): field is FlatField => Object.hasOwn(FIELDS, field);

/**
 * A license without nesting, with null for absent values, so that every item has the same columns. Texts are
 * single lines of a sensible length, so that no node that follows has to mind what was sent.
 */
export const flatten = (license: License): Flat =>
	Object.fromEntries(FLAT_FIELDS.map((field) => [field, FIELDS[field](license)])) as Flat;

export const webAddress = (value: unknown): string | null =>
	WEB_ADDRESS.exec(textOf(value))?.[0] ?? null;

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

export const simplified = (license: License): IDataObject =>
	selectedFields(license, SIMPLIFIED_FIELDS);

/** An expression may ask for a field that the interface does not name (yet). */
export const selectedFields = (license: License, fields: readonly string[]): IDataObject =>
	Object.fromEntries(
		[...fields, ...IDENTIFIERS].map((field) => [field, (valueOf(license, field) ?? null) as Value]),
	);

function valueOf(license: License, field: string): unknown {
	if (isFlatField(field)) return FIELDS[field](license);
	const value = Object.hasOwn(license, field) ? license[field] : null;
	return field === DELIVERED_FIELD ? singleLine(value) : value;
}

function coordinate(value: unknown): number | null {
	const degrees = numberOf(value);
	return Number.isFinite(degrees) ? degrees : null;
}
