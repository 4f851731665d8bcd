import { COUNTIES } from '../licenses/counties';
import { ALL_EVENT_TYPES } from '../licenses/eventTypes';
import {
	combinations,
	LARGEST_PAGE,
	type FetchPage,
	type FilterChoice,
} from '../licenses/licenseList';
import { LICENSE_TYPES } from '../licenses/licenseTypes';
import type { HeldBytes } from '../licenses/waitingBytes';
import { orderOf } from './listOrder';
import { openList, totalOf, type OpenList } from './listPages';
import { allowUnknown } from './unknownValues';

/** Where a service limits requests, they are what counts: dividing a list may cost this share of its pages. */
const MOST_OVERHEAD = 0.05;

/** The filters whose values are known, those that split a list into few parts of a size first. */
const FILTERS: FilterChoice[] = [
	{ filter: 'license_type', values: LICENSE_TYPES.map(({ value }) => value) },
	{ filter: 'event_type', values: ALL_EVENT_TYPES.map(({ value }) => value) },
	{ filter: 'county', values: COUNTIES.map(({ value }) => value) },
];

/** Lists that make up the whole, and can be merged. The whole itself, if no filter splits it into such parts. */
export async function divide(
	whole: OpenList,
	fetchPage: FetchPage,
	held: HeldBytes,
): Promise<OpenList[]> {
	let affordable = (totalOf(whole) / LARGEST_PAGE) * MOST_OVERHEAD;
	for (const choice of FILTERS) {
		if (whole.query[choice.filter] !== undefined || choice.values.length > affordable) continue;
		affordable -= choice.values.length;
		const parts = await Promise.all(
			combinations(whole.query, [choice]).map(
				async (part) => await openList(allowUnknown(fetchPage), part, held),
			),
		);
		const total = parts.reduce((sum, part) => sum + totalOf(part), 0);
		const isAll = total === totalOf(whole) && orderOf([whole, ...parts]) !== undefined;
		for (const { first } of isAll ? [whole] : parts) held.remove(first.bytes ?? 0);
		if (isAll) return parts;
	}
	return [whole];
}
