import type { SortKey } from './sortKey';
import {
	FIRST_UNDATED,
	areKeys,
	isDated,
	isWatermark,
	readKeys,
	startOf,
	timeOf,
	writeKeys,
} from './sortKey';

/** What the service is asked to filter by. */
export type Query = Record<string, string>;

/** What a trigger remembers between polls, and everything that a restart needs. See docs/trigger.md. */
export interface FeedState {
	version: 2;
	/** Whose list this is. */
	account: string;
	query: Query;
	/** When the list was last read without a gap. */
	at: number;
	/** Unseen events up to this key are history, not news. */
	watermark: SortKey;
	/** The watermark after the next sweep: what one sweep misses, the next still finds. */
	nextWatermark: SortKey;
	/** The list's total at the last top scan; null if it proves nothing. */
	total: number | null;
	/** At nine, a sweep is due. */
	pollsSinceSweep: number;
	/** Whether more was found than this says. A thorough sweep is due, then. */
	isIncomplete: boolean;
	/** The keys above the watermark of what was emitted or is in the baseline, except batches in flight. */
	seen: string;
	/** The batches that were in flight when this was written. */
	batches: Batch[];
	/**
	 * The hashes on the first page when it was last read and, while there is a backlog, when it was read before.
	 * Most of them may be below the watermark.
	 */
	firstPage: string[];
	/** Whether there are more undated events than are remembered. */
	hasForgottenUndated: boolean;
	/** Until the baseline has been read. */
	baseline?: Baseline;
}

export interface Baseline {
	/** Where news begins by date: for Start From or, in the list of other filters, after the newest seen. */
	newsFrom: SortKey | null;
	/** What has been emitted since it began. */
	news: string;
	/** Whether it is the one of other filters: in their list, positions say nothing about what was seen. */
	isOfOtherList: boolean;
}

export interface Batch {
	id: string;
	at: number;
	keys: string;
}

/** What became of a batch: n8n has acknowledged it, has lost it, or may still do either. */
export type Fate = 'acknowledged' | 'lost' | 'inFlight';

/**
 * Promise 14. Their keys take 16 bytes each, 240,000 in all. The news of a baseline take 8,000 more, a hundred
 * batches in flight (no more have a fate) 8,000 besides their keys, and the first page, the account and the rest
 * less than 2,000. That is below 256 KB, which are 262,144 bytes.
 */
export const CAPACITY = 15_000;
/** How many of them may be undated: these are above every watermark, so nothing else removes them. */
const MOST_UNDATED = 2_000;

type Checks<Value> = { [Name in keyof Required<Value>]: (value: unknown) => boolean };

const isText = (value: unknown) => typeof value === 'string';
const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;
const isShaped = <Value>(value: unknown, checks: Checks<Value>): value is Value =>
	isObject(value) &&
	Object.entries<(field: unknown) => boolean>(checks).every(([name, check]) => check(value[name]));
const isListOf = (check: (value: unknown) => boolean) => (value: unknown) =>
	Array.isArray(value) && value.every(check);

const batchChecks: Checks<Batch> = { id: isText, at: Number.isFinite, keys: areKeys };

const checks: Checks<FeedState> = {
	version: (value) => value === 2,
	account: isText,
	query: (value) => isObject(value) && Object.values(value).every(isText),
	at: Number.isFinite,
	watermark: isWatermark,
	nextWatermark: isWatermark,
	total: (value) => value === null || Number.isFinite(value),
	pollsSinceSweep: Number.isFinite,
	isIncomplete: (value) => typeof value === 'boolean',
	seen: areKeys,
	batches: isListOf((value) => isShaped(value, batchChecks)),
	firstPage: isListOf(isText),
	hasForgottenUndated: (value) => typeof value === 'boolean',
	baseline: (value) =>
		value === undefined ||
		(isObject(value) &&
			(value.newsFrom === null || isWatermark(value.newsFrom)) &&
			areKeys(value.news) &&
			typeof value.isOfOtherList === 'boolean'),
};

/** Undefined for anything that this version did not write. */
export const restore = (saved: unknown): FeedState | undefined =>
	isShaped(saved, checks) ? saved : undefined;

