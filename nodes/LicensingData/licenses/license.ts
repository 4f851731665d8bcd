import { textOf } from './text';

/**
 * The service's records. Nothing says which fields are required, so every one may be null or missing, and
 * fields or values that are not named here pass through.
 */
export interface Address {
	street?: string | null;
	city?: string | null;
	county?: string | null;
	state?: string | null;
	zip?: string | null;
	lat?: number | null;
	lng?: number | null;
	[field: string]: unknown;
}

export interface License {
	id?: string | null;
	licenseNumber?: string | null;
	licenseType?: string | null;
	status?: string | null;
	businessName?: string | null;
	legalName?: string | null;
	dbaName?: string | null;
	address?: Address | null;
	filedDate?: string | null;
	effectiveDate?: string | null;
	eventType?: string | null;
	eventTimestamp?: string | null;
	issuedDate?: string | null;
	expirationDate?: string | null;
	sourceUrl?: string | null;
	/** What is known of some businesses beside their license. */
	enrichment?: { phone?: string | null; website?: string | null; [field: string]: unknown } | null;
	[field: string]: unknown;
}

/** What a record is called: its ID or, without one, its number. */
export const licenseKey = ({ id, licenseNumber }: Record<string, unknown>): string | undefined =>
	textOf(id) || textOf(licenseNumber) || undefined;

/** What a node finds out about a license. Every form of output adds it to the service's fields. */
export const FINDINGS = ['distanceMiles', 'matchScore', 'matchReason'];

/** The most licenses that the service puts on one page. */
export const LARGEST_PAGE = 50;

/** One page of a list, as everything from the wire to the trigger knows it. */
export interface ListPage<Entry> {
	records: Entry[];
	/** Leads to the next page; null on the last. */
	cursor: string | null;
	/** How many the whole list holds. It is for information; only the cursor decides whether to read on. */
	total?: number;
	/** What is wrong with the first record that is no license, and was left out. */
	unreadable?: string | undefined;
}

export type LicensePage = ListPage<License>;

/** What GET /licenses accepts: a page of a list, filtered as `filters/licenseFilters.ts` declares. */
export interface ListQuery {
	[filter: string]: string | number | undefined;
	county?: string;
	limit?: number;
	cursor?: string;
}

/** A filter of the service, and the values of it that are asked for. */
export interface FilterChoice {
	filter: string;
	values: string[];
}

/** The service takes one value of a filter at a time, so there is a query for every combination of values. */
export const combinations = (query: ListQuery, choices: FilterChoice[]): ListQuery[] =>
	choices.reduce<ListQuery[]>(
		(queries, { filter, values }) =>
			queries.flatMap((one) => values.map((value) => ({ ...one, [filter]: value }))),
		[query],
	);

/**
 * Given one page of a walk after another, returns true once the walk repeats itself. It is Brent's algorithm: it
 * keeps one page to compare with, and takes a later one twice as far on, so it finds a cycle of any length
 * within three times that length.
 */
export function cycleDetector(): (page: string) => boolean {
	let kept: string | undefined;
	let steps = 0;
	let power = 1;
	return (page) => {
		if (page === kept) return true;
		if (++steps === power) {
			kept = page;
			power *= 2;
			steps = 0;
		}
		return false;
	};
}

/**
 * Whatever a service sends is bounded by these numbers, where answers are read. What comes behind relies on
 * them, and defends itself no second time.
 */

/** In characters of JSON. A license is about a thousand. */
export const LARGEST_RECORD = 100_000;

/** In one answer. A page of fifty licenses has about two thousand. */
export const MOST_VALUES = 20_000;

/** In characters. */
export const LONGEST_ID = 300;
