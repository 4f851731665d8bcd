import type { INodeProperties } from 'n8n-workflow';

import type { ListQuery } from '../api/types';
import { COUNTIES } from '../fields/county';
import { EVENT_TYPES } from '../fields/eventType';
import { LICENSE_TYPES } from '../fields/licenseType';
import { freeTextFilter, statusFilter } from '../fields/textFilters';
import { choice, county, day, text } from '../fields/values';
import type { FiledWindow } from './filedWindow';

export const countyFilter: INodeProperties = {
	displayName: 'County',
	name: 'county',
	type: 'options',
	default: 'Miami-Dade',
	description: 'The Florida county the business is in',
	options: COUNTIES,
};

export const listFilters: INodeProperties[] = [
	countyFilter,
	{
		displayName: 'Event Type',
		name: 'eventType',
		type: 'options',
		default: 'new_filing',
		description: 'The latest thing that happened to the license',
		options: EVENT_TYPES,
	},
	{
		displayName: 'Filed After',
		name: 'filedAfter',
		type: 'dateTime',
		default: '',
		description: 'Only licenses filed on this day or later',
	},
	{
		displayName: 'Filed Before',
		name: 'filedBefore',
		type: 'dateTime',
		default: '',
		description: 'Only licenses filed on this day or earlier',
	},
	freeTextFilter,
	{
		displayName: 'License Type',
		name: 'licenseType',
		type: 'options',
		default: 'COP',
		description: 'The kind of license',
		options: LICENSE_TYPES,
	},
	statusFilter,
];

/** The filters that the service applies, in its own names. */
export function toListQuery(filters: Record<string, unknown>): ListQuery {
	return {
		county: county('County', filters.county),
		license_type: choice('License Type', LICENSE_TYPES, filters.licenseType),
		event_type: choice('Event Type', EVENT_TYPES, filters.eventType),
		status: text('Status', filters.status)?.toLowerCase(),
		q: text('Free Text', filters.query),
	};
}

/** The filters that the service lacks and the node applies itself. */
export function toFiledWindow(filters: Record<string, unknown>): FiledWindow {
	return {
		after: day('Filed After', filters.filedAfter),
		before: day('Filed Before', filters.filedBefore),
	};
}
