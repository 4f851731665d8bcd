import type { IDataObject } from 'n8n-workflow';

import type { License } from '../api/types';

/**
 * A license without nesting, absent values as null, so that every item has the same columns.
 * The address in one line stands beside its parts.
 */
export function flatten(license: License) {
	const address = license.address ?? {};
	return {
		id: license.id ?? null,
		licenseNumber: license.licenseNumber ?? null,
		businessName: license.businessName ?? null,
		legalName: license.legalName ?? null,
		dbaName: license.dbaName ?? null,
		licenseType: license.licenseType ?? null,
		status: license.status ?? null,
		eventType: license.eventType ?? null,
		eventTimestamp: license.eventTimestamp ?? null,
		filedDate: license.filedDate ?? null,
		effectiveDate: license.effectiveDate ?? null,
		address: oneLine(license),
		street: address.street ?? null,
		city: address.city ?? null,
		county: address.county ?? null,
		state: address.state ?? null,
		zip: address.zip ?? null,
		lat: address.lat ?? null,
		lng: address.lng ?? null,
		sourceUrl: license.sourceUrl ?? null,
	};
}

type FlatField = keyof ReturnType<typeof flatten>;

const FLAT_FIELDS = Object.keys(flatten({})) as FlatField[];

export const SELECTABLE_FIELDS = FLAT_FIELDS.filter((field) => field !== 'id').sort();

/** n8n's limit is ten: more, and people and AI agents lose sight of what matters. */
const SIMPLIFIED_FIELDS: FlatField[] = [
	'id',
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

/** A field that the interface does not name (yet) may be asked for by an expression. */
export function selectedFields(license: License, fields: readonly string[]): IDataObject {
	return pick(license, ['id', ...fields]);
}

function pick(license: License, fields: readonly string[]): IDataObject {
	const known = { ...license, ...flatten(license) } as IDataObject;
	return Object.fromEntries(
		fields.map((field) => [field, (Object.hasOwn(known, field) ? known[field] : null) ?? null]),
	);
}

function oneLine({ address }: License): string | null {
	const region = words(' ', address?.state, address?.zip);
	return words(', ', address?.street, address?.city, region) || null;
}

/** Joins what is there; a service may leave out any part, or send something other than text. */
export function words(separator: string, ...parts: unknown[]): string {
	const texts = parts.map((part) => (typeof part === 'number' ? String(part) : part));
	return texts.filter((text) => typeof text === 'string' && text.trim() !== '').join(separator);
}
