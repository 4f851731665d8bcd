import { LARGEST_PAGE } from '../transport/licenses';
import type { ListQuery } from '../domain/licenseList';
import type { License } from '../domain/license';
import { readAhead } from './readAhead';
import { divide, PAGES_WORTH_DIVIDING } from './divide';
import type { FetchPage, OpenList } from './openList';
import { openList, totalOf } from './openList';
import { pageByPage } from './pageByPage';
import type { DatedLicense, DividedList } from './parts';
import { catchUp, dated, inPieces, readParts, toDividedList } from './parts';

export interface ListReading {
	fetchPage: FetchPage;
	/** Lists that share no record, and together hold everything that is wanted. */
	queries: ListQuery[];
	/** Tells which of the records are wanted. */
	matches: (license: License) => boolean;
	/** At most this many of the newest; infinite for all. */
	limit: number;
	/** Makes a function that takes a list's pages in order, and returns true once nothing wanted can follow. */
	watchForEnd: () => (page: License[]) => boolean;
	/** About how many records come before that end, judging by the first page. */
	countUntilEnd: (firstPage: License[], total: number) => number;
	/** How many pages may be asked for at once. */
	readers: number;
	/** Told why a long list is read page by page. */
	onSlow: (why: string) => void;
	/** Told when a list held fewer records than it announced, though it did not change. */
	onMissing: (read: number, announced: number) => void;
}

/**
 * Yields every wanted record once, newest first; records of the same moment come in any order.
 *
 * A cursor leads from one page to the next, so a list can only be read one page after another. A long one is
 * therefore split by a filter whose values the interface names, such as the license type, and its parts are
 * read at the same time. If several values of a filter are wanted, each of them is a list already.
 *
 * Totals show whether the parts make up the whole. A list may change while it is read: whatever is filed or
 * changed goes to its top, so the top is read once more at the end. A list that still does not add up, or
 * that is not newest first, is read again from the start, page by page.
 */
export async function* readList(reading: ListReading): AsyncGenerator<License[]> {
	const lists = await Promise.all(
		reading.queries.map(async (query) => await openList(reading.fetchPage, query)),
	);
	const [only] = lists;
	if (only && lists.length === 1 && !isLong(only, reading)) {
		return yield* onePageAtATime(only, reading);
	}
	const divided = await divideLists(lists, reading);
	const hasReadOn = await readParts(divided, reading, endsEarly(lists, reading));
	// First pages that were all read at once had no time to change.
	if (hasReadOn || divided.some(({ parts }) => parts.length > 1)) await catchUp(divided, reading);

	const licenses: DatedLicense[] = [];
	for (const { whole, parts, problem } of divided) {
		if (problem === undefined) {
			// One by one, since a call takes only some hundred thousand arguments.
			for (const { wanted } of parts) for (const license of wanted) licenses.push(license);
			continue;
		}
		reading.onSlow(problem);
		const isUnread = parts.length === 0;
		const list = isUnread ? whole : await openList(reading.fetchPage, whole.query);
		const pages = onePageAtATime(list, reading);
		// A single list stays in the service's order, and need not be read whole before it goes out.
		if (lists.length === 1) return yield* pages;
		for await (const page of pages) licenses.push(...page.map(dated));
	}
	yield* inPieces(licenses, reading.limit);
}

/** The next page is asked for while the last becomes items. */
const onePageAtATime = (list: OpenList, reading: ListReading): AsyncGenerator<License[]> =>
	readAhead(wantedOf(pageByPage(list, reading), reading));

async function* wantedOf(
	pages: AsyncIterable<License[]>,
	{ matches, limit, watchForEnd }: ListReading,
): AsyncGenerator<License[]> {
	const isEnd = watchForEnd();
	let left = limit;
	for await (const page of pages) {
		const wanted = page.filter(matches).slice(0, left);
		left -= wanted.length;
		yield wanted;
		if (left === 0 || isEnd(page)) return;
	}
}

/** If less than everything is wanted, every part is read a little too far. */
const PAGES_WORTH_READING_TOO_FAR = 25;

function isLong(list: OpenList, { readers, ...reading }: ListReading): boolean {
	const total = totalOf(list);
	const wanted = wantedOfTotal(list, reading);
	const pages = wanted < total ? PAGES_WORTH_READING_TOO_FAR : PAGES_WORTH_DIVIDING;
	// A page that is not full hides how many pages there are.
	const isFull = list.first.data.length === LARGEST_PAGE;
	return readers > 1 && isFull && wanted > pages * LARGEST_PAGE;
}

const wantedOfTotal = (
	list: OpenList,
	{ limit, countUntilEnd }: Pick<ListReading, 'limit' | 'countUntilEnd'>,
): number => Math.min(limit, countUntilEnd(list.first.data, totalOf(list)));

const endsEarly = (lists: OpenList[], reading: ListReading): boolean =>
	lists.some((list) => wantedOfTotal(list, reading) < totalOf(list));

/** Splits long lists, so that no reader is left alone with one part at the end. */
async function divideLists(lists: OpenList[], reading: ListReading): Promise<DividedList[]> {
	const longest = lists.reduce((sum, list) => sum + totalOf(list), 0) / reading.readers;
	return await Promise.all(
		lists.map(async (list) => {
			const isTooLong = isLong(list, reading) && totalOf(list) > longest;
			const share = wantedOfTotal(list, reading) / totalOf(list);
			const parts = isTooLong ? await divide(list, reading.fetchPage, longest, share) : [list];
			return toDividedList(list, parts, reading);
		}),
	);
}
