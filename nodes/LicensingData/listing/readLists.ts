import { eventKey, licenseName } from '../domain/eventIdentity';
import type { License } from '../domain/license';
import type { LicensePage, ListQuery } from '../domain/licenseList';
import { LARGEST_PAGE } from '../domain/licenseList';
import { momentOf } from '../domain/moment';
import type { DateRange } from './dateRange';
import { divide, PAGES_WORTH_DIVIDING } from './divide';
import { DividedList } from './dividedList';
import { mergeByMoment } from './mergeByMoment';
import type { ListSource, OpenList } from './listPages';
import { openList, totalOf } from './listPages';
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
	/** Told when the lists hold fewer licenses than they announce. */
	onShortfall: (read: number, announced: number) => void;
}

/**
 * Yields every wanted license once, newest first; those of the same moment come in any order.
 *
 * A cursor leads from one page to the next, so a list can only be read one page after another. A long one is
 * therefore divided by a filter whose values the interface names, such as the license type. The parts are
 * read side by side, and merged by the moments of their events, so only a few pages of each are held.
 *
 * Totals show whether the parts make up the whole. A list may change while it is read: whatever is filed or
 * changed goes to its top, and with a cursor that counts records, what is removed hides another. If a list
 * did not bring as many as it announced, it is looked through once more, and what was missed comes last.
 * With such a cursor, what leaves a list and what joins it between two pages make up for each other: the
 * total stays the same, and what was hidden is not noticed.
 */
export async function* readLists(reading: ListReading): AsyncGenerator<License[], void> {
	const seen = new SeenHashes();
	const isNew = (license: License): boolean => seen.add(licenseName(license) ?? eventKey(license));
	const wholes = await Promise.all(
		reading.queries.map(async (query) => await openList(reading, query)),
	);
	const firsts = wholes.map(({ first }) => first);
	reading.onOpened?.(
		sum(firsts.map(({ records }) => records.length)),
		sum(firsts.map((first) => leftAfter(first, reading))),
	);
	let isInOrder = true;
	const onDisorder = (): void => {
		if (isInOrder) reading.log('This list is not newest first everywhere');
		isInOrder = false;
	};
	const longest = sum(wholes.map(totalOf)) / reading.readers;
	const lists = await Promise.all(
		wholes.map(async (whole) => {
			const parts = await divideLong(whole, longest, { ...reading, onDisorder });
			return new DividedList(whole, parts, { ...reading, isNew, onDisorder });
		}),
	);

	let left = reading.limit;
	const parts = lists.flatMap((list) => list.parts);
	for await (const page of mergeByMoment(parts, reading)) {
		left -= page.length;
		yield page;
	}
	for (const list of lists) {
		if (left === 0) return;
		for await (const missed of list.missed()) {
			const wanted = missed.slice(0, left);
			left -= wanted.length;
			yield wanted;
			if (left === 0) return;
		}
	}
}

const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0);

/** About how many records of a list are still to be read; none if the service does not say. */
function leftAfter(
	{ records, cursor, total = 0 }: LicensePage,
	{ dateRange }: Pick<ListReading, 'dateRange'>,
): number {
	return cursor === null
		? 0
		: Math.max(0, dateRange.countUntilEnd(records, total) - records.length);
}

/** If less than everything is wanted, every part is read a little too far. */
const PAGES_WORTH_READING_TOO_FAR = 25;

/** The parts of a list, if dividing it pays off, so that none is left alone at the end; or else the list itself. */
async function divideLong(
	whole: OpenList,
	longest: number,
	reading: ListReading & { onDisorder: () => void },
): Promise<OpenList[]> {
	const total = totalOf(whole);
	const wanted = Math.min(
		reading.limit,
		reading.dateRange.countUntilEnd(whole.first.records, total),
	);
	const pages = wanted < total ? PAGES_WORTH_READING_TOO_FAR : PAGES_WORTH_DIVIDING;
	// A page that is not full hides how many pages there are.
	const isFull = whole.first.records.length === LARGEST_PAGE;
	const isLong = isFull && wanted > pages * LARGEST_PAGE && total > longest;
	if (reading.readers === 1 || !isLong) return [whole];

	const parts = isNewestFirst(whole)
		? await divide(whole, reading, longest, wanted / total)
		: [whole];
	if (parts?.every(isNewestFirst)) return parts;
	if (parts) reading.onDisorder();
	else {
		reading.log(
			'This list is read page by page, because no filter splits it into parts that add up',
		);
	}
	return [whole];
}

/** As far as the first page shows. Nothing tells where in the list a record without a date on top belongs. */
function isNewestFirst({ first: { records } }: OpenList): boolean {
	const moments = records.map(({ eventTimestamp }) => momentOf(eventTimestamp));
	const dated = moments.filter((moment) => moment !== undefined);
	const isSorted = dated.every((moment, at) => at === 0 || moment <= (dated[at - 1] as number));
	return isSorted && (records.length === 0 || moments[0] !== undefined);
}
