import type { IPollFunctions } from 'n8n-workflow';

import { toConnection } from '../api/connection';
import { CREDENTIAL } from '../api/request';
import type { License, ListQuery } from '../api/types';
import type { Selection } from '../fields/selection';
import { isSelected, toSelection } from '../fields/selection';
import { text } from '../fields/values';
import { fingerprint } from './fingerprint';

/** What a trigger watches. */
export interface Watch {
	/** What the service filters. */
	query: ListQuery;
	/** What it cannot: it takes one county, one type and one event, not several. */
	matches: (license: License) => boolean;
	/** Tells this watch from any other. */
	fingerprint: string;
}

interface WatchFilters {
	counties?: unknown;
	licenseTypes?: unknown;
	status?: unknown;
	query?: unknown;
}

export async function readWatch(context: IPollFunctions): Promise<Watch> {
	const filters = context.getNodeParameter('filters', {}) as WatchFilters;
	const selection = toSelection(context.getNodeParameter('eventTypes', []), filters);
	const query: ListQuery = {
		county: onlyOne(selection.counties),
		license_type: onlyOne(selection.licenseTypes),
		event_type: onlyOne(selection.events),
		status: text('Status', filters.status)?.toLowerCase(),
		q: text('Free Text', filters.query),
	};
	// What the service filters is not filtered again: it may know more spellings than this node does.
	const rest: Selection = {
		counties: query.county ? [] : selection.counties,
		licenseTypes: query.license_type ? [] : selection.licenseTypes,
		events: query.event_type ? [] : selection.events,
	};
	return {
		query,
		matches: (license) => isSelected(rest, license),
		fingerprint: fingerprint([
			query,
			Object.values(rest).map((values) => values.sort()),
			await source(context),
		]),
	};
}

const onlyOne = (values: string[]): string | undefined =>
	values.length === 1 ? values[0] : undefined;

/**
 * A test key and a live key show different licenses: to go from one to the other is to watch something
 * else, or every license there would be news. A rotated key is none of this.
 */
async function source(context: IPollFunctions): Promise<string[]> {
	const { baseUrl, apiKey } = toConnection(await context.getCredentials(CREDENTIAL));
	return [baseUrl, /^[a-z]+_[a-z]+_/.exec(apiKey)?.[0] ?? ''];
}
