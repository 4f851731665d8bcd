import type { EventRecord } from '../../domain/eventIdentity';
import { Failure } from '../../domain/failure';
import type { ListPage } from '../../domain/licenseList';
import { Findings } from './findings';
import { isFamiliar, Judge, stopAt, type Known } from './judge';
import type { SortKey } from './sortKey';
import { BEFORE_ALL, hashOf, isDated, isSameMoment, sortKeyOf, startOf, timeOf } from './sortKey';

/** A cursor that the service no longer accepts, or a failure to report. */
export type NoPage = { expired: true } | { failure: unknown };
export type PageResult<Entry> = ListPage<Entry> | NoPage;
export type ReadPage<Entry> = (cursor: string | null) => Promise<PageResult<Entry>>;

/** A page that could not be read, so that the scan ends for this poll. */
export interface UnreadPage {
	failure: unknown;
	/** Whether it is the top of the list. */
	isFirst: boolean;
	/** Whether an earlier poll got no further down, either. */
	isStuck: boolean;
}

/** What a scan may ask while it reads. */
export interface ScanContext<Entry> {
	readPage: ReadPage<Entry>;
	/** Whether the time budget allows another request. */
	hasTime: () => boolean;
	known: Known;
	/** The filters that the trigger applies itself. */
	matches: (record: Entry) => boolean;
	/** How many bytes this scan may hold. */
	room: () => number;
}

/**
 * `top` ends where what is familiar begins, `sweep` where scans stop. `thoroughSweep` ends only after several
 * pages below that: a single one may be old records that somebody has just entered.
 */
export type Goal = 'top' | 'sweep' | 'thoroughSweep';

/**
 * How far it has got: `caughtUp` among what is familiar, as a top scan may; `complete` at the list's end or below
 * where scans stop; `stuck` above a page that two polls could not read.
 */
type Status = 'reading' | 'caughtUp' | 'complete' | 'stuck';

/** This many pages in a row entirely below where scans stop end any scan, once it is below the news. */
const MOST_PAGES_BELOW = 10;
/** This many pages in a row without a single date end a scan: there is no telling how far down they are. */
const MOST_UNDATED_PAGES = 100;

/** One way down the list. A scan whose cursor is refused takes another one, from the top. */
class Walk {
	/** Of the next page. */
	cursor: string | null = null;
	/** The list's total, and the hashes on its first page. */
	total: number | null = null;
	firstPage: string[] = [];
	pagesRead = 0;
	recordsRead = 0;
	historyMet = 0;
	hasMetFamiliar = false;
	/** What was seen, and has a date. */
	hasMetSeen = false;
	isSortedByTime = true;
	/** How many pages in a row were below where scans stop. */
	pagesBelow = 0;
	/** How many pages in a row had no date. */
	undatedPages = 0;
	private readonly pages = new Set<string>();

	/** One whose cursors lead in a circle has been read to its end. But a cursor may stay the same on each page. */
	isInCircle(firstKey: SortKey | undefined): boolean {
		const page = `${this.cursor} ${firstKey}`;
		const hasReadIt = this.pages.has(page);
		this.pages.add(page);
		return hasReadIt;
	}
}

/**
 * One pass down the list, over as many polls as it takes. It collects what is new, and exists in the process
 * alone: nothing of it has been emitted, so if it is lost, the list is just read again.
 */
export class Scan<Entry extends EventRecord> {
	readonly findings = new Findings<Entry>();
	/** By how many records the list fell short of its total. */
	shortBy = 0;

	private currentStatus: Status = 'reading';
	/** How many pages the walks before this one have read, at most. */
	private reachedBefore = 0;
	/** After how many pages the last one that could not be read came. */
	private failedAfter: number | undefined;

	private constructor(
		private readonly goal: Goal,
		private readonly judge: Judge,
		private walk = new Walk(),
	) {}

	/** From the top down to what was seen. */
	static ofTop<Entry extends EventRecord>(): Scan<Entry> {
		return new Scan('top', Judge.ofKnownList());
	}

