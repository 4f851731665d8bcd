import { COUNTIES, LICENSE_TYPES, combinations, type FilterChoice } from '../licenses/knownValues';
import { LARGEST_PAGE, type ListQuery } from '../licenses/license';
import { isRejected } from '../service/failures';
import { formatCount } from '../licenses/text';
import type { Service } from '../service/client';
import { openList, orderOf, totalOf, type OpenList } from './openList';

/** Where a service limits requests, they are what counts: dividing a list may cost this share of its pages. */
const MOST_OVERHEAD = 0.05;

/** The filters whose values are known and that split a list, the one that splits it into few parts first. */
const FILTERS: FilterChoice[] = [
	{ filter: 'license_type', values: LICENSE_TYPES.map(({ value }) => value) },
	{ filter: 'county', values: COUNTIES.map(({ value }) => value) },
];

/**
 * Divides a list until no part has more than so many licenses, as far as that costs few requests. What no filter
 * splits into parts that make it up, and can be merged, stays as long as it is.
 */
export async function divide(
	whole: OpenList,
	most: number,
	service: Service,
	hint: (line: string) => void,
): Promise<OpenList[]> {
	let affordable = (totalOf(whole) / LARGEST_PAGE) * MOST_OVERHEAD;
	let undivided = 0;
	const divided: OpenList[] = [];
	const open = [whole];
	// What is left to spend goes to the part that would be left alone at the end.
	for (let list; (list = open.sort((a, b) => totalOf(a) - totalOf(b)).pop()); ) {
		const parts = totalOf(list) > most ? await split(list) : undefined;
		if (parts) open.push(...parts);
		else divided.push(list);
	}
	if (undivided > 0)
		hint(
			`${formatCount(undivided)} licenses were read one page after another, which takes longer: some of them name no county, so the list cannot be read county by county.`,
		);
	return divided;

	async function split(list: OpenList): Promise<OpenList[] | undefined> {
		for (const choice of FILTERS) {
			// The first page of the whole is read again, and the last page of each part is half empty.
			const cost = 1 + choice.values.length / 2;
			if (list.query[choice.filter] !== undefined || cost > affordable) continue;
			affordable -= cost;
			const parts = await Promise.all(
				combinations(list.query, [choice]).map(async (part) => await openPart(service, part)),
			);
			const total = parts.reduce((sum, part) => sum + totalOf(part), 0);
			if (total === totalOf(list) && orderOf([list, ...parts])) return parts;
			// All of their first pages are read again.
			affordable -= choice.values.length / 2;
			if (choice.filter === 'county') undivided += totalOf(list);
		}
		return undefined;
	}
}

/** Nobody chose these values: a service that does not know one may refuse it, and has nothing under it. */
export async function openPart(service: Service, query: ListQuery): Promise<OpenList> {
	const list = await openList(service, query).catch((error: unknown) => {
		if (!isRejected(error)) throw error;
	});
	return list ?? { query, first: { records: [], cursor: null, total: 0 }, rest: nothing() };
}

async function* nothing(): OpenList['rest'] {}
