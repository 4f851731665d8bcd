import type { EventRecord } from '../../domain/event';
import type { Place } from './sortKey';
import { hashOf, isDated, isSameMoment, placeOf, startOf, timeOf } from './sortKey';

export interface FeedPage<Entry> {
	records: Entry[];
	/** Leads to the next page; null on the last. */
	cursor: string | null;
	total?: number;
}

/** A page, or why there is none: a cursor that the service no longer accepts, or a failure to report. */
export type PageResult<Entry> = FeedPage<Entry> | { expired: true } | { failure: unknown };
export type ReadPage<Entry> = (cursor: string | null) => Promise<PageResult<Entry>>;

/** What a scan may ask while it reads. */
export interface ScanContext<Entry> {
	readPage: ReadPage<Entry>;
	/** Whether the time budget allows another request. */
	hasTime: () => boolean;
	/** `familiar`, `history`: see "Words" in docs/trigger.md. `unknown`: neither, and so news or to be learned. */
	judge: (place: Place, isBelowLearned: boolean) => 'unknown' | 'familiar' | 'history';
	/** For a familiar place: false if it is still to be emitted, or was new during the first look. */
	wasLearned: (place: Place) => boolean;
	/** Whether an unknown event is to become known without being emitted. */
	isToLearn: (record: Entry, place: Place, isBelowLearned: boolean) => boolean;
	/** The filters that the trigger applies itself. */
	matches: (record: Entry) => boolean;
	/** How far down to read: to the floor or, at a first look, to the start of the window. */
	bottom: (found: Iterable<Found<Entry>>) => Place;
	/** By how many milliseconds the list may be out of order. */
	mostDisorder: number;
	/** The total at the previous scan. */
	lastTotal: number | null;
	/** How many bytes this scan may hold. */
	room: () => number;
}

export interface Found<Entry> {
	place: Place;
	/** Absent if nothing is to be emitted: then its place is enough. */
	record?: Entry;
	isToLearn: boolean;
	bytes: number;
}

/**
 * `top` ends where the known events begin, `deep` at the bottom. `patient` ends only after several pages
 * below the bottom: a single one may be old records that somebody has just entered.
 */
export type Goal = 'top' | 'deep' | 'patient';

/** About what a place takes up without its record. */
const BYTES_OF_A_PLACE = 200;
/** This many pages in a row entirely below the bottom end any scan. */
const MOST_PAGES_BELOW = 10;
/** This many pages in a row without a single date end a scan: there is no telling how far down they are. */
const MOST_UNDATED_PAGES = 100;

/**
 * One pass down the list, over as many polls as it takes. It collects what is new, and exists in the process
 * alone: nothing of it has been emitted, so if it is lost, the list is just read again.
 */
export class Scan<Entry extends EventRecord> {
	/** In the order of the list, so the newest come first, more or less. */
	readonly found = new Map<Place, Found<Entry>>();
	/** `stuck`: two polls got no further down. */
	standing: 'reading' | 'over' | 'stuck' = 'reading';
	hasReachedBottom = false;
	/** Whether it found more than it may hold. */
	hasDropped = false;
	/** The list's total when it began. */
	total: number | null = null;
	/** By how many records the list fell short of its total. */
	shortBy = 0;
	firstPage: string[] = [];
	bytes = 0;
	unknownMet = 0;

	private hasMetFamiliar = false;
	/** Whether what comes next is below something that was learned. */
	private isBelowLearned: boolean;
	/** Whether anything has been learned. Until then, nothing tells what was added on top since. */
	private hasLearned: boolean;
	private oldest: Place | undefined;
	private historyMet = 0;
	private isSortedByTime = true;
	private pagesBelow = 0;
	private undatedPages = 0;
	private recordsRead = 0;
	private depth = 0;
	private deepest = 0;
	/** How deep it was when a cursor was last refused. If it got no deeper since, it does not start over. */
	private deepestAtRestart: number | undefined;
	private hasFailed = false;
	private readonly cursors = new Set<string>();

