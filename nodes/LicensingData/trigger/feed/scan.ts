import type { EventRecord } from '../../domain/eventIdentity';
import type { ListPage } from '../../domain/licenseList';
import { Findings } from './findings';
import { Judge, stopAt, type Known } from './judge';
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
	known: Known;
	/** The filters that the trigger applies itself. */
	matches: (record: Entry) => boolean;
	/** How many bytes this scan may hold. */
	room: () => number;
}

/**
 * `top` ends where the seen events begin, `sweep` where scans stop. `thoroughSweep` ends only after several
 * pages below that: a single one may be old records that somebody has just entered.
 */
export type Goal = 'top' | 'sweep' | 'thoroughSweep';

/** This many pages in a row entirely below where it stops end any scan. */
const MOST_PAGES_BELOW = 10;
/** This many pages in a row without a single date end a scan: there is no telling how far down they are. */
const MOST_UNDATED_PAGES = 100;

/** The way down the list. A scan whose cursor is refused takes another one, from the top. */
class Walk {
	cursor: string | null = null;
	/** A list whose cursors lead in a circle has been read to its end. */
	readonly cursors = new Set<string>();
	hasMetFamiliar = false;
	historyMet = 0;
	pagesBelow = 0;
	undatedPages = 0;
	recordsRead = 0;
	private depth = 0;
	/** How many pages any walk of this scan got down, and all before this one. */
	deepest: number;
	private readonly deepestBefore: number | undefined;
	/** Whether the page below that could not be read. */
	hasFailed: boolean;

	constructor(before?: Walk) {
		this.deepestBefore = before?.deepest;
		this.deepest = before?.deepest ?? 0;
		this.hasFailed = before?.hasFailed ?? false;
	}

	/** If it got no deeper than the ones before, another one would not, either. */
	get isDeeperThanBefore(): boolean {
		return this.deepest !== this.deepestBefore;
	}

	goDown(): void {
		if (++this.depth <= this.deepest) return;
		this.deepest = this.depth;
		this.hasFailed = false;
	}
}

/**
 * One pass down the list, over as many polls as it takes. It collects what is new, and exists in the process
 * alone: nothing of it has been emitted, so if it is lost, the list is just read again.
 */
export class Scan<Entry extends EventRecord> {
	readonly findings = new Findings<Entry>();
	/** The list's total when it began. */
	total: number | null = null;
	/** By how many records the list fell short of its total. */
	shortBy = 0;
	firstPage: string[] = [];

	/** `stuck`: two polls got no further down. */
	private standing: 'reading' | 'caughtUp' | 'atEnd' | 'stuck' = 'reading';
	private walk = new Walk();
	private isSortedByTime = true;

	private constructor(
		private readonly goal: Goal,
		private readonly judge: Judge,
	) {}

	/** From the top down to what was seen. */
	static ofTop<Entry extends EventRecord>(): Scan<Entry> {
		return new Scan('top', new Judge(true));
	}

	/** From the top down, where nothing of the list is known. */
	static ofUnknown<Entry extends EventRecord>(): Scan<Entry> {
		return new Scan('thoroughSweep', new Judge(false));
	}

	/** The sweep that begins where this top scan ended. */
	startSweep(goal: 'sweep' | 'thoroughSweep'): Scan<Entry> {
		const sweep = new Scan<Entry>(goal, this.judge);
		sweep.walk.cursor = this.walk.cursor;
		sweep.walk.hasMetFamiliar = true;
		sweep.walk.undatedPages = this.walk.undatedPages;
		sweep.walk.recordsRead = this.walk.recordsRead;
		sweep.total = this.total;
		sweep.isSortedByTime = this.isSortedByTime;
		return sweep;
	}

	get status() {
		return this.standing;
	}

	/** By how much the list's total may have grown without anything new further down. */
	get unfamiliarMet(): number {
		return this.findings.met + this.walk.historyMet;
	}

	/**
	 * Reads until it is over or time is up. If a page could not be read, returns why. It is stuck where an
	 * earlier poll could not go on, be it with this scan or with the `other` one.
	 */
	async readOn(
		context: ScanContext<Entry>,
		other?: Scan<Entry>,
	): Promise<{ failure: unknown; isFirstPage: boolean } | undefined> {
		const { deepest } = this.walk;
		for (let requests = 0; this.standing === 'reading'; requests++) {
			if (requests > 0 && !context.hasTime()) return undefined;
			const page = await context.readPage(this.walk.cursor);
			if ('records' in page) {
				this.take(page, context);
				continue;
			}
			const isFirstPage = this.walk.cursor === null;
			if ('expired' in page && !isFirstPage && this.walk.isDeeperThanBefore) {
				this.startOver();
				continue;
			}
			const hasFailedBefore = this.walk.hasFailed && this.walk.deepest === deepest;
			if (!isFirstPage && (hasFailedBefore || other?.failsAt(this.walk.cursor)))
				this.standing = 'stuck';
			this.walk.hasFailed = true;
			return { failure: 'failure' in page ? page.failure : undefined, isFirstPage };
		}
		return undefined;
	}

