import { licenseKey } from '../licenses/license';
import { NEW_FILING } from '../licenses/knownValues';
import { Failure } from '../licenses/failure';
import { toUnseen, typeOf, type Listed } from './bulk';
import type { Placed, PlacedPage, WatchedList } from './lists';
import { firstPageOf, nameOf, pageOf } from './log';
import { firstOf, keysOf } from './memory';
import { classify, type Selection } from './news';
import type { NoPage } from './pages';
import type { PollRun } from './run';
import { Scan } from './scan';
import type { ListState } from './state';

/** A page that fails in as many polls ends the reading. */
const MOST_FAILURES = 3;
/** A first reading counts if the list did not change meanwhile. The last of as many within a poll counts as it is. */
const MOST_ATTEMPTS = 3;
/** With more unseen on its first pages than this, only a full reading tells what has happened to the list. */
const MOST_ON_TOP = 20;

const HOUR = 3_600_000;
/** A register changes once a day, and a list may keep its first page and its total. */
const LONGEST_UNREAD = 24 * HOUR;
/** If the last change showed on the first page, the next one mostly does, too, and then it needs no reading before. */
const WAIT_FOR_CHANGE = HOUR;
/** How long it takes until the next poll, where this is the first of the process. */
const UNKNOWN_INTERVAL = 5 * HOUR;

/** One list in one poll. */
export class ListReader {
	/** What this poll has read before any full reading; undefined until the first page was read. */
	private top: Scan | undefined;
	topFailure: unknown;
	/** The full reading of this poll, though it may have ended by now. */
	latest: Scan | undefined;
	/** Whether the service does not have it, and nobody chose it. */
	isLacking = false;
	hasRead = false;
	hasChanged = false;
	/** What the last full reading has shown; undefined if this one would not tell what is new. */
	readonly listedBefore: Listed | undefined;
	/** What other filters select, with which it was last read in full. */
	private readonly before: Selection | undefined;
	private attempts = 1;

	constructor(
		readonly list: WatchedList,
		readonly state: ListState,
		public scan: Scan | undefined,
		/** When this process last asked for its first page. */
		readonly polledAt: number | undefined,
		private readonly run: PollRun,
	) {
		const { filters, listed } = state;
		this.latest = scan;
		this.listedBefore = this.isQuiet ? undefined : listed;
		this.before = this.isQuiet && filters ? run.input.selectionOf(filters) : undefined;
	}

	/** Whether it was never read in full with these filters, or with any. */
	get isQuiet(): boolean {
		return this.state.filters !== this.run.input.filters;
	}

	get isFirstReading(): boolean {
		return this.state.filters === undefined;
	}

	/** The first page, and on while a page brings something that the list has not shown before. */
	async readTop(): Promise<void> {
		// All that it shows is known anyway, and a limited key has few requests.
		if (this.isFirstReading && this.scan) return;
		const top = await this.readFirstPage();
		if (!top) return;
		this.top = top;
		this.run.log.isReadable(firstPageOf(this.list.event));
		this.hasChanged = top.unseen > 0 || top.signs !== this.state.signs;
		while (!this.isQuiet && top.hasNew && this.hasMore(top) && this.run.mayGoOn()) {
			const page = await this.list.readPage(top.cursor);
			// The next poll's full reading asks for it again.
			if ('failure' in page) this.top = undefined;
			if ('failure' in page) return this.pageFailed(page);
			this.take(page, top);
		}
		// What is under way counts together with what now stands above it.
		this.scan?.filings.push(...top.filings);
	}

	/** Goes on with the full reading, or begins one if it is due. */
	async readOn(): Promise<void> {
		const { top, run } = this;
		if (top && !this.scan && this.isDue(top)) this.begin(top);
		const { scan } = this;
		if (!scan || !(top || this.isFirstReading)) return;
		while (this.hasMore(scan)) {
			if (!run.mayGoOn()) return;
			run.payPage();
			const page = await this.list.readPage(scan.cursor);
			// A service that cannot read its own cursor may begin again at the top.
			const isCircle = 'cursor' in page && page.cursor !== null && scan.goesInCircles(page.cursor);
			if ('failure' in page || isCircle)
				return await this.failAt(scan, 'failure' in page ? page : { failure: circle() });
			scan.failures = 0;
			this.take(page, scan);
		}
		await this.finish(scan);
	}

	private async readFirstPage(): Promise<Scan | undefined> {
		const page = await this.list.readPage(null);
		if ('failure' in page) {
			this.isLacking = page.isLacking === true;
			this.topFailure = page.failure;
			this.run.hasStopped ||= page.isRateLimit === true;
			return undefined;
		}
		const scan = new Scan(this.run.now, page);
		this.take(page, scan);
		return scan;
	}

	private isDue(top: Scan): boolean {
		const { state, run, polledAt } = this;
		if (this.isQuiet || run.isToFindAgain(state) || top.unseen > MOST_ON_TOP) return true;
		const longest = LONGEST_UNREAD + (state.showsChanges ? WAIT_FOR_CHANGE : 0);
		const interval = polledAt === undefined ? UNKNOWN_INTERVAL : run.now - polledAt;
		const isReadLongAgo = Math.abs(run.now - state.readAt) + interval >= longest;
		return run.mayBegin() && (state.isDue || top.signs !== state.signs || isReadLongAgo);
	}

