import type { EventRecord } from '../../domain/event';
import { startOf } from './sortKey';
import type { FeedState, Query } from './state';
import { knownPlaces, newestOf } from './state';
import type { Former, Poll } from './types';

/** Promise 5: the tenth poll goes deep. */
export const POLLS_UNTIL_DEEP = 9;

/**
 * For a state that does not say everything that was found: a process that goes on from it reads down to the
 * bottom, and is patient, as what is missing may by now be below a page of old records.
 */
export const UNPROVEN = { polls: POLLS_UNTIL_DEEP + 1, total: null };

/** For an account with nothing saved. */
export function newState<Entry extends EventRecord>(poll: Poll<Entry>): FeedState {
	const newsFrom = poll.startFrom === undefined ? null : startOf(poll.startFrom);
	return {
		version: 2,
		account: poll.account,
		query: poll.query,
		at: poll.now,
		floor: '',
		nextFloor: '',
		...UNPROVEN,
		known: '',
		emissions: [],
		firstPage: [],
		hasForgottenUndated: false,
		// Start From counts only when the workflow is published for the first time.
		learning: { newsFrom: poll.saved === undefined ? newsFrom : null, news: '' },
	};
}

/** Promise 11: what the former query did not list is news only if it is newer than everything known. */
export function formerOf(state: FeedState, now: number, lookback: number): Former {
	// An emission that n8n lost also shows how recent the list was.
	const newest = newestOf(knownPlaces(state, state.emissions), now) ?? '';
	// An unfinished first look has not learned the last hours yet.
	const since = startOf(state.learning ? state.at : state.at - lookback);
	return { query: state.query, newestKnown: newest > since ? newest : since };
}

export const isEqual = (a: Query, b: Query): boolean =>
	JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
