import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { outputFields } from '../output/outputForm';
import { filtersField } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import type { Action } from './action';
import { count } from './count.operation';
import { exportFile } from './export.operation';
import { get } from './get.operation';
import { getMany } from './getMany.operation';
import { match } from './match.operation';
import { parallelRequests, requestOptions } from './options';
import { search } from './search.operation';
import { shownIf } from './shownIf';

export const operations = {
	count,
	export: exportFile,
	get,
	getAll: getMany,
	match,
	search,
} satisfies Record<string, Action>;

export type Operation = keyof typeof operations;

/** In the order of their names, as n8n shows choices. */
const choices: INodePropertyOptions[] = Object.entries(operations).map(
	([value, { name, action, description }]) => ({ name, value, action, description }),
);

const shownForLicense = shownIf({ resource: ['license'] });
const shownFor = (...names: string[]) => shownIf({ resource: ['license'], operation: names });

const thatHave = (property: 'hasOutput' | 'readsLists'): string[] =>
	Object.entries<Action>(operations).flatMap(([name, action]) => (action[property] ? name : []));

export const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		// There is only one. n8n's nodes panel finds the actions by its options.
		type: 'hidden',
		noDataExpression: true,
		default: 'license',
		options: [{ name: 'License', value: 'license' }],
	},
	shownForLicense({
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'getAll',
		options: choices,
	}),
	...Object.entries(operations).flatMap(([name, { fields }]) => fields.map(shownFor(name))),
	shownFor(...thatHave('readsLists'))(filtersField(LIST_FILTERS)),
	...outputFields().map(shownFor(...thatHave('hasOutput'))),
	shownForLicense({
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			shownIf({ '/operation': thatHave('readsLists') })(parallelRequests),
			...requestOptions,
		],
	}),
];
