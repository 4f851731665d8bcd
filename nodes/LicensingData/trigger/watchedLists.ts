import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { numberWithin } from '../filters/enteredValues';
import { type FilterValues, matcherOf, readFilters } from '../filters/filter';
import { POLLING_FILTERS, readTriggerFilters, TRIGGER_EVENTS } from '../filters/licenseFilters';
import { shortestLists } from '../filters/queries';
import { ALL_EVENT_TYPES, EVENT_TYPES, eventOf, NEW_FILING } from '../licenses/eventTypes';
import type { Failure } from '../licenses/failure';
import type { License, ListPage, ListQuery } from '../licenses/license';
import { DAY } from '../licenses/time';
import { type AskForPage, joinLists } from '../listing/joinLists';
import { countiesOf } from '../places/address';
import { LOOKBACK_DAYS } from './lookback';

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

/** What the service lists of one event. */
export interface WatchedList {
	event: string;
	/** True if nobody chose it, so that a service need not have it. */
	isOptional?: boolean;
	/** Reads a page of it, the first one for null. */
	readPage: (cursor: string | null) => Promise<ListPage<Placed> | Failure>;
}

/** What the user wants to watch, and how each list of it is read. */
export function watchLists(
	context: IPollFunctions,
	{ lookbackDays = LOOKBACK_DAYS.usual }: IDataObject,
) {
	const values = readTriggerFilters([TRIGGER_EVENTS, ...POLLING_FILTERS], context);
	const { eventTypes: chosen } = values;
	const all = chosen ?? ALL_EVENT_TYPES.map(({ value }) => value);
	const events = [...all].sort((a, b) => Number(b === NEW_FILING) - Number(a === NEW_FILING));
	const queries = shortestLists(values, events.length);
	numberWithin('Lookback Days', lookbackDays, LOOKBACK_DAYS);
	// As a text, they can be saved and compared: with others, pollRun.ts reads anew, and news.ts says what comes.
	const entered = context.getNodeParameter('filters', {});
	const filters = JSON.stringify({ filters: entered, lookbackDays });
	const placed = (record: License, query: ListQuery) => place(record, query, values);
	const listsFrom = (askForPage: AskForPage) =>
		events.map((event): WatchedList => {
			const isOptional = !chosen && EVENT_TYPES.every(({ value }) => value !== event);
			const asked = queries.map((query) => ({ ...query, event_type: event }));
			return { event, isOptional, readPage: joinLists(asked, askForPage, placed) };
		});
	return { filters, wanted: selectionOf(filters)!, values, listsFrom };
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
