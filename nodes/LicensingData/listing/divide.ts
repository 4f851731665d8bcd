import { Failure } from '../domain/failure';
import type { FilterChoice } from '../domain/licenseList';
import { combinations, LARGEST_PAGE } from '../domain/licenseList';
import { COUNTIES } from '../domain/counties';
import { EVENT_TYPES } from '../domain/eventTypes';
import { LICENSE_TYPES } from '../domain/licenseTypes';
import { waitingBytes, type HeldBytes } from '../domain/waitingBytes';
import { stopsEveryRequest } from '../transport/refusals';
import type { ListSource, OpenList } from './listPages';
import { openList, tooMuch, totalOf } from './listPages';

/** Where a service limits requests, they are what counts: dividing a list may cost this share of its pages. */
const MOST_OVERHEAD = 0.05;

/** The filters whose values the interface lists, those that split a list into few parts of a size first. */
const FILTERS: FilterChoice[] = [
	{ filter: 'license_type', values: LICENSE_TYPES.map(({ value }) => value) },
	{ filter: 'event_type', values: EVENT_TYPES.map(({ value }) => value) },
	{ filter: 'county', values: COUNTIES.map(({ value }) => value) },
];

interface Division {
	source: ListSource;
	held: HeldBytes;
	/** No part should be longer, if a filter can split it that far. */
	longest: number;
	/** How many pages will be read of the whole. */
	pages: number;
}

/**
 * Finds lists that make up the whole. Undefined if no filter splits the whole into parts that add up to it, or
 * if that would cost too much: whether it does or not, asking for each value of a filter costs one request more
 * than reading the list would, at most.
 */
export async function divide(
	whole: OpenList,
	{ source, held, longest, pages }: Division,
): Promise<OpenList[] | undefined> {
	let affordable = pages * MOST_OVERHEAD;
	const divideOnce = async (list: OpenList): Promise<OpenList[] | undefined> => {
		for (const choice of FILTERS) {
			const cost = choice.values.length;
			const isWorthIt = totalOf(list) / LARGEST_PAGE > cost;
			if (list.query[choice.filter] !== undefined || cost > affordable || !isWorthIt) continue;
			affordable -= cost;
			const parts = await openParts(list, choice);
			const total = parts.reduce((sum, part) => sum + totalOf(part), 0);
			const replaced = parts.length > 0 && total === totalOf(list) ? [list] : parts;
			for (const { first } of replaced) held.remove(first.bytes ?? 0);
			if (replaced !== parts) return parts.filter(hasRecords);
		}
		return undefined;
	};
	/** Empty if the service, or the plan, has no answer to a value that the interface lists. */
	const openParts = async ({ query }: OpenList, choice: FilterChoice): Promise<OpenList[]> => {
		const opened: OpenList[] = [];
		const open = combinations(query, [choice]).map(async (part) => {
			if (waitingBytes.isFull) throw tooMuch();
			opened.push(await openList(source, part, held));
		});
		return await Promise.all(open).then(
			() => opened,
			(error: unknown) => {
				if (!(error instanceof Failure) || stopsEveryRequest(error)) throw error;
				for (const { first } of opened) held.remove(first.bytes ?? 0);
				return [];
			},
		);
	};
	const divideFurther = async (parts: OpenList[]): Promise<OpenList[]> => {
		const further: OpenList[] = [];
		// One after another, since they share what may be spent; the longest first.
		for (const part of parts.sort((a, b) => totalOf(b) - totalOf(a))) {
			const smaller = totalOf(part) > longest ? await divideOnce(part) : undefined;
			further.push(...(smaller ? await divideFurther(smaller) : [part]));
		}
		return further;
	};
	const parts = await divideOnce(whole);
	return parts && (await divideFurther(parts));
}

const hasRecords = ({ first }: OpenList): boolean =>
	first.records.length > 0 || first.cursor !== null;
