import type { INodeProperties } from 'n8n-workflow';

import { MOST_AT_ONCE } from '../service/throttle';
import { DEFAULT_SETTINGS, type RequestSettings } from '../service/client';
import { wholeNumber } from '../filters/values';

const MOST_PARALLEL_REQUESTS = 10;
const MOST_RETRIES = 10;
const LONGEST_TIMEOUT = 600_000;

/** For operations that read lists. */
export const parallelRequests: INodeProperties = {
	displayName: 'Parallel Requests',
	name: 'parallelRequests',
	type: 'number',
	default: MOST_AT_ONCE,
	typeOptions: { minValue: 1, maxValue: MOST_PARALLEL_REQUESTS },
	description:
		'How many pages of a long list to request at once. Without this option, the node starts with two, and requests more while answers come quickly.',
};

export const requestOptions: INodeProperties[] = [
	{
		displayName: 'Retries',
		name: 'retries',
		type: 'number',
		default: 3,
		typeOptions: { minValue: 0, maxValue: MOST_RETRIES },
		description:
			'How many times to retry a request after a busy service or a broken connection. Rate limits are waited for as often as it takes, up to an hour in all.',
	},
	{
		displayName: 'Timeout',
		name: 'timeout',
		type: 'number',
		default: 30_000,
		typeOptions: { minValue: 1, maxValue: LONGEST_TIMEOUT },
		description: 'How many milliseconds to wait for each answer from the service',
	},
];

export function toSettings(options: Record<string, unknown>): RequestSettings {
	const { retries = DEFAULT_SETTINGS.retries, timeout = DEFAULT_SETTINGS.timeout } = options;
	return {
		retries: wholeNumber('Retries', retries, { least: 0, most: MOST_RETRIES }),
		timeout: wholeNumber('Timeout', timeout, { most: LONGEST_TIMEOUT }),
	};
}

/** If undefined, the node finds out by itself. */
export function toParallelRequests(options: Record<string, unknown>): number | undefined {
	const { parallelRequests } = options;
	if (parallelRequests === undefined) return undefined;
	return wholeNumber('Parallel Requests', parallelRequests, { most: MOST_PARALLEL_REQUESTS });
}
