import type { EventRecord } from '../../domain/event';
import { startOf } from './sortKey';
import type { FeedState, Query } from './state';
import { newestOf, seenKeys } from './state';
import type { FeedInput, PreviousQuery } from './types';

/** Promise 5: the tenth poll sweeps. */
export const POLLS_UNTIL_SWEEP = 9;

/**
 * For a state that does not say everything that was found: a process that goes on from it sweeps
 * thoroughly, as what is missing may by now be below a page of old records.
 */
export const NEEDS_SWEEP = { polls: POLLS_UNTIL_SWEEP + 1, total: null };

/** For an account with nothing saved. */
export function newState<Entry extends EventRecord>(input: FeedInput<Entry>): FeedState {
	const newsFrom = input.startFrom === undefined ? null : startOf(input.startFrom);
	return {
		version: 2,
		account: input.account,
		query: input.query,
		at: input.now,
		watermark: '',
		nextWatermark: '',
		...NEEDS_SWEEP,
		seen: '',
		batches: [],
		firstPage: [],
		hasForgottenUndated: false,
		// Start From counts only when the workflow is published for the first time.
		baseline: { newsFrom: input.saved === undefined ? newsFrom : null, news: '' },
	};
}

/** Promise 11: what the previous query did not list is news only if it is newer than everything seen. */
export function previousQueryOf(state: FeedState, now: number, lookback: number): PreviousQuery {
	// A batch that n8n lost also shows how recent the list was.
	const newest = newestOf(seenKeys(state, state.batches), now) ?? '';
	// An unfinished baseline does not reach back over the last hours yet.
	const since = startOf(state.baseline ? state.at : state.at - lookback);
	return { query: state.query, newestSeen: newest > since ? newest : since };
}

export const isEqual = (a: Query, b: Query): boolean =>
	JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
