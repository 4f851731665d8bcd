import type { License } from './license';

/** The most licenses that the service puts on one page. */
export const LARGEST_PAGE = 50;

/** One page of a list, as everything from the wire to the trigger knows it. */
export interface ListPage<Entry> {
	records: Entry[];
	/** Leads to the next page; null on the last. */
	cursor: string | null;
	/** How many the whole list holds. It is for information; only the cursor decides whether to read on. */
	total?: number;
	/** What is wrong with the first record that is no license, and was left out. */
	unreadable?: string | undefined;
}

export type LicensePage = ListPage<License>;

/** What GET /licenses accepts: a page of a list, filtered as `filters/licenseFilters.ts` declares. */
export interface ListQuery {
	[filter: string]: string | number | undefined;
	county?: string;
	limit?: number;
	cursor?: string;
}

/** A filter of the service, and the values of it that are asked for. */
export interface FilterChoice {
	filter: string;
	values: string[];
}

/** The service takes one value of a filter at a time, so there is a query for every combination of values. */
export const combinations = (query: ListQuery, choices: FilterChoice[]): ListQuery[] =>
	choices.reduce<ListQuery[]>(
		(queries, { filter, values }) =>
			queries.flatMap((one) => values.map((value) => ({ ...one, [filter]: value }))),
		[query],
	);
