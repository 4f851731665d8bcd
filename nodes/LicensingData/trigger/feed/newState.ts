import type { EventRecord } from '../../domain/eventIdentity';
import { startOf, timeOf } from './sortKey';
import type { FeedState } from './state';
import { newestOf, seenKeys, windowStart } from './state';
import type { FeedInput } from './types';

/** Promise 5: the tenth poll sweeps. */
export const POLLS_UNTIL_SWEEP = 9;

/**
 * For a state that does not say everything that was found: a process that goes on from it sweeps
 * thoroughly, as what is missing may by now be below a page of old records.
 */
export const NEEDS_SWEEP = { isIncomplete: true, total: null };

export const isSweepDue = ({ isIncomplete, pollsSinceSweep }: FeedState): boolean =>
	isIncomplete || pollsSinceSweep >= POLLS_UNTIL_SWEEP;

/** For an account with nothing saved. */
export function newState<Entry extends EventRecord>(input: FeedInput<Entry>): FeedState {
	const { account, query, now } = input.list;
	const { startFrom } = input.settings;
	return {
		version: 2,
		account,
		query,
		at: now,
		watermark: '',
		nextWatermark: '',
		pollsSinceSweep: 0,
		...NEEDS_SWEEP,
		seen: '',
		batches: [],
		firstPage: [],
		hasForgottenUndated: false,
		// Start From counts only when the workflow is published for the first time.
		baseline: {
			newsFrom: input.session.isNew && startFrom !== undefined ? startOf(startFrom) : null,
			news: '',
			isOfOtherList: false,
		},
	};
}

/**
 * Promise 11: the service lists something else now. In the new list, what is newer than the newest seen is news,
 * and all else joins the baseline.
 */
export function withOtherList<Entry extends EventRecord>(
	state: FeedState,
	{ list: { query, now }, settings: { lookback } }: FeedInput<Entry>,
): FeedState {
	// A batch that n8n lost also shows how recent the list was.
	const seen = seenKeys(state, state.batches);
	const { baseline, watermark } = state;
	const asked = { ...state, query, ...NEEDS_SWEEP, firstPage: [] };
	if (baseline?.isOfOtherList || (baseline && watermark === '' && seen.size === 0)) return asked;
	const newest = newestOf(seen, now);
	// An unfinished baseline does not reach back over the last hours yet.
	const since = startOf(baseline ? state.at : state.at - lookback);
	const afterNewest = newest === undefined ? since : startOf(timeOf(newest) + 1);
	const newsFrom = baseline?.newsFrom ?? (afterNewest > since ? afterNewest : since);
	const start = windowStart(seen, now, lookback);
	return {
		...asked,
		watermark: watermark !== '' ? watermark : start < newsFrom ? start : newsFrom,
		baseline: { newsFrom, news: '', isOfOtherList: true },
	};
}
