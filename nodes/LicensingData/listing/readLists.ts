import { hash } from 'node:crypto';

import { unusableResult } from '../licenses/failure';
import { LARGEST_PAGE, type License, type ListQuery } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { MOST_RECORDS } from '../service/list';
import type { Service } from '../service/request';
import type { WatchForEnd } from './dateRange';
import { divide } from './divide';
import { byEvent, orderOf } from './listOrder';
import { ListReader } from './listReader';
import { merge } from './merge';
import { openList, totalOf, type OpenList } from './openList';

export interface ListReading {
	service: Service;
	/** Lists that share no license, and together hold everything that is wanted. */
	queries: ListQuery[];
	/** Lists that are open already, in the place of these queries. */
	opened?: OpenList[];
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
	/** Told how many records are read one page after another, although there are many. */
	onUndivided?: (count: number) => void;
	/** Told when a list that was read to its end announced another total there than at its beginning, or held fewer. */
	onChange: (totals: { before: number; after: number; read: number }) => void;
}

/** A list that was asked for, and the lists that are read in its place. */
interface Whole {
	list: OpenList;
	readers: ListReader[];
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
	const { service, matches, watchForEnd, queries, limit } = reading;
	const lists =
		reading.opened ?? (await Promise.all(queries.map(async (query) => openList(service, query))));
	announce(lists, reading);
	const divided = await divideLong(lists, reading);
	const isNew = onceEach();
	const isLimited = limit < Number.POSITIVE_INFINITY;
	const isOne = divided.flat().length === 1;
	const wholes = lists.map(
		(list, at): Whole => ({
			list,
			readers: (divided[at] ?? []).map((part) => {
				const hasEnded = watchForEnd(part.query);
				return new ListReader(part, { isNew, hasEnded, readsAhead: isOne && !isLimited });
			}),
		}),
	);
	const all = wholes.flatMap(({ readers }) => readers);
	const order = orderOf(divided.flat()) ?? byEvent;
	const ahead = isLimited ? 0 : reading.readers;
	const pages = isOne
		? readOne(all[0] as ListReader, matches)
		: merge(all, { order, matches, ahead });
	let left = limit;
	for await (const page of pages) {
		yield page.slice(0, left);
		left -= page.length;
		if (left <= 0) return;
	}
	for (const whole of wholes) compareTotals(whole, reading);
}

async function* readOne(reader: ListReader, matches: ListReading['matches']) {
	while (reader.isOpen) yield (await reader.next()).filter(matches);
}

/** Remembers records by a hash of all that they say. */
function onceEach(): (license: License) => boolean {
	const seen = new Set<string>();
	return (license) => {
		if (seen.size >= MOST_RECORDS) throw tooMany();
		const { size } = seen;
		return size < seen.add(hash('sha256', JSON.stringify(license), 'base64url').slice(0, 12)).size;
	};
}

function announce(lists: OpenList[], { onOpened, watchForEnd }: ListReading): void {
	const toTheirEnd = lists.filter(({ query }) => !watchForEnd(query));
	onOpened?.(
		sum(toTheirEnd.map(({ first }) => first.total ?? 0)),
		sum(toTheirEnd.map(({ first }) => first.records.length)),
	);
}

/** A list that is much longer than the others would be left alone at the end. */
async function divideLong(lists: OpenList[], reading: ListReading): Promise<OpenList[][]> {
	const most = sum(lists.map(totalOf)) / reading.readers;
	const divided: OpenList[][] = [];
	for (const list of lists) {
		if (!isWorthDividing(list, most, reading)) {
			divided.push([list]);
			continue;
		}
		const { parts, undivided } = await divide(reading.service, list, most);
		if (undivided > 0) reading.onUndivided?.(undivided);
		divided.push(parts);
	}
	return divided;
}

/** If it is read to its end. A page that is not full hides how many there are. */
const isWorthDividing = (
	list: OpenList,
	most: number,
	{ readers, limit, watchForEnd, service }: ListReading,
): boolean =>
	readers > 1 &&
	limit === Number.POSITIVE_INFINITY &&
	!watchForEnd(list.query) &&
	list.first.records.length === LARGEST_PAGE &&
	totalOf(list) > most &&
	!service.throttle.isLimitedByPlan &&
	orderOf([list]) !== undefined;

function compareTotals({ list, readers }: Whole, { onChange }: ListReading): void {
	if (readers.some(({ hasEndedEarly }) => hasEndedEarly)) return;
	const before = list.first.total ?? Number.NaN;
	const after = sum(readers.map(({ total }) => total));
	const read = sum(readers.map(({ distinct }) => distinct));
	if (after < before || after > before || read < after) onChange({ before, after, read });
}

const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0);

const tooMany = () =>
	unusableResult(
		`The list has more than ${formatCount(MOST_RECORDS)} licenses`,
		"Florida has far fewer. Ask for less with 'Filters'. If the list should be short, send this text to the service's support.",
	);
