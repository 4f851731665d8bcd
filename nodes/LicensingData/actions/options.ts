import type { INodeProperties } from 'n8n-workflow';

import type { RequestSettings } from '../api/request';
import { DEFAULT_SETTINGS } from '../api/request';
import { wholeNumber } from '../fields/values';

const MOST_RETRIES = 10;
const LONGEST_TIMEOUT = 600_000;

export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Retries',
			name: 'retries',
			type: 'number',
			default: 3,
			typeOptions: { minValue: 0, maxValue: MOST_RETRIES },
			description:
				'How often to repeat a request that met a rate limit, a busy service or a broken connection',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			default: 30_000,
			typeOptions: { minValue: 1, maxValue: LONGEST_TIMEOUT },
			description: 'How many milliseconds the service may take for one answer',
		},
	],
};

export function toSettings(options: Record<string, unknown>): RequestSettings {
	const { retries = DEFAULT_SETTINGS.retries, timeout = DEFAULT_SETTINGS.timeout } = options;
	return {
		retries: wholeNumber('Retries', retries, { least: 0, most: MOST_RETRIES }),
		timeout: wholeNumber('Timeout', timeout, { most: LONGEST_TIMEOUT }),
	};
}
