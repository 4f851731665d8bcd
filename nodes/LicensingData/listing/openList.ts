import type { LicensePage, ListQuery } from '../licenses/license';
import { orThrow, walk, type Pages } from '../service/list';
import type { Service } from '../service/request';

/** A list whose first page has been read. */
export interface OpenList {
	query: ListQuery;
	first: LicensePage;
	/** The pages after the first, each read when it is asked for. */
	rest: Pages;
}

export async function openList(service: Service, query: ListQuery): Promise<OpenList> {
	const rest = walk(service, query);
	return { query, first: (await nextPage(rest)) as LicensePage, rest };
}

/** Undefined after the last. */
export async function nextPage(pages: Pages): Promise<LicensePage | undefined> {
	const { value } = await pages.next();
	return value ? orThrow(value) : undefined;
}

/** NaN if the service does not say. A list that ends with its first page needs no total. */
export const totalOf = ({ first: { records, cursor, total } }: OpenList): number =>
	cursor === null ? records.length : (total ?? Number.NaN);
