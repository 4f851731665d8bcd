import type { License } from '../api/types';
import { findChoice } from './choice';
import { findCounty } from './county';
import { EVENT_TYPES } from './eventType';
import { LICENSE_TYPES } from './licenseType';
import { choice, county } from './values';

/** Which events a trigger is after. An empty list means any. */
export interface Selection {
	events: string[];
	counties: string[];
	licenseTypes: string[];
}

export function toSelection(
	eventTypes: unknown,
	filters: { counties?: unknown; licenseTypes?: unknown },
): Selection {
	return {
		events: each(eventTypes, (value) => choice('Event Types', EVENT_TYPES, value)),
		counties: each(filters.counties, (value) => county('Counties', value)),
		licenseTypes: each(filters.licenseTypes, (value) =>
			choice('License Types', LICENSE_TYPES, value),
		),
	};
}

export function isSelected(selection: Selection, license: License): boolean {
	const { eventType, licenseType, address } = license;
	return (
		includes(selection.events, findChoice(EVENT_TYPES, eventType)) &&
		includes(selection.licenseTypes, findChoice(LICENSE_TYPES, licenseType)) &&
		includes(selection.counties, findCounty(address?.county))
	);
}

const includes = (wanted: string[], value: string | undefined): boolean =>
	wanted.length === 0 || (value !== undefined && wanted.includes(value));

/** An expression may give one value where the list gives several. */
function each(values: unknown, read: (value: unknown) => string | undefined): string[] {
	const list: unknown[] = Array.isArray(values) ? values : [values];
	return [...new Set(list.flatMap((value) => read(value) ?? []))];
}
