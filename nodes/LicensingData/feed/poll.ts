import type { FeedRecord } from './event';
import { eventOf, UNDATED } from './event';
import type { Memory } from './memory';
import { CAPACITY, keepNewest, read, write } from './memory';
import type { FeedState, OpenScan } from './state';
import { restore } from './state';
import { extend, forget, isForgotten, lastForgotten, mayForget, tightened } from './stretch';

export interface FeedPage<Entry> {
	records: Entry[];
	/** The way to the next page; null on the last. */
	cursor: string | null;
	total?: number;
}

/** A page, or why there is none: a cursor that the service dropped, or a failure for the caller to tell. */
export type PageResult<Entry> = FeedPage<Entry> | { expired: true } | { failure: unknown };

export type ReadPage<Entry> = (cursor: string | null) => Promise<PageResult<Entry>>;

export interface Poll<Entry> {
	/** What the last poll returned, or whatever else was saved under its name. */
	saved: unknown;
	/** Identifies the filters behind `readPage` and `matches`. */
	filters: string;
	readPage: ReadPage<Entry>;
	/** What the service could not filter. */
	matches: (record: Entry) => boolean;
	/** Events since this time are news even at the very first poll. */
	startFrom?: number;
	/** Milliseconds by which an event may turn up late. */
	lookback: number;
	maxItems: number;
	now: number;
	/** Whether the time budget allows another request. */
	hasTime: () => boolean;
}

export type Outcome<Entry> =
	| {
			/** Oldest first. */
			events: Entry[];
			state: FeedState;
			/** The window had to shrink: later arrivals than this may be missed. */
			shrunkTo?: number;
			/** Why the scan could not go on below what it has read. */
			unread?: { failure: unknown };
	  }
	| { failure: unknown };

/** Promise 5: in a full scan, at the latest, an event that slipped in below is found. */
const POLLS_UNTIL_FULL = 9;

/** Bytes. Cursors are opaque, and so of any length; a longer one is not worth its place in the state. */
const LONGEST_CURSOR = 3_500;

/** The least that an open scan may remember of what it finds, and the most that may lack a date. */
const SMALLEST_FOUND = 500;

/** The least that an open scan leaves of what was known before. */
const SMALLEST_KNOWN = 500;

const NEVER = UNDATED + 1;

/**
 * One poll, as a pure function: it reads pages from the top (or on from where the last poll left off) until
 * it meets what was known before, and brings what it did not know.
 */
