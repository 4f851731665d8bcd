import { combinations, type ListQuery } from '../licenses/license';
import { type Filter, type FilterValues, matcherOf, type ServiceFilter } from './filter';

/** How many lists the service is asked for, where shorter ones can be had. */
const MAX_LISTS = 4;

const isForService = (filter: Filter): filter is ServiceFilter => filter.query !== undefined;

/**
 * What to ask the service for, and what is left to match here. The queries share no record, and together return
 * everything that is wanted. If there are more than `max` of them, the filter with the most values is matched here
 * instead. What the service filters by is only checked for contradictions.
 */
export function toQueries(
	filters: readonly Filter[],
	values: FilterValues,
	max = Number.POSITIVE_INFINITY,
) {
	const active = filters.filter(({ name }) => values[name] !== undefined);
	const wantedBy = ({ name }: ServiceFilter) => values[name] ?? [];
	const asked = active.filter(isForService).sort((a, b) => wantedBy(a).length - wantedBy(b).length);
	const count = () => asked.reduce((product, filter) => product * wantedBy(filter).length, 1);
	while (count() > max) asked.pop();

	const matchedHere = active.filter((filter) => !asked.some(({ name }) => name === filter.name));
	const choices = asked.map((filter) => ({ filter: filter.query, values: wantedBy(filter) }));
	return {
		queries: combinations({}, choices),
		/** Tells which records pass the filters that the service is not asked to apply. */
		matches: matcherOf(matchedHere, values),
		asked,
		matchedHere,
	};
}

/** What a trigger asks for: each pair of county and type, each county, or each type, where that makes few lists; else all. */
export function shortestLists(
	{ counties, licenseTypes }: Pick<FilterValues, 'counties' | 'licenseTypes'>,
	events: number,
): ListQuery[] {
	const byCounty = counties?.map((county) => ({ county })) ?? [{}];
	const byType = licenseTypes?.map((license_type) => ({ license_type })) ?? [{}];
	const pairs = byCounty.flatMap((one) => byType.map((other) => ({ ...one, ...other })));
	const max = Math.max(MAX_LISTS, events);
	return [pairs, byCounty, byType].find(({ length }) => length * events <= max) ?? [{}];
}
