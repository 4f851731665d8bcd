import { LARGEST_PAGE, type LicensePage, type ListQuery } from '../domain/licenseList';

type FetchPage = (query: ListQuery) => Promise<LicensePage>;

/**
 * Says how many more requests a reading takes, as soon as the first page of each of its lists has come: a quota
 * that is too small is then no surprise in the middle. `wanted` tells from a first page how much of the list
 * is needed.
 */
export function expectPages(
	fetchPage: FetchPage,
	queries: ListQuery[],
	wanted: (page: LicensePage) => number,
	limit: number,
	expectRequests: (count: number) => void,
): FetchPage {
	const unread = new Set(queries.map((query) => JSON.stringify(query)));
	let records = 0;
	return async (query) => {
		const page = await fetchPage(query);
		const isFirst = query.cursor === undefined && unread.delete(JSON.stringify(query));
		if (!isFirst) return page;
		records += page.cursor === null ? 0 : Math.max(0, wanted(page) - page.records.length);
		if (unread.size === 0 && records > 0) {
			expectRequests(Math.ceil(Math.min(records, limit) / LARGEST_PAGE));
		}
		return page;
	};
}
