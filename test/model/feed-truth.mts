import { UNDATED } from '../../nodes/LicensingData/feed/event.ts';
import type { FeedState } from '../../nodes/LicensingData/feed/state.ts';
import { isTimed, keyOf, timeOf, type ModelRecord } from './feed-service.mts';

/** What the promises say of one event. */
interface Sighting {
	key: string;
	record: ModelRecord;
	time: number;
	/** `must` comes exactly once, `may` at most once, `never` not at all. */
	fate: 'must' | 'may' | 'never';
	isListed: boolean;
	/** Newer than all that was listed when it appeared: no shrinking window may cost it. */
	isOnTime: boolean;
	/** How many polls had begun when it appeared. */
	appearedIn: number;
	/** The poll that was shown it; undefined where none was, or where a restart forgot. */
	readIn: number | undefined;
	emitted: number;
	/** Undisturbed polls in a row since it is listed. */
	calm: number;
	/** Scans down to the floor that were over before they had been shown it. */
	missedBy: number;
}

/** The trigger at the moment at which something appears in the list. */
export interface Moment {
	now: number;
	phase: 'before' | 'firstPoll' | 'active';
	/** How many polls have begun. */
	poll: number;
	/** What a later poll may start from: what is in memory, and what is on disk. */
	states: FeedState[];
}

/** A poll that went well. */
export interface Polled {
	number: number;
	events: ModelRecord[];
	state: FeedState;
	shrunkTo: number | undefined;
	/** Neither trouble nor a moving list, and time and room for all. */
	isCalm: boolean;
	scan: ScanFate;
}

/** What happened to a scan, over all the polls that it took. */
export interface ScanFate {
	/** The poll that began it. */
	start: number;
	/** A removal pulled records from pages to come onto pages that it had read. */
	isPulled: boolean;
	/** An event moved what was to be read by a place, and what was read with it. */
	isPushed: boolean;
	/** It lost its cursor. */
	isExpired: boolean;
	/** The oldest time that it emitted. */
	oldest: number;
}

export type Violation = { kind: 'lost' | 'repeated' | 'outOfOrder' | 'other'; what: string };

const MOST_POLLS_UNTIL_FOUND = 10;
const BYTES_AN_EVENT = 16;

/**
 * What must come and what must not, kept by who sees the list itself.
 *
 * Every event that matches, was listed after the first poll returned, is no older than the lookback before the
 * newest event listed so far, and is still listed when the history ends, comes exactly once. Any other comes
 * at most once, and none that was there before the trigger. Excused, and only where the test sees the cause:
 *
 * - What is listed while the first poll reads may come or not: nobody can say which was first.
 * - A first scan that was left open takes for history what appears at or below the place it had reached.
 * - A record without a timestamp may stand below the window (undated last): there it is not looked for, and
 *   should it rise later, nobody can say since when it was there.
 *   What has no date at all is not looked for where memory is full. A poll says so.
 * - The window shrank, and a poll said so: what turns up late and is not newer than it said is not looked for.
 *   What was the newest when it appeared is not late.
 * - Where more new events share one moment than memory holds, only the cursor tells those that have come from
 *   those to come. If it is a count and the list grows meanwhile, some of that moment come again.
 * - With cursors that are counts, a removal pulls a record from the page to come onto the page just read.
 *   The next scan down to the floor finds it. What two such scans have missed may be below the floor by then.
 */
export class Truth {
	readonly violations: Violation[] = [];
	private readonly sightings = new Map<string, Sighting>();
	/** Listed, owed and not yet emitted. */
	private readonly owed = new Set<Sighting>();
	/** Dated after the moment at which they appeared. */
	private ahead: number[] = [];
	private newest = 0;
	/** The latest time of all events, those of the future included. */
	private top = 0;
	private shrunkTo = 0;
	private floor = 0;
	private isLearning = true;
	private readonly crowded = new Set<number>();

	constructor(
		private readonly lookback: number,
		private readonly matches: (record: ModelRecord) => boolean,
		/** Whether the list shows the record below one with a timestamp older than that. */
		private readonly standsBelow: (record: ModelRecord, time: number) => boolean,
		private readonly mostBytes: number,
	) {}

	get owedCount(): number {
		return this.owed.size;
	}

	isNew(record: ModelRecord): boolean {
		return !this.sightings.has(keyOf(record));
	}

