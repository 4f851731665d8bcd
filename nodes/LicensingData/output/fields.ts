import type { IDataObject } from 'n8n-workflow';

import { eventId } from '../licenses/eventIdentity';
import { eventName, eventOf } from '../licenses/eventTypes';
import { filingKind } from '../licenses/filingKind';
import { holderKey } from '../licenses/leadKeys';
import { withLegalForm } from '../licenses/legalForms';
import type { Address, License } from '../licenses/license';
import { findLicenseType, LICENSE_TYPES, LIQUOR_TYPES } from '../licenses/licenseTypes';
import { beginning, joined, numberOf, repaired, textOf } from '../licenses/text';
import { venueKey } from '../match/street';
import { findPlace } from '../places/cities';

/**
 * A license without nesting, with null for absent values, so that every item has the same columns. What a seller
 * reads comes first, keys last. Texts are single lines of a sensible length, so that no node that follows has to
 * mind what was sent.
 */
export function flatten(license: License) {
	const address: Address = license.address ?? {};
	const knownType = findLicenseType(license.licenseType);
	const type = LICENSE_TYPES.find(({ value }) => value === knownType);
	return {
		businessName: nameAsWritten(license.businessName),
		street: singleLine(address.street),
		city: cityAsWritten(address.city),
		state: singleLine(address.state),
		zip: zipAsWritten(address.zip),
		county: singleLine(address.county),
		phone: singleLine(textOf(license.enrichment?.phone)) || null,
		website: webAddress(license.enrichment?.website),
		licenseType: singleLine(license.licenseType),
		licenseTypeName: type?.name ?? null,
		licenseSeries: singleLine(license.licenseSeries),
		isLiquor: type ? LIQUOR_TYPES.includes(type.value) : null,
		status: singleLine(license.status),
		eventType: singleLine(license.eventType),
		eventTypeName: eventName(eventOf(license)) ?? null,
		filingKind: filingKind(license),
		eventTimestamp: singleLine(license.eventTimestamp),
		filedDate: singleLine(license.filedDate),
		issuedDate: singleLine(license.issuedDate),
		effectiveDate: singleLine(license.effectiveDate),
		expirationDate: singleLine(license.expirationDate),
		legalName: nameAsWritten(license.legalName),
		dbaName: nameAsWritten(license.dbaName),
		address: addressLine(address),
		lat: coordinate(address.lat),
		lng: coordinate(address.lng),
		licenseNumber: singleLine(license.licenseNumber),
		sourceUrl: webAddress(license.sourceUrl),
		id: singleLine(license.id),
		eventId: eventId(license),
		venueKey: venueKey(license),
		holderKey: holderKey(license),
	};
}

export type Flat = ReturnType<typeof flatten>;

export const companyName = ({ businessName, dbaName, legalName }: Flat) =>
	[businessName, dbaName, legalName].find(textOf) ?? null;

/** Some of a record's fields, in this order. */
export const pick = <Field extends string>(
	record: { [field in Field]?: unknown },
	...fields: readonly Field[]
): IDataObject =>
	Object.fromEntries(fields.map((field) => [field, record[field] ?? null])) as IDataObject;

/** What a delivery says beside the record about what was, and what is. No list has it. */
const DELIVERED = {
	newLegalName: nameAsWritten,
	newStatus: singleLine,
	previousAddress: (address: unknown) =>
		addressLine(Object(address) as Address) ?? singleLine(address),
	previousLegalName: nameAsWritten,
	previousStatus: singleLine,
};

export const DELIVERED_FIELDS = Object.keys(DELIVERED);

/** Those that came with a license. */
export const deliveredFields = (license: License): IDataObject =>
	Object.fromEntries(
		Object.entries(DELIVERED)
			.filter(([name]) => Object.hasOwn(license, name))
			.map(([name, valueOf]) => [name, valueOf(license[name])]),
	);

function addressLine({ street, city, state, zip }: Address): string | null {
	const last = joined(' ', singleLine(state), zipAsWritten(zip));
	return joined(', ', singleLine(street), cityAsWritten(city), last) || null;
}

/**
 * As long as an address that browsers and CRMs take. A shortened one would lead elsewhere, and so does one with a
 * user name, such as https://good.example@evil.example.
 */
const SHOWN_ADDRESS = /^https?:\/\/(?![^/?#]*@)[^\s\p{Cf}"'<>\\]{1,2000}$/iu;

export const webAddress = (value: unknown): string | null =>
	SHOWN_ADDRESS.exec(textOf(value))?.[0] ?? null;

const coordinate = (value: unknown): number | null =>
	Number.isFinite(numberOf(value)) ? numberOf(value) : null;

type Written = string | number | null;

/** What Salesforce and Pipedrive take for a name. No true name, street or city comes near it. */
const MAX_FIELD = 255;

/** What breaks lines, and half an emoji, of which no address can be built. */
const UNUSABLE = /[\p{Cc}\p{Cs}\u2028\u2029]+/gu;

/** What turns or hides the text that follows. */
const INVISIBLE = /\p{Cf}+/gu;

/** Without what a mail server, a spreadsheet or a database takes for the end of a line or of a text. */
export function singleLine(value: unknown): Written {
	if (typeof value === 'number') return value;
	if (typeof value !== 'string') return null;
	const text = repaired(value);
	const replaced = text.replace(UNUSABLE, ' ').replace(INVISIBLE, '');
	const line = replaced === text ? text : replaced.trim();
	if (line.length > MAX_FIELD) return `${beginning(line, MAX_FIELD - 1)}…`;
	return line === text ? text : beginning(line, MAX_FIELD);
}

/*
 * Registers write in capitals, and title case makes "Llc" of it. These write as people do, from closed lists
 * alone: what is in none stays as it came, as many a chain writes its own name in capitals.
 */

// cspell:ignore viii
/** "Vi" and "Xi" are names. */
const NUMERAL = /\b(?:Ii|Iii|Iv|Vii|Viii|Ix)\b(?!['’])/g;

export function nameAsWritten(name: unknown): Written {
	const line = singleLine(name);
	if (typeof line !== 'string') return line;
	return withLegalForm(line).replace(NUMERAL, (numeral) => numeral.toUpperCase());
}

/** A place of Florida by its usual name, however the register shortens it. */
const cityAsWritten = (city: unknown): Written => findPlace(city)?.name ?? singleLine(city);

/** ZIP+4, which registers write without the hyphen. */
function zipAsWritten(zip: unknown): Written {
	const line = singleLine(zip);
	const [, five, four] = /^\s*(\d{5})(\d{4})\s*$/.exec(String(line)) ?? [];
	return five === undefined ? line : `${five}-${four}`;
}
