import { Failure, stopsEveryRequest } from '../domain/failure';
import type { FilterChoice, ListQuery } from '../domain/licenseList';
import { combinations, LARGEST_PAGE } from '../domain/licenseList';
import { COUNTIES } from '../domain/counties';
import { EVENT_TYPES } from '../domain/eventTypes';
import { LICENSE_TYPES } from '../domain/licenseTypes';
import type { ListSource, OpenList } from './listPages';
import { openList, totalOf } from './listPages';

/** Below this, finding the parts would cost more than it saves. */
export const PAGES_WORTH_DIVIDING = 10;

/** The filters whose values the interface lists, those that split a list into few parts of a size first. */
const FILTERS: FilterChoice[] = [
	{ filter: 'license_type', values: LICENSE_TYPES.map(({ value }) => value) },
	{ filter: 'event_type', values: EVENT_TYPES.map(({ value }) => value) },
	{ filter: 'county', values: COUNTIES.map(({ value }) => value) },
];

/**
 * Finds lists that make up the whole, none longer than `longest` if a filter can split it that far. Undefined
 * if no filter splits the whole into parts that add up to it. Only `share` of the list will be read.
 */
export async function divide(
	whole: OpenList,
	source: ListSource,
	longest: number,
	share: number,
): Promise<OpenList[] | undefined> {
	const divideOnce = async (list: OpenList): Promise<OpenList[] | undefined> => {
		const pages = (totalOf(list) * share) / LARGEST_PAGE;
		for (const choice of FILTERS) {
			// Every value costs a request, which has to pay off.
			if (list.query[choice.filter] !== undefined || pages <= choice.values.length) continue;
			const parts = await openAll(source, combinations(list.query, [choice]));
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
	first.records.length > 0 || first.cursor !== null;

/** Empty if the service, or the plan, has no answer to a value that the interface lists. */
const openAll = async (source: ListSource, queries: ListQuery[]): Promise<OpenList[]> =>
	await Promise.all(queries.map(async (query) => await openList(source, query))).catch(
		(error: unknown) => {
			if (!(error instanceof Failure) || stopsEveryRequest(error)) throw error;
			return [];
		},
	);
