import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { entriesOf, oneOf, text } from '../filters/values';
import { invalidInput } from '../licenses/failure';
import { findChoice } from '../licenses/knownValues';
import { FINDINGS, type License } from '../licenses/license';
import { crmLead } from './crmLead';
import { DELIVERED_FIELDS, deliveredFields, flatten, pick } from './flat';

export type OutputForm = (license: License) => IDataObject;

/** The multi-select gives a list; an expression or an agent may give a text, with names as people read them. */
function toNames(fields: unknown): string[] {
	return entriesOf(fields).flatMap((given) => {
		const name = findChoice(FIELD_CHOICES, given) ?? text('Fields', given) ?? [];
		// As the name of a field, n8n would take it for the item's prototype.
		if (name !== '__proto__') return name;
		throw invalidInput("'Fields' names no field of a license: __proto__", 'Choose other fields.');
	});
}

/** The form that the parameters Output and Fields ask for, of a license in a list or of one that was looked up. */
export const outputForm = (output: unknown, fields: unknown, isLookUp = false): OutputForm =>
	withFindings(formOf(output, fields, isLookUp));

export function withFindings(form: OutputForm): OutputForm {
	return (license) => {
		const findings = FINDINGS.filter((name) => Object.hasOwn(license, name));
		return { ...form(license), ...deliveredFields(license), ...pick(license, ...findings) };
	};
}

function formOf(output: unknown, fields: unknown, isLookUp: boolean): OutputForm {
	switch (oneOf('Output', output, ['simplified', 'raw', 'selectedFields', 'crmLead'])) {
		case 'simplified':
			return (license) => simplified(license, isLookUp);
		case 'raw':
			return (license) => license as IDataObject;
		case 'selectedFields': {
			const chosen = toNames(fields);
			return (license) => selectedFields(license, chosen);
		}
		case 'crmLead':
			return crmLead;
	}
}

/** What tells records and events apart is always included. */
const IDENTIFIERS = ['id', 'eventId'];

/** By any name that another form has, so that a table of ten columns can be filled as it is. */
const SELECTABLE_FIELDS = [
	...new Set([...Object.keys(flatten({})), ...Object.keys(crmLead({})), ...DELIVERED_FIELDS]),
].filter((field) => !IDENTIFIERS.includes(field));

/** An expression may ask for a field that the interface does not name (yet). */
function selectedFields(license: License, fields: readonly string[]): IDataObject {
	const forms = { ...deliveredFields(license), ...crmLead(license), ...flatten(license) };
	// Without a prototype, as an expression may name "constructor".
	return pick({ __proto__: null, ...license, ...forms }, ...fields, ...IDENTIFIERS);
}

/**
 * n8n's guidelines allow ten for a record: with more, people and AI agents lose sight of what matters. Whoever
 * lists licenses asks what is new, and whoever looks one up asks whether it is valid.
 */
function simplified(license: License, isLookUp: boolean): IDataObject {
	const flat = flatten(license);
	return {
		...pick(flat, 'businessName', 'legalName', 'address', 'phone', 'licenseType', 'licenseNumber'),
		...pick(flat, 'status', 'eventType', 'filedDate'),
		...pick(flat, isLookUp ? 'expirationDate' : 'filingKind', 'eventId'),
	};
}

type Show = NonNullable<INodeProperties['displayOptions']>['show'];

/** Wherever a license leaves a node, as an item or in a file. */
export const FORMS: INodePropertyOptions[] = [
	{
		name: 'Simplified',
		value: 'simplified',
		description: 'The ten most-used fields and the event ID, without nesting',
	},
	{
		name: 'CRM Lead',
		value: 'crmLead',
		description: 'Fields with the names CRMs and spreadsheets use: company, street, lead source',
	},
	{
		name: 'Selected Fields',
		value: 'selectedFields',
		description: 'The fields you choose, with the license and event IDs',
	},
];

const ITEM_FORMS: INodePropertyOptions[] = [
	...FORMS,
	{ name: 'Raw', value: 'raw', description: 'Everything the service sends, untouched' },
];

/** How a license leaves the node as an item; operations and triggers all offer the same. */
export const outputFields = (): INodeProperties[] => [
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'simplified',
		description: 'What each license looks like to the nodes that follow',
		options: ITEM_FORMS,
	},
	fieldsField({ output: ['selectedFields'] }),
];

/** The field for Selected Fields, wherever that can be chosen. */
export const fieldsField = (show: Show): INodeProperties => ({
	displayName: 'Fields',
	name: 'fields',
	type: 'multiOptions',
	default: ['businessName', 'licenseType', 'city', 'county'],
	description: 'The fields to return. The license and event IDs are always included.',
	options: FIELD_CHOICES,
	displayOptions: { show },
});

const ABBREVIATIONS: Record<string, string> = {
	dbaName: 'DBA Name',
	lat: 'Latitude',
	leadId: 'Lead ID',
	lng: 'Longitude',
	sourceUrl: 'Source URL',
	zip: 'ZIP Code',
};

function toTitle(field: string): string {
	const words = field.replace(/([A-Z])/g, ' $1');
	return ABBREVIATIONS[field] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const FIELD_CHOICES = SELECTABLE_FIELDS.map((value) => ({
	name: toTitle(value),
	value,
})).sort((one, other) => one.name.localeCompare(other.name, 'en'));