export const isEqual = (a: Query | undefined, b: Query): boolean =>
	JSON.stringify(Object.entries(a ?? {}).sort()) === JSON.stringify(Object.entries(b).sort());

/** The keys of everything seen, including these batches. */
export const seenKeys = (state: FeedState, batches: Batch[]): Set<SortKey> =>
	new Set([state.seen, ...batches.map(({ keys }) => keys)].flatMap(readKeys));

/** What did not fit into the state. */
export interface Forgotten {
	/** All dated events up to this key: the watermark had to rise to it. */
	datedUpTo?: SortKey;
	/** Whether undated events were forgotten for the first time. */
	undated: boolean;
}

/**
 * Writes the keys of everything seen into a state. If there are too many, the newest stay and the watermark
 * rises: what is forgotten becomes history, or it would come again as news.
 */
export function remember(
	state: FeedState,
	seen: Set<SortKey>,
	batches: Batch[],
	emitted: SortKey[],
	capacity: number,
): { state: FeedState; forgotten: Forgotten } {
	const sorted = [...seen].filter((key) => key > state.watermark).sort();
	const firstUndated = sorted.findIndex((key) => !isDated(key));
	const dated = firstUndated < 0 ? sorted : sorted.slice(0, firstUndated);
	const undated = firstUndated < 0 ? [] : sorted.slice(firstUndated);
	// The end is kept. Batches in flight go there: one that n8n lost and that is forgotten would not come again.
	// What has just been emitted goes there, too: the next poll may find it in the same place.
	const latest = new Set([...emitted, ...batches.flatMap(({ keys }) => readKeys(keys))]);
	undated.sort((a, b) => Number(latest.has(a)) - Number(latest.has(b)));
	const kept = undated.slice(-Math.min(MOST_UNDATED, Math.floor(capacity / 2)));
	// Promise 6: the watermark never passes what waits. Of what was saved, all had room, so no more is forgotten
	// now than this poll adds. What it emits is older than all that waits, so this many of the oldest are, too.
	// (Only what it adds to a baseline may be newer: limit 7.)
	const datedUpTo = dated.splice(0, dated.length + kept.length - capacity).at(-1);
	const watermark = datedUpTo ?? state.watermark;

	const remembered = new Set(kept);
	const batchesInFlight = batches.map((batch) => ({
		...batch,
		keys: writeKeys(
			readKeys(batch.keys).filter(
				(key) => remembered.has(key) || (isDated(key) && key > watermark),
			),
		),
	}));
	const apart = new Set(batchesInFlight.flatMap(({ keys }) => readKeys(keys)));
	const isTooMuch = undated.length > kept.length;
	return {
		state: {
			...state,
			watermark,
			seen: writeKeys([...dated, ...kept].filter((key) => !apart.has(key))),
			batches: batchesInFlight,
			hasForgottenUndated: state.hasForgottenUndated || isTooMuch,
		},
		forgotten: { datedUpTo, undated: isTooMuch && !state.hasForgottenUndated },
	};
}

/**
 * The window reaches back from the newest event, not from now: a service may publish days after the fact.
 * Events dated in the future are left out, or one typo would drag the window along.
 */
export function windowStart(keys: Iterable<SortKey>, now: number, lookback: number): SortKey {
	const newest = newestOf(keys, now);
	return newest === undefined ? '' : startOf(timeOf(newest) - lookback);
}

export function newestOf(keys: Iterable<SortKey>, now: number): SortKey | undefined {
	const end = startOf(now + 1);
	let newest: SortKey | undefined;
	for (const key of keys)
		if (key < end && key < FIRST_UNDATED && !(newest !== undefined && key < newest)) newest = key;
	return newest;
}

/** Promise 9: the watermark stays below what may be emitted again. Each batch starts with its oldest event. */
export function belowBatches(watermark: SortKey, batches: Batch[]): SortKey {
	return batches
		.flatMap(({ keys }) => readKeys(keys).slice(0, 1))
		.map((key) => startOf(timeOf(key)))
		.reduce((lowest, start) => (start < lowest ? start : lowest), watermark);
}