	private begin(top: Scan): void {
		const { state, run } = this;
		const isForAnotherReason = this.isFirstReading || state.isDue || run.isToFindAgain(state);
		top.showsChanges = !isForAnotherReason && top.signs !== state.signs;
		this.scan = top;
		this.latest = top;
	}

	private pageFailed({ failure, isRateLimit }: NoPage, hasEnded = false): void {
		if (isRateLimit) this.run.hasStopped = true;
		else this.run.log.pageFailed(this.list.event, failure, { hasEnded });
	}

	private async failAt(scan: Scan, page: NoPage): Promise<void> {
		if (!page.isRateLimit) scan.failures++;
		const hasEnded = scan.failures >= MOST_FAILURES;
		this.pageFailed(page, hasEnded);
		if (!hasEnded) return;
		if (this.isQuiet) return await this.finish(scan);
		// It was read in full before. It is tried again from the top, after the others, and nothing is forgotten.
		Object.assign(this.state, { isDue: true, readAt: scan.began });
		this.scan = undefined;
	}

	/** Records move while pages are read, so a first reading looks at the first page once more. */
	private async finish(scan: Scan): Promise<void> {
		const isOfThisPoll = scan.began === this.run.now;
		if (this.isQuiet && !(isOfThisPoll && scan.pages === 1)) {
			const top = this.run.mayGoOn() ? await this.readFirstPage() : undefined;
			if (!top) return;
			// A reading that takes several polls would begin again for ever.
			if (isOfThisPoll && top.signs !== scan.signs && this.attempts++ < MOST_ATTEMPTS) {
				this.begin(top);
				return await this.readOn();
			}
		}
		if (scan.failures === 0) this.run.log.isReadable(pageOf(this.list.event));
		this.end(scan);
	}

	private end(scan: Scan): void {
		const { state, list } = this;
		const { began, signs, size, newest, tally, pages, showsChanges } = scan;
		const { filters } = this.run.input;
		const isCut = scan.cursor !== null;
		this.aboutEnd(scan, isCut);
		Object.assign(state, { filters, isCut, readAt: began, signs, size, pages, showsChanges });
		state.newest = newest.tenth;
		if (list.event === NEW_FILING) state.listed = tally.listed;
		state.knownSince ??= began;
		delete state.isDue;
		this.scan = undefined;
	}

	private aboutEnd({ records }: Scan, isCut: boolean): void {
		const { log } = this.run;
		const name = nameOf(this.list.event);
		const isKnown = `${name}: the list is known from now on, and whatever is new in it is reported.`;
		if (this.isFirstReading) log.say(isKnown, 'info');
		if (this.isFirstReading && records === 0)
			log.say(
				`${name}: the service lists no record of this event for your filters. Ask your provider whether it has this event at all.`,
			);
		if (isCut)
			log.daily(
				`${name}: the list is longer than the trigger can remember, or could not be read to its end. Only what is dated within a week of its newest date is reported. Choose fewer 'Counties', 'License Types' or 'Events'.`,
			);
	}

	private hasMore({ cursor, pages, size }: Scan): boolean {
		const { limits } = this.run;
		return cursor !== null && pages < limits.pages && size <= this.run.roomOf(this.list.event);
	}

	private take(page: PlacedPage, scan: Scan): void {
		const { run, state } = this;
		this.hasRead = true;
		if (page.unreadable !== undefined) run.log.leaveOut(page.unreadable, 'It is no license.');
		const isBelowKnown = state.isCut && scan.pages >= state.pages;
		const { unseen } = scan;
		scan.turnTo(page, run.now);
		for (const placed of page.records) {
			if (!run.wanted.matches(placed.matched)) continue;
			if (placed.leftOut === undefined) this.takeMatch(placed, scan, isBelowKnown);
			else run.log.leaveOut(`${licenseKey(placed.record)} (${placed.leftOut})`, NO_COUNTY);
		}
		scan.hasNew = scan.unseen > unseen;
	}

	private takeMatch(placed: Placed, scan: Scan, isBelowKnown: boolean): void {
		const { state, run, before, isQuiet, list } = this;
		const { record } = placed;
		const keys = keysOf(record);
		const type = typeOf(record);
		const newestFiled = largest(state.listed?.newest[type], scan.tally.newestOf(type));
		const newest = largest(state.newest, scan.newest.tenth);
		const known = { state, before, isQuiet, isBelowKnown, newestFiled, newest };
		const verdict = run.queue.observe(placed, list.event, keys, run.now, () =>
			classify(placed.matched, run.wanted, known),
		);
		scan.size++;
		scan.tally.count(record);
		if (verdict === undefined) return;
		scan.unseen++;
		if (verdict === 'tooOld') run.log.leaveOut(String(licenseKey(record)), TOO_OLD);
		if (list.event === NEW_FILING && verdict !== 'repeat' && !isQuiet)
			scan.filings.push(toUnseen(firstOf(keys), record));
	}
}

const NO_COUNTY = 'Its county is not known.';
const TOO_OLD = "It is older than 'Lookback Days' allows.";

const largest = (one = 0, other = 0): number => Math.max(one, other);

const circle = (): Failure =>
	new Failure(
		'shape',
		'The list of the service goes in circles',
		"A marker for the next page (cursor) leads back to a page that came before. If it keeps happening, send this text to the service's support.",
	);
