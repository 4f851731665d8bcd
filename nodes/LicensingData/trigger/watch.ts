import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { ALL_EVENT_TYPES, EVENT_TYPES, NEW_FILING } from '../licenses/eventTypes';
import type { ListQuery } from '../licenses/licenseList';
import type { License } from '../licenses/license';
import { matcherOf, nameOf, readFilters, type FilterValues } from '../filters/filter';
import { TRIGGER_EVENTS, POLLING_FILTERS, readTriggerFilters } from '../filters/licenseFilters';
import { wholeNumber } from '../filters/values';
import type { Selection } from './feed/types';

const DAY = 86_400_000;

/** The filters by which the service is asked, if one value alone is chosen. */
const ASKED = ['counties', 'licenseTypes'];

/** What a trigger watches. */
export interface Watch {
	/** The events, new filings first, and what the service is asked for to list each of them. */
	events: Array<{ event: string; query: ListQuery; isOptional: boolean }>;
	/** The filters and the lookback as a text, so that they can be saved and compared. */
	filters: string;
	values: FilterValues;
}

/** Read before any request: a parameter that makes no sense must not cost events. */
export function readWatch(context: IPollFunctions): Watch {
	const values = readTriggerFilters([TRIGGER_EVENTS, ...POLLING_FILTERS], context);
	const chosen = values[nameOf(TRIGGER_EVENTS)] as string[] | undefined;
	const events = chosen ?? ALL_EVENT_TYPES.map(({ value }) => value);
	const query = Object.fromEntries(
		POLLING_FILTERS.filter((filter) => ASKED.includes(nameOf(filter))).flatMap((filter) => {
			const [one, ...more] = (values[nameOf(filter)] ?? []) as string[];
			return one !== undefined && more.length === 0 ? [[String(filter.query), one]] : [];
		}),
	);
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
				query: { ...query, event_type: event },
				isOptional: !chosen && EVENT_TYPES.every(({ value }) => value !== event),
			})),
		filters: JSON.stringify(entered),
		values,
	};
}

/** What filters select, given as that text. */
export function selectionOf(filters: string): Selection<License> {
	const entered = JSON.parse(filters) as IDataObject;
	const values = readFilters(POLLING_FILTERS, (name, fallback) => entered[name] ?? fallback);
	const days = Number(entered.lookbackDays);
	return {
		matches: matcherOf(POLLING_FILTERS, values),
		lookback: days > 0 ? days * DAY : Number.POSITIVE_INFINITY,
	};
}

/** The same for filters that were entered earlier. An earlier version may have had others. */
export function earlierSelectionOf(filters: string): Selection<License> | undefined {
	try {
		return selectionOf(filters);
	} catch {
		return undefined;
	}
}

/** A service may ignore what it was asked for. */
export const listsEvent =
	(event: string) =>
	(license: License): boolean =>
		TRIGGER_EVENTS.matches(license, [event]);