	appears(record: ModelRecord, moment: Moment): void {
		const key = keyOf(record);
		const time = timeOf(record);
		const isOnTime = moment.phase === 'active' && isTimed(record) && time > this.top;
		if (time < UNDATED) this.top = Math.max(this.top, time);
		this.ahead.push(time);
		this.look(moment.now);
		const fate = this.fateOf(record, time, moment);
		const sighting: Sighting = {
			key,
			record,
			time,
			fate,
			isListed: true,
			isOnTime,
			appearedIn: moment.poll,
			readIn: undefined,
			emitted: 0,
			calm: 0,
			missedBy: 0,
		};
		this.sightings.set(key, sighting);
		if (fate === 'must') this.owed.add(sighting);
	}

	disappears(record: ModelRecord): void {
		const sighting = this.of(record);
		sighting.isListed = false;
		if (sighting.fate === 'must') this.settle(sighting, 'may');
	}

	/** A first poll, or one with other filters, begins: what is listed by now is history, or asked for. */
	startsQuietly(startFrom: number | undefined): void {
		this.isLearning = true;
		for (const sighting of this.sightings.values()) {
			if (!sighting.isListed) continue;
			// Another watch: what the one before has emitted is history to it, like all else.
			sighting.emitted = 0;
			const isAskedFor = startFrom !== undefined && sighting.time >= startFrom;
			this.settle(sighting, isAskedFor && this.matches(sighting.record) ? 'must' : 'never');
			sighting.readIn = undefined;
		}
	}

	isRead(records: ModelRecord[], poll: number): void {
		for (const record of records) this.of(record).readIn = poll;
	}

	/** There was no room for what this page shows. */
	isUnread(records: ModelRecord[]): void {
		for (const record of records) {
			const sighting = this.of(record);
			if (sighting.emitted === 0) sighting.readIn = undefined;
		}
	}

	/** A restart goes back to what was saved after that poll. */
	forgetsSince(poll: number, saved: FeedState | undefined): void {
		if (saved?.open && saved.open.newsFrom > 0) this.isLearning = true;
		for (const sighting of this.sightings.values()) {
			if (sighting.readIn !== undefined && sighting.readIn > poll) sighting.readIn = undefined;
			sighting.calm = 0;
		}
	}

	polled({ number, events, state, shrunkTo, isCalm, scan }: Polled, now: number): void {
		this.look(now);
		this.floor = state.floor;
		let before = Number.NEGATIVE_INFINITY;
		for (const record of events) {
			const sighting = this.of(record);
			sighting.emitted++;
			this.owed.delete(sighting);
			if (sighting.emitted > 1 && !this.crowded.has(sighting.time))
				this.violated('repeated', sighting, number);
			if (sighting.fate === 'never') this.violated('other', sighting, number, 'is history');
			if (!this.matches(record)) this.violated('other', sighting, number, 'does not match');
			if (sighting.time < before) this.violated('outOfOrder', sighting, number);
			before = sighting.time;
		}
		const bottom = state.open?.stretches.at(-1)?.bottom;
		if (state.open?.isCrowded && bottom !== undefined) this.crowded.add(bottom);
		if (shrunkTo !== undefined) this.shrinks(shrunkTo, state, scan);
		if (scan.isPulled) this.missesUnread(state);
		if (state.open === null && !scan.isPulled) this.expectAllMet(number, scan, state.polls === 0);
		if (this.isLearning && state.open === null) this.hasLearned();
		for (const sighting of this.owed) {
			sighting.calm = isCalm && !this.isOutOfReach(sighting) ? sighting.calm + 1 : 0;
			if (sighting.calm >= MOST_POLLS_UNTIL_FOUND && !this.isExcused(sighting)) {
				this.violated('other', sighting, number, 'not found within ten polls');
				this.owed.delete(sighting);
			}
		}
	}

	/** Whether no poll has been shown some event that is no history. */
	hasHidden(floor: number): boolean {
		for (const { isListed, readIn, time } of this.sightings.values())
			if (isListed && readIn === undefined && time >= floor) return true;
		return false;
	}

	/**
	 * A scan that ends has met all that was there when it began: down to the floor where it went that far, or
	 * else down to the oldest it found and through all its ties (promise 4).
	 */
	private expectAllMet(poll: number, { start, oldest }: ScanFate, wentToFloor: boolean): void {
		for (const sighting of this.owed) {
			const { appearedIn, time, record } = sighting;
			const isAbove = wentToFloor || (isTimed(record) && time >= oldest);
			if (appearedIn >= start || !isAbove || this.isExcused(sighting)) continue;
			this.violated('other', sighting, poll, 'was passed over');
			this.owed.delete(sighting);
		}
	}

	/** All that is owed should have come with this poll. */
	expectNothingOwed(poll: number, why: string): void {
		for (const sighting of this.owed)
			if (!this.isExcused(sighting)) this.violated('other', sighting, poll, why);
	}

