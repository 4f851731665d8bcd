import { firstOf, keysOf, licenseKey } from '../licenses/identity';
import { NEW_FILING } from '../licenses/knownValues';
import { endless } from '../service/list';
import type { NoPage, Placed, PlacedPage, Selection, WatchedList } from './lists';
import { firstPageOf, nameOf, pageOf } from './log';
import { bulkAdditions, classify, Scan, toUnseen } from './news';
import type { PollRun } from './run';
import type { ListState } from './memory';

/** A page that fails in as many polls ends the reading. */
const MOST_FAILURES = 3;
/** With more unseen on its first pages than this, only a full reading tells what has happened to the list. */
const MOST_ON_TOP = 20;

const HOUR = 3_600_000;
/** A register changes once a day, and a list may keep its first page and its total. */
const LONGEST_UNREAD = 24 * HOUR;
/** If the last change showed on the first page, the next one mostly does, too, and then it needs no reading before. */
const WAIT_FOR_CHANGE = HOUR;

/** One list in one poll. */
export class ListReader {
	readonly state: ListState;
	/** What this poll has read before any full reading; undefined until the first page was read. */
	private top: Scan | undefined;
	topFailure: NoPage | undefined;
	hasRead = false;
	hasChanged = false;
	/** Whether a page below the first has failed. The next poll's full reading asks for it again. */
	private hasFailed = false;
	/** What other filters select, with which it was last read in full. */
	private readonly before: Selection | undefined;

	constructor(
		readonly list: WatchedList,
		private readonly run: PollRun,
	) {
		this.state = run.memory.lists[list.event] as ListState;
		const { filters, knownSince = 0 } = this.state;
		// The clock was wrong then.
		if (knownSince > run.now) delete this.state.knownSince;
		this.before = this.isQuiet && filters ? run.input.selectionOf(filters) : undefined;
	}

	/** The full reading under way. It may take several polls. */
	get scan(): Scan | undefined {
		return this.run.progress.scans.get(this.list.event);
	}

	/** Whether it was never read in full with these filters, or with any. */
	get isQuiet(): boolean {
		return this.state.filters !== this.run.input.filters;
	}

	/** Whether a new process has to find again what an earlier one has found. */
	private get isAllToFind(): boolean {
		return this.state.readAt === 0;
	}

	get isFirstReading(): boolean {
		return this.state.filters === undefined;
	}

	/** The first page, and on while a page brings something that the list has not shown before. */
	async readTop(): Promise<void> {
		const { state, run } = this;
		// All that it shows is known anyway, and a limited key has few requests.
		if (this.isFirstReading && this.scan) return;
		const top = await this.readFirstPage();
		if (!top) return;
		run.log.isReadable(firstPageOf(this.list.event));
		this.hasChanged = top.unseen > 0 || top.signs !== state.signs;
		let before = 0;
		while (!this.isQuiet && top.unseen > before && this.hasMore(top) && run.mayGoOn()) {
			before = top.unseen;
			const page = await this.list.readPage(top.cursor);
			if ('failure' in page) {
				this.pageFailed(page);
				this.hasFailed = true;
				break;
			}
			this.take(page, top);
		}
		this.top = top;
		// What is under way counts together with what now stands above it.
		this.scan?.filings.push(...top.filings);
	}

	/** Goes on with the full reading, or begins one if it is due. */
	async readOn(): Promise<void> {
		const { top, run, list, state } = this;
		if (top && !this.scan && this.isDue(top)) {
			const isForAnotherReason = this.isAllToFind || state.isDue;
			top.showsChanges = !isForAnotherReason && top.signs !== state.signs;
			run.progress.scans.set(list.event, top);
		}
		const { scan } = this;
		if (!scan || !(top || this.isFirstReading)) return;
		while (this.hasMore(scan)) {
			if (this.hasFailed || !run.mayGoOn()) return;
			run.payPage();
			const page = await list.readPage(scan.cursor);
			if ('failure' in page) return await this.failAt(scan, page);
			// A service that cannot read its own cursor may begin again at the top.
			if (page.cursor !== null && scan.goesInCircles(page.cursor))
				return await this.failAt(scan, { failure: endless() });
			scan.failures = 0;
			this.take(page, scan);
		}
		await this.finish(scan);
	}

	/** Takes what the list was enlarged by out of the queue: it is known, and the user is told. */
	keepAdditions(): void {
		const { scan, run } = this;
		const { listed, toFind } = this.state;
		if (!scan || this.isQuiet || !listed) return;
		const all = bulkAdditions(scan.filings, listed, scan, toFind);
		const additions = all.filter(({ key }) => run.queue.drop(key));
		if (additions.length > 0) run.log.aboutAdditions(additions);
	}

