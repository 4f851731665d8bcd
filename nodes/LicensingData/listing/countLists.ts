import { cannotGoOn, type Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import {
	LARGEST_PAGE,
	type FetchPage,
	type LicensePage,
	type ListQuery,
} from '../licenses/licenseList';
import { formatCount } from '../licenses/readableText';
import { waitingBytes, type HeldBytes } from '../licenses/waitingBytes';
import { openList } from './listPages';
import { readLists, type ListReading } from './readLists';
import { allowUnknown } from './unknownValues';

/** A part of a list that the service can be asked for, and the group in which it counts. */
export interface CountedPart {
	query: ListQuery;
	group: string;
}

interface Counting extends Omit<ListReading, 'limit' | 'onOpened'> {
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
	const held = waitingBytes.open();
	const counter = new Counter(counting, held);
	try {
		await Promise.all(counting.queries.map(async (query) => await counter.count(query)));
	} finally {
		held.close();
	}
	return counter.counts;
}

class Counter {
	readonly counts = new Map<string, number>();

	constructor(
		private readonly counting: Counting,
		private readonly held: HeldBytes,
	) {}

	async count(query: ListQuery): Promise<void> {
		const { fetchPage, partsOf } = this.counting;
		const asked = { ...query, limit: LARGEST_PAGE };
		const { first } = await openList(fetchPage, asked, this.held);
		const total = sizeOf(first);
		const parts = partsOf?.(query);
		const isLong = parts && total > Math.min(parts.length * LARGEST_PAGE, MOST_READ);
		const isCounted = isLong && (await this.ask(query, total, parts));
		if (!isCounted) await this.readAll(query, first);
		this.held.remove(first.bytes ?? 0);
	}

	/** Counts by totals. False if they are missing, or make no sense. */
	private async ask(query: ListQuery, total: number, parts: CountedPart[]): Promise<boolean> {
		const { fetchPage } = this.counting;
		const sizes = await Promise.all(
			parts.map(async ({ query: part }) =>
				Object.keys(part).length === Object.keys(query).length
					? total
					: sizeOf(await allowUnknown(fetchPage)({ ...part, limit: 1 })),
			),
		);
		const sum = sizes.reduce((all, size) => all + size, 0);
		if (!(sum <= total * MOST_GROWTH)) return false;
		parts.forEach(({ group }, at) => this.add(group, sizes[at] as number));
		this.add(OTHER, Math.max(0, total - sum));
		return true;
	}

	private async readAll(query: ListQuery, first: LicensePage): Promise<void> {
		const { groupOf, ...reading } = this.counting;
		const total = sizeOf(first);
		if (total > MOST_READ && !reading.watchForEnd(query)) throw tooLong(total);
		const pages = readLists({
			...reading,
			// Its bytes are counted already.
			fetchPage: startingWith({ ...first, bytes: 0 }, reading.fetchPage),
			queries: [{ ...query, limit: LARGEST_PAGE }],
			limit: Number.POSITIVE_INFINITY,
		});
		for await (const page of pages) {
			for (const license of page) this.add(groupOf(license) ?? OTHER, 1);
		}
	}

	private add(group: string, count: number): void {
		this.counts.set(group, (this.counts.get(group) ?? 0) + count);
	}
}

/** NaN if the service does not say. A list that ends with its first page needs no total. */
const sizeOf = ({ records, cursor, total = Number.NaN }: LicensePage): number =>
	cursor === null ? records.length : total;

/** The page that is there need not be asked for again, the first time. */
function startingWith(first: LicensePage, fetchPage: FetchPage): FetchPage {
	let known: LicensePage | undefined = first;
	return async (query) => {
		const page = known;
		known = undefined;
		return page ?? (await fetchPage(query));
	};
}

const tooLong = (total: number): Failure =>
	cannotGoOn(
		`The list to count has ${formatCount(total)} licenses, too many to read`,
		`Count reads up to ${formatCount(MOST_READ)} licenses where the service cannot count by itself: for places, dates, and groups by status or city. Set 'Counties', 'License Types' or 'Events' so that fewer match. Export has no such limit, and says how many licenses it wrote.`,
	);
