import { unusableResult, type Failure } from '../licenses/failure';
import { LARGEST_PAGE, type License, type ListQuery } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { openPart } from './divide';
import { openList, totalOf, type OpenList } from './openList';
import { readLists, type ListReading } from './readLists';

/** A part of a list that the service can be asked for, and the group in which it counts. */
export interface CountedPart {
	query: ListQuery;
	group: string;
}

interface Counting extends Omit<ListReading, 'limit' | 'opened' | 'onOpened' | 'onUndivided'> {
	/** The group of a license; undefined if it is in none of them. */
	groupOf: (license: License) => string | undefined;
	/** The parts of a list, one for each group. Undefined if only the records tell what is counted where. */
	partsOf: ((query: ListQuery) => CountedPart[]) | undefined;
}

/** What is in none of the groups. */
export const OTHER = 'other';

/** A hundred pages. With more, an export is the better way. */
const MOST_READ = 100 * LARGEST_PAGE;

/** A list may grow while its groups are counted; a filter that is ignored makes much more of them. */
const MOST_GROWTH = 1.05;

/**
 * Counts the licenses of each group. A service announces with each page how many licenses match, so one
 * request counts a group of any size. If it ignores the filter of the groups, they are more than the whole: then
 * the list is read, and its licenses are counted.
 */
export async function countLists(counting: Counting): Promise<Map<string, number>> {
	const counter = new Counter(counting);
	await Promise.all(counting.queries.map(async (query) => await counter.count(query)));
	return counter.counts;
}

class Counter {
	readonly counts = new Map<string, number>();
	/** How many records of lists that do not say how long they are. */
	private unannounced = 0;

	constructor(private readonly counting: Counting) {}

	async count(query: ListQuery): Promise<void> {
		const { service, partsOf } = this.counting;
		const list = await openList(service, { ...query, limit: LARGEST_PAGE });
		const parts = partsOf?.(query);
		const isLong = parts && totalOf(list) > Math.min(parts.length * LARGEST_PAGE, MOST_READ);
		const isCounted = isLong && (await this.ask(query, totalOf(list), parts));
		if (!isCounted) await this.readAll(list);
	}

	/** Counts by totals. False if they are missing, or make no sense. */
	private async ask(query: ListQuery, total: number, parts: CountedPart[]): Promise<boolean> {
		const sizes = await Promise.all(
			parts.map(async ({ query: part }) =>
				Object.keys(part).length === Object.keys(query).length
					? total
					: totalOf(await openPart(this.counting.service, { ...part, limit: 1 })),
			),
		);
		const sum = sizes.reduce((all, size) => all + size, 0);
		if (!(sum <= total * MOST_GROWTH)) return false;
		parts.forEach(({ group }, at) => this.add(group, sizes[at] as number));
		this.add(OTHER, Math.max(0, total - sum));
		return true;
	}

	private async readAll(list: OpenList): Promise<void> {
		const { groupOf, ...reading } = this.counting;
		const total = totalOf(list);
		const mayEndEarly = reading.watchForEnd(list.query) !== undefined;
		if (total > MOST_READ && !mayEndEarly) throw tooLong(total);
		let read = 0;
		const isTooMuch = (): boolean =>
			Number.isNaN(total)
				? ++this.unannounced > MOST_READ
				: ++read > total * MOST_GROWTH + LARGEST_PAGE;
		const matches = (license: License): boolean => {
			if (isTooMuch()) throw tooLong();
			return reading.matches(license);
		};
		const limit = Number.POSITIVE_INFINITY;
		for await (const page of readLists({ ...reading, opened: [list], matches, limit })) {
			for (const license of page) this.add(groupOf(license) ?? OTHER, 1);
		}
	}

	private add(group: string, count: number): void {
		this.counts.set(group, (this.counts.get(group) ?? 0) + count);
	}
}

const tooLong = (total?: number): Failure =>
	unusableResult(
		`The list to count has ${total === undefined ? `more than ${formatCount(MOST_READ)}` : formatCount(total)} licenses, too many to read`,
		`Count reads up to ${formatCount(MOST_READ)} licenses where the service cannot count by itself: for places, dates, and groups by status or city. Set 'Counties', 'License Types' or 'Events' so that fewer match. Export has no such limit, and says how many licenses it wrote.`,
	);
