import { readFilters, type FilterValues } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import { wholeNumber, yesOrNo } from '../filters/values';
import type { Action } from './action';
import { readLicenses } from './readLicenses';

interface GetManyParameters {
	filters: FilterValues;
	/** Absent means all. */
	limit?: number;
}

export const getMany: Action<GetManyParameters> = {
	name: 'Get Many',
	action: 'Get many Florida liquor or food licenses',
	description: 'List licenses newest first, filtered by county, type, event, status or date',
	fields: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			default: 50,
			typeOptions: { minValue: 1 },
			description: 'Max number of results to return',
			displayOptions: { show: { returnAll: [false] } },
		},
	],
	hasOutput: true,
	readsLists: true,

	readParameters: (read) => ({
		filters: readFilters(LIST_FILTERS, read),
		limit: yesOrNo('Return All', read('returnAll', false))
			? undefined
			: wholeNumber('Limit', read('limit', 50)),
	}),

	async *run(service, { filters, limit }, execution) {
		const pages = readLicenses(service, execution, filters, limit);
		for await (const licenses of pages) yield licenses.map(execution.toItem);
	},
};