	constructor(
		private readonly goal: Goal,
		private cursor: string | null = null,
	) {
		this.hasLearned = goal === 'top';
		this.isBelowLearned = !this.hasLearned;
	}

	/** The deep scan that begins where this top scan ended. */
	goDeeper(goal: 'deep' | 'patient'): Scan<Entry> {
		const deep = new Scan<Entry>(goal, this.cursor);
		deep.hasMetFamiliar = true;
		deep.isBelowLearned = this.isBelowLearned;
		deep.hasLearned = true;
		deep.undatedPages = this.undatedPages;
		deep.total = this.total;
		deep.recordsRead = this.recordsRead;
		deep.isSortedByTime = this.isSortedByTime;
		return deep;
	}

	/** By how much the list's total may have grown without anything new further down. */
	get unfamiliarMet(): number {
		return this.unknownMet + this.historyMet;
	}

	/** Whether both scans failed to read the same next page. */
	failsWhere({ hasFailed, cursor }: Scan<Entry>): boolean {
		return hasFailed && this.hasFailed && cursor === this.cursor;
	}

	remove(place: Place): void {
		this.bytes -= this.found.get(place)?.bytes ?? 0;
		this.found.delete(place);
	}

	takeFound(): Array<Found<Entry>> {
		const events = [...this.found.values()];
		this.found.clear();
		this.bytes = 0;
		return events;
	}

	/** Reads until it is over or time is up. If a page could not be read, returns why. */
	async readOn(
		context: ScanContext<Entry>,
	): Promise<{ failure: unknown; isFirstPage: boolean } | undefined> {
		const { deepest } = this;
		for (let requests = 0; this.standing === 'reading'; requests++) {
			if (requests > 0 && !context.hasTime()) return undefined;
			const page = await context.readPage(this.cursor);
			if ('records' in page) {
				this.take(page, context);
				continue;
			}
			const isFirstPage = this.cursor === null;
			if ('expired' in page && !isFirstPage && this.deepest !== this.deepestAtRestart) {
				this.startAgain();
				continue;
			}
			if (!isFirstPage && this.hasFailed && this.deepest === deepest) this.standing = 'stuck';
			this.hasFailed = true;
			return { failure: 'failure' in page ? page.failure : undefined, isFirstPage };
		}
		return undefined;
	}

	/** The service no longer accepts the cursor. What was found stays. */
	private startAgain(): void {
		this.deepestAtRestart = this.deepest;
		this.cursor = null;
		this.cursors.clear();
		this.hasMetFamiliar = false;
		this.isBelowLearned = !this.hasLearned;
		this.historyMet = this.pagesBelow = this.undatedPages = this.recordsRead = this.depth = 0;
	}

	private take(page: FeedPage<Entry>, context: ScanContext<Entry>): void {
		const places = page.records.map(placeOf);
		if (this.cursor === null) {
			this.total = page.total ?? null;
			this.firstPage = places.map(hashOf);
		}
		const foundBefore = this.found.size;
		for (const [index, place] of places.entries())
			this.meet(page.records[index] as Entry, place, context);
		const hasFoundMore = this.found.size > foundBefore;
		this.dropWhatHasNoRoom(context.room());
		this.recordsRead += places.length;
		this.depth++;
		if (this.depth > this.deepest) {
			this.deepest = this.depth;
			this.hasFailed = false;
		}

		// A list whose cursors lead in a circle has been read to its end.
		const isEnd = page.cursor === null || this.cursors.has(page.cursor);
		// If the total has changed, so has the list.
		if (isEnd && page.total !== undefined && page.total === this.total)
			this.shortBy = Math.max(0, page.total - this.recordsRead);
		this.hasReachedBottom = this.isAtBottom(places, hasFoundMore, context) || isEnd;
		const isCaughtUp = this.goal === 'top' && this.isCaughtUp(places, hasFoundMore, context);
		if (this.hasReachedBottom || isCaughtUp) this.standing = 'over';
		if (page.cursor === null) return;
		this.cursor = page.cursor;
		this.cursors.add(page.cursor);
	}

