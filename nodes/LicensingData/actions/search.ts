import { refusal } from '../api/failure';
import { LARGEST_PAGE, searchLicenses } from '../api/licenses';
import { county, text, wholeNumber } from '../fields/values';
import type { Action } from './action';
import { showFor } from './action';
import { countyFilter } from './filters';

interface SearchPlan {
	q: string;
	county?: string;
	limit: number;
}

export const search: Action<SearchPlan> = {
	fields: [
		{
			displayName: 'Query',
			name: 'query',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. tiki bar tampa',
			description: 'Words to look for in business names, cities and counties',
			displayOptions: showFor('search'),
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			default: 50,
			typeOptions: { minValue: 1, maxValue: LARGEST_PAGE },
			description: 'Max number of results to return',
			displayOptions: showFor('search'),
		},
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [countyFilter],
			displayOptions: showFor('search'),
		},
	],

	plan(read) {
		const q = text('Query', read('query'));
		if (q === undefined) {
			throw refusal("'Query' is empty", 'Enter a word to look for, e.g. a name or a city.');
		}
		const filters = read('filters', {}) as { county?: unknown };
		return {
			q,
			county: county('County', filters.county),
			limit: wholeNumber('Limit', read('limit', LARGEST_PAGE), { most: LARGEST_PAGE }),
		};
	},

	async *run(service, plan) {
		yield await searchLicenses(service, plan);
	},
};
