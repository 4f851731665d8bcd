import { labelOf, matcherOf, toQueries, type Filter, type FilterValues } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import { placesOutsideCounties, strayPlaces, withDistance } from '../filters/placeFilters';
import { LARGEST_PAGE, type License } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { openList } from '../listing/openList';
import { readLists } from '../listing/readLists';
import type { Service } from '../service/client';
import { MOST_AT_ONCE } from '../service/throttle';
import type { Execution } from './operationType';

/** With more lists than this, it takes fewer requests to read a wider list and pick from it here. */
const MOST_QUERIES = 100;

/** From so many requests on, somebody waits for them, or pays for them. */
const MANY_REQUESTS = 20;

/** Yields the licenses that pass the filters of a list, each once, newest first. */
export async function* readLicenses(
	service: Service,
	execution: Execution,
	filters: FilterValues,
	limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<License[], void> {
	const { reading, isExact, report } = prepareReading(service, execution, filters);
	// If records are also picked here, a page may yield any number of them, so full pages are quickest.
	const pageSize = isExact ? Math.min(LARGEST_PAGE, limit) : LARGEST_PAGE;
	const queries = reading.queries.map((query) => ({ ...query, limit: pageSize }));
	const pages = readLists({
		...reading,
		lists: await Promise.all(queries.map(async (query) => await openList(service, query))),
		limit,
		// If there is a rate limit, the user is told how long the list will take.
		onOpened(left) {
			// How far a limited list is read depends on what passes here.
			if (isExact || limit === Number.POSITIVE_INFINITY)
				execution.run.expected = Math.ceil(left / LARGEST_PAGE);
		},
	});
	const complete = withDistance(filters);
	for await (const page of pages) yield page.map(complete);
	report();
}

/** How operations read lists, and what they say about it. */
export function prepareReading(
	service: Service,
	{ run, hint, warn }: Execution,
	filters: FilterValues,
	mostQueries = MOST_QUERIES,
) {
	strayPlaces(filters).forEach(warn);
	const { queries, matches, asked, matchedHere } = toQueries(LIST_FILTERS, filters, mostQueries);
	/** The filters that are matched here and that nothing has passed. */
	const never = new Map(matchedHere.map((filter) => [filter, matcherOf([filter], filters)]));
	let read = 0;
	let hasFound = false;
	return {
		/** Whether the service applies all filters. */
		isExact: matchedHere.length === 0,
		reading: {
			service,
			queries,
			matches(license: License): boolean {
				read++;
				const isWanted = matches(license);
				hasFound ||= isWanted;
				// What is found needs no explanation.
				for (const [filter, passes] of hasFound ? [] : never)
					if (passes(license)) never.delete(filter);
				return isWanted;
			},
			filedAfter: filters.filedAfter,
			readers: run.most ?? MOST_AT_ONCE,
			hint,
			warn,
		},
		/** Says what reading has cost, and which filter left nothing. */
		report(isEmpty = !hasFound): void {
			if (isEmpty && read === 0) hint(noneListed(asked));
			else if (isEmpty) hint(nonePassed(filters, read, matchedHere, [...never.keys()]));
			if (matchedHere.length === 0 || filters.counties || run.answers < MANY_REQUESTS) return;
			hint(
				`This took ${formatCount(run.answers)} requests, because the service does not filter by ${listed('or', matchedHere)}, and the node reads the whole list. To read less, choose 'Counties', too.`,
			);
		},
	};
}

function noneListed(asked: Filter[]): string {
	if (asked.length === 0) return "The service's list is empty.";
	const together = asked.length > 1 ? ' together' : '';
	return `The service has no license that matches ${listed('and', asked)}${together}.`;
}

function nonePassed(filters: FilterValues, read: number, all: Filter[], never: Filter[]): string {
	const which = never.length > 0 ? listed('or', never) : `all of ${listed('and', all)}`;
	const count = read === 1 ? '1 license was' : `${formatCount(read)} licenses were`;
	const outside = placesOutsideCounties(filters).map(({ where }) => where);
	const where =
		outside.length > 0 ? ` ${outside.join(', ')}, which is not among your 'Counties'.` : '';
	return `${count} read, and none matches ${which}.${where}`;
}

/** In the order of the editor. */
const listed = (last: 'and' | 'or', filters: Filter[]): string =>
	// British English has no comma before the last one.
	new Intl.ListFormat('en-GB', { type: last === 'and' ? 'conjunction' : 'disjunction' }).format(
		filters.map((filter) => `'${labelOf(filter)}'`).sort((a, b) => a.localeCompare(b, 'en')),
	);
