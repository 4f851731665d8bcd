import { LARGEST_PAGE } from '../domain/licenseList';
import type { License } from '../domain/license';
import { formatCount } from '../domain/readableText';
import { dateRange } from '../listing/dateRange';
import { readLists } from '../listing/readLists';
import type { FilterValues } from '../parameters/filter';
import { toQueries } from '../parameters/filter';
import { LIST_FILTERS } from '../parameters/licenseFilters';
import { withDistance } from '../parameters/territoryFilter';
import { MOST_AT_ONCE } from '../transport/concurrency';
import { withCountySlug } from '../transport/countySlug';
import { listLicenses } from '../transport/licenses';
import type { Service } from '../transport/request';
import type { Execution } from './action';

/** With more lists than this, it takes fewer requests to read a wider list and pick from it here. */
const MOST_QUERIES = 100;

interface Wanted {
	filters: FilterValues;
	/** Absent means all. */
	limit?: number;
	/** Told what to say where a list holds fewer licenses than it announces. */
	onShortfall: (why: string) => void;
}

/** Yields the licenses that pass the filters of a list, each once, newest first. */
export async function* readLicenses(
	service: Service,
	execution: Execution,
	{ filters, limit = Number.POSITIVE_INFINITY, onShortfall }: Wanted,
): AsyncGenerator<License[], void> {
	const { parallelRequests, expectRequests, log, warn } = execution;
	const { queries, matches, local } = toQueries(LIST_FILTERS, filters, MOST_QUERIES);
	// If records are also picked here, a page may yield any number of them, so full pages are quickest.
	const isExact = Object.keys(local).length === 0;
	const pageSize = isExact ? Math.min(LARGEST_PAGE, limit) : LARGEST_PAGE;
	const pages = readLists({
		fetchPage: withCountySlug(async (query) => await listLicenses(service, query)),
		queries: queries.map((query) => ({ ...query, limit: pageSize })),
		matches,
		limit,
		dateRange: dateRange(filters),
		readers: parallelRequests ?? MOST_AT_ONCE,
		// If there is a rate limit, the user is told how long the list will take.
		onOpened(read, left) {
			// How far a limited list is read depends on what passes here.
			const isKnown = isExact || limit === Number.POSITIVE_INFINITY;
			const records = Math.min(left, limit - read);
			if (isKnown && records > 0) expectRequests(Math.ceil(records / LARGEST_PAGE));
		},
		log,
		onShortfall: (read, announced) => onShortfall(shortfall(read, announced)),
		onChange: (before, after) => warn(change(before, after)),
	});
	const complete = withDistance(filters);
	for await (const page of pages) yield page.map(complete);
}

export const shortfall = (read: number, announced: number): string =>
	`The service announced ${announced} licenses, but its list held ${read}. Some may be missing, or the service counts differently.`;

export const change = (before: number, after: number): string =>
	`The list changed while it was read: it had ${formatCount(before)} licenses at the beginning, and ${formatCount(after)} at the end. What came or moved meanwhile may be missing. Run this again to get it.`;
