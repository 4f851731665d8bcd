import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { SELECTABLE_FIELDS } from './selectedFields';

export type Show = NonNullable<INodeProperties['displayOptions']>['show'];

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
		description: 'Fields named as CRMs and spreadsheets name them: company, street, lead source',
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

export const FIELD_CHOICES = SELECTABLE_FIELDS.map((value) => ({
	name: toTitle(value),
	value,
})).sort((one, other) => one.name.localeCompare(other.name, 'en'));
