import type { Point, SortKey } from './sortKey';
import { areKeys, isPoint, readKeys } from './sortKey';

/** What the service is asked to filter by. */
export type Query = Record<string, string>;

/** What a trigger remembers between polls, and everything that a restart needs. See docs/trigger.md. */
export interface FeedState {
	version: 2;
	/** Whose list this is. */
	account: string;
	query: Query;

	/** The keys of all that is seen, but for what is not above the watermark, in `batches` or in `baseline`. */
	seen: string;
	/** Unseen events up to this point are history, not news. */
	watermark: Point;
	/** Whether there are more undated events than are remembered. */
	hasForgottenUndated: boolean;
	/** The batches that were in flight when this was written. */
	batches: Batch[];
	/** Until the baseline has been read. */
	baseline?: Baseline;

	/** When the list was last read from its top, or found empty. Not with room lacking, or a page that never came. */
	at: number;
	/** The list's total when its top was last read; null if it proves nothing. */
	total: number | null;
	/**
	 * The hashes on the first page when it was last read and, while there is a backlog, when it was read before.
	 * Most of them may be below the watermark.
	 */
	firstPage: string[];
	/** At nine, a sweep is due. */
	pollsSinceSweep: number;
	/** Whether more was found than this says. A thorough sweep is due, then. */
	isIncomplete: boolean;
	/** The watermark after the next sweep: what one sweep misses, the next still finds. */
	nextWatermark: Point;
}

/** What scans say of the list as a whole. See nextState.ts. */
export type ListFacts = Partial<
	Pick<
		FeedState,
		| 'at'
		| 'total'
		| 'firstPage'
		| 'pollsSinceSweep'
		| 'isIncomplete'
		| 'watermark'
		| 'nextWatermark'
	>
>;

export interface Baseline {
	/** Where news begins by date: for Start From or, in a list with another query, after the newest seen. */
	newsFrom: Point | null;
	/** The keys of what belongs to it. What was handled since it began is in `seen`. */
	keys: string;
	/** Whether it is that of another query: in its list, positions say nothing about what was seen. */
	isOfOtherList: boolean;
}

export interface Batch {
	id: string;
	at: number;
	keys: string;
}

/** What became of a batch in the end. Until then, it is in flight. */
export type Fate = 'acknowledged' | 'lost';

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
	watermark: isPoint,
	nextWatermark: isPoint,
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
			(value.newsFrom === null || isPoint(value.newsFrom)) &&
			areKeys(value.keys) &&
			typeof value.isOfOtherList === 'boolean'),
};

/** Undefined for anything that this version did not write. */
export const restore = (saved: unknown): FeedState | undefined =>
	isShaped(saved, checks) ? saved : undefined;

export const isEqual = (a: Query | undefined, b: Query): boolean =>
	JSON.stringify(Object.entries(a ?? {}).sort()) === JSON.stringify(Object.entries(b).sort());

/** The keys of everything seen, as far as they are above the watermark, with these batches. */
export const seenKeys = (state: FeedState, batches: Batch[]): Set<SortKey> =>
	new Set(
		[state.baseline?.keys ?? '', state.seen, ...batches.map(({ keys }) => keys)].flatMap(readKeys),
	);

/** Promise 5: the tenth poll sweeps. */
export const POLLS_UNTIL_SWEEP = 9;

/**
 * For a state that does not say everything that was found: a process that goes on from it sweeps
 * thoroughly, as what is missing may by now be below a page of old records.
 */
export const NEEDS_SWEEP = { isIncomplete: true, total: null };

export const isSweepDue = ({ isIncomplete, pollsSinceSweep }: FeedState): boolean =>
	isIncomplete || pollsSinceSweep >= POLLS_UNTIL_SWEEP;
