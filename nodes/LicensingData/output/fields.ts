import type { IDataObject } from 'n8n-workflow';

import { holderKey } from '../licenses/crmKeys';
import { eventId } from '../licenses/eventIdentity';
import { eventName, eventOf } from '../licenses/eventTypes';
import { filingKind } from '../licenses/filingKind';
import type { Address, License } from '../licenses/license';
import { findLicenseType, LICENSE_TYPES, LIQUOR_TYPES } from '../licenses/licenseTypes';
import { joined, numberOf, textOf } from '../licenses/text';
import { venueKey } from '../match/street';
import { cityAsWritten, nameAsWritten, singleLine, zipAsWritten } from './spelling';

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
