import type { License } from '../domain/license';
import type { LicensePage, ListQuery } from '../domain/licenseList';
import { LARGEST_PAGE } from '../domain/licenseList';
import { waitingBytes, type HeldBytes } from '../domain/waitingBytes';
import type { DateRange } from './dateRange';
import { divide } from './divide';
import { byEvent, orderOf } from './listOrder';
import type { ListSource, OpenList } from './listPages';
import { openList, totalOf } from './listPages';
import { mergeByOrder } from './mergeByOrder';
import { PartReader } from './partReader';
import { SeenHashes } from './seenHashes';

export interface ListReading extends ListSource {
	/** Lists that share no license, and together hold everything that is wanted. */
	queries: ListQuery[];
	/** Tells which of the licenses are wanted. */
	matches: (license: License) => boolean;
	/** At most this many of the newest; infinite for all. */
	limit: number;
	/** Where a list may be left before its end. */
	dateRange: DateRange;
	/** How many pages may be asked for at once. */
	readers: number;
	/** Told how many records have been read, and about how many are left, once all lists are open. */
	onOpened?: (read: number, left: number) => void;
	/** Told when a list that was read to its end held fewer records than it announced, each counted once. */
	onShortfall: (read: number, announced: number) => void;
	/** Told when a list announced another total at its end than at its beginning. */
	onChange: (before: number, after: number) => void;
}

/**
 * Yields every wanted record once, newest first; those of the same moment come in any order.
 *
 * A cursor leads from one page to the next, so a list can only be read one page after another. A long one is
 * therefore divided by a filter whose values the interface names, such as the license type. The parts are
 * read side by side, and merged in the order that the list is in, so only a few pages of each are held.
 *
 * Totals show whether the parts make up the whole. A list may change while it is read: what moves up is missed,
 * and what moves down would come twice. So a record comes once, unless something in it is different (two
 * licenses may have one number); and if the totals at the end are not those of the beginning, that is said.
 */
export async function* readLists(reading: ListReading): AsyncGenerator<License[], void> {
	const held = waitingBytes.open();
	try {
		yield* readWith(held, reading);
	} finally {
		held.close();
	}
}

async function* readWith(held: HeldBytes, reading: ListReading): AsyncGenerator<License[], void> {
	const seen = new SeenHashes();
	const wholes = await Promise.all(
		reading.queries.map(async (query) => await openList(reading, query, held)),
	);
	const firsts = wholes.map(({ first }) => first);
	reading.onOpened?.(
		sum(firsts.map(({ records }) => records.length)),
		sum(firsts.map((first) => leftAfter(first, reading))),
	);
	const longest = sum(wholes.map(totalOf)) / reading.readers;
	const divided = await Promise.all(
		wholes.map(async (whole) => await divideLong(whole, longest, held, reading)),
	);
	const order = orderOf([...wholes, ...divided.flat()].map(({ first }) => first.records));
	let isInOrder = order !== undefined;
	const onDisorder = (): void => {
		if (isInOrder) reading.log('This list is not newest first everywhere');
		isInOrder = false;
	};
	const parts = divided.map((lists) =>
		lists.map(
			(list) =>
				new PartReader(list, {
					isNew: (license) => seen.add(JSON.stringify(license)),
					matches: reading.matches,
					order: order ?? byEvent,
					dateRange: reading.dateRange,
					onDisorder,
					held,
				}),
		),
	);
	let left = reading.limit;
	for await (const page of mergeByOrder(parts.flat(), reading)) {
		left -= page.length;
		yield page;
	}
	if (left > 0) wholes.forEach((whole, at) => compareTotals(whole, parts[at] ?? [], reading));
}

const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0);

function compareTotals(
	whole: OpenList,
	parts: PartReader[],
	{ onShortfall, onChange }: ListReading,
): void {
	if (parts.some(({ hasEndedEarly }) => hasEndedEarly)) return;
	const read = sum(parts.map(({ list }) => list.progress.read));
	const after = sum(parts.map(({ list }) => list.progress.total ?? Number.NaN));
	// Where the order changes between two pages, some records come twice, and others not at all.
	const distinct = sum(parts.map((part) => part.distinct));
	if (read < after) onShortfall(read, after);
	else if (after < totalOf(whole) || after > totalOf(whole)) onChange(totalOf(whole), after);
	else if (distinct < after) onShortfall(distinct, after);
}

/** About how many records of a list are still to be read; none if the service does not say. */
function leftAfter(
	{ records, cursor, total = 0 }: LicensePage,
	{ dateRange }: Pick<ListReading, 'dateRange'>,
): number {
	return cursor === null
		? 0
		: Math.max(0, dateRange.countUntilEnd(records, total) - records.length);
}

/** The parts of a list, if dividing it pays off, so that none is left alone at the end; or else the list itself. */
async function divideLong(
	whole: OpenList,
	longest: number,
	held: HeldBytes,
	reading: ListReading,
): Promise<OpenList[]> {
	const total = totalOf(whole);
	const { records } = whole.first;
	const wanted = Math.min(reading.limit, reading.dateRange.countUntilEnd(records, total));
	// A page that is not full hides how many pages there are.
	const isFull = records.length === LARGEST_PAGE;
	if (reading.readers === 1 || !isFull || !(total > longest)) return [whole];
	if (orderOf([records]) === undefined) return [whole];
	const parts = await divide(whole, {
		source: reading,
		held,
		longest,
		pages: wanted / LARGEST_PAGE,
	});
	if (parts === undefined) return [whole];
	if (orderOf([records, ...parts.map(({ first }) => first.records)]) !== undefined) return parts;
	reading.log('This list is not newest first everywhere');
	for (const { first } of parts) held.remove(first.bytes ?? 0);
	held.add(whole.first.bytes ?? 0);
	return [whole];
}