	private async readFirstPage(): Promise<Scan | undefined> {
		const page = await this.list.readPage(null);
		if ('failure' in page) {
			this.topFailure = page;
			this.run.hasStopped ||= page.isRateLimit === true;
			return undefined;
		}
		const scan = new Scan(this.run.now, page);
		this.take(page, scan);
		return scan;
	}

	private isDue(top: Scan): boolean {
		const { state, run } = this;
		if (this.isQuiet || this.isAllToFind || top.unseen > MOST_ON_TOP) return true;
		const longest = LONGEST_UNREAD + (state.showsChanges ? WAIT_FOR_CHANGE : 0);
		const age = run.now - state.readAt;
		// The clock may have been set back.
		const isReadLongAgo = age < 0 || age + run.interval >= longest;
		return run.mayBegin() && (state.isDue || top.signs !== state.signs || isReadLongAgo);
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
		this.run.progress.scans.delete(this.list.event);
	}

	/** Records move while pages are read. What a first reading pushed down, its first page shows at the end. */
	private async finish(scan: Scan): Promise<void> {
		const { state, list, run } = this;
		const isComplete = scan.pages === 1 && scan.began === run.now;
		if (this.isQuiet && !isComplete && !(run.mayGoOn() && (await this.readFirstPage()))) return;
		if (scan.failures === 0) run.log.isReadable(pageOf(list.event));
		const { began, signs, counts, newest, pages, showsChanges } = scan;
		const { filters } = run.input;
		const isCut = scan.cursor !== null;
		this.aboutEnd(scan, isCut);
		this.keepAdditions();
		const listed = { counts, newest };
		Object.assign(state, { filters, isCut, readAt: began, signs, pages, showsChanges, listed });
		state.knownSince ??= began;
		delete state.isDue;
		delete state.toFind;
		run.progress.scans.delete(list.event);
	}

	private aboutEnd({ records }: Scan, isCut: boolean): void {
		const { log } = this.run;
		const name = nameOf(this.list.event);
		if (this.isFirstReading)
			log.say(
				`${name}: the list has been read for the first time. From now on, the trigger reports what is new in it.`,
				'info',
			);
		if (this.isFirstReading && records === 0)
			log.say(
				`${name}: the service lists no record of this event for your filters. Ask your provider whether it has this event at all.`,
			);
		if (isCut)
			log.daily(
				`${name}: the list is longer than the trigger can remember, or could not be read to its end. Only events dated within a week of its newest date are reported. Choose fewer 'Counties', 'License Types' or 'Events'.`,
			);
	}

	private hasMore({ cursor, pages, counts }: Scan): boolean {
		const { limits } = this.run.session;
		const hasRoom = (counts.all ?? 0) <= this.run.roomOf(this.list.event);
		return cursor !== null && pages < limits.pages && hasRoom;
	}

	private take(page: PlacedPage, scan: Scan): void {
		const { run, state } = this;
		this.hasRead = true;
		if (page.unreadable !== undefined) run.log.leaveOut(page.unreadable, 'It is not a license.');
		const isBelowKnown = state.isCut && scan.pages >= state.pages;
		scan.turnTo(page, run.now);
		for (const placed of page.records) {
			if (!run.wanted.matches(placed.matched)) continue;
			if (placed.leftOut === undefined) this.takeMatch(placed, scan, isBelowKnown);
			else run.log.leaveOut(`${licenseKey(placed.record)} (${placed.leftOut})`, NO_COUNTY);
		}
	}

	private takeMatch(placed: Placed, scan: Scan, isBelowKnown: boolean): void {
		const { state, run, before, isQuiet, list } = this;
		const { record } = placed;
		const keys = keysOf(record);
		const newestOf = (of: string) => Math.max(state.listed?.newest[of] ?? 0, scan.newest[of] ?? 0);
		const known = { state, before, isQuiet, isBelowKnown, newestOf };
		const found = { ...placed, event: list.event, foundAt: run.now };
		const verdict = run.queue.observe(found, keys, () =>
			classify(placed.matched, run.wanted, known),
		);
		const filing = list.event === NEW_FILING ? toUnseen(firstOf(keys), record) : undefined;
		scan.count(filing);
		if (verdict === undefined) return;
		scan.unseen++;
		if (verdict === 'tooOld') run.log.leaveOut(String(licenseKey(record)), TOO_OLD);
		if (filing && !isQuiet) scan.filings.push(filing);
	}
}

const NO_COUNTY = 'Its county is not known.';
const TOO_OLD = "It is older than 'Lookback Days' allows.";
