import type { IPollFunctions } from 'n8n-workflow';

import { TEST_KEY_PREFIX, toConnection } from '../transport/connection';
import { CREDENTIAL } from '../transport/request';
import type { ListQuery } from '../domain/licenseList';
import type { LocalFilter } from '../parameters/filter';
import { matcherOf, toOneQuery } from '../parameters/filter';
import { TRIGGER_EVENTS, POLLING_FILTERS, readTriggerFilters } from '../parameters/licenseFilters';
import type { License } from '../domain/license';

/** What a trigger watches. */
export interface Watch {
	/** What the service is asked for: one event, if one alone is chosen. */
	query: ListQuery;
	/** The same in one county, if one alone is chosen: for plans that cover no more. */
	queryInCounty: ListQuery | undefined;
	/** As few as possible, for a look at the list that needs no memory. */
	shortestQuery: ListQuery;
	/** All other filters. docs/decisions/local-filters.md has the reasons. */
	matches: (license: License) => boolean;
	/** Those, and what the service is asked for: for what it listed when it was asked for something else. */
	matchesAll: (license: License) => boolean;
	/** Identifies `matches`. */
	filters: string;
}

const FILTERS = [TRIGGER_EVENTS, ...POLLING_FILTERS];

const matchedHere = (filter: LocalFilter): LocalFilter => ({ ...filter, query: undefined });

export function readWatch(context: IPollFunctions): Watch {
	const values = readTriggerFilters(FILTERS, context);
	const { query, matches, local } = toOneQuery(
		[TRIGGER_EVENTS, ...POLLING_FILTERS.map(matchedHere)],
		values,
	);
	const { query: shortestQuery } = toOneQuery(FILTERS, values);
	const { county } = shortestQuery;
	return {
		query,
		queryInCounty: county === undefined ? undefined : { ...query, county },
		shortestQuery,
		matches,
		matchesAll: matcherOf(FILTERS, values),
		filters: JSON.stringify(local),
	};
}

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
