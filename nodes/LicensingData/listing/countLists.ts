import { Failure } from '../licenses/failure';
import { type License, licenseKey, type ListQuery } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { MAX_PAGE_SIZE, openList, type OpenList, openPart, totalOf } from '../service/listPages';
import { earlyStop } from './listOrder';
import { type ListReading, readLists } from './readLists';

/** A part of a list that the service can be asked for, and the group in which it counts. */
export interface CountedPart {
	query: ListQuery;
	group: string;
}

interface Counting extends Omit<ListReading, 'lists'> {
	queries: ListQuery[];
	/** The group of a license; undefined if it is in none of them. */
	groupOf: (license: License) => string | undefined;
	/** Tells whether a license is what a list was asked for, as far as it says. */
	belongsTo: (license: License, query: ListQuery) => boolean;
	/** The parts of a list, one for each group. Undefined if only the records tell what is counted where. */
	partsOf: ((query: ListQuery) => CountedPart[]) | undefined;
}

/** What is in none of the groups. */
export const OTHER = 'other';

type Counted = Array<[group: string, count: number]>;

/** Twice what Florida has of new filings. With more, an export is the better way. */
const MAX_COUNTED = 400 * MAX_PAGE_SIZE;

/** A list may grow while its groups are counted; a filter that is ignored makes much more of them. */
const MAX_GROWTH = 1.05;

/**
 * Counts the licenses of each group. A service announces with each page how many licenses match, so one
 * request counts a group of any size. If it ignores the filter of the groups, they are more than the whole: then
 * the list is read, and its licenses are counted.
 */
export async function countLists(counting: Counting): Promise<Map<string, number>> {
	const { service, queries, partsOf, belongsTo } = counting;
	const lists = await Promise.all(
		queries.map(async (query) => await openList(service, { ...query, limit: MAX_PAGE_SIZE })),
	);
	// Where a filter is ignored, several lists begin with the same license, though it belongs to one of them.
	const tops = lists.map(({ first: { records } }) => records[0] && licenseKey(records[0]));
	const byTotals = await Promise.all(
		queries.map(async (query, at) => {
			const list = lists[at] as OpenList;
			const isOwn = tops.indexOf(tops[at]) === tops.lastIndexOf(tops[at]);
			const parts = partsOf?.(query) ?? [];
			const isLong = totalOf(list) > Math.min(parts.length * MAX_PAGE_SIZE, MAX_COUNTED);
			const isTrusted = list.first.records.every((license) => belongsTo(license, query));
			const mayTell = parts.length > 0 && isLong && isTrusted && isOwn;
			return mayTell ? await askFor(parts, query, list, counting) : undefined;
		}),
	);
	const read = await readAll(
		lists.filter((_, at) => !byTotals[at]),
		counting,
	);
	const counts = new Map<string, number>();
	for (const [group, count] of [...byTotals.flatMap((counted) => counted ?? []), ...read])
		counts.set(group, (counts.get(group) ?? 0) + count);
	return counts;
}

/** Counts by totals. Undefined if they are missing, or make no sense. */
async function askFor(
	parts: CountedPart[],
	query: ListQuery,
	list: OpenList,
	{ service }: Counting,
): Promise<Counted | undefined> {
	const total = totalOf(list);
	const counted = await Promise.all(
		parts.map(async ({ query: part, group }): Promise<Counted[number]> => {
			const isWhole = Object.keys(part).length === Object.keys(query).length;
			return [group, isWhole ? total : totalOf(await openPart(service, { ...part, limit: 1 }))];
		}),
	);
	const sum = counted.reduce((all, [, size]) => all + size, 0);
	return sum <= total * MAX_GROWTH ? [...counted, [OTHER, Math.max(0, total - sum)]] : undefined;
}

/** All of them together have a limit: a hundred lists, each just short enough, would fill the memory. */
async function readAll(lists: OpenList[], counting: Counting): Promise<Counted> {
	const { groupOf, belongsTo, ...reading } = counting;
	const total = lists.reduce((sum, list) => sum + (totalOf(list) || 0), 0);
	const stopsEarly = (list: OpenList) => Boolean(earlyStop(reading.filedAfter, list.query));
	if (total > MAX_COUNTED && !lists.some(stopsEarly)) throw tooLong(total);
	// A total that is none, such as that of the page, does not end the counting.
	const max = Math.max(MAX_COUNTED, total) * MAX_GROWTH;
	let read = 0;
	const count = async (list: OpenList): Promise<Counted> => {
		const matches = (license: License): boolean => {
			if (++read > max) throw tooLong();
			return reading.matches(license) && belongsTo(license, list.query);
		};
		const counted: Counted = [];
		for await (const page of readLists({ ...reading, lists: [list], matches }))
			for (const license of page) counted.push([groupOf(license) ?? OTHER, 1]);
		return counted;
	};
	return (await Promise.all(lists.map(count))).flat();
}

const tooLong = (total?: number): Failure =>
	new Failure(
		`The list to count has ${total === undefined ? `more than ${formatCount(MAX_COUNTED)}` : formatCount(total)} licenses, too many to read`,
		`The service cannot count by city, ZIP code, distance or date, or group by status, so for these, and where the service ignores a filter, the node reads the list itself, up to ${formatCount(MAX_COUNTED)} licenses. Set 'Counties', 'License Types' or 'Events' so that fewer match. Export has no such limit, and says how many licenses it wrote.`,
	);
