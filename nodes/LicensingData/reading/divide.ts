import { Failure, stopsEveryRequest } from '../api/failure';
import { LARGEST_PAGE } from '../api/licenses';
import type { ListQuery } from '../api/types';
import { COUNTIES } from '../fields/county';
import { EVENT_TYPES } from '../fields/eventType';
import { LICENSE_TYPES } from '../fields/licenseType';
import { Doubt } from './doubt';
import type { OpenList, ReadPage } from './openList';
import { openList, totalOf } from './openList';
import type { Reading } from './readList';

/** Fewer are read one after the other: finding the parts would cost more than it saves. */
export const PAGES_WORTH_DIVIDING = 10;

/** The filters whose values the interface lists, those with the fewest values first. */
const FILTERS: Array<{ filter: keyof ListQuery; values: string[] }> = [
	{ filter: 'license_type', values: LICENSE_TYPES.map(({ value }) => value) },
	{ filter: 'event_type', values: EVENT_TYPES.map(({ value }) => value) },
	{ filter: 'county', values: COUNTIES.map(({ value }) => value) },
];

/**
 * Finds lists that make up the whole, none so long that a reader would be left alone with it at the end.
 * Undefined where no filter divides the whole without a remainder.
 */
export async function divide(whole: OpenList, reading: Reading): Promise<OpenList[] | undefined> {
	const { readPage, readers, estimate } = reading;
	const longest = totalOf(whole) / readers;
	const pagesOfWhole = estimate(whole.first.data, totalOf(whole)) / LARGEST_PAGE;

	const divideOnce = async (list: OpenList): Promise<OpenList[] | undefined> => {
		const pages = pagesOfWhole * (totalOf(list) / totalOf(whole));
		for (const { filter, values } of FILTERS) {
			if (list.query[filter] !== undefined) continue;
			if (pages <= Math.max(values.length, PAGES_WORTH_DIVIDING)) continue;
			const queries = values.map((value) => ({ ...list.query, [filter]: value }));
			const parts = await openAll(readPage, queries);
			const total = parts.reduce((sum, part) => sum + totalOf(part), 0);
			if (parts.length > 0 && total === totalOf(list)) return parts.filter(hasRecords);
		}
		return undefined;
	};
	const divideFurther = async (part: OpenList): Promise<OpenList[]> => {
		const smaller = totalOf(part) > longest ? await divideOnce(part) : undefined;
		return smaller ? (await Promise.all(smaller.map(divideFurther))).flat() : [part];
	};

	const parts = await divideOnce(whole);
	return parts && (await Promise.all(parts.map(divideFurther))).flat();
}

const hasRecords = ({ first }: OpenList): boolean =>
	first.data.length > 0 || first.pagination.hasMore;

const openAll = async (readPage: ReadPage, queries: ListQuery[]): Promise<OpenList[]> =>
	await Promise.all(queries.map(async (query) => await openList(readPage, query))).catch(
		noneIfRefused,
	);

/** A service, or a plan, that has no answer to a value that the interface lists can still be read without it. */
function noneIfRefused(error: unknown): OpenList[] {
	if (!(error instanceof Failure) || stopsEveryRequest(error)) throw error;
	if (error.passing) throw new Doubt('a part of it was not answered');
	return [];
}
