import { LARGEST_PAGE, type License } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { readLists, type ListReading } from '../listing/readLists';
import type { FilterValues } from '../filters/filter';
import { strayPlaces, withDistance } from '../filters/territoryFilter';
import { MOST_AT_ONCE } from '../service/throttle';
import type { Service } from '../service/client';
import type { Execution } from './action';
import { FilterReport } from './filterReport';

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
	const report = new FilterReport(filters, MOST_QUERIES);
	const { queries, matches, isExact } = report;
	// If records are also picked here, a page may yield any number of them, so full pages are quickest.
	const pageSize = isExact ? Math.min(LARGEST_PAGE, limit) : LARGEST_PAGE;
	const pages = readLists({
		...readingFor(service, filters, execution),
		queries: queries.map((query) => ({ ...query, limit: pageSize })),
		matches,
		limit,
		// If there is a rate limit, the user is told how long the list will take.
		onOpened(announced, read) {
			// How far a limited list is read depends on what passes here.
			if (!isExact && limit < Number.POSITIVE_INFINITY) return;
			const left = Math.min(announced, limit) - read;
			if (left > 0) execution.expectRequests(Math.ceil(left / LARGEST_PAGE));
		},
		onUndivided: (count) =>
			execution.hint(
				`${formatCount(count)} licenses were read one page after another, which takes longer: some of them name no county, so the list cannot be read county by county.`,
			),
	});
	const complete = withDistance(filters);
	let isEmpty = true;
	for await (const page of pages) {
		isEmpty &&= page.length === 0;
		yield page.map(complete);
	}
	report.say(isEmpty, execution);
}

/** How operations read lists. */
export const readingFor = (
	service: Service,
	filters: FilterValues,
	{ parallelRequests = MOST_AT_ONCE, warn }: Execution,
) => ({
	service,
	filedAfter: filters.filedAfter,
	readers: parallelRequests,
	onChange: ({ before, after, read }: Parameters<ListReading['onChange']>[0]) =>
		warn(
			before === after
				? `The service announced ${before} licenses, but its list held ${read}. Some may be missing, or the service counts differently.`
				: `The list changed while it was read: it had ${formatCount(before)} licenses at the beginning, and ${formatCount(after)} at the end. What came or moved meanwhile may be missing. Run this again to get it.`,
		),
});
