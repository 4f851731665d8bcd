import { LARGEST_PAGE, type FetchPage, type ListQuery } from '../domain/licenseList';
import type { License } from '../domain/license';
import { typeOfSeries } from '../domain/licenseTypes';
import { formatCount } from '../domain/readableText';
import { statusesOf } from '../domain/statuses';
import { watchForEnd } from '../listing/dateRange';
import { readLists } from '../listing/readLists';
import { toQueries, type FilterValues } from '../parameters/filter';
import { adviceOnSeries, LIST_FILTERS } from '../parameters/licenseFilters';
import { strayPlaces, withDistance } from '../parameters/territoryFilter';
import { MOST_AT_ONCE } from '../transport/concurrency';
import { withCountySlug } from '../transport/countySlug';
import { listLicenses } from '../transport/licenses';
import type { Service } from '../transport/request';
import type { Execution } from './action';

/** With more lists than this, it takes fewer requests to read a wider list and pick from it here. */
const MOST_QUERIES = 100;

/** Yields the licenses that pass the filters of a list, each once, newest first. */
export async function* readLicenses(
	service: Service,
	execution: Execution,
	filters: FilterValues,
	limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<License[], void> {
	strayPlaces(filters).forEach(execution.warn);
	const { queries, matches, isExact } = toQueries(LIST_FILTERS, filters, MOST_QUERIES);
	// If records are also picked here, a page may yield any number of them, so full pages are quickest.
	const pageSize = isExact ? Math.min(LARGEST_PAGE, limit) : LARGEST_PAGE;
	const pages = readLists({
		...readingFor(service, filters, execution),
		queries: queries.map((query) => ({ ...query, limit: pageSize })),
		matches,
		limit,
	});
	const complete = withDistance(filters);
	let isEmpty = true;
	for await (const page of pages) {
		isEmpty &&= page.length === 0;
		yield page.map(complete);
	}
	if (isEmpty) await explainNothing(service, filters, execution);
}

/** How operations read lists. */
export const readingFor = (
	service: Service,
	filters: FilterValues,
	{ parallelRequests = MOST_AT_ONCE, warn }: Execution,
) => ({
	fetchPage: lists(service),
	watchForEnd: (query: ListQuery) => watchForEnd(filters.filedAfter, query),
	readers: parallelRequests,
	onShortfall: (read: number, announced: number) =>
		warn(
			`The service announced ${announced} licenses, but its list held ${read}. Some may be missing, or the service counts differently.`,
		),
	onChange: (before: number, after: number) =>
		warn(
			`The list changed while it was read: it had ${formatCount(before)} licenses at the beginning, and ${formatCount(after)} at the end. What came or moved meanwhile may be missing. Run this again to get it.`,
		),
});

const lists = (service: Service): FetchPage =>
	withCountySlug(async (query) => await listLicenses(service, query));

/** For an empty result: what people look for among names, or under a status that no license has. */
export async function explainNothing(
	service: Service,
	filters: FilterValues,
	{ hint }: Pick<Execution, 'hint'>,
): Promise<void> {
	const [words] = (filters.query ?? []) as string[];
	const type = typeOfSeries(words);
	if (type !== undefined) hint(`${words} is a kind of license. ${adviceOnSeries(type.name)}`);
	if (filters.status === undefined) return;
	const [query] = toQueries(LIST_FILTERS, filters, 1).queries;
	// The result is what was asked for; a hint is not worth failing for.
	const page = await lists(service)({ ...query, status: undefined, limit: LARGEST_PAGE }).catch(
		() => undefined,
	);
	if (!page?.records.length) return;
	hint(
		`No license with this 'Status' matches the filters. The newest licenses have: ${statusesOf(page.records)}.`,
	);
}
