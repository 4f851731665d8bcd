import type { IPollFunctions } from 'n8n-workflow';

import { toConnection } from '../api/connection';
import { CREDENTIAL } from '../api/request';
import type { ListQuery } from '../api/types';
import type { Query } from '../feed/state';
import { fitsQuery, toOneQuery } from '../fields/filter';
import { POLLING_EVENTS, POLLING_FILTERS, readTriggerFilters } from '../fields/filters';
import type { License } from '../license/license';

/** What a trigger watches. */
export interface Watch {
	/** What the service filters. */
	query: ListQuery;
	/** What it cannot: it takes one county, one type and one event, not several. */
	matches: (license: License) => boolean;
	/** Identifies `matches`. */
	filters: string;
}

const FILTERS = [POLLING_EVENTS, ...POLLING_FILTERS];

/** Where `countyIsLocal`, the trigger filters a single county, too, as the service knows it by another name. */
export function readWatch(context: IPollFunctions, countyIsLocal = false): Watch {
	const filters = FILTERS.map((filter) =>
		countyIsLocal && filter.query === 'county' ? { ...filter, query: undefined } : filter,
	);
	const { query, matches, local } = toOneQuery(filters, readTriggerFilters(filters, context));
	return { query, matches, filters: JSON.stringify(local) };
}

/** Whether the service would have listed a license, as far as can be told. Free text it searches in its own way. */
export const wasListed = (license: License, query: Query): boolean =>
	fitsQuery(FILTERS, license, query);

/**
 * Whose list it is. A test key and a live key show different licenses: to go from one to the other is to
 * watch something else, or every license there would be news. A rotated key is none of this.
 */
export async function accountOf(context: IPollFunctions): Promise<string> {
	const { baseUrl, apiKey } = toConnection(await context.getCredentials(CREDENTIAL));
	return `${baseUrl} ${/^[a-z]+_[a-z]+_/.exec(apiKey)?.[0] ?? ''}`;
}
