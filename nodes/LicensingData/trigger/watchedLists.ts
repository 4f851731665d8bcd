import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { type FilterValues, matcherOf, readFilters } from '../filters/filter';
import { POLLING_FILTERS, readTriggerFilters, TRIGGER_EVENTS } from '../filters/licenseFilters';
import { numberWithin } from '../filters/enteredValues';
import { ALL_EVENT_TYPES, EVENT_TYPES, NEW_FILING } from '../licenses/eventTypes';
import type { License, ListQuery } from '../licenses/license';

/** How many lists the service is asked for, where shorter ones can be had. */
const MAX_LISTS = 4;

/** What the service lists of one event, and the queries that it is asked with. */
export interface WatchedList {
	event: string;
	/** True if nobody chose it, so that a service need not have it. */
	isOptional?: boolean;
	queries: ListQuery[];
}

/** What the user wants to watch. */
export function watchedLists(context: IPollFunctions, { lookbackDays: entered = 90 }: IDataObject) {
	const values = readTriggerFilters([TRIGGER_EVENTS, ...POLLING_FILTERS], context);
	const lookbackDays = numberWithin('Lookback Days', entered, { min: 0, max: 3650 });
	const { eventTypes: chosen } = values;
	const all = chosen ?? ALL_EVENT_TYPES.map(({ value }) => value);
	const events = [...all].sort((a, b) => Number(b === NEW_FILING) - Number(a === NEW_FILING));
	const queries = shortestLists(values, events.length);
	const lists = events.map((event): WatchedList => {
		const isOptional = !chosen && EVENT_TYPES.every(({ value }) => value !== event);
		return { event, isOptional, queries: queries.map((one) => ({ ...one, event_type: event })) };
	});
	// As a text, what was entered can be saved and compared.
	const filters = JSON.stringify({
		filters: context.getNodeParameter('filters', {}),
		lookbackDays,
	});
	return { values, lists, filters, wanted: selectionBy(values, lookbackDays) };
}

/** For each pair of county and type, for each county, or for each type, where that makes few lists; else for all. */
export function shortestLists(
	{ counties = [undefined], licenseTypes = [undefined] }: Chosen,
	events: number,
): ListQuery[] {
	const byCounty = counties.map((county) => ({ county }));
	const byType = licenseTypes.map((license_type) => ({ license_type }));
	const pairs = byCounty.flatMap((one) => byType.map((other) => ({ ...one, ...other })));
	const max = Math.max(MAX_LISTS, events);
	return [pairs, byCounty, byType].find(({ length }) => length * events <= max) ?? [{}];
}

type Chosen = Partial<Record<'counties' | 'licenseTypes', ReadonlyArray<string | undefined>>>;

/** What filters select. */
export interface Selection {
	matches: (license: License) => boolean;
	lookbackDays: number;
}

const selectionBy = (values: FilterValues, lookbackDays: number): Selection => ({
	matches: matcherOf(POLLING_FILTERS, values),
	lookbackDays,
});

/** What the saved filters select; undefined if there are none, or an earlier version had others. */
export function savedSelection(filters?: string): Selection | undefined {
	try {
		const saved = JSON.parse(String(filters)) as IDataObject;
		const values = readFilters(POLLING_FILTERS, (name, fallback) => saved[name] ?? fallback);
		return selectionBy(values, Number(saved.lookbackDays));
	} catch {
		return undefined;
	}
}
