import { LARGEST_PAGE, listLicenses } from '../api/licenses';
import type { License, ListQuery } from '../api/types';
import { wholeNumber, yesOrNo } from '../fields/values';
import { readList } from '../reading/readList';
import type { Action } from './action';
import { showFor } from './action';
import type { FiledWindow } from './filedWindow';
import { countUntilEnd, endOf, isOpen, wasFiledWithin, withoutDetails } from './filedWindow';
import { listFilters, toFiledWindow, toListQuery } from './filters';

interface GetManyPlan {
	query: ListQuery;
	filed: FiledWindow;
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
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: listFilters,
			displayOptions: showFor('getAll'),
		},
	],

	plan(read) {
		const filters = read('filters', {}) as Record<string, unknown>;
		return {
			query: toListQuery(filters),
			filed: toFiledWindow(filters),
			limit: yesOrNo('Return All', read('returnAll', false))
				? undefined
				: wholeNumber('Limit', read('limit', 50)),
		};
	},

	run(service, plan, { parallelRequests, log }) {
		const { query, filed, limit = Number.POSITIVE_INFINITY } = plan;
		const isWanted = isOpen(filed) ? () => true : wasFiledWithin(filed);
		return readList({
			readPage: async (page) => await listLicenses(service, page),
			// With a window, how many records a page will yield is unknown, so full pages come soonest to an end.
			query: { ...query, limit: isOpen(filed) ? Math.min(LARGEST_PAGE, limit) : LARGEST_PAGE },
			readers: parallelRequests,
			estimate: (firstPage, total) => Math.min(limit, countUntilEnd(filed, firstPage, total)),
			keep: (license) => (isWanted(license) ? license : withoutDetails(license)),
			select: (pages) => select(pages, isWanted, plan),
			log: (doubt) => log(`Get Many reads this list page by page, because ${doubt}`),
		});
	},
};

async function* select(
	pages: AsyncIterable<License[]>,
	isWanted: (license: License) => boolean,
	{ filed, limit: left = Number.POSITIVE_INFINITY }: GetManyPlan,
): AsyncGenerator<License[]> {
	const isEnd = endOf(filed);
	for await (const page of pages) {
		const wanted = page.filter(isWanted).slice(0, left);
		left -= wanted.length;
		yield wanted;
		if (left === 0 || isEnd(page)) return;
	}
}
