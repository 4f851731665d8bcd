import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { type FilterValues, matcherOf, readFilters } from '../filters/filter';
import { POLLING_FILTERS, readTriggerFilters, TRIGGER_EVENTS } from '../filters/licenseFilters';
import { numberWithin } from '../filters/enteredValues';
import { ALL_EVENT_TYPES, EVENT_TYPES, eventOf, NEW_FILING } from '../licenses/eventTypes';
import { Failure } from '../licenses/failure';
import type { License, LicensePage, ListPage, ListQuery } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { DAY } from '../licenses/time';
import { countiesOf } from '../places/address';

/** How often a page is asked for that another server seems to have answered. */
const MAX_TRIES = 4;

/** How many lists the service is asked for, where shorter ones can be had. */
const MAX_LISTS = 4;

/** A record of a list. */
export interface Placed {
	record: License;
	/**
	 * What filters are applied to: it, with the county that the list was asked for if nobody knows its own. Undefined for
	 * another event, which a service shows that ignores what it was asked for.
	 */
	matched?: License;
	/** The county that it names, if it is left out though it may match. */
	leftOut?: string;
}

/** Asks the service for a page of what a query lists. */
export type AskForPage = (query: ListQuery) => Promise<LicensePage | Failure>;

/** What the service lists of one event. */
export interface WatchedList {
	event: string;
	/** True if nobody chose it, so that a service need not have it. */
	isOptional?: boolean;
	/** Reads a page of it, the first one for null. */
	readPage: (cursor: string | null) => Promise<ListPage<Placed> | Failure>;
}

/** What the user wants to watch, and how each list of it is read. */
export function watchLists(context: IPollFunctions, { lookbackDays = 90 }: IDataObject) {
	const values = readTriggerFilters([TRIGGER_EVENTS, ...POLLING_FILTERS], context);
	const { eventTypes: chosen } = values;
	const all = chosen ?? ALL_EVENT_TYPES.map(({ value }) => value);
	const events = [...all].sort((a, b) => Number(b === NEW_FILING) - Number(a === NEW_FILING));
	const queries = shortestLists(values, events.length);
	numberWithin('Lookback Days', lookbackDays, { min: 0, max: 3650 });
	// As a text, they can be saved and compared.
	const entered = context.getNodeParameter('filters', {});
	const filters = JSON.stringify({ filters: entered, lookbackDays });
	const listsFrom = (askForPage: AskForPage) =>
		events.map((event): WatchedList => {
			const isOptional = !chosen && EVENT_TYPES.every(({ value }) => value !== event);
			const asked = queries.map((query) => ({ ...query, event_type: event }));
			return { event, isOptional, readPage: joinLists(asked, values, askForPage) };
		});
	return { filters, wanted: selectionOf(filters)!, values, listsFrom };
}

/** For each pair of county and type, for each county, or for each type, where that makes few lists; else for all. */
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

/** What filters select. */
export type Selection = NonNullable<ReturnType<typeof selectionOf>>;

/** What filters select, given as that text; undefined if there are none, or an earlier version had others. */
export function selectionOf(filters?: string) {
	try {
		const entered = JSON.parse(String(filters)) as IDataObject;
		const values = readFilters(POLLING_FILTERS, (name, fallback) => entered[name] ?? fallback);
		/** How long before the newest one of its type a new filing may be filed, in milliseconds. */
		const lookback = Number(entered.lookbackDays) * DAY || Number.POSITIVE_INFINITY;
		return { matches: matcherOf(POLLING_FILTERS, values), lookback };
	} catch {
		return undefined;
	}
}

/** What a list that was asked for with this query makes of a record. One that says no known event belongs to it. */
function place(record: License, query: ListQuery, { counties: wanted }: FilterValues): Placed {
	const { county, event_type: event } = query;
	if ((eventOf(record) ?? event) !== event) return { record };
	const assumed = county ?? wanted?.[0];
	if (assumed === undefined || countiesOf(record.address).length > 0)
		return { record, matched: record };
	const matched = { ...record, address: { ...record.address, county: assumed } };
	const leftOut = county === undefined ? String(record.address?.county ?? 'none') : undefined;
	return { record, matched, leftOut };
}

/** Where a query's list goes on, and the total that it gave on its first page. */
type Mark = [cursor: string | null, total?: number];

/** What several queries list as one list: their first pages together, and then one page after another. */
function joinLists(
	queries: ListQuery[],
	values: FilterValues,
	askForPage: AskForPage,
): WatchedList['readPage'] {
	return async (cursor) => {
		const marks = cursor ? (JSON.parse(cursor) as Mark[]) : queries.map((): Mark => [null]);
		const next = marks.findIndex(([at]) => at !== null);
		const records: Placed[] = [];
		const unreadable: string[] = [];
		for (const [index, query] of queries.entries()) {
			if (cursor !== null && index !== next) continue;
			const [at, total] = marks[index] ?? [null];
			const page = await ofOneServer({ ...query, cursor: at ?? undefined }, total, askForPage);
			if (page instanceof Failure) return page;
			marks[index] = [page.cursor, total ?? page.total];
			records.push(...page.records.map((record) => place(record, query, values)));
			unreadable.push(...(page.unreadable ?? []));
		}
		const hasMore = marks.some(([at]) => at !== null);
		const total = marks.reduce((sum, [, part = 0]) => sum + part, 0);
		return { records, cursor: hasMore ? JSON.stringify(marks) : null, total, unreadable };
	};
}

/** One of several servers may have another list, a sample for instance: then the page is asked for again. */
async function ofOneServer(query: ListQuery, total: number | undefined, askForPage: AskForPage) {
	for (let tries = 1; ; tries++) {
		const page = await askForPage(query);
		if (page instanceof Failure || total === undefined) return page;
		const { total: other = total } = page;
		if (other >= total / 2 && other <= total * 2) return page;
		if (tries < MAX_TRIES) continue;
		const [now, first] = [other, total].map(formatCount);
		return new Failure(
			`A page says that the list has ${now} entries, and its first page said ${first}`,
			'',
			{ isTransient: true },
		);
	}
}
