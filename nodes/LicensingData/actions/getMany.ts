import { LARGEST_PAGE, listLicenses } from '../api/licenses';
import { onlyNew, pages } from '../api/pages';
import type { ListQuery } from '../api/types';
import { wholeNumber } from '../fields/values';
import type { Action } from './action';
import { showFor } from './action';
import type { FiledWindow } from './filedWindow';
import { isOpen, liesBehind, wasFiledWithin } from './filedWindow';
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
			limit:
				read('returnAll', false) === true ? undefined : wholeNumber('Limit', read('limit', 50)),
		};
	},

	async *run(service, { query, filed, limit = Number.POSITIVE_INFINITY }) {
		const isNew = onlyNew();
		const isWanted = wasFiledWithin(filed);
		let left = limit;
		// With a window, how many records a page will yield is unknown, so full pages come soonest to an end.
		const pageSize = Math.min(LARGEST_PAGE, isOpen(filed) ? limit : LARGEST_PAGE);
		const readPage = (cursor?: string) =>
			listLicenses(service, { ...query, limit: pageSize, cursor });
		for await (const { data } of pages(readPage)) {
			const wanted = data
				.filter((license) => isNew(license) && (isOpen(filed) || isWanted(license)))
				.slice(0, left);
			left -= wanted.length;
			yield wanted;
			if (left === 0 || liesBehind(filed, data)) return;
		}
	},
};
