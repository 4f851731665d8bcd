import { hash } from 'node:crypto';

import type { License } from '../licenses/license';
import { LARGEST_PAGE, type FetchPage, type ListQuery } from '../licenses/licenseList';
import { waitingBytes, type HeldBytes } from '../licenses/waitingBytes';
import type { WatchForEnd } from './dateRange';
import { divide } from './divide';
import { byEvent, orderOf } from './listOrder';
import { openList, totalOf, type OpenList } from './listPages';
import { mergeByOrder } from './mergeByOrder';
import { Part } from './part';

export interface ListReading {
	fetchPage: FetchPage;
	/** Lists that share no license, and together hold everything that is wanted. */
	queries: ListQuery[];
	/** Tells which of the licenses are wanted. */
	matches: (license: License) => boolean;
	/** At most this many of the newest; infinite for all. */
	limit: number;
	/** Where a list may be left before its end. */
	watchForEnd: (query: ListQuery) => WatchForEnd | undefined;
	/** How many pages may be asked for at once. */
	readers: number;
	/** Told how many records are to be read to the end of all lists, and how many of them have been. */
	onOpened?: (announced: number, read: number) => void;
	/** Told when a list that was read to its end announced another total there than at its beginning, or held fewer. */
	onChange: (totals: { before: number; after: number; read: number }) => void;
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
	const { fetchPage, matches, watchForEnd } = reading;
	const wholes = await Promise.all(
		reading.queries.map(async (query) => await openList(fetchPage, query, held)),
	);
	const toTheirEnd = wholes.filter(({ query }) => !watchForEnd(query));
	reading.onOpened?.(
		sum(toTheirEnd.map(({ first }) => first.total ?? 0)),
		sum(toTheirEnd.map(({ first }) => first.records.length)),
	);
	const longest = sum(wholes.map(totalOf)) / reading.readers;
	const divided = await Promise.all(
		wholes.map(async (whole) =>
			isWorthDividing(whole, longest, reading) ? await divide(whole, fetchPage, held) : [whole],
		),
	);
	const order = orderOf(divided.flat()) ?? byEvent;
	const seen = new Set<string>();
	const isNew = (license: License): boolean =>
		seen.size < seen.add(hash('sha256', JSON.stringify(license), 'base64url').slice(0, 12)).size;
	const readsAhead = reading.limit === Number.POSITIVE_INFINITY;
	const parts = divided.map((lists) =>
		lists.map((list) => {
			const hasEnded = watchForEnd(list.query);
			return new Part(list, { isNew, matches, order, hasEnded, readsAhead });
		}),
	);
	let left = reading.limit;
	for await (const page of mergeByOrder(parts.flat(), reading.limit)) {
		left -= page.length;
		yield page;
	}
	if (left > 0) wholes.forEach((whole, at) => compareTotals(whole, parts[at] ?? [], reading));
}

const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0);

/** If it is read to its end, and would be left alone there. A page that is not full hides how many there are. */
const isWorthDividing = (
	whole: OpenList,
	longest: number,
	{ readers, limit, watchForEnd }: ListReading,
): boolean =>
	readers > 1 &&
	limit === Number.POSITIVE_INFINITY &&
	!watchForEnd(whole.query) &&
	whole.first.records.length === LARGEST_PAGE &&
	totalOf(whole) > longest &&
	orderOf([whole]) !== undefined;

function compareTotals(whole: OpenList, parts: Part[], { onChange }: ListReading): void {
	if (parts.some(({ hasEndedEarly }) => hasEndedEarly)) return;
	const before = totalOf(whole);
	const after = sum(parts.map(({ total }) => total));
	const read = sum(parts.map(({ distinct }) => distinct));
	if (after < before || after > before || read < after) onChange({ before, after, read });
}
