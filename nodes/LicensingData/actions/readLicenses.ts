import { LARGEST_PAGE } from '../domain/licenseList';
import type { License } from '../domain/license';
import { readLists } from '../listing/readLists';
import type { FilterValues } from '../parameters/filter';
import { toQueries } from '../parameters/filter';
import { LIST_FILTERS } from '../parameters/licenseFilters';
import { withDistance } from '../parameters/territoryFilter';
import { MOST_AT_ONCE } from '../transport/concurrency';
import type { Service } from '../transport/request';
import type { Circumstances } from './action';
import { countyNames } from './countyNames';
import { countUntilEnd, watchForEnd } from './dateCutoff';

/** With more lists than this, it takes fewer requests to read a wider list and pick from it here. */
const MOST_QUERIES = 100;

interface Wanted {
	filters: FilterValues;
	/** Absent means all. */
	limit?: number;
	/** Told what to say where a list holds fewer licenses than it announces. */
	onMissing: (why: string) => void;
}

/** Yields the licenses that pass the filters of a list, each once, newest first. */
export async function* readLicenses(
	service: Service,
	circumstances: Circumstances,
	{ filters, limit = Number.POSITIVE_INFINITY, onMissing }: Wanted,
): AsyncGenerator<License[], void> {
	const { parallelRequests, expectRequests, log } = circumstances;
	const { queries, matches, local } = toQueries(LIST_FILTERS, filters, MOST_QUERIES);
	// If records are also picked here, a page may yield any number of them, so full pages are quickest.
	const isExact = Object.keys(local).length === 0;
	const pageSize = isExact ? Math.min(LARGEST_PAGE, limit) : LARGEST_PAGE;
	const pages = readLists({
		fetchPage: countyNames(service, circumstances, { filters, limit }).list,
		queries: queries.map((query) => ({ ...query, limit: pageSize })),
		matches,
		limit,
		watchForEnd: () => watchForEnd(filters),
		countUntilEnd: (firstPage, total) => countUntilEnd(filters, firstPage, total),
		readers: parallelRequests ?? MOST_AT_ONCE,
		// A quota that is too small is said now, and is no surprise in the middle.
		onOpened(read, left) {
			// How far a limited list is read depends on what passes here.
			const isKnown = isExact || limit === Number.POSITIVE_INFINITY;
			const records = Math.min(left, limit - read);
			if (isKnown && records > 0) expectRequests(Math.ceil(records / LARGEST_PAGE));
		},
		log,
		onMissing: (read, announced) => onMissing(missing(read, announced)),
	});
	const complete = withDistance(filters);
	for await (const page of pages) yield page.map(complete);
}

export const missing = (read: number, announced: number): string =>
	`The service announced ${announced} licenses, but its list held ${read}. Some may be missing, or the service counts differently.`;
