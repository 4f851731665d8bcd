import type { IDataObject } from 'n8n-workflow';

import type { License } from '../licenses/license';
import { crmLead } from './crmLead';
import { delivered, DELIVERED_FIELDS } from './delivered';
import { flatten } from './flat';

/** What tells records and events apart is always included. */
const IDENTIFIERS = ['id', 'eventId'];

/** By any name that another form has, so that a table of ten columns can be filled as it is. */
export const SELECTABLE_FIELDS = [
	...new Set([...Object.keys(flatten({})), ...Object.keys(crmLead({})), ...DELIVERED_FIELDS]),
].filter((field) => !IDENTIFIERS.includes(field));

/** An expression may ask for a field that the interface does not name (yet). */
export function selectedFields(license: License, fields: readonly string[]): IDataObject {
	const all: IDataObject = { ...delivered(license), ...crmLead(license), ...flatten(license) };
	const valueOf = (field: string) => {
		if (Object.hasOwn(all, field)) return all[field];
		return Object.hasOwn(license, field) ? license[field] : undefined;
	};
	return Object.fromEntries(
		[...fields, ...IDENTIFIERS].map((field) => [field, valueOf(field) ?? null]),
	) as IDataObject;
}

/**
 * n8n's guidelines allow ten for a record: with more, people and AI agents lose sight of what matters. Whoever
 * lists licenses asks what is new, and whoever looks one up asks whether it is valid.
 */
const SIMPLIFIED = [
	...(['businessName', 'legalName', 'address', 'phone', 'licenseType', 'licenseNumber'] as const),
	...(['status', 'eventType', 'filedDate'] as const),
];

export function simplified(license: License, isLookUp: boolean): IDataObject {
	const flat = flatten(license);
	const fields = [...SIMPLIFIED, isLookUp ? 'expirationDate' : 'filingKind', 'eventId'] as const;
	return Object.fromEntries(fields.map((field) => [field, flat[field]]));
}
