import type { INodeProperties } from 'n8n-workflow';

import { countiesFilter, eventTypesField, licenseTypesFilter } from '../fields/selectionFields';
import { freeTextFilter, statusFilter } from '../fields/textFilters';
import { outputFields } from '../output/parameters';

export const parameters: INodeProperties[] = [
	eventTypesField,
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		description:
			'Changing these or the event types starts afresh: what is there by then is not reported',
		options: [countiesFilter, freeTextFilter, licenseTypesFilter, statusFilter],
	},
	...outputFields(),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'Lookback Hours',
				name: 'lookbackHours',
				type: 'number',
				default: 24,
				typeOptions: { minValue: 1, maxValue: 720 },
				description:
					'How late an event may turn up in the list of the service and still be found. More hours cost more requests.',
			},
			{
				displayName: 'Max Items',
				name: 'maxItems',
				type: 'number',
				default: 1000,
				typeOptions: { minValue: 1, maxValue: 10_000 },
				description: 'The most events that one poll brings; the next polls bring the rest',
			},
			{
				displayName: 'Repeat After Restart',
				name: 'repeatAfterRestart',
				type: 'boolean',
				default: false,
				description:
					'Whether to bring the events that came last once more when n8n starts anew. Then none is lost where n8n is killed while it saves, which can happen without durable cursors. For workflows that duplicates do not harm.',
			},
			{
				displayName: 'Start From',
				name: 'startFrom',
				type: 'dateTime',
				default: '',
				description:
					'Also bring the events since this time, when the workflow is published for the first time. Later it changes nothing. Leave it empty to begin with what is filed from then on.',
			},
		],
	},
];
