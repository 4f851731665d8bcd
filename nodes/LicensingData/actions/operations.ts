import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { outputFields } from '../output/outputFields';
import type { Action } from './action';
import { showFor } from './action';
import { EXPORT, exportFields } from './exportFields';
import { get } from './get';
import { getMany } from './getMany';
import { match } from './match';
import { optionsField } from './options';
import { search } from './search';

export const operations: Record<string, Action> = { get, getAll: getMany, match, search };

const showForLicense = { resource: ['license'] };

const choices: INodePropertyOptions[] = [
	{
		name: 'Export',
		value: EXPORT,
		action: 'Export Florida liquor or food licenses',
		description:
			'Write all licenses that match the filters into one file, however many there are, newest first',
	},
	{
		name: 'Get',
		value: 'get',
		action: 'Get Florida liquor or food license',
		description: 'Get one license by its ID or license number',
	},
	{
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many Florida liquor or food licenses',
		description: 'List licenses newest first, filtered by county, type, event, status or date',
	},
	{
		name: 'Match',
		value: 'match',
		action: 'Match business to Florida liquor or food license',
		description: 'Find the license of a business that you know by name and address',
	},
	{
		name: 'Search',
		value: 'search',
		action: 'Search Florida liquor or food licenses',
		description: 'Find licenses by words in the business name, city or county',
	},
];

const names = Object.fromEntries(choices.map(({ name, value }) => [value, name]));

/** The line below the node on the canvas. */
export const subtitle = `={{ (${JSON.stringify(names)})[$parameter.operation] }}: License`;

export const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		default: 'license',
		options: [{ name: 'License', value: 'license' }],
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'getAll',
		displayOptions: { show: showForLicense },
		options: choices,
	},
	...Object.values(operations).flatMap(({ fields }) => fields),
	...exportFields,
	...outputFields(showFor(...Object.keys(operations)).show),
	{ ...optionsField, displayOptions: { show: showForLicense } },
];