export async function pollFeed<Entry extends FeedRecord>(
	poll: Poll<Entry>,
): Promise<Outcome<Entry>> {
	const { readPage, matches, hasTime, maxItems } = poll;
	const restored = restore(poll.saved, poll.filters);
	const state = restored ?? newState(poll.filters);
	const known = read(state.known);
	let scan = state.open ?? newScan(state, restored ? 0 : firstNews(poll));
	const found = read(scan.found);
	let { floor } = state;
	let { cursor, total, count, reached, stretches } = scan;

	const news: Array<{ record: Entry; time: number }> = [];
	const cursors = new Set<string>();
	let restarted = false;
	let pages = 0;
	let undated = [...known.values(), ...found.values()].filter((time) => time === UNDATED).length;
	let unremembered: number | undefined;
	let forgotten = 0;
	let unread: { failure: unknown } | undefined;
	let end: 'settled' | 'floor' | undefined;

	for (;;) {
		if (cursor === null && (restarted || scan.isCrowded)) {
			scan = again({ ...scan, stretches, isCrowded: scan.isCrowded && reached >= scan.reached });
			({ stretches } = scan);
		}
		const page = await readPage(cursor);
		// A cursor of an earlier poll that fails may be one that the service refuses in its own way.
		const isDoubtful = 'expired' in page || ('failure' in page && pages === 0 && hasTime());
		if (isDoubtful && cursor !== null && !restarted) {
			// Promise 7: from the top again. What was found is remembered, so nothing comes twice.
			restarted = true;
			cursors.clear();
			cursor = null;
			continue;
		}
		if (!('records' in page)) {
			// Promise 8: with nothing read, nothing changes; otherwise the scan stays open at this page.
			unread = { failure: 'failure' in page ? page.failure : undefined };
			if (pages === 0) return unread;
			break;
		}
		pages++;
		const entries = page.records.map((record) => ({ record, ...eventOf(record) }));
		if (cursor === null) total = page.total ?? null;
		if (!restored && pages === 1) {
			const window = windowStart(
				entries.map(({ time }) => time),
				poll,
			);
			floor = Math.min(window, scan.newsFrom);
		}

		let isFull = false;
		let lastTime: number | undefined;
		for (const { record, hash, time, timed } of entries) {
			const isMet = known.has(hash) || found.has(hash) || time < floor;
			// Found before, by this scan, though there was no room to remember each one.
			if (isMet || isForgotten(scan.stretches, time)) {
				if (timed) lastTime = time;
				continue;
			}
			// Promise 14: no window ever passes what has no date at all, so it must leave room for the rest.
			if (time === UNDATED && undated++ >= SMALLEST_FOUND) {
				unremembered = UNDATED;
				continue;
			}
			// What stands above the place that a first look had reached has come since (promise 1).
			const isNews = time >= scan.newsFrom || (timed && time > scan.reached);
			if (isNews && matches(record)) {
				// Promise 6: the rest of this page belongs to the next poll, which reads it again.
				isFull = news.length === maxItems;
				if (isFull) break;
				news.push({ record, time });
			}
			found.set(hash, time);
			count++;
			if (!timed) continue;
			reached = Math.min(reached, time);
			lastTime = time;
		}
		const first = entries.find(({ timed }) => timed);
		if (first && lastTime !== undefined) {
			stretches = extend(stretches, first.time, lastTime);
		}
		if (isFull) break;

		// Undated records may stand anywhere, so only the others tell how far down this page is.
		const last = entries.findLast(({ timed }) => timed);
		const isBelow = last !== undefined && last.time < floor;
		// A list that leads in a circle has been read to its end.
		if (page.cursor === null || cursors.has(page.cursor) || isBelow) {
			end = 'floor';
			break;
		}
		// Promise 13: below an event that was known before, all is known, but for ties of what was found
		// (promise 4) and late arrivals (promise 5). Those make the total grow by more than was found.
		const grown = total !== null && state.total !== null ? total - state.total : 0;
		const isKnown = last !== undefined && known.has(last.hash) && last.time < reached;
		if (!scan.full && isKnown && grown <= count) {
			end = 'settled';
			break;
		}
		// Promise 14: a first look need not go further back than memory does, once it is past what has come since.
		const isPast = last === undefined || last.time <= scan.reached;
		if (scan.newsFrom === NEVER && found.size > CAPACITY && isPast) {
			if (reached < NEVER) forgotten = reached;
			end = 'floor';
			break;
		}
		cursor = page.cursor;
		cursors.add(cursor);
		if (!hasTime() || news.length >= maxItems) break;
	}

	const base = { ...state, floor };
	const next =
		end === undefined
			? leaveOpen(base, known, found, {
					...scan,
					cursor,
					total,
					count,
					stretches,
					reached: Math.min(reached, scan.reached),
					isCrowded: scan.isCrowded && reached >= scan.reached,
				})
			: close(
					base,
					known,
					found,
					{ total, forgotten: Math.max(forgotten, lastForgotten(stretches)) },
					end === 'floor',
					poll,
				);
	// Promise 2. Sorting is stable, so ties keep the order of the list, turned round.
	const events = news
		.reverse()
		.sort((a, b) => a.time - b.time)
		.map(({ record }) => record);
	return { events, state: next.state, shrunkTo: next.shrunkTo ?? unremembered, unread };
}

/** Promises 3 and 11: a first scan, or one after the filters changed, only learns what is there. */
function firstNews({ saved, startFrom }: Pick<Poll<never>, 'saved' | 'startFrom'>): number {
	return saved === undefined ? (startFrom ?? NEVER) : NEVER;
}

function newState(filters: string): FeedState {
	return {
		version: 1,
		filters,
		floor: 0,
		nextFloor: 0,
		total: null,
		polls: POLLS_UNTIL_FULL,
		known: '',
		open: null,
	};
}

function newScan(state: FeedState, newsFrom: number): OpenScan {
	return {
		cursor: null,
		total: null,
		full: state.polls >= POLLS_UNTIL_FULL,
		newsFrom,
		found: '',
		count: 0,
		reached: NEVER,
		stretches: [],
		isCrowded: false,
		hasRestarted: false,
	};
}

/** Without its cursor nothing tells which ties of the last moment are left: all of them count as found. */
function again(scan: OpenScan): OpenScan {
	const restarted = { ...scan, isCrowded: false, hasRestarted: true };
	return scan.isCrowded ? { ...restarted, ...pastMoment(scan) } : restarted;
}

/** The last moment of a scan, taken for read to its end. */
function pastMoment({ reached, stretches }: OpenScan): Pick<OpenScan, 'reached' | 'stretches'> {
	const others = stretches.slice();
	const current = others.pop();
	if (!current) return { reached, stretches };
	const { top, bottom, forgotten } = current;
	const past = { top, bottom: bottom - 1, forgotten: Math.max(forgotten, bottom) };
	return { reached: Math.min(reached, past.bottom), stretches: [...others, past] };
}

