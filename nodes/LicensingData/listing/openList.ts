import { Failure } from '../domain/failure';
import { paginate } from './paginate';
import type { LicensePage, ListQuery } from '../domain/licenseList';

export type FetchPage = (query: ListQuery) => Promise<LicensePage>;

/** A list whose first page has been read. */
export interface OpenList {
	query: ListQuery;
	first: LicensePage;
	/** The pages after the first, each read when it is asked for. */
	rest: AsyncGenerator<LicensePage>;
}

export async function openList(fetchPage: FetchPage, query: ListQuery): Promise<OpenList> {
	let number = 0;
	let read = 0;
	const rest = paginate(async (cursor) => {
		number++;
		try {
			const page = await fetchPage({ ...query, cursor });
			read += page.data.length;
			return page;
		} catch (error) {
			throw number === 1 ? error : withPage(error, number, query, read);
		}
	});
	const { value: first } = (await rest.next()) as IteratorYieldResult<LicensePage>;
	return { query, first, rest };
}

export async function* pagesOf({ first, rest }: OpenList): AsyncGenerator<LicensePage> {
	yield first;
	yield* rest;
}

/** NaN if the service does not say. */
export const totalOf = ({ first }: OpenList): number => first.pagination.total ?? Number.NaN;

/** In the middle of a long list, what failed says little without where it failed. */
function withPage(error: unknown, number: number, query: ListQuery, read: number): unknown {
	if (!(error instanceof Failure)) return error;
	const filters = Object.entries(query).filter(([name, value]) => name !== 'limit' && value);
	const names = filters.map(([name, value]) => `${name}=${value}`).join(', ');
	error.addNote(
		`It was page ${number} of the list${names && ` for ${names}`}, after ${read} licenses.`,
	);
	return error;
}
