import { numberIn, yesOrNo } from '../filters/enteredValues';
import { readFilters, type FilterValues, field } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import type { OperationType } from './operationType';
import { readLicenses } from './readLicenses';

const LIMIT = field('Limit', 'limit', 'number', 50, {
	typeOptions: { minValue: 1 },
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
});

/** Without a limit, it is all. */
export const getMany: OperationType<{ filters: FilterValues; limit?: number }> = {
	name: 'Get Many',
	action: 'Get many Florida liquor or food licenses',
	description: 'List licenses newest first, filtered by county, type, event, status or date',
	fields: [
		field('Return All', 'returnAll', 'boolean', false, {
			description: 'Whether to return all results or only up to a given limit',
		}),
		LIMIT,
	],
	hasOutput: true,
	readsLists: true,

	readParameters: (read, timeZone) => ({
		filters: readFilters(LIST_FILTERS, read, timeZone),
		limit: yesOrNo('Return All', read('returnAll', false)) ? undefined : numberIn(LIMIT, read),
	}),

	async *run(service, { filters, limit }, execution) {
		const pages = readLicenses(service, execution, filters, limit);
		for await (const licenses of pages) yield licenses.map(execution.toItem);
	},
};
