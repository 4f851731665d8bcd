import { COUNTIES } from '../licenses/counties';
import type { Choice } from '../licenses/findChoice';
import { combinations, type FilterChoice, type License } from '../licenses/license';
import { LICENSE_TYPES } from '../licenses/licenseTypes';
import { formatCount } from '../licenses/text';
import type { Service } from '../service/client';
import { MAX_PAGE_SIZE, type OpenList, openPart, totalOf } from '../service/listPages';
import { byEvent, earlyStop, orderOf } from './listOrder';
import { merge, onceEach, PartReader } from './mergeLists';

export interface ListReading {
	service: Service;
	/** Lists that share no license, and together hold everything that is wanted. */
	lists: OpenList[];
	/** Tells which of the licenses are wanted. */
	matches: (license: License) => boolean;
	/** At most this many of the newest, if not all. */
	limit?: number;
	/** The first day of filing that is wanted, if not all are: a list may then be left before its end. */
	filedAfter?: string;
	/** How many pages may be asked for at once. */
	readers: number;
	/** Told how many records are left to be read, once the first pages say how many there are. */
	onOpened?: (left: number) => void;
	hint: (line: string) => void;
	warn: (line: string) => void;
}

/**
 * Yields every wanted record once, newest first; those of the same moment come in any order.
 *
 * A cursor leads from one page to the next, so a list can only be read one page after another. A long one is
 * therefore divided by filters whose values the interface names, such as the license type. The parts are
 * read side by side, and merged in the order that the list is in, so only a few pages of each are held.
 *
 * Totals show whether the parts make up the whole. A list may change while it is read: what moves up is missed,
 * and what moves down would come twice. So a record comes once, unless something in it is different (two
 * licenses may have one number); and if the totals at the end are not those of the beginning, that is said.
 */
export async function* readLists(reading: ListReading): AsyncGenerator<License[], void> {
	const { lists, matches, filedAfter, limit = Number.POSITIVE_INFINITY } = reading;
	const toTheirEnd = lists.filter(({ query }) => !earlyStop(filedAfter, query));
	const announced = sum(toTheirEnd.map(({ first }) => first.total ?? 0));
	reading.onOpened?.(
		Math.min(announced, limit) - sum(toTheirEnd.map(({ first }) => first.records.length)),
	);
	const isWhole = limit === Number.POSITIVE_INFINITY;
	const divided = isWhole ? await divideLong(lists, reading) : lists.map((list) => [list]);
	const order = orderOf(divided.flat()) ?? byEvent;
	const sizeIfNew = onceEach();
	const readers = divided.map((parts) =>
		parts.map((part) => new PartReader(part, order, matches, sizeIfNew, filedAfter)),
	);
	let left = limit;
	for await (const page of merge(readers.flat(), isWhole ? reading.readers : 0)) {
		yield page.slice(0, left);
		left -= page.length;
		if (left <= 0) return;
	}
	lists.forEach((list, at) => compareTotals(list, readers[at] ?? [], reading));
}

/** A list that is much longer than the others would be left alone at the end. */
async function divideLong(lists: OpenList[], reading: ListReading): Promise<OpenList[][]> {
	const { service, readers, filedAfter } = reading;
	const max = sum(lists.map(totalOf)) / readers;
	const divided: OpenList[][] = [];
	for (const list of lists) {
		const isToDivide =
			readers > 1 &&
			!service.throttle.isLimitedByPlan &&
			totalOf(list) > max &&
			// A page that is not full hides how many there are.
			list.first.records.length === MAX_PAGE_SIZE &&
			!earlyStop(filedAfter, list.query) &&
			orderOf([list]);
		divided.push(isToDivide ? await divide(list, max, reading) : [list]);
	}
	return divided;
}

/** Where a service limits requests, they are what counts: dividing a list may cost this share of its pages. */
const MAX_OVERHEAD = 0.05;

const choiceOf = (filter: string, values: Choice[]): FilterChoice => ({
	filter,
	values: values.map(({ value }) => value),
});

/** The filters whose values are known and that split a list, the one that splits it into few parts first. */
const SPLITTING = [choiceOf('license_type', LICENSE_TYPES), choiceOf('county', COUNTIES)];

/**
 * Divides a list until no part has more than so many licenses, as far as that costs few requests. What no filter
 * splits into parts that make it up, and can be merged, stays as long as it is.
 */
async function divide(
	whole: OpenList,
	max: number,
	{ service, hint }: ListReading,
): Promise<OpenList[]> {
	let affordable = (totalOf(whole) / MAX_PAGE_SIZE) * MAX_OVERHEAD;
	let undivided = 0;
	const divided: OpenList[] = [];
	const open = [whole];
	// What is left to spend goes to the part that would be left alone at the end.
	for (let list; (list = open.sort((a, b) => totalOf(a) - totalOf(b)).pop()); ) {
		const parts = totalOf(list) > max ? await split(list) : undefined;
		if (parts) open.push(...parts);
		else divided.push(list);
	}
	if (undivided > 0)
		hint(
			`${formatCount(undivided)} licenses were read one page after another, which takes longer: some of them name no county, so the list cannot be read county by county.`,
		);
	return divided;

	async function split(list: OpenList): Promise<OpenList[] | undefined> {
		for (const choice of SPLITTING) {
			// The first page of the whole is read again, and the last page of each part is half empty.
			const cost = 1 + choice.values.length / 2;
			if (list.query[choice.filter] !== undefined || cost > affordable) continue;
			affordable -= cost;
			const parts = await Promise.all(
				combinations(list.query, [choice]).map(async (part) => await openPart(service, part)),
			);
			if (sum(parts.map(totalOf)) === totalOf(list) && orderOf([list, ...parts])) return parts;
			// All of their first pages are read again.
			affordable -= choice.values.length / 2;
			if (choice.filter === 'county') undivided += totalOf(list);
		}
		return undefined;
	}
}

function compareTotals(list: OpenList, readers: PartReader[], { warn }: ListReading): void {
	if (readers.some(({ hasEndedEarly }) => hasEndedEarly)) return;
	const before = list.first.total ?? Number.NaN;
	const after = sum(readers.map(({ total }) => total));
	const read = sum(readers.map(({ distinct }) => distinct));
	if (after < before || after > before)
		warn(
			`The list changed while it was read: it had ${formatCount(before)} licenses at the beginning, and ${formatCount(after)} at the end. Licenses that were added, or moved to another page of the list, may be missing. Run this again to get them.`,
		);
	else if (read < after)
		warn(
			`The service announced ${before} licenses, but its list contained ${read}. Some may be missing, or the service counts differently.`,
		);
}

const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0);
