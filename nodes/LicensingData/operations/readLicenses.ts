import { dayIn } from '../filters/enteredDays';
import { choicesLike } from '../filters/enteredValues';
import { AnswerCheck, type Filter, type FilterValues, labels, matcherOf } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import { placesOutsideCounties, strayPlaces, withDistance } from '../filters/placeFilters';
import { toQueries } from '../filters/queries';
import type { License } from '../licenses/license';
import { didYouMean } from '../licenses/similarity';
import { STATUSES } from '../licenses/statuses';
import { formatCount } from '../licenses/text';
import { readLists } from '../listing/readLists';
import type { Service } from '../service/client';
import { MAX_PAGE_SIZE, openList, type OpenList } from '../service/listPages';
import { MAX_AT_ONCE } from '../service/throttle';
import type { Execution } from './operationType';

/** With more lists than this, it takes fewer requests to read a wider list and pick from it here. */
const MAX_QUERIES = 100;

/** From so many requests on, somebody waits for them, or pays for them. */
export const MANY_REQUESTS = 20;

/** After this many pages in a row of what nobody asked for, a service that ignores a filter is not asked on. */
const MAX_IN_VAIN = 20;

/** Yields the licenses that pass the filters of a list, each once, newest first. */
export async function* readLicenses(
	service: Service,
	execution: Execution,
	filters: FilterValues,
	limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<License[], void> {
	const { reading, isExact, check, report } = prepareReading(service, execution, filters);
	// If records are also picked here, a page may yield any number of them, so full pages are quickest.
	const pageSize = isExact ? Math.min(MAX_PAGE_SIZE, limit) : MAX_PAGE_SIZE;
	const isWhole = limit === Number.POSITIVE_INFINITY;
	const open = async (query: OpenList['query']): Promise<OpenList> => {
		const list = await openList(service, { ...query, limit: pageSize });
		if (isWhole) return list;
		return { ...list, rest: untilInVain(list.rest, check, MAX_IN_VAIN * pageSize) };
	};
	const pages = readLists({
		...reading,
		lists: await Promise.all(reading.queries.map(open)),
		limit,
		// If there is a rate limit, the user is told how long the list will take.
		onOpened(left) {
			// How far a limited list is read depends on what passes here.
			if (isExact || isWhole) execution.run.expected = Math.ceil(left / MAX_PAGE_SIZE);
		},
	});
	const complete = withDistance(filters);
	for await (const page of pages) yield page.map(complete);
	report();
}

/** The pages of a list, which ends where nothing comes but what nobody asked for. */
async function* untilInVain(
	pages: OpenList['rest'],
	check: AnswerCheck,
	max: number,
): OpenList['rest'] {
	while (check.inARow < max) {
		const { value, done } = await pages.next();
		if (done) return;
		yield value;
	}
	check.hasGivenUp = true;
	yield { records: [], cursor: null };
}

/** How operations read lists, and what they say about it. */
export function prepareReading(
	service: Service,
	{ run, hint, warn, timeZone }: Execution,
	filters: FilterValues,
	maxQueries = MAX_QUERIES,
) {
	strayPlaces(filters).forEach(warn);
	const { queries, matches, asked, matchedHere } = toQueries(LIST_FILTERS, filters, maxQueries);
	const check = new AnswerCheck(asked, filters);
	/** Those of `matchedHere` that nothing has passed. */
	const never = new Map(matchedHere.map((filter) => [filter, matcherOf([filter], filters)]));
	let hasFound = false;
	return {
		/** True if the service applies all filters. */
		isExact: matchedHere.length === 0,
		check,
		reading: {
			service,
			queries,
			matches(license: License): boolean {
				if (!check.accepts(license)) return false;
				const isWanted = matches(license);
				hasFound ||= isWanted;
				// What is found needs no explanation.
				for (const [filter, passes] of hasFound ? [] : never)
					if (passes(license)) never.delete(filter);
				return isWanted;
			},
			filedAfter: filters.filedAfter,
			readers: run.max ?? MAX_AT_ONCE,
			hint,
			warn,
		},
		/** Says what was left out, which filter left nothing, and what reading has cost. */
		report(isEmpty = !hasFound): void {
			const { right } = check;
			if (check.hint) warn(check.hint);
			const none = right > 0 ? nonePassed(filters, right, matchedHere, never) : noneListed(asked);
			if (isEmpty && (right > 0 || !check.hint)) hint(none + doubtsAbout(filters, timeZone));
			if (matchedHere.length > 0 && !filters.counties && run.answers >= MANY_REQUESTS)
				hint(costOf(matchedHere, run.answers));
		},
	};
}

const costOf = (filters: Filter[], requests: number): string =>
	`This took ${formatCount(requests)} requests, because the service does not filter by ${labels('or', filters)}, and the node reads the whole list. To read less, choose 'Counties', too.`;

function noneListed(asked: Filter[]): string {
	if (asked.length === 0) return "The service's list is empty.";
	const together = asked.length > 1 ? ' together' : '';
	return `The service has no license that matches ${labels('and', asked)}${together}.`;
}

function nonePassed(
	filters: FilterValues,
	read: number,
	all: Filter[],
	never: ReadonlyMap<Filter, unknown>,
): string {
	const which = never.size > 0 ? labels('or', [...never.keys()]) : `all of ${labels('and', all)}`;
	const count = read === 1 ? '1 license was' : `${formatCount(read)} licenses were`;
	const outside = placesOutsideCounties(filters).map(({ where }) => where);
	const where =
		outside.length > 0 ? ` ${outside.join(', ')}, which is not among your 'Counties'.` : '';
	return `${count} read, and none matches ${which}.${where}`;
}

/** What was entered, and may be why nothing matches. */
function doubtsAbout(
	{ filedAfter, happenedAfter, status }: FilterValues,
	timeZone: string,
): string {
	const today = dayIn(timeZone);
	const future = [filedAfter, happenedAfter].find((day) => day !== undefined && day > today);
	const unknown = status?.find((one) => !STATUSES.some(({ value }) => value === one));
	const meant = didYouMean(choicesLike(STATUSES, unknown ?? ''));
	return (future ? ` ${future} is in the future.` : '') + meant;
}
