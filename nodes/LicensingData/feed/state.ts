import type { Stretch } from './stretch';

/** What a trigger remembers between polls. Read once and written once a poll, always as a whole. */
export interface FeedState {
	version: 1;
	/** What was watched when this was written; another value means that the user changed the filters. */
	filters: string;
	/** Unknown events older than this are history, not news. */
	floor: number;
	/** The floor after the next full scan: an event that one scan misses must not fall below it unseen. */
	nextFloor: number;
	/** The list's total at the last scan. */
	total: number | null;
	/** Polls since the last full scan. */
	polls: number;
	/** Every event at or above the floor that was seen, as memory.ts writes it. */
	known: string;
	/** A scan that a poll had to leave off, for the next one to go on with. */
	open: OpenScan | null;
}

export interface OpenScan {
	/** Where to read on; null for the top. */
	cursor: string | null;
	/** The list's total when the scan started. */
	total: number | null;
	/** Whether it goes down to the floor whatever it meets. */
	full: boolean;
	/** Older events are learned without a word: those that were there before the trigger was. */
	newsFrom: number;
	/** What it found so far. Apart from `known`, as only what was known before tells where news end. */
	found: string;
	/** How many it found, also where `found` had no room for all. */
	count: number;
	/** The oldest time that it reached. */
	reached: number;
	/** What it has read, the stretch that it is in at the end. */
	stretches: Stretch[];
	/** Whether of the last moment, too, some could not be remembered. Only the cursor stands below them. */
	isCrowded: boolean;
	/** Whether it lost its cursor, and reads once more what it had read. */
	hasRestarted: boolean;
}

type Checks<Value> = { [Name in keyof Value]: (value: unknown) => boolean };

const isText = (value: unknown) => typeof value === 'string';
const isNumber = Number.isFinite;
const isTruth = (value: unknown) => typeof value === 'boolean';
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value);

function isShaped<Value>(value: unknown, checks: Checks<Value>): value is Value {
	const fields = value as Record<string, unknown>;
	const isObject = typeof value === 'object' && value !== null;
	return (
		isObject &&
		Object.entries<Checks<Value>[keyof Value]>(checks).every(([name, is]) => is(fields[name]))
	);
}

const stretchChecks: Checks<Stretch> = {
	top: isNumber,
	bottom: isNumber,
	forgotten: isNumber,
};

const scanChecks: Checks<OpenScan> = {
	cursor: orNull(isText),
	total: orNull(isNumber),
	full: isTruth,
	newsFrom: isNumber,
	found: isText,
	count: isNumber,
	reached: isNumber,
	stretches: (value) => Array.isArray(value) && value.every((one) => isShaped(one, stretchChecks)),
	isCrowded: isTruth,
	hasRestarted: isTruth,
};

const stateChecks: Checks<FeedState> = {
	version: (value) => value === 1,
	filters: isText,
	floor: isNumber,
	nextFloor: isNumber,
	total: orNull(isNumber),
	polls: isNumber,
	known: isText,
	open: orNull((value) => isShaped(value, scanChecks)),
};

/** A state that this version wrote, for these filters; anything else means a new, quiet start. */
export function restore(saved: unknown, filters: string): FeedState | undefined {
	return isShaped(saved, stateChecks) && saved.filters === filters ? saved : undefined;
}
