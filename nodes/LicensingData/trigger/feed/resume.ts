import type { EventRecord } from '../../domain/eventIdentity';
import type { Found } from './findings';
import { modeOf, type Known } from './judge';
import type { Point, SortKey } from './sortKey';
import {
	BEFORE_ALL,
	earlier,
	isDated,
	later,
	readKeys,
	startOf,
	timeOf,
	writeKeys,
} from './sortKey';
import type { Batch, FeedState } from './state';
import { isEqual, NEEDS_SWEEP, seenKeys } from './state';
import type { FeedInput, Progress } from './types';
import { newestOf, windowStart } from './window';

/**
 * What a poll goes on from.
 *
 * Asked of    for
 * state       what any other process would go by, too: what is seen, the watermark, the baseline, the first page
 * drained     what the scans of this process have said: the total, the polls since a sweep, whether the state is
 *             incomplete, the next watermark
 */
export interface Resumed<Entry extends EventRecord> {
	state: FeedState;
	/** The state as it would be if the backlog were empty. */
	drained: FeedState;
	progress: Progress<Entry>;
	known: Known;
	batchesInFlight: Batch[];
}

/** Fits together what n8n has saved, what the process still holds, and what the user has changed in the meantime. */
export function resume<Entry extends EventRecord>(input: FeedInput<Entry>): Resumed<Entry> {
	const { settings, list, session } = input;
	const { lastState } = session;
	const last = lastState?.account === list.account ? lastState : undefined;
	const isSameList = last !== undefined && isEqual(last.query, list.query);
	const begun = isSameList ? last : last ? withOtherList(last, input) : newState(input);

	// Promise 9: the events of a lost batch are unseen again.
	const lostBatches = begun.batches.filter((batch) => session.fateOf(batch) === 'lost');
	const otherBatches = begun.batches.filter((batch) => !lostBatches.includes(batch));
	const lost = new Set(lostBatches.flatMap(({ keys }) => readKeys(keys)));
	const hasLost = lostBatches.length > 0;
	const state = { ...begun, ...(hasLost && NEEDS_SWEEP) };

	const progress = progressOf(input, last, hasLost);
	const drained = { ...state, ...progress.unwritten };
	const seen = seenKeys(state, otherBatches);
	const known: Known = {
		mode: modeOf(state),
		watermark: state.watermark,
		seen,
		ofBaseline: new Set(readKeys(state.baseline?.keys ?? '')),
		newsFrom: state.baseline?.newsFrom ?? null,
		// What an unfinished top scan has found only that scan itself can meet: meanwhile, there is no sweep.
		isWaiting: (key) =>
			progress.backlog.has(key) || progress.sweep?.findings.events.has(key) === true,
		lost,
		hasSeenDated: [...seen].some(isDated),
		firstPage: new Set(state.firstPage),
		hasForgottenUndated: state.hasForgottenUndated,
		lastTotal: drained.total,
		lookback: settings.lookback,
		now: list.now,
	};
	return {
		state,
		drained,
		progress,
		known,
		batchesInFlight: otherBatches.filter((batch) => session.fateOf(batch) === 'inFlight'),
	};
}

/** For an account with nothing saved. */
function newState<Entry extends EventRecord>({ list, settings, session }: FeedInput<Entry>) {
	const { account, query, now } = list;
	const { startFrom } = settings;
	const state: FeedState = {
		version: 2,
		account,
		query,
		at: now,
		watermark: BEFORE_ALL,
		nextWatermark: BEFORE_ALL,
		pollsSinceSweep: 0,
		...NEEDS_SWEEP,
		seen: '',
		batches: [],
		firstPage: [],
		hasForgottenUndated: false,
		// Start From counts only where nothing is saved.
		baseline: {
			newsFrom: session.isNew && startFrom !== undefined ? startOf(startFrom) : null,
			keys: '',
			isOfOtherList: false,
		},
	};
	return state;
}

/**
 * Promise 11: the service lists something else now, and dates tell what is news in it. The numbers are those of the
 * table in docs/trigger.md.
 */
function withOtherList<Entry extends EventRecord>(
	state: FeedState,
	{ list: { query, now }, settings: { lookback } }: FeedInput<Entry>,
): FeedState {
	// A batch that n8n lost also shows how recent the list was.
	const seen = seenKeys(state, state.batches);
	const { baseline, watermark } = state;
	const asked = { ...state, query, ...NEEDS_SWEEP };
	// Nothing is known of either: the baseline begins in the new one, as it would have in the old.
	/* 1 */ if (baseline && seen.size === 0) return asked;
	const newsFrom = newsOfOtherList(state, newestOf(seen, now), lookback);
	// As long as there is no watermark, scans stop where the window or the news begins.
	const start = earlier(windowStart(seen, now, lookback) ?? BEFORE_ALL, newsFrom);
	return {
		...asked,
		watermark: watermark === BEFORE_ALL ? start : watermark,
		// What is in flight stays apart, as it may be lost.
		baseline: { newsFrom, keys: writeKeys(seenKeys(state, [])), isOfOtherList: true },
	};
}

/** Where news begins in it. */
function newsOfOtherList(
	{ baseline, at }: FeedState,
	newest: SortKey | undefined,
	lookback: number,
): Point {
	// By Start From or, if the list changes once more, as before.
	/* 2 */ if (baseline && baseline.newsFrom !== null) return baseline.newsFrom;
	// Nothing was awaited yet, so what is older than the last poll is just old.
	/* 3 */ if (baseline) return startOf(at);
	// What is newer than all that was seen may have turned up late since.
	const afterNewest = newest === undefined ? BEFORE_ALL : startOf(timeOf(newest) + 1);
	/* 4 */ return later(afterNewest, startOf(at - lookback));
}

/** What this process has read before, unless something else is to be read now. */
function progressOf<Entry extends EventRecord>(
	{ settings, list, session: { progress } }: FeedInput<Entry>,
	last: FeedState | undefined,
	hasLost: boolean,
): Progress<Entry> {
	const purpose = JSON.stringify([list.query, settings.filters]);
	if (progress && progress.purpose === purpose && last && !hasLost) return progress;
	const waiting = progress && last ? waitingIn(progress, isEqual(last.query, list.query)) : [];
	return {
		purpose,
		backlog: new Map(
			waiting
				.filter(({ record }) => record && settings.matchesAll(record))
				.map((event): [SortKey, Found<Entry>] => [event.key, event]),
		),
		unwritten: {},
	};
}

/**
 * What waits stays if it matches all filters that are chosen now. What the old ones had left out has no record: it
 * is found again, since it is unseen and the state says that a sweep is due. So is what unfinished scans have found.
 * But in another list, that might be older than what is news there, so it stays, too.
 */
function waitingIn<Entry extends EventRecord>(
	{ backlog, top, sweep }: Progress<Entry>,
	isSameList: boolean,
): Array<Found<Entry>> {
	const found = isSameList ? [backlog] : [backlog, top?.findings.events, sweep?.findings.events];
	return found.flatMap((events) => [...(events?.values() ?? [])]);
}
