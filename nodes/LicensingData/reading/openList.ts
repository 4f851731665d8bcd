import { pages } from '../api/pages';
import type { LicensePage, ListQuery } from '../api/types';

export type ReadPage = (query: ListQuery) => Promise<LicensePage>;

/** A list of which the first page has been read. */
export interface OpenList {
	query: ListQuery;
	first: LicensePage;
	/** The pages after the first, each read when it is asked for. */
	rest: AsyncGenerator<LicensePage>;
}

export async function openList(readPage: ReadPage, query: ListQuery): Promise<OpenList> {
	const rest = pages((cursor) => readPage({ ...query, cursor }));
	const { value: first } = (await rest.next()) as IteratorYieldResult<LicensePage>;
	return { query, first, rest };
}

export async function* pagesOf({ first, rest }: OpenList): AsyncGenerator<LicensePage> {
	yield first;
	yield* rest;
}

export const totalOf = ({ first }: OpenList): number => first.pagination.total ?? Number.NaN;
