import type { INodeProperties } from 'n8n-workflow';

import { SELECTABLE_FIELDS } from './flat';

type Show = NonNullable<INodeProperties['displayOptions']>['show'];

/** How a license leaves the node; every door offers the same four forms. */
export function outputFields(show?: Show): INodeProperties[] {
	return [
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'simplified',
			description: 'What each license looks like to the nodes that follow',
			options: [
				{
					name: 'Simplified',
					value: 'simplified',
					description: 'The ten most used fields and the ID of the event, without nesting',
				},
				{
					name: 'CRM Lead',
					value: 'crmLead',
					description:
						'Named as CRMs and spreadsheets name them: company, street, city, lead source',
				},
				{
					name: 'Selected Fields',
					value: 'selectedFields',
					description: 'The fields that you choose, with the IDs of license and event',
				},
				{
					name: 'Raw',
					value: 'raw',
					description: 'Everything the service sends, untouched',
				},
			],
			displayOptions: show && { show },
		},
		fieldsField({ ...show, output: ['selectedFields'] }),
	];
}

/** The fields of Selected Fields, wherever that is chosen. */
export const fieldsField = (show: Show): INodeProperties => ({
	displayName: 'Fields',
	name: 'fields',
	type: 'multiOptions',
	default: ['businessName', 'licenseType', 'city', 'county'],
	description: 'The fields to return. The IDs of license and event always come along.',
	options: SELECTABLE_FIELDS.map((value) => ({ name: toTitle(value), value })),
	displayOptions: { show },
});

const ABBREVIATIONS: Record<string, string> = {
	dbaName: 'DBA Name',
	lat: 'Latitude',
	lng: 'Longitude',
	sourceUrl: 'Source URL',
	zip: 'ZIP Code',
};

function toTitle(field: string): string {
	const words = field.replace(/([A-Z])/g, ' $1');
	return ABBREVIATIONS[field] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
