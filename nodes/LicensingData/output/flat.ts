import {
	ALL_EVENT_TYPES,
	findChoice,
	findLicenseType,
	LICENSE_TYPES,
	LIQUOR_TYPES,
} from '../licenses/knownValues';
import { eventId, holderKey } from '../licenses/identity';
import type { Address, License } from '../licenses/license';
import { joined, numberOf, textOf } from '../licenses/text';
import { filingKind } from '../licenses/filingKind';
import { venueKey } from '../match/venueKey';
import { cityAsWritten, nameAsWritten, zipAsWritten } from './asWritten';
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
	businessName: ({ businessName }) => nameAsWritten(businessName),
	street: (license) => singleLine(addressOf(license).street),
	city: (license) => cityAsWritten(addressOf(license).city),
	state: (license) => singleLine(addressOf(license).state),
	zip: (license) => zipAsWritten(addressOf(license).zip),
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
	filingKind,
	eventTimestamp: ({ eventTimestamp }) => singleLine(eventTimestamp),
	filedDate: ({ filedDate }) => singleLine(filedDate),
	issuedDate: ({ issuedDate }) => singleLine(issuedDate),
	effectiveDate: ({ effectiveDate }) => singleLine(effectiveDate),
	expirationDate: ({ expirationDate }) => singleLine(expirationDate),
	legalName: ({ legalName }) => nameAsWritten(legalName),
	dbaName: ({ dbaName }) => nameAsWritten(dbaName),
	address: (license) => addressLine(addressOf(license)),
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

/**
 * A license without nesting, with null for absent values, so that every item has the same columns. Texts are
 * single lines of a sensible length, so that no node that follows has to mind what was sent.
 */
export const flatten = (license: License): Flat =>
	Object.fromEntries(FLAT_FIELDS.map((field) => [field, FIELDS[field](license)])) as Flat;

export const webAddress = (value: unknown): string | null =>
	WEB_ADDRESS.exec(textOf(value))?.[0] ?? null;

export function addressLine({ street, city, state, zip }: Address): string | null {
	const last = joined(' ', singleLine(state), zipAsWritten(zip));
	return joined(', ', singleLine(street), cityAsWritten(city), last) || null;
}

function coordinate(value: unknown): number | null {
	const degrees = numberOf(value);
	return Number.isFinite(degrees) ? degrees : null;
}