	private meet(record: Entry, place: Place, context: ScanContext<Entry>): void {
		const before = this.found.get(place);
		this.isBelowLearned ||= before?.isToLearn === true;
		if (before) return;
		const verdict = context.judge(place, this.isBelowLearned);
		if (verdict === 'familiar') this.hasMetFamiliar = true;
		if (verdict === 'familiar' && context.wasLearned(place))
			this.isBelowLearned = this.hasLearned = true;
		if (verdict === 'history' && isDated(place)) this.historyMet++;
		if (verdict !== 'unknown') return;
		const isToLearn = context.isToLearn(record, place, this.isBelowLearned);
		this.hasLearned ||= isToLearn;
		const isToEmit = !isToLearn && context.matches(record);
		const bytes = BYTES_OF_A_PLACE + (isToEmit ? bytesInMemory(record) : 0);
		this.found.set(place, { place, isToLearn, bytes, ...(isToEmit && { record }) });
		this.bytes += bytes;
		this.unknownMet++;
		if (isDated(place) && !(this.oldest !== undefined && place > this.oldest)) this.oldest = place;
	}

	/** The oldest stay, as they are emitted first. The next scan finds the others again. */
	private dropWhatHasNoRoom(room: number): void {
		for (const [place, { isToLearn }] of this.found) {
			if (this.bytes <= room || this.found.size === 1) return;
			// What is to be learned is small, and without its place it would look new.
			if (isToLearn) continue;
			this.remove(place);
			this.hasDropped = true;
		}
	}

	private isCaughtUp(places: Place[], hasFoundMore: boolean, context: ScanContext<Entry>): boolean {
		if (!hasFoundMore) return this.hasMetFamiliar;
		// The known events begin on this very page, and the list grew by no more than was met. If the last event
		// on it shares its moment with something new, more of that moment may follow.
		const last = places.findLast(isDated);
		if (last === undefined || this.total === null || context.lastTotal === null) return false;
		const isTie =
			this.oldest !== undefined && (last > this.oldest || isSameMoment(last, this.oldest));
		const hasGrownBy = this.total - context.lastTotal;
		return !isTie && context.judge(last, true) === 'familiar' && hasGrownBy <= this.unfamiliarMet;
	}

	private isAtBottom(places: Place[], hasFoundMore: boolean, context: ScanContext<Entry>): boolean {
		const dated = places.filter(isDated);
		this.undatedPages = dated.length > 0 ? 0 : this.undatedPages + 1;
		if (this.undatedPages >= MOST_UNDATED_PAGES) return true;
		if (dated.length === 0) return false;
		// "Newest first" may go by another date. Then the last events of the window are further down.
		this.isSortedByTime &&= isDescending(dated);
		const bottom = context.bottom(this.found.values());
		const isSure = this.isSortedByTime || bottom === '';
		const end = isSure ? bottom : startOf(timeOf(bottom) - context.mostDisorder);
		const isBelow = dated.every((place) => place <= end);
		this.pagesBelow = isBelow ? this.pagesBelow + 1 : 0;
		if (this.pagesBelow >= MOST_PAGES_BELOW) return true;
		return this.goal === 'deep' && isBelow && this.hasMetFamiliar && !hasFoundMore;
	}
}

/** Roughly: what takes three characters in JSON, such as `{},`, takes twenty times as much in memory. */
function bytesInMemory(value: unknown): number {
	if (typeof value === 'string') return 16 + value.length;
	if (typeof value !== 'object' || value === null) return 8;
	return Object.values(value).reduce<number>((sum, inner) => sum + bytesInMemory(inner), 64);
}

const isDescending = (places: Place[]): boolean =>
	places.every((place, index) => {
		const before = places[index - 1];
		return before === undefined || place <= before || isSameMoment(place, before);
	});
