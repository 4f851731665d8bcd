import type { EventRecord } from '../../domain/event';
import type { ListPage } from '../../domain/licenseList';
import type { SortKey } from './sortKey';
import { hashOf, isDated, isSameMoment, sortKeyOf, startOf, timeOf } from './sortKey';

/** A page, or why there is none: a cursor that the service no longer accepts, or a failure to report. */
export type PageResult<Entry> = ListPage<Entry> | { expired: true } | { failure: unknown };
export type ReadPage<Entry> = (cursor: string | null) => Promise<PageResult<Entry>>;

/** What a scan may ask while it reads. */
export interface ScanContext<Entry> {
	readPage: ReadPage<Entry>;
	/** Whether the time budget allows another request. */
	hasTime: () => boolean;
	/** `familiar`, `history`: see docs/trigger.md. `unseen`: neither, and so news or part of the baseline. */
	judge: (key: SortKey, isBelowBaseline: boolean) => 'unseen' | 'familiar' | 'history';
	/** For a familiar key: false if it is still to be emitted, or was new while the baseline was being read. */
	countsAsBaseline: (key: SortKey) => boolean;
	/** Whether an unseen event is to count as seen without being emitted. */
	belongsToBaseline: (key: SortKey, isBelowBaseline: boolean) => boolean;
	/** The filters that the trigger applies itself. */
	matches: (record: Entry) => boolean;
	/** Where the scan stops: at the watermark or, for the baseline, at the start of the window. */
	stopAt: (found: Iterable<Found<Entry>>) => SortKey;
	/** By how many milliseconds the list may be out of order. */
	mostDisorder: number;
	/** The total at the previous scan. */
	lastTotal: number | null;
	/** How many bytes this scan may hold. */
	room: () => number;
}

export interface Found<Entry> {
	key: SortKey;
	/** Absent if nothing is to be emitted: then its key is enough. */
	record?: Entry;
	isBaseline: boolean;
	bytes: number;
}

/**
 * `top` ends where the seen events begin, `sweep` where scans stop. `thoroughSweep` ends only after several
 * pages below that: a single one may be old records that somebody has just entered.
 */
export type Goal = 'top' | 'sweep' | 'thoroughSweep';

/** About what a key takes up without its record. */
const BYTES_OF_A_KEY = 200;
/** This many pages in a row entirely below where it stops end any scan. */
const MOST_PAGES_BELOW = 10;
/** This many pages in a row without a single date end a scan: there is no telling how far down they are. */
const MOST_UNDATED_PAGES = 100;

/**
 * One pass down the list, over as many polls as it takes. It collects what is new, and exists in the process
 * alone: nothing of it has been emitted, so if it is lost, the list is just read again.
 */
export class Scan<Entry extends EventRecord> {
	/** In the order of the list, so the newest come first, more or less. */
	readonly found = new Map<SortKey, Found<Entry>>();
	/** `stuck`: two polls got no further down. */
	status: 'reading' | 'over' | 'stuck' = 'reading';
	hasReachedEnd = false;
	/** Whether it found more than it may hold. */
	hasDropped = false;
	/** The list's total when it began. */
	total: number | null = null;
	/** By how many records the list fell short of its total. */
	shortBy = 0;
	firstPage: string[] = [];
	bytes = 0;
	unseenMet = 0;

