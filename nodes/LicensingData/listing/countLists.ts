import { cannotGoOn, type Failure } from '../domain/failure';
import type { License } from '../domain/license';
import {
	LARGEST_PAGE,
	type FetchPage,
	type LicensePage,
	type ListQuery,
} from '../domain/licenseList';
import { formatCount } from '../domain/readableText';
import { readLists, type ListReading } from './readLists';

/** A part of a list that the service can be asked for, and the group in which it counts. */
export interface CountedPart {
	query: ListQuery;
	group: string;
}

export interface Counting extends Omit<ListReading, 'limit' | 'onOpened'> {
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

const CANNOT_ASK =
	'Filters that the service does not have, such as places and dates, and groups by status or city can be counted only by reading.';
const CANNOT_BELIEVE =
	'The service can count by itself, but its totals are missing, or stay the same without a filter.';

/**
 * Counts the licenses of each group. A service announces with each page how many licenses match, so one
 * request counts a group of any size. A service that ignores a filter announces as many without it: that is
 * asked for, once a filter, and then the list is read, and its licenses are counted.
 */
export async function countLists(counting: Counting): Promise<Map<string, number>> {
	const counter = new Counter(counting);
	await Promise.all(counting.queries.map(async (query) => await counter.count(query)));
	return counter.counts;
}

class Counter {
	readonly counts = new Map<string, number>();
	/** What was asked for several lists. */
	private readonly sizes = new Map<string, Promise<number>>();
	private read = 0;

	constructor(private readonly counting: Counting) {}

	async count(query: ListQuery): Promise<void> {
		const { fetchPage, partsOf } = this.counting;
		const first = await fetchPage({ ...query, limit: LARGEST_PAGE });
		const total = sizeOf(first);
		const parts = partsOf?.(query);
		const questions = (parts?.length ?? 0) + Object.keys(query).length;
		const isLong = total > Math.min(questions * LARGEST_PAGE, MOST_READ);
		if (parts && isLong && (await this.ask(query, total, parts))) return;
		await this.readAll(query, first, parts ? CANNOT_BELIEVE : CANNOT_ASK);
	}

	/** Counts by totals. False if they are missing, or if the service ignores a filter. */
	private async ask(query: ListQuery, total: number, parts: CountedPart[]): Promise<boolean> {
		const filters = Object.keys(query);
		const [wider, sizes] = await Promise.all([
			Promise.all(filters.map(async (one) => await this.size({ ...query, [one]: undefined }))),
			Promise.all(
				parts.map(async ({ query: part }) =>
					Object.keys(part).length === filters.length ? total : await this.size(part),
				),
			),
		]);
		const sum = sizes.reduce((all, size) => all + size, 0);
		const isPlausible = sum <= total * MOST_GROWTH && wider.every((size) => size > total);
		if (!isPlausible) return false;
		parts.forEach(({ group }, at) => this.add(group, sizes[at] as number));
		this.add(OTHER, Math.max(0, total - sum));
		return true;
	}

	private async size(query: ListQuery): Promise<number> {
		const key = JSON.stringify(query);
		const size =
			this.sizes.get(key) ?? this.counting.fetchPage({ ...query, limit: 1 }).then(sizeOf);
		this.sizes.set(key, size);
		return await size;
	}

	private async readAll(query: ListQuery, first: LicensePage, why: string): Promise<void> {
		const { matches, groupOf, ...reading } = this.counting;
		const total = sizeOf(first);
		if (total > MOST_READ && !reading.watchForEnd(query)) throw tooLong(total, why);
		const pages = readLists({
			...reading,
			fetchPage: startingWith(first, reading.fetchPage),
			queries: [{ ...query, limit: LARGEST_PAGE }],
			matches: () => true,
			limit: Number.POSITIVE_INFINITY,
		});
		for await (const page of pages) {
			this.read += page.length;
			if (this.read > MOST_READ) throw tooLong(total, why);
			for (const license of page.filter(matches)) this.add(groupOf(license) ?? OTHER, 1);
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

function tooLong(total: number, why: string): Failure {
	const size = total > MOST_READ ? formatCount(total) : `more than ${formatCount(MOST_READ)}`;
	return cannotGoOn(
		`The list to count has ${size} licenses, too many to read`,
		`${why} Count reads up to ${formatCount(MOST_READ)} licenses. Set 'Counties', 'License Types' or 'Events' so that fewer match, or leave out what can be counted only by reading. Export has no such limit, and says how many licenses it wrote.`,
	);
}
