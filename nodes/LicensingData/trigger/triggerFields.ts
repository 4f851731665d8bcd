import type { INodeProperties } from 'n8n-workflow';

import { field, filtersField } from '../filters/filter';
import { POLLING_FILTERS, TRIGGER_EVENTS } from '../filters/licenseFilters';
import { outputFields } from '../output/outputForms';
import { MAX_ITEMS } from './limits';
import { LOOKBACK_DAYS } from './lookback';
import { eventLabel } from './triggerLog';

/** What n8n's nodes panel lists for the trigger, by name. */
const EVENTS = [
	['address_change', 'On license address changed', 'A license has moved to another address'],
	['cancellation', 'On license canceled', 'A license has been canceled'],
	['new_filing', 'On new license filed', 'A business has filed for a license'],
	['ownership_transfer', 'On license ownership transferred', 'A license has a new owner'],
	['renewal', 'On license renewed', 'A license has been renewed'],
	['status_change', 'On license status changed', 'A license has a new status'],
].map(([value = '', action, description]) => ({
	name: eventLabel(value),
	value,
	action,
	description,
}));

export const triggerFields: INodeProperties[] = [
	{ ...TRIGGER_EVENTS.fields[0], options: EVENTS },
	{
		...filtersField(POLLING_FILTERS),
		description:
			'Which licenses to watch. You can change the filters at any time. Licenses that are already listed are not sent just because the new filters match them.',
	},
	...outputFields(),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			field('Lookback Days', 'lookbackDays', 'number', LOOKBACK_DAYS.usual, {
				typeOptions: { minValue: LOOKBACK_DAYS.min, maxValue: LOOKBACK_DAYS.max },
				description:
					'Ignore new filings dated more than this many days before the newest one of the same license type. Enter 0 to turn this off.',
			}),
			field('Max Items', 'maxItems', 'number', MAX_ITEMS.usual, {
				typeOptions: { minValue: 1, maxValue: MAX_ITEMS.max },
				description: 'Max number of events per poll; later polls return the rest',
			}),
			field('Start From', 'startFrom', 'dateTime', '', {
				// n8n's field drops a date without a time.
				placeholder: 'e.g. 2026-11-01 00:00:00',
				description:
					'When the workflow is first published or first has a live key, also return past events since this time. Changing it later has no effect. Leave empty to get no past events.',
			}),
		],
	},
];