	private failsAt(cursor: string | null): boolean {
		return this.walk.hasFailed && this.walk.cursor === cursor;
	}

	/** The service no longer accepts the cursor. */
	private startOver(): void {
		this.walk = new Walk(this.walk);
		this.judge.startOver();
	}

	private take(page: ListPage<Entry>, context: ScanContext<Entry>): void {
		const { walk, findings } = this;
		const keys = page.records.map(sortKeyOf);
		if (walk.cursor === null) {
			this.total = page.total ?? null;
			this.firstPage = keys.map(hashOf);
		}
		const foundBefore = findings.events.size;
		for (const [index, key] of keys.entries())
			this.meet(page.records[index] as Entry, key, context);
		const hasFoundMore = findings.events.size > foundBefore;
		findings.dropWhatHasNoRoom(context.room());
		walk.recordsRead += keys.length;
		walk.goDown();

		const isLastPage = page.cursor === null || walk.cursors.has(page.cursor);
		// If the total has changed, so has the list.
		if (isLastPage && page.total !== undefined && page.total === this.total)
			this.shortBy = Math.max(0, page.total - walk.recordsRead);
		if (this.isAtEnd(keys, hasFoundMore, context.known) || isLastPage) this.standing = 'atEnd';
		else if (this.goal === 'top' && this.isCaughtUp(keys, hasFoundMore, context.known))
			this.standing = 'caughtUp';
		if (page.cursor === null) return;
		walk.cursor = page.cursor;
		walk.cursors.add(page.cursor);
	}

	private meet(record: Entry, key: SortKey, { known, matches }: ScanContext<Entry>): void {
		const { findings, walk, judge } = this;
		const before = findings.events.get(key);
		if (before) return judge.meetAgain(before);
		const verdict = judge.verdictOn(key, known);
		if (verdict === 'familiar') walk.hasMetFamiliar = true;
		else if (verdict !== 'history')
			findings.add(
				key,
				verdict === 'news' && matches(record) ? record : undefined,
				verdict === 'baseline',
			);
		else if (isDated(key)) walk.historyMet++;
	}

	private isCaughtUp(keys: SortKey[], hasFoundMore: boolean, known: Known): boolean {
		if (!hasFoundMore) return this.walk.hasMetFamiliar;
		// The seen events begin on this very page, and the list grew by no more than was met. If the last event
		// on it shares its moment with something new, more of that moment may follow.
		const last = keys.findLast(isDated);
		if (last === undefined || this.total === null || known.lastTotal === null) return false;
		const { oldest } = this.findings;
		const isTie = oldest !== undefined && (last > oldest || isSameMoment(last, oldest));
		const hasGrownBy = this.total - known.lastTotal;
		return !isTie && this.judge.isFamiliar(last, known) && hasGrownBy <= this.unfamiliarMet;
	}

	private isAtEnd(keys: SortKey[], hasFoundMore: boolean, known: Known): boolean {
		const { walk } = this;
		const dated = keys.filter(isDated);
		walk.undatedPages = dated.length > 0 ? 0 : walk.undatedPages + 1;
		if (walk.undatedPages >= MOST_UNDATED_PAGES) return true;
		if (dated.length === 0) return false;
		// "Newest first" may go by another date. Then the last events of the window are further down: if records
		// are within the lookback of that date, any two are within twice that.
		this.isSortedByTime &&= isDescending(dated);
		const end = stopAt(known, this.findings.events.values());
		const isSure = this.isSortedByTime || end === '';
		const lowest = isSure ? end : startOf(timeOf(end) - 2 * known.lookback);
		const isBelow = dated.every((key) => key <= lowest);
		walk.pagesBelow = isBelow ? walk.pagesBelow + 1 : 0;
		// What is news may be below any number of old records that somebody entered today, until something
		// familiar shows that all above it has been met.
		const isBelowNews = known.mode !== 'watching' || walk.hasMetFamiliar;
		if (walk.pagesBelow >= MOST_PAGES_BELOW && isBelowNews) return true;
		return this.goal === 'sweep' && isBelow && walk.hasMetFamiliar && !hasFoundMore;
	}
}

const isDescending = (keys: SortKey[]): boolean =>
	keys.every((key, index) => {
		const before = keys[index - 1];
		return before === undefined || key <= before || isSameMoment(key, before);
	});
