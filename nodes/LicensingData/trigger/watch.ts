import type { IPollFunctions } from 'n8n-workflow';

import { TEST_KEY_PREFIX, toConnection } from '../transport/connection';
import { CREDENTIAL } from '../transport/request';
import type { ListQuery } from '../domain/licenseList';
import type { Query } from './feed/state';
import { fitsQuery, toOneQuery } from '../parameters/filter';
import { TRIGGER_EVENTS, POLLING_FILTERS, readTriggerFilters } from '../parameters/licenseFilters';
import type { License } from '../domain/license';

/** What a trigger watches. */
export interface Watch {
	/** What the service filters by. */
	query: ListQuery;
	/** What it cannot filter by: it takes one county, one type and one event, not several. */
	matches: (license: License) => boolean;
	/** Identifies `matches`. */
	filters: string;
}

const FILTERS = [TRIGGER_EVENTS, ...POLLING_FILTERS];

/** With `countyIsLocal`, the trigger filters by a single county, too, as the service spells it differently. */
export function readWatch(context: IPollFunctions, countyIsLocal = false): Watch {
	const filters = FILTERS.map((filter) =>
		countyIsLocal && filter.query === 'county' ? { ...filter, query: undefined } : filter,
	);
	const { query, matches, local } = toOneQuery(filters, readTriggerFilters(filters, context));
	return { query, matches, filters: JSON.stringify(local) };
}

/** Whether the service would have listed a license, as far as can be told (its text search is its own). */
export const wasListed = (license: License, query: Query): boolean =>
	fitsQuery(FILTERS, license, query);

/** Whether this account shows the same made-up licenses every time. */
export const isMadeUp = (account: string): boolean => account.endsWith(` ${TEST_KEY_PREFIX}`);

/**
 * Whose list it is. A test key and a live key show different licenses: switching between them means another
 * list, or every license on it would be news. A rotated key does not.
 */
export async function accountOf(context: IPollFunctions): Promise<string> {
	const { baseUrl, apiKey } = toConnection(await context.getCredentials(CREDENTIAL));
	return `${baseUrl} ${/^[a-z]+_[a-z]+_/.exec(apiKey)?.[0] ?? ''}`;
}