/**
 * The window reaches back from the newest event, not from now: a service may publish days after the fact.
 * Events dated in the future are left out, or one slip of a pen would drag the window along.
 */
function windowStart(times: Iterable<number>, { now, lookback }: Clock): number {
	let newest = 0;
	for (const time of times) if (time > newest && time <= now) newest = time;
	return Math.max(0, newest - lookback);
}

type Clock = Pick<Poll<never>, 'now' | 'lookback'>;

type Written = { state: FeedState; shrunkTo?: number };

/** Promise 6: puts a scan away, for the next poll to go on with. */
function leaveOpen(state: FeedState, known: Memory, found: Memory, scan: OpenScan): Written {
	const at = (isThere: (time: number) => boolean) => [...found].filter(([, time]) => isThere(time));
	const mustKeep = at((time) => !mayForget(scan.stretches, time)).length;
	const isTight = mustKeep > CAPACITY - SMALLEST_KNOWN;
	const stretches = isTight ? tightened(scan.stretches) : scan.stretches;
	const last = stretches.at(-1)?.bottom;
	// Of a backlog larger than memory, what was read without a gap need not be known one by one, nor what was
	// read first of a moment that never ends: the cursor is below it.
	const isPassed = (time: number) => mayForget(stretches, time);
	const allTies = at((time) => time === last && !isPassed(time));
	// Records without a timestamp stand anywhere, so no place tells whether they were met.
	const others = new Map(at((time) => time !== last && !isPassed(time)));
	const spare = CAPACITY - Math.min(known.size, CAPACITY - SMALLEST_FOUND);
	const needed = Math.min(others.size + allTies.length, CAPACITY - SMALLEST_KNOWN);
	const room = Math.max(spare, needed);
	const keptOthers = keepNewest(others, room);
	const tooMany = Math.max(0, allTies.length + keptOthers.kept.size - room);
	const ties = allTies.slice(tooMany > 0 && scan.hasRestarted ? Infinity : tooMany);
	const passed = new Map(at(isPassed));
	const keptPassed = keepNewest(passed, room - keptOthers.kept.size - ties.length);
	const dropped = [...passed]
		.filter(([hash]) => !keptPassed.kept.has(hash))
		.map(([, time]) => time);
	const remembered = new Map([...keptPassed.kept, ...keptOthers.kept, ...ties]);
	const keptKnown = keepNewest(known, CAPACITY - remembered.size);
	const isLong = Buffer.byteLength(JSON.stringify(scan.cursor)) > LONGEST_CURSOR;
	const shrunkTo = Math.max(keptKnown.forgotten ?? 0, keptOthers.forgotten ?? 0) || undefined;
	const crowded = tooMany > 0 && last !== undefined ? [last] : [];
	const left = { ...scan, stretches: forget(stretches, [...dropped, ...crowded]) };
	return {
		state: {
			...state,
			polls: state.polls + 1,
			floor: floorAbove(state.floor, shrunkTo),
			known: write(keptKnown.kept),
			open: {
				...left,
				...(tooMany > 0 && scan.hasRestarted && pastMoment(left)),
				cursor: isLong ? null : scan.cursor,
				hasRestarted: scan.hasRestarted || isLong,
				found: write(remembered),
				isCrowded: scan.isCrowded || (tooMany > 0 && !scan.hasRestarted),
			},
		},
		shrunkTo: isTight ? Math.max(shrunkTo ?? 0, ...dropped) || undefined : shrunkTo,
	};
}

/** Ends a scan: what it found is known from now on. */
function close(
	state: FeedState,
	known: Memory,
	found: Memory,
	scan: { total: number | null; forgotten: number },
	wentToFloor: boolean,
	clock: Clock,
): Written {
	const seen = new Map([...found, ...known]);
	const floor = Math.max(
		floorAbove(state.floor, scan.forgotten),
		// Promises 1 and 5: only a scan that went all the way may raise the floor, and only as far as the full
		// scan before it had seen: what slipped past one of the two is found by the other.
		wentToFloor ? state.nextFloor : 0,
	);
	const inWindow = new Map([...seen].filter(([, time]) => time >= floor));
	const { kept, forgotten } = keepNewest(inWindow, CAPACITY);
	return {
		state: {
			...state,
			floor: floorAbove(floor, forgotten),
			nextFloor: wentToFloor ? windowStart(seen.values(), clock) : state.nextFloor,
			total: scan.total,
			polls: wentToFloor ? 0 : state.polls + 1,
			known: write(kept),
			open: null,
		},
		shrunkTo: forgotten ?? (scan.forgotten || undefined),
	};
}

/** What is forgotten must become history, or it would come again as news. */
function floorAbove(floor: number, forgotten = 0): number {
	return forgotten > 0 && forgotten < UNDATED ? Math.max(floor, forgotten + 1) : floor;
}
