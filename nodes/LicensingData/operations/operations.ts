import type { INodeProperties } from 'n8n-workflow';

import { field, filtersField } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import { outputFields } from '../output/outputForms';
import { DEFAULT_SETTINGS } from '../service/client';
import { MAX_AT_ONCE } from '../service/throttle';
import { count } from './count.operation';
import { exportFile } from './export.operation';
import { get } from './get.operation';
import { getMany } from './getMany.operation';
import { match } from './match.operation';
import type { OperationType } from './operationType';
import { search } from './search.operation';

export const operations = {
	count,
	export: exportFile,
	get,
	getAll: getMany,
	match,
	search,
} satisfies Record<string, OperationType>;

export type Operation = keyof typeof operations;

const namesOf = (isWanted: (action: OperationType) => unknown): string[] =>
	Object.entries<OperationType>(operations).flatMap(([name, action]) =>
		isWanted(action) ? name : [],
	);

const READ_LISTS = namesOf(({ readsLists }) => readsLists);
const HAVE_OUTPUT = namesOf(({ hasOutput }) => hasOutput);

export const PARALLEL = field('Parallel Requests', 'parallelRequests', 'number', MAX_AT_ONCE, {
	typeOptions: { minValue: 1, maxValue: 10 },
	description:
		'How many pages of a long list to request at once. Without this option, the node starts with two, and requests more while answers come quickly.',
	displayOptions: { show: { '/operation': READ_LISTS } },
});

export const RETRIES = field('Retries', 'retries', 'number', DEFAULT_SETTINGS.retries, {
	typeOptions: { minValue: 0, maxValue: 10 },
	description:
		'How many times to retry a request when the service is busy or the connection breaks. The node waits out rate limits as often as it takes, up to an hour in all.',
});

export const TIMEOUT = field('Timeout', 'timeout', 'number', DEFAULT_SETTINGS.timeout, {
	typeOptions: { minValue: 1, maxValue: 600_000 },
	description: 'How many milliseconds to wait for each answer from the service',
});

/** A parameter of the license, shown for these operations. */
const shownFor =
	(...names: string[]) =>
	({ displayOptions, ...parameter }: INodeProperties): INodeProperties => ({
		...parameter,
		displayOptions: {
			...displayOptions,
			show: { resource: ['license'], operation: names, ...displayOptions?.show },
		},
	});

export const properties: INodeProperties[] = [
	// There is only one. n8n's nodes panel finds the actions by its options.
	field('Resource', 'resource', 'hidden', 'license', {
		noDataExpression: true,
		options: [{ name: 'License', value: 'license' }],
	}),
	field('Operation', 'operation', 'options', 'getAll', {
		noDataExpression: true,

		// In the order of their names, as n8n shows choices.
		options: Object.entries(operations).map(([value, { name, action, description }]) => ({
			name,
			value,
			action,
			description,
		})),
		displayOptions: { show: { resource: ['license'] } },
	}),
	...Object.entries(operations).flatMap(([name, { fields }]) => fields.map(shownFor(name))),
	shownFor(...READ_LISTS)(filtersField(LIST_FILTERS)),
	...outputFields().map(shownFor(...HAVE_OUTPUT)),
	field(
		'Options',
		'options',
		'collection',
		{},
		{
			placeholder: 'Add Option',
			options: [PARALLEL, RETRIES, TIMEOUT],
			displayOptions: { show: { resource: ['license'] } },
		},
	),
];
