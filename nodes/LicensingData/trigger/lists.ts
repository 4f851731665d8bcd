import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { eventOf } from '../licenses/eventIdentity';
import { ALL_EVENT_TYPES, EVENT_TYPES, NEW_FILING } from '../licenses/eventTypes';
import type { License } from '../licenses/license';
import { combinations, type FilterChoice, type ListQuery } from '../licenses/licenseList';
import { matcherOf, nameOf, readFilters, type FilterValues } from '../filters/filter';
import { TRIGGER_EVENTS, POLLING_FILTERS, readTriggerFilters } from '../filters/licenseFilters';
import { wholeNumber } from '../filters/values';
import { countiesOf } from '../places/county';
import type { Selection } from './news';
import type { ReadPage } from './pages';

const DAY = 86_400_000;

/** How many lists the service is asked for, where shorter ones can be had. */
const MOST_LISTS = 4;

/** A record of a list. */
interface Placed {
	record: License;
	/** It, with the county that the list was asked for if nobody knows its own. */
	placed: License;
	/** The county that it names, if it is left out though it may match. */
	leftOut?: string;
}

/** One of the lists of an event. A record that says no known event belongs to the first list that shows it. */
export interface ListPart {
	readPage: ReadPage;
	/** Undefined for a record of another event: a service may ignore what it was asked for. */
	place: (record: License) => Placed | undefined;
}

/** What the service lists of one event, in one part or several. */
export interface WatchedList {
	event: string;
	parts: ListPart[];
}

/** What a trigger watches. */
export interface Watched {
	/** The events, new filings first, and what the service is asked for to list each of them. */
	events: Array<{ event: string; queries: ListQuery[]; isOptional: boolean }>;
	/** The filters and the lookback as a text, so that they can be saved and compared. */
	filters: string;
	values: FilterValues;
}

/** Read before any request: a parameter that makes no sense must not cost events. */
export function readWatched(context: IPollFunctions): Watched {
	const values = readTriggerFilters([TRIGGER_EVENTS, ...POLLING_FILTERS], context);
	const chosen = values[nameOf(TRIGGER_EVENTS)] as string[] | undefined;
	const events = chosen ?? ALL_EVENT_TYPES.map(({ value }) => value);
	const queries = shortestLists(values, events.length);
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const entered = {
		filters: context.getNodeParameter('filters', {}),
		lookbackDays: options.lookbackDays ?? 90,
	};
	wholeNumber('Lookback Days', entered.lookbackDays, { least: 0, most: 3650 });
	return {
		events: [...events]
			.sort((a, b) => Number(b === NEW_FILING) - Number(a === NEW_FILING))
			.map((event) => ({
				event,
				queries: queries.map((query) => ({ ...query, event_type: event })),
				isOptional: !chosen && EVENT_TYPES.every(({ value }) => value !== event),
			})),
		filters: JSON.stringify(entered),
		values,
	};
}

/** For each pair of county and type, for each county, or for each type, where that makes few lists; else for all. */
export function shortestLists(values: FilterValues, events: number): ListQuery[] {
	const choiceOf = (filter: string, name: string): FilterChoice[] =>
		values[name] === undefined ? [] : [{ filter, values: values[name] as string[] }];
	const counties = choiceOf('county', 'counties');
	const types = choiceOf('license_type', 'licenseTypes');
	const divisions = [[...counties, ...types], counties, types].filter(({ length }) => length > 0);
	return (
		divisions
			.map((choices) => combinations({}, choices))
			.find((queries) => queries.length * events <= MOST_LISTS) ?? [{}]
	);
}

/** What filters select, given as that text; undefined if an earlier version had others. */
export function selectionOf(filters: string): Selection | undefined {
	try {
		const entered = JSON.parse(filters) as IDataObject;
		const values = readFilters(POLLING_FILTERS, (name, fallback) => entered[name] ?? fallback);
		const lookback = Number(entered.lookbackDays) * DAY || Number.POSITIVE_INFINITY;
		return { matches: matcherOf(POLLING_FILTERS, values), lookback };
	} catch {
		return undefined;
	}
}

/** What a list that was asked for with this query makes of its records. */
export function placeIn(
	{ county, event_type: event }: ListQuery,
	{ counties: wanted }: FilterValues,
): ListPart['place'] {
	return (record) => {
		if ((eventOf(record) ?? event) !== event) return undefined;
		const assumed = county ?? (wanted as string[] | undefined)?.[0];
		if (assumed === undefined || countiesOf(record.address).length > 0)
			return { record, placed: record };
		const placed = { ...record, address: { ...record.address, county: assumed } };
		const leftOut = county === undefined ? String(record.address?.county ?? 'none') : undefined;
		return { record, placed, leftOut };
	};
}

const MOST_TEST_PAGES = 10;

/** A few events to build a workflow with, the newest last. Reads no state and writes none. */
export async function findTestEvents(
	{ parts }: WatchedList,
	matches: (record: License) => boolean,
	wanted: number,
) {
	const found: License[] = [];
	for (const { readPage, place } of parts) {
		let cursor: string | null | undefined = null;
		for (let pages = 0; pages < MOST_TEST_PAGES && cursor !== undefined; pages++) {
			const page = await readPage(cursor);
			if ('failure' in page && found.length === 0) return page;
			if ('failure' in page) break;
			const mine = page.records.flatMap((record) => place(record) ?? []);
			const its = mine.filter(({ placed, leftOut }) => leftOut === undefined && matches(placed));
			found.push(...its.map(({ record }) => record));
			cursor = found.length < wanted ? (page.cursor ?? undefined) : undefined;
		}
	}
	return found.slice(0, wanted).reverse();
}