	/** From the top down, where nothing of the list is known. */
	static ofUnknownList<Entry extends EventRecord>(): Scan<Entry> {
		return new Scan('thoroughSweep', Judge.ofUnknownList());
	}

	/** The sweep that goes on where this top scan ended. */
	startSweep(goal: 'sweep' | 'thoroughSweep'): Scan<Entry> {
		return new Scan<Entry>(goal, this.judge, this.walk);
	}

	get status(): Status {
		return this.currentStatus;
	}

	get total(): number | null {
		return this.walk.total;
	}

	get firstPage(): string[] {
		return this.walk.firstPage;
	}

	get hasReadNothing(): boolean {
		return this.walk.recordsRead === 0;
	}

	/** By how much the list's total may have grown without anything new further down. */
	get unfamiliarMet(): number {
		return this.findings.met + this.walk.historyMet;
	}

	/** Whether something may be unseen that it should have found. */
	get hasGaps(): boolean {
		return this.status === 'stuck' || this.findings.hasDropped;
	}

	/** Reads until it is over, time is up, or a page cannot be read. */
	async readOn(context: ScanContext<Entry>, other?: Scan<Entry>): Promise<UnreadPage | undefined> {
		for (let requests = 0; this.status === 'reading'; requests++) {
			if (requests > 0 && !context.hasTime()) return undefined;
			const page = await context.readPage(this.walk.cursor);
			if ('records' in page) this.take(page, context);
			else if (this.canStartOver(page)) this.startOver();
			else return this.fail(page, other);
		}
		return undefined;
	}

	/** Promise 7: a refused cursor is no failure. But if this walk got no deeper, another one would not, either. */
	private canStartOver(page: NoPage): boolean {
		return 'expired' in page && this.walk.pagesRead > this.reachedBefore;
	}

	private startOver(): void {
		this.reachedBefore = this.walk.pagesRead;
		this.walk = new Walk();
		this.judge.startOver();
	}

	/**
	 * Promise 8: with the first failure, the next poll tries again. If that gets no deeper, or the `other` scan has
	 * failed at the same page, this one is stuck: it is over, and what it has found is emitted.
	 */
	private fail(page: NoPage, other: Scan<Entry> | undefined): UnreadPage {
		const { cursor, pagesRead } = this.walk;
		const isFirst = cursor === null;
		const hasFailedBefore = this.failedAfter !== undefined && pagesRead <= this.failedAfter;
		this.failedAfter = pagesRead;
		const isStuck = !isFirst && (hasFailedBefore || other?.hasFailedAt(cursor) === true);
		if (isStuck) this.currentStatus = 'stuck';
		return { failure: failureOf(page), isFirst, isStuck };
	}

	private hasFailedAt(cursor: string): boolean {
		return this.failedAfter === this.walk.pagesRead && this.walk.cursor === cursor;
	}

	private take(page: ListPage<Entry>, context: ScanContext<Entry>): void {
		const { walk, findings } = this;
		const keys = page.records.map(sortKeyOf);
		if (walk.cursor === null) {
			walk.total = page.total ?? null;
			walk.firstPage = keys.map(hashOf);
		}
		const foundBefore = findings.events.size;
		for (const [index, key] of keys.entries())
			this.meet(page.records[index] as Entry, key, context);
		const hasFoundMore = findings.events.size > foundBefore;
		findings.dropWhatHasNoRoom(context.room());
		walk.recordsRead += keys.length;
		walk.pagesRead++;

		const isLastPage = page.cursor === null || walk.isInCircle(keys[0]);
		if (!isLastPage) walk.cursor = page.cursor;
		// Promise 15. If the total has changed, so has the list.
		if (isLastPage && page.total !== undefined && page.total === walk.total)
			this.shortBy = page.total - walk.recordsRead;
		this.currentStatus = this.statusAfter(keys, isLastPage, hasFoundMore, context.known);
	}

