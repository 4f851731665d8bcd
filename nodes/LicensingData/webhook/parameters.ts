import type { INodeProperties } from 'n8n-workflow';

import { countiesFilter, eventTypesField, licenseTypesFilter } from '../fields/selectionFields';
import { outputFields } from '../output/parameters';

export const parameters: INodeProperties[] = [
	{
		displayName:
			'The service plans push delivery. As long as it does not offer it, publishing the workflow says so. Use the Licensing Data Trigger until then: it polls.',
		name: 'plannedNotice',
		type: 'notice',
		default: '',
	},
	eventTypesField,
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		options: [countiesFilter, licenseTypesFilter],
	},
	...outputFields(),
	{
		displayName: 'Registration',
		name: 'registration',
		type: 'options',
		noDataExpression: true,
		default: 'automatic',
		description: 'How the service learns where to send events',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description: 'The node registers itself with the service, and removes itself again',
			},
			{
				name: 'Manual',
				value: 'manual',
				description: 'You register the URL of this node with the service yourself',
			},
		],
	},
	{
		displayName:
			"Register the production URL above with the service, and enter the signing secret that it shows as 'Webhook Secret' in the credential. To listen for a test event, register the test URL.",
		name: 'manualNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual'] } },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'hidden',
		// Makes n8n leave the body alone, whose JSON and XML parsers would see it before its signature is checked.
		default: { binaryData: true },
	},
];
