import { Failure } from '../licenses/failure';
import { firstOf, keysOf, licenseKey } from '../licenses/identity';
import { NEW_FILING } from '../licenses/knownValues';
import { DAY, HOUR } from '../licenses/text';
import { isRejected } from '../service/failures';
import { endless } from '../service/list';
import type { Placed, PlacedPage, Selection, WatchedList } from './watchedLists';
import { firstPageOf, nameOf, pageOf, THE_LIST } from './messages';
import { bulkAdditions, classify, Scan, toUnseen } from './news';
import type { PollRun } from './run';
import type { ListState } from './memory';

/** So long without any change, a test key is said to show the same every time. */
const STANDSTILL = 7 * DAY;

export type Outcome = Awaited<ReturnType<typeof pollLists>>;

/**
 * One poll. It reads the first page of each list, and goes on with the full readings that are due. What the lists show
 * for the first time waits in a queue, of which the oldest are emitted. It depends only on the state, the progress and
 * the pages. See docs/trigger.md.
 */
export async function pollLists(run: PollRun) {
	const { input, session, progress } = run;
	const all = input.watched.map((list) => new ListReader(list, run));
	await readTops(all, run);
	// A service need not have an event that nobody chose.
	const readers = all.filter(({ list, topFailure }) => !list.isOptional || !isRejected(topFailure));
	// First readings, then the one under way, then what was read longest ago.
	const rank = ({ scan, isUnknown, state: { readAt = 0 } }: ListReader) =>
		isUnknown ? 0 : scan ? 1 : 2 + readAt;
	for (const reader of [...readers].sort((a, b) => rank(a) - rank(b))) await reader.readOn();
	const hasRead = readers.some((reader) => reader.hasRead);
	if (hasRead) aboutReaders(readers, run);
	const { events, batchId } = run.queue.take(input.maxItems, session.newBatch);
	const failed = readers.find(({ topFailure }) => topFailure);
	// Where not even one first page could be read, nothing has changed except what is emitted.
	const failure = hasRead ? undefined : failed?.topFailure;
	return { events, batchId, state: run.nextState(), progress, failure };
}

/** What the last poll did not get to comes first: one list may take all the time, and fail. */
async function readTops(readers: ListReader[], run: PollRun): Promise<void> {
	const { progress } = run;
	for (const reader of [...readers.slice(progress.first), ...readers.slice(0, progress.first)]) {
		progress.first = readers.indexOf(reader);
		if (!run.mayGoOn()) return;
		await reader.readTop();
	}
	progress.first = 0;
}

function aboutReaders(readers: ListReader[], { input, log, memory }: PollRun): void {
	log.isReadable(THE_LIST);
	for (const { list, topFailure } of readers)
		if (topFailure) log.pageFailed(list.event, topFailure, { isFirst: true });
	if (readers.some(({ isFirstReading }) => isFirstReading))
		log.say(`${STILL_READING} Only new entries, or events since 'Start From', are sent.`, 'info');
	log.aboutLeftOut();
	// A clock that was ahead must not put it off.
	const isAhead = Number(memory.unchangedSince) > input.now;
	if (isAhead || readers.some(({ hasChanged }) => hasChanged)) memory.unchangedSince = input.now;
	if (input.kind === 'live' || !(input.now - Number(memory.unchangedSince) >= STANDSTILL)) return;
	log.show(
		new Failure(
			'Nothing at all has changed for seven days',
			"With a test key, most services show the same made-up licenses every time. To get real ones, enter a live key as 'API Key' in the Licensing Data credential.",
		),
	);
	// Until something changes, it is not said again.
	delete memory.unchangedSince;
}

const STILL_READING = 'The list is being read for the first time, and the next poll continues.';

/** A page that fails in as many polls ends the reading. */
const MOST_FAILURES = 3;
/** With more unseen on its first pages than this, only a full reading tells what has happened to the list. */
const MOST_ON_TOP = 20;

/** A register changes once a day, and a list may keep its first page and its total. */
const LONGEST_UNREAD = DAY;
/** If the last change showed on the first page, the next one mostly does, too, and then it needs no reading before. */
const WAIT_FOR_CHANGE = HOUR;

