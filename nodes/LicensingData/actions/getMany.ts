import { LARGEST_PAGE, listLicenses } from '../transport/licenses';
import { MOST_AT_ONCE } from '../transport/concurrency';
import type { FilterValues } from '../parameters/filter';
import { toQueries } from '../parameters/filter';
import { LIST_FILTERS } from '../parameters/licenseFilters';
import { withDistance } from '../parameters/territoryFilter';
import { wholeNumber, yesOrNo } from '../parameters/values';
import { readList } from '../listing/readList';
import type { Action } from './action';
import { readCollection, showFor } from './action';
import { countUntilEnd, watchForEnd } from './earlyEnd';
import { expectPages } from './expectPages';
import { statusHint } from './statusHint';

/** With more lists than this, it takes fewer requests to read a wider list and pick from it here. */
export const MOST_QUERIES = 100;

interface GetManyPlan {
	filters: FilterValues;
	/** Absent means all. */
	limit?: number;
}

export const getMany: Action<GetManyPlan> = {
	fields: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
			displayOptions: showFor('getAll'),
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			default: 50,
			typeOptions: { minValue: 1 },
			description: 'Max number of results to return',
			displayOptions: { show: { ...showFor('getAll').show, returnAll: [false] } },
		},
	],
	hasOutput: true,
	readsLists: true,

	plan: (read) => ({
		filters: readCollection(LIST_FILTERS, read),
		limit: yesOrNo('Return All', read('returnAll', false))
			? undefined
			: wholeNumber('Limit', read('limit', 50)),
	}),

	async *run(
		service,
		{ filters, limit = Number.POSITIVE_INFINITY },
		{ parallelRequests, expectRequests, toItem, log, hint },
	) {
		const { queries, matches, local } = toQueries(LIST_FILTERS, filters, MOST_QUERIES);
		// If records are also picked here, a page may yield any number of them, so full pages are quickest.
		const isExact = Object.keys(local).length === 0;
		const pageSize = isExact ? Math.min(LARGEST_PAGE, limit) : LARGEST_PAGE;
		const lists = queries.map((query) => ({ ...query, limit: pageSize }));
		const licenses = readList({
			fetchPage: expectPages(
				async (query) => await listLicenses(service, query),
				lists,
				({ data, pagination: { total = 0 } }) => countUntilEnd(filters, data, total),
				isExact ? limit : Number.POSITIVE_INFINITY,
				limit === Number.POSITIVE_INFINITY || isExact ? expectRequests : () => {},
			),
			queries: lists,
			matches,
			limit,
			watchForEnd: () => watchForEnd(filters),
			countUntilEnd: (firstPage, total) => countUntilEnd(filters, firstPage, total),
			readers: parallelRequests ?? MOST_AT_ONCE,
			onSlow: (why) => log(`Get Many reads this list page by page, because ${why}`),
			onMissing(read, announced) {
				log(missing(read, announced));
				hint(missing(read, announced));
			},
		});
		const complete = withDistance(filters);
		let isEmpty = true;
		for await (const some of licenses) {
			isEmpty &&= some.length === 0;
			yield some.map((license) => toItem(complete(license)));
		}
		if (isEmpty && filters.status !== undefined) hint(await statusHint(service, queries[0]));
	},
};

export const missing = (read: number, announced: number): string =>
	`The service announced ${announced} licenses, but its list held ${read}. Some may be missing, or the service counts differently.`;