	private meet(record: Entry, key: SortKey, { known, matches }: ScanContext<Entry>): void {
		const { findings, walk, judge } = this;
		const before = findings.events.get(key);
		if (before) return judge.meetAgain(before);
		switch (judge.verdictOn(key, known, walk.hasMetFamiliar)) {
			case 'familiar':
				walk.hasMetFamiliar = true;
				walk.hasMetSeen ||= isDated(key) && known.seen.has(key);
				break;
			case 'history':
				if (isDated(key)) walk.historyMet++;
				break;
			case 'news':
				findings.add(key, matches(record) ? record : undefined, false);
				break;
			case 'baseline':
				findings.add(key, undefined, true);
		}
	}

	/** Where it ends: at the end of the list, below where scans stop, or, for a top scan, among what is familiar. */
	private statusAfter(
		keys: SortKey[],
		isLastPage: boolean,
		hasFoundMore: boolean,
		known: Known,
	): Status {
		const { walk, goal } = this;
		const dated = keys.filter(isDated);
		const isBelow = dated.length > 0 && this.isBelowStop(dated, known);
		if (dated.length > 0) walk.pagesBelow = isBelow ? walk.pagesBelow + 1 : 0;
		walk.undatedPages = dated.length > 0 ? 0 : walk.undatedPages + 1;

		if (isLastPage || walk.undatedPages >= MOST_UNDATED_PAGES) return 'complete';
		// What is news may be below any number of old records that somebody entered today, until something that was
		// seen shows that all above it has been met. Old records prove nothing by having been on the first page.
		const isBelowNews = known.hasSeenDated ? walk.hasMetSeen : walk.hasMetFamiliar;
		const isDeepEnough = isBelowNews || known.mode !== 'watching';
		if (isBelow && walk.pagesBelow >= MOST_PAGES_BELOW && isDeepEnough) return 'complete';
		if (isBelow && goal === 'sweep' && isBelowNews && !hasFoundMore) return 'complete';
		if (goal === 'top' && this.isCaughtUp(keys, hasFoundMore, known)) return 'caughtUp';
		return 'reading';
	}

	/**
	 * Promise 1: "newest first" may go by another date, which shows where an event is above a newer one on the same
	 * page. If each event is within the lookback of the date that it is listed by, one that is listed further down is
	 * newer by at most twice that. So below a page that is older than the stop by that much, nothing is above the stop.
	 */
	private isBelowStop(dated: SortKey[], known: Known): boolean {
		this.walk.isSortedByTime &&= isDescending(dated);
		const stop = stopAt(known, this.findings.events.values());
		const isSure = this.walk.isSortedByTime || stop === BEFORE_ALL;
		const lowest = isSure ? stop : startOf(timeOf(stop) - 2 * known.lookback);
		return dated.every((key) => key <= lowest);
	}

	/** Promise 13: where a top scan has read enough. */
	private isCaughtUp(keys: SortKey[], hasFoundMore: boolean, known: Known): boolean {
		const { walk, findings } = this;
		if (!hasFoundMore) return walk.hasMetFamiliar;
		// What is familiar begins on this very page, and the list grew by no more than was met. But where the last
		// event on it is as new as one of those found, or newer, more like these may follow.
		const last = keys.findLast(isDated);
		if (last === undefined || walk.total === null || known.lastTotal === null) return false;
		const { oldest } = findings;
		const mayFollow = oldest !== undefined && (last > oldest || isSameMoment(last, oldest));
		const hasGrownBy = walk.total - known.lastTotal;
		return !mayFollow && isFamiliar(last, known) && hasGrownBy <= this.unfamiliarMet;
	}
}

const isDescending = (keys: SortKey[]): boolean =>
	keys.every((key, index) => {
		const before = keys[index - 1];
		return before === undefined || key <= before || isSameMoment(key, before);
	});

/** The one failure that is the feed's own: the service's cursors expire faster than they can be used. */
export const failureOf = (page: NoPage): unknown =>
	'failure' in page
		? page.failure
		: new Failure('shape', 'The list of the service cannot be read to its end', 'Try again later.');
