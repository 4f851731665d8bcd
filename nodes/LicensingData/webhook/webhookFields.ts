import type { INodeProperties } from 'n8n-workflow';

import { field, filtersField } from '../filters/filter';
import { TRIGGER_EVENTS, WEBHOOK_FILTERS } from '../filters/licenseFilters';
import { outputFields } from '../output/outputForm';

/** What a delivery has to pass. */
export const FILTERS = [TRIGGER_EVENTS, ...WEBHOOK_FILTERS];

export const webhookFields: INodeProperties[] = [
	...TRIGGER_EVENTS.fields,
	filtersField(WEBHOOK_FILTERS),
	...outputFields(),
	field('Registration', 'registration', 'options', 'automatic', {
		noDataExpression: true,
		description:
			"How the service learns where to send events. Automatic: the node registers its URL with the service, and removes it again. Manual: you register the URL above, and enter the service's secret in the webhook credential.",
		options: [
			{ name: 'Automatic', value: 'automatic' },
			{ name: 'Manual', value: 'manual' },
		],
	}),
	// Makes n8n leave the body alone: its JSON and XML parsers would see it before the signature is checked.
	field('Options', 'options', 'hidden', { binaryData: true }, {}),
];