	ends(poll: number): void {
		for (const sighting of this.owed)
			if (!this.isExcused(sighting)) this.violated('lost', sighting, poll);
	}

	private fateOf(record: ModelRecord, time: number, moment: Moment): Sighting['fate'] {
		if (moment.phase === 'before') return 'never';
		if (moment.phase === 'firstPoll' || !this.matches(record)) return 'may';
		const isTaken = moment.states.some(
			({ open }) =>
				open !== null && time < open.newsFrom && (!isTimed(record) || time <= open.reached),
		);
		const isPast = time < this.newest - this.lookback || time <= this.shrunkTo;
		return isTaken || isPast ? 'may' : 'must';
	}

	/**
	 * What was there before the scan that overflowed has been met by it, unless the list moved or the scan lost
	 * its place, or unless the window had to shrink while the scan was still above.
	 */
	private shrinks(shrunkTo: number, state: FeedState, scan: ScanFate): void {
		if (shrunkTo < UNDATED) this.shrunkTo = Math.max(this.shrunkTo, shrunkTo);
		const met = [...this.sightings.values()].filter(({ readIn }) => readIn !== undefined);
		const metNoTime = !met.some(({ record }) => isTimed(record));
		for (const sighting of this.sightings.values())
			if (sighting.fate === 'never' && (sighting.time === UNDATED || metNoTime))
				sighting.fate = 'may';
		const isWhole = state.open === null && !scan.isPulled && !scan.isExpired;
		for (const sighting of this.owed) {
			const { time, record, appearedIn } = sighting;
			const wasPassed = state.polls === 0 || time >= scan.oldest;
			const wasMet = isWhole && isTimed(record) && appearedIn < scan.start && wasPassed;
			const isPast = time === UNDATED || (time <= shrunkTo && shrunkTo < UNDATED);
			// Of a moment that memory could not hold, or at which it ended, some may have had no room.
			const hadRoom = time !== shrunkTo && !this.isCrowded(time);
			const isSafe = wasMet || (sighting.isOnTime && hadRoom && !scan.isPulled);
			if (isPast && !isSafe) this.settle(sighting, 'may');
		}
	}

	/** What a first scan has missed is not known to be history; it looks late. */
	private missesUnread({ open, polls }: FeedState): void {
		for (const sighting of this.sightings.values()) {
			if (!sighting.isListed || sighting.readIn !== undefined) continue;
			sighting.isOnTime = false;
			if (sighting.fate === 'never' && sighting.time >= (open?.reached ?? 0)) sighting.fate = 'may';
			if (open === null && polls === 0) sighting.missedBy++;
		}
	}

	/** Only its place made history of what has no timestamp, and places change. */
	private hasLearned(): void {
		this.isLearning = false;
		for (const sighting of this.sightings.values()) {
			const { fate, readIn, record } = sighting;
			if (fate === 'never' && readIn === undefined && !isTimed(record)) sighting.fate = 'may';
		}
	}

	/** Whether of a moment more events are listed than memory is sure to have room for. */
	private isCrowded(time: number): boolean {
		const alike = [...this.sightings.values()].filter((sighting) => sighting.time === time);
		return this.crowded.has(time) || alike.length * BYTES_AN_EVENT > this.mostBytes / 3;
	}

	private isOutOfReach({ record }: Sighting): boolean {
		return !isTimed(record) && this.standsBelow(record, this.floor);
	}

	private isExcused(sighting: Sighting): boolean {
		return sighting.missedBy >= 2 || this.isOutOfReach(sighting);
	}

	private settle(sighting: Sighting, fate: Sighting['fate']): void {
		sighting.fate = fate;
		if (fate === 'must') this.owed.add(sighting);
		else this.owed.delete(sighting);
	}

	/** Events of the future count as newest only once their time has come. */
	private look(now: number): void {
		if (this.ahead.length === 0) return;
		for (const time of this.ahead) if (time <= now) this.newest = Math.max(this.newest, time);
		this.ahead = this.ahead.filter((time) => time > now && time < UNDATED);
	}

	private of(record: ModelRecord): Sighting {
		const sighting = this.sightings.get(keyOf(record));
		if (!sighting) throw new Error(`${keyOf(record)} was never listed`);
		return sighting;
	}

	private violated(
		kind: Violation['kind'],
		{ key }: Sighting,
		poll: number,
		what: string = kind,
	): void {
		this.violations.push({ kind, what: `poll ${poll}: ${key} ${what}` });
	}
}
