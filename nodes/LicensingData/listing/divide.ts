import { ALL_EVENT_TYPES, COUNTIES, LICENSE_TYPES } from '../licenses/knownValues';
import { combinations, type FilterChoice, LARGEST_PAGE, type ListQuery } from '../licenses/license';
import { refusesValue } from '../service/refusals';
import type { Service } from '../service/request';
import { orderOf } from './listOrder';
import { openList, totalOf, type OpenList } from './openList';

/** Where a service limits requests, they are what counts: dividing a list may cost this share of its pages. */
const MOST_OVERHEAD = 0.05;

/** The filters whose values are known, those that split a list into few parts of a size first. */
const FILTERS: FilterChoice[] = [
	{ filter: 'license_type', values: LICENSE_TYPES.map(({ value }) => value) },
	{ filter: 'event_type', values: ALL_EVENT_TYPES.map(({ value }) => value) },
	{ filter: 'county', values: COUNTIES.map(({ value }) => value) },
];

/** What dividing costs: the first page of the whole is read again, and the last page of each part is half empty. */
const costOf = ({ values }: FilterChoice): number => 1 + values.length / 2;

/** Lists that make up a list, and can be merged. What no filter splits into such parts stays as long as it is. */
export interface Division {
	parts: OpenList[];
	/** How many licenses a part has that could not be divided, as its counties are not all of it. */
	undivided: number;
}

/** Divides a list until no part has more than so many licenses, as far as that costs few requests. */
export async function divide(service: Service, whole: OpenList, most: number): Promise<Division> {
	const division: Division = { parts: [], undivided: 0 };
	let affordable = (totalOf(whole) / LARGEST_PAGE) * MOST_OVERHEAD;
	const open = [whole];
	for (let list; (list = longestOf(open)); ) {
		const parts = totalOf(list) > most ? await split(list) : undefined;
		if (parts) open.push(...parts);
		else division.parts.push(list);
	}
	return division;

	async function split(list: OpenList): Promise<OpenList[] | undefined> {
		let isDividedByType = true;
		for (const choice of FILTERS) {
			const { filter } = choice;
			if (list.query[filter] !== undefined || costOf(choice) > affordable) continue;
			// Nearly all of a list has one event, so events divide only what types do not.
			if (filter === 'event_type' && isDividedByType) continue;
			affordable -= costOf(choice);
			const parts = await Promise.all(
				combinations(list.query, [choice]).map(async (part) => await openPart(service, part)),
			);
			const total = parts.reduce((sum, part) => sum + totalOf(part), 0);
			if (total === totalOf(list) && orderOf([list, ...parts])) return parts;
			// All of their first pages are read again.
			affordable -= choice.values.length / 2;
			if (filter === 'license_type') isDividedByType = false;
			if (filter === 'county') division.undivided += totalOf(list);
		}
		return undefined;
	}
}

/** Takes it out: what is left to spend goes to the part that would be left alone at the end. */
function longestOf(lists: OpenList[]): OpenList | undefined {
	lists.sort((a, b) => totalOf(a) - totalOf(b));
	return lists.pop();
}

/** Nobody chose these values: a service that does not know one may refuse it, and has nothing under it. */
export async function openPart(service: Service, query: ListQuery): Promise<OpenList> {
	return await openList(service, query).catch((error: unknown) => {
		if (!refusesValue(error)) throw error;
		return { query, first: { records: [], cursor: null, total: 0 }, rest: nothing() };
	});
}

async function* nothing(): OpenList['rest'] {}
