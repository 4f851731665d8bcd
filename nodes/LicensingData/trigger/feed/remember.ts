import type { SortKey } from './sortKey';
import { isDated, readKeys, writeKeys } from './sortKey';
import type { Batch, FeedState } from './state';

/**
 * How many keys are remembered. They take 16 bytes each, 240,000 in all. A hundred batches in flight (`MOST_FATES` in
 * trigger/handover.ts: older ones count as acknowledged, and leave the state) take 8,000 besides their keys, and the
 * first page, the account and the rest less than 2,000. That is below the 256 KB of promise 14, which are 262,144 bytes.
 */
export const CAPACITY = 15_000;
/** How many of them may be undated: these are above every watermark, so nothing else removes them. */
const MOST_UNDATED = 2_000;

/** What did not fit into the state. */
export interface Forgotten {
	/** All dated events up to this key: the watermark had to rise to it. */
	datedUpTo?: SortKey;
	/** Whether undated events were forgotten for the first time. */
	undated: boolean;
}

/**
 * Promise 14: writes the keys of everything seen into a state. If there are too many, the newest stay and the
 * watermark rises: what is forgotten becomes history, or it would come again as news.
 */
export function remember(
	state: FeedState,
	seen: Set<SortKey>,
	batches: Batch[],
	emitted: SortKey[],
	capacity: number,
): { state: FeedState; forgotten: Forgotten } {
	const sorted = [...seen].filter((key) => key > state.watermark).sort();
	const dated = sorted.filter(isDated);
	const undated = sorted.slice(dated.length);
	// The end is kept. Batches in flight go there: one that n8n lost and that is forgotten would not come again.
	// What has just been emitted goes there, too: the next poll may find it in the same place.
	const toKeep = new Set([...emitted, ...batches.flatMap(({ keys }) => readKeys(keys))]);
	undated.sort((a, b) => Number(toKeep.has(a)) - Number(toKeep.has(b)));
	const keptUndated = undated.slice(-Math.min(MOST_UNDATED, Math.floor(capacity / 2)));
	// Promise 6: the watermark never passes what waits. The last state held no more than the capacity, so no more
	// keys are too many than this poll has added. It added what it handled, which is older than all that waits. So
	// this many keys at least are older than that, and only the oldest go. (What joins a baseline is added, too, and
	// may be newer: limit 7.)
	const tooMany = Math.max(0, dated.length + keptUndated.length - capacity);
	const datedUpTo = dated.splice(0, tooMany).at(-1);

	const kept = new Set([...dated, ...keptUndated]);
	const keptBatches = batches.map((batch) => ({
		...batch,
		keys: writeKeys(readKeys(batch.keys).filter((key) => kept.has(key))),
	}));
	for (const key of keptBatches.flatMap(({ keys }) => readKeys(keys))) kept.delete(key);
	const isTooMuch = undated.length > keptUndated.length;
	return {
		state: {
			...state,
			watermark: datedUpTo ?? state.watermark,
			seen: writeKeys(kept),
			batches: keptBatches,
			hasForgottenUndated: state.hasForgottenUndated || isTooMuch,
		},
		forgotten: { datedUpTo, undated: isTooMuch && !state.hasForgottenUndated },
	};
}