	private hasMetFamiliar = false;
	/** Whether what comes next is below something that was seen before this scan. */
	private isBelowBaseline: boolean;
	/** Whether anything of the baseline has been met. Until then, nothing tells what was added on top since. */
	private hasBaseline: boolean;
	private oldest: SortKey | undefined;
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
		this.hasBaseline = goal === 'top';
		this.isBelowBaseline = !this.hasBaseline;
	}

	/** The sweep that begins where this top scan ended. */
	startSweep(goal: 'sweep' | 'thoroughSweep'): Scan<Entry> {
		const sweep = new Scan<Entry>(goal, this.cursor);
		sweep.hasMetFamiliar = true;
		sweep.isBelowBaseline = this.isBelowBaseline;
		sweep.hasBaseline = true;
		sweep.undatedPages = this.undatedPages;
		sweep.total = this.total;
		sweep.recordsRead = this.recordsRead;
		sweep.isSortedByTime = this.isSortedByTime;
		return sweep;
	}

	/** By how much the list's total may have grown without anything new further down. */
	get unfamiliarMet(): number {
		return this.unseenMet + this.historyMet;
	}

	/** Whether both scans failed to read the same next page. */
	failsWhere({ hasFailed, cursor }: Scan<Entry>): boolean {
		return hasFailed && this.hasFailed && cursor === this.cursor;
	}

	remove(key: SortKey): void {
		this.bytes -= this.found.get(key)?.bytes ?? 0;
		this.found.delete(key);
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
		for (let requests = 0; this.status === 'reading'; requests++) {
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
			if (!isFirstPage && this.hasFailed && this.deepest === deepest) this.status = 'stuck';
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
		this.isBelowBaseline = !this.hasBaseline;
		this.historyMet = this.pagesBelow = this.undatedPages = this.recordsRead = this.depth = 0;
	}

	private take(page: ListPage<Entry>, context: ScanContext<Entry>): void {
		const keys = page.records.map(sortKeyOf);
		if (this.cursor === null) {
			this.total = page.total ?? null;
			this.firstPage = keys.map(hashOf);
		}
		const foundBefore = this.found.size;
		for (const [index, key] of keys.entries())
			this.meet(page.records[index] as Entry, key, context);
		const hasFoundMore = this.found.size > foundBefore;
		this.dropWhatHasNoRoom(context.room());
		this.recordsRead += keys.length;
		this.depth++;
		if (this.depth > this.deepest) {
			this.deepest = this.depth;
			this.hasFailed = false;
		}

		// A list whose cursors lead in a circle has been read to its end.
		const isLastPage = page.cursor === null || this.cursors.has(page.cursor);
		// If the total has changed, so has the list.
		if (isLastPage && page.total !== undefined && page.total === this.total)
			this.shortBy = Math.max(0, page.total - this.recordsRead);
		this.hasReachedEnd = this.isAtEnd(keys, hasFoundMore, context) || isLastPage;
		const isCaughtUp = this.goal === 'top' && this.isCaughtUp(keys, hasFoundMore, context);
		if (this.hasReachedEnd || isCaughtUp) this.status = 'over';
		if (page.cursor === null) return;
		this.cursor = page.cursor;
		this.cursors.add(page.cursor);
	}

	private meet(record: Entry, key: SortKey, context: ScanContext<Entry>): void {
		const before = this.found.get(key);
		this.isBelowBaseline ||= before?.isBaseline === true;
		if (before) return;
		const verdict = context.judge(key, this.isBelowBaseline);
		if (verdict === 'familiar') this.hasMetFamiliar = true;
		if (verdict === 'familiar' && context.countsAsBaseline(key))
			this.isBelowBaseline = this.hasBaseline = true;
		if (verdict === 'history' && isDated(key)) this.historyMet++;
		if (verdict !== 'unseen') return;
		const isBaseline = context.belongsToBaseline(key, this.isBelowBaseline);
		this.hasBaseline ||= isBaseline;
		const isToEmit = !isBaseline && context.matches(record);
		const bytes = BYTES_OF_A_KEY + (isToEmit ? bytesInMemory(record) : 0);
		this.found.set(key, { key, isBaseline, bytes, ...(isToEmit && { record }) });
		this.bytes += bytes;
		this.unseenMet++;
		if (isDated(key) && !(this.oldest !== undefined && key > this.oldest)) this.oldest = key;
	}

	/** The oldest stay, as they are emitted first. The next scan finds the others again. */
	private dropWhatHasNoRoom(room: number): void {
		for (const [key, { isBaseline }] of this.found) {
			if (this.bytes <= room || this.found.size === 1) return;
			// What belongs to the baseline is small, and without its key it would look new.
			if (isBaseline) continue;
			this.remove(key);
			this.hasDropped = true;
		}
	}

	private isCaughtUp(keys: SortKey[], hasFoundMore: boolean, context: ScanContext<Entry>): boolean {
		if (!hasFoundMore) return this.hasMetFamiliar;
		// The seen events begin on this very page, and the list grew by no more than was met. If the last event
		// on it shares its moment with something new, more of that moment may follow.
		const last = keys.findLast(isDated);
		if (last === undefined || this.total === null || context.lastTotal === null) return false;
		const isTie =
			this.oldest !== undefined && (last > this.oldest || isSameMoment(last, this.oldest));
		const hasGrownBy = this.total - context.lastTotal;
		return !isTie && context.judge(last, true) === 'familiar' && hasGrownBy <= this.unfamiliarMet;
	}

	private isAtEnd(keys: SortKey[], hasFoundMore: boolean, context: ScanContext<Entry>): boolean {
		const dated = keys.filter(isDated);
		this.undatedPages = dated.length > 0 ? 0 : this.undatedPages + 1;
		if (this.undatedPages >= MOST_UNDATED_PAGES) return true;
		if (dated.length === 0) return false;
		// "Newest first" may go by another date. Then the last events of the window are further down.
		this.isSortedByTime &&= isDescending(dated);
		const stopAt = context.stopAt(this.found.values());
		const isSure = this.isSortedByTime || stopAt === '';
		const end = isSure ? stopAt : startOf(timeOf(stopAt) - context.mostDisorder);
		const isBelow = dated.every((key) => key <= end);
		this.pagesBelow = isBelow ? this.pagesBelow + 1 : 0;
		if (this.pagesBelow >= MOST_PAGES_BELOW) return true;
		return this.goal === 'sweep' && isBelow && this.hasMetFamiliar && !hasFoundMore;
	}
}

/** Roughly: what takes three characters in JSON, such as `{},`, takes twenty times as much in memory. */
function bytesInMemory(value: unknown): number {
	if (typeof value === 'string') return 16 + value.length;
	if (typeof value !== 'object' || value === null) return 8;
	return Object.values(value).reduce<number>((sum, inner) => sum + bytesInMemory(inner), 64);
}

const isDescending = (keys: SortKey[]): boolean =>
	keys.every((key, index) => {
		const before = keys[index - 1];
		return before === undefined || key <= before || isSameMoment(key, before);
	});
