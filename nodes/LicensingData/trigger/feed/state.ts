import type { Place } from './sortKey';
import {
	FIRST_UNDATED,
	isBorder,
	isDated,
	isPlaces,
	readPlaces,
	startOf,
	timeOf,
	writePlaces,
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
	/** Unknown events up to this place are history, not news. */
	floor: Place;
	/** The floor after the next deep scan: what one deep scan misses, the next still finds. */
	nextFloor: Place;
	/** The list's total at the last top scan; null if it proves nothing. */
	total: number | null;
	/** Polls since the last deep scan: at nine one is due, and above nine a patient one. */
	polls: number;
	/** The places above the floor that were emitted or learned, except those of open emissions. */
	known: string;
	/** The emissions that were open when this was written. */
	emissions: Emission[];
	/**
	 * The hashes on the first page when it was last read and, while events wait, when it was read before. Most
	 * of them may be below the floor.
	 */
	firstPage: string[];
	/** Whether there are more undated events than are remembered. */
	hasForgottenUndated: boolean;
	/** Until the first look is over: where the news for Start From begins, and what has been emitted since. */
	learning?: { newsFrom: Place | null; news: string };
}

export interface Emission {
	id: string;
	at: number;
	places: string;
}

/** What became of an emission: n8n has taken it, has lost it, or may still do either. */
export type Fate = 'taken' | 'lost' | 'open';

/** Promise 14: 16 bytes each, so that the whole state stays below 256 KB. */
export const CAPACITY = 15_000;
/** How many of them may be undated: these are above every floor, so nothing else removes them. */
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

const emissionChecks: Checks<Emission> = { id: isText, at: Number.isFinite, places: isPlaces };

const checks: Checks<FeedState> = {
	version: (value) => value === 2,
	account: isText,
	query: (value) => isObject(value) && Object.values(value).every(isText),
	at: Number.isFinite,
	floor: isBorder,
	nextFloor: isBorder,
	total: (value) => value === null || Number.isFinite(value),
	polls: Number.isFinite,
	known: isPlaces,
	emissions: isListOf((value) => isShaped(value, emissionChecks)),
	firstPage: isListOf(isText),
	hasForgottenUndated: (value) => typeof value === 'boolean',
	learning: (value) =>
		value === undefined ||
		(isObject(value) &&
			(value.newsFrom === null || isBorder(value.newsFrom)) &&
			isPlaces(value.news)),
};

/** Undefined for anything that this version did not write. */
export const restore = (saved: unknown): FeedState | undefined =>
	isShaped(saved, checks) ? saved : undefined;

/** The known places, including those of these emissions. */
export const knownPlaces = (state: FeedState, emissions: Emission[]): Set<Place> =>
	new Set([state.known, ...emissions.map(({ places }) => places)].flatMap(readPlaces));

/** What did not fit into the state. */
export interface Forgotten {
	/** All dated events up to this place: the floor had to rise to it. */
	datedUpTo?: Place;
	/** Whether undated events were forgotten for the first time. */
	undated: boolean;
}

/**
 * Writes the known places into a state. If there are too many, the newest stay and the floor rises: what is
 * forgotten becomes history, or it would come again as news.
 */
export function remember(
	state: FeedState,
	known: Set<Place>,
	emissions: Emission[],
	capacity: number,
): { state: FeedState; forgotten: Forgotten } {
	const sorted = [...known].filter((place) => place > state.floor).sort();
	const firstUndated = sorted.findIndex((place) => !isDated(place));
	const dated = firstUndated < 0 ? sorted : sorted.slice(0, firstUndated);
	const undated = firstUndated < 0 ? [] : sorted.slice(firstUndated);
	// The end is kept. Open emissions go there: one that n8n lost and that is forgotten would not come again.
	const open = new Set(emissions.flatMap(({ places }) => readPlaces(places)));
	undated.sort((a, b) => Number(open.has(a)) - Number(open.has(b)));
	const kept = undated.slice(-Math.min(MOST_UNDATED, Math.floor(capacity / 2)));
	const datedUpTo = dated.splice(0, dated.length + kept.length - capacity).at(-1);
	const floor = datedUpTo ?? state.floor;

	const remembered = new Set(kept);
	const openEmissions = emissions.map((emission) => ({
		...emission,
		places: writePlaces(
			readPlaces(emission.places).filter(
				(place) => remembered.has(place) || (isDated(place) && place > floor),
			),
		),
	}));
	const apart = new Set(openEmissions.flatMap(({ places }) => readPlaces(places)));
	const isTooMuch = undated.length > kept.length;
	return {
		state: {
			...state,
			floor,
			known: writePlaces([...dated, ...kept].filter((place) => !apart.has(place))),
			emissions: openEmissions,
			hasForgottenUndated: state.hasForgottenUndated || isTooMuch,
		},
		forgotten: { datedUpTo, undated: isTooMuch && !state.hasForgottenUndated },
	};
}

/**
 * The window reaches back from the newest event, not from now: a service may publish days after the fact.
 * Events dated in the future are left out, or one typo would drag the window along.
 */
export function windowStart(places: Iterable<Place>, now: number, lookback: number): Place {
	const newest = newestOf(places, now);
	return newest === undefined ? '' : startOf(timeOf(newest) - lookback);
}

export function newestOf(places: Iterable<Place>, now: number): Place | undefined {
	const end = startOf(now + 1);
	let newest: Place | undefined;
	for (const place of places)
		if (place < end && place < FIRST_UNDATED && !(newest !== undefined && place < newest))
			newest = place;
	return newest;
}

/** Promise 9: the floor stays below what may be emitted again. Each emission starts with its oldest event. */
export function belowEmissions(floor: Place, emissions: Emission[]): Place {
	return emissions
		.flatMap(({ places }) => readPlaces(places).slice(0, 1))
		.map((place) => startOf(timeOf(place)))
		.reduce((lowest, start) => (start < lowest ? start : lowest), floor);
}
