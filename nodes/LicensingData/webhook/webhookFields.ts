import type { INodeProperties } from 'n8n-workflow';

import { filtersField } from '../filters/filter';
import { TRIGGER_EVENTS, WEBHOOK_FILTERS } from '../filters/licenseFilters';
import { outputFields } from '../output/outputFields';

export const webhookFields: INodeProperties[] = [
	{
		displayName:
			'The service plans to send events, but does not yet. Until then, use the Licensing Data Trigger, which asks for them.',
		name: 'plannedNotice',
		type: 'notice',
		default: '',
	},
	...TRIGGER_EVENTS.fields,
	filtersField(WEBHOOK_FILTERS),
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
		// Makes n8n leave the body alone: its JSON and XML parsers would see it before the signature is checked.
		default: { binaryData: true },
	},
];