/** One list in one poll. */
export class ListReader {
	readonly state: ListState;
	/** What this poll has read before any full reading; undefined until the first page was read. */
	private top: Scan | undefined;
	topFailure: Failure | undefined;
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
		if (knownSince > run.input.now) delete this.state.knownSince;
		this.before = this.isUnknown && filters ? run.input.selectionOf(filters) : undefined;
	}

	/** The full reading under way. It may take several polls. */
	get scan(): Scan | undefined {
		return this.run.progress.scans.get(this.list.event);
	}

	/** Whether it was never read in full with these filters, or with any. */
	get isUnknown(): boolean {
		return this.state.filters !== this.run.input.filters;
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
		this.hasChanged = top.unseen > 0 || (state.signs !== '' && top.signs !== state.signs);
		for (let before = 0; top.unseen > before && !this.isUnknown; ) {
			before = top.unseen;
			await this.readNext(top);
		}
		this.top = top;
		// What is under way counts together with what now stands above it.
		this.scan?.filings.push(...top.filings);
	}

	/** Goes on with the full reading, or begins one if it is due. */
	async readOn(): Promise<void> {
		const { top, run, list, state } = this;
		if (top && !this.scan && this.isDue(top)) {
			top.showsChanges = Boolean(state.signs) && top.signs !== state.signs;
			run.progress.scans.set(list.event, top);
		}
		const { scan } = this;
		if (!scan || !(top || this.isFirstReading)) return;
		while (await this.readNext(scan));
		this.dropAdditions(scan);
		const hasEnded = scan.failures >= MOST_FAILURES;
		if (!this.hasMore(scan) || (hasEnded && this.isUnknown)) return await this.finish(scan);
		if (!hasEnded) return;
		// It was read in full before. It is tried again from the top, after the others, and nothing is forgotten.
		Object.assign(state, { signs: '', readAt: scan.began });
		run.progress.scans.delete(list.event);
	}

	/** Reads the next page, and says whether it could. */
	private async readNext(scan: Scan): Promise<boolean> {
		const { list, run } = this;
		if (this.hasFailed || !this.hasMore(scan) || !run.mayGoOn()) return false;
		if (scan === this.scan) run.payPage();
		let page = await list.readPage(scan.cursor);
		// A service that cannot read its own cursor may begin again at the top.
		if ('cursor' in page && page.cursor && scan.goesInCircles(page.cursor)) page = endless();
		this.hasFailed = page instanceof Failure;
		if (!(page instanceof Failure)) {
			scan.failures = 0;
			this.take(page, scan);
		} else if (page.facts.status === 429) run.hasStopped = true;
		else run.log.pageFailed(list.event, page, { hasEnded: ++scan.failures >= MOST_FAILURES });
		return !this.hasFailed;
	}

	/** Takes what the list was enlarged by out of the queue: it is known, and the user is told. */
	private dropAdditions(scan: Scan): void {
		const { run, state } = this;
		if (this.isUnknown || !state.listed) return;
		const all = bulkAdditions(scan.filings, state.listed, scan, state.toFind);
		const additions = all.filter(({ key }) => run.queue.drop(key));
		if (additions.length > 0) run.log.aboutAdditions(additions);
	}

	private async readFirstPage(): Promise<Scan | undefined> {
		const page = await this.list.readPage(null);
		if (page instanceof Failure) {
			this.topFailure = page;
			this.run.hasStopped ||= page.facts.status === 429;
			return undefined;
		}
		const scan = new Scan(this.run.input.now, page);
		this.take(page, scan);
		return scan;
	}

	private isDue(top: Scan): boolean {
		const { state, run } = this;
		const { readAt, showsChanges, signs } = state;
		// A new process has to find again what an earlier one has found.
		if (this.isUnknown || readAt === undefined || top.unseen > MOST_ON_TOP) return true;
		const longest = LONGEST_UNREAD + (showsChanges ? WAIT_FOR_CHANGE : 0);
		const age = run.input.now - readAt;
		// The clock may have been set back.
		const isReadLongAgo = age < 0 || age + run.interval >= longest;
		const isInPace = run.memory.paidUntil <= run.input.now;
		return isInPace && (top.signs !== signs || isReadLongAgo);
	}

	/** Records move while pages are read. What a first reading pushed down, its first page shows at the end. */
	private async finish(scan: Scan): Promise<void> {
		const { state, list, run } = this;
		const isComplete = scan.pages === 1 && scan.began === run.input.now;
		if (this.isUnknown && !isComplete && !(run.mayGoOn() && (await this.readFirstPage()))) return;
		if (scan.failures === 0) run.log.isReadable(pageOf(list.event));
		const { began, signs, counts, newest, pages, showsChanges } = scan;
		const isCut = scan.cursor !== null;
		this.aboutEnd(scan, isCut);
		const listed = { counts, newest };
		const read = { readAt: began, signs, pages, showsChanges, listed, isCut, toFind: undefined };
		Object.assign(state, read, { filters: run.input.filters });
		state.knownSince ??= began;
		run.progress.scans.delete(list.event);
	}

	private aboutEnd({ records }: Scan, isCut: boolean): void {
		const { log } = this.run;
		const name = nameOf(this.list.event);
		const nothing = ' So far, this list is empty. Ask your provider whether it has this event.';
		if (this.isFirstReading)
			log.say(
				`${name}: the list has been read for the first time. From now on, the trigger reports what is new in it.${records === 0 ? nothing : ''}`,
				records === 0 ? 'warn' : 'info',
			);
		if (isCut)
			log.daily(
				`${name}: the list is longer than the trigger can remember, or could not be read to its end. Only events dated within a week of the newest ones are reported. Choose fewer 'Counties', 'License Types' or 'Events'.`,
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
		if (page.unreadable !== undefined) run.log.leaveOut(page.unreadable, 'not a license');
		const { isCut = false, pages = 0 } = state;
		const isBelowKnown = isCut && scan.pages >= pages;
		scan.turnTo(page, run.input.now);
		for (const placed of page.records) {
			if (!run.input.wanted.matches(placed.matched)) continue;
			if (placed.leftOut === undefined) this.takeMatch(placed, scan, isBelowKnown);
			else run.log.leaveOut(`${licenseKey(placed.record)} (${placed.leftOut})`, NO_COUNTY);
		}
	}

	private takeMatch(placed: Placed, scan: Scan, isBelowKnown: boolean): void {
		const { state, run, before, isUnknown, list } = this;
		const { record } = placed;
		const keys = keysOf(record);
		const newestOf = (of: string) => Math.max(state.listed?.newest[of] ?? 0, scan.newest[of] ?? 0);
		const known = { state, before, isUnknown, isBelowKnown, newestOf };
		const found = { ...placed, event: list.event, foundAt: run.input.now };
		const verdict = run.queue.observe(found, keys, () =>
			classify(placed.matched, run.input.wanted, known),
		);
		const filing = list.event === NEW_FILING ? toUnseen(firstOf(keys), record) : undefined;
		scan.count(filing);
		if (verdict === undefined) return;
		scan.unseen++;
		if (verdict === 'tooOld') run.log.leaveOut(String(licenseKey(record)), TOO_OLD);
		if (filing && !isUnknown) scan.filings.push(filing);
	}
}

const NO_COUNTY = 'county not known';
const TOO_OLD = "older than 'Lookback Days' allows";
