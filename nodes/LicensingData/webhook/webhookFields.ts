import type { INodeProperties } from 'n8n-workflow';

import { filtersField } from '../filters/filter';
import { TRIGGER_EVENTS, WEBHOOK_FILTERS } from '../filters/licenseFilters';
import { outputFields } from '../output/outputFields';

export const webhookFields: INodeProperties[] = [
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
				description:
					'You register the URL above with the service, and enter the secret that it shows in the webhook credential',
			},
		],
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'hidden',
		// Makes n8n leave the body alone: its JSON and XML parsers would see it before the signature is checked.
		default: { binaryData: true },
	},
];
