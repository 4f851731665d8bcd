import { Failure } from '../licenses/failure';
import { firstOf, keysOf, licenseKey } from '../licenses/identity';
import type { License } from '../licenses/license';
import { DAY, HOUR } from '../licenses/text';
import { hasStatus, isRejected } from '../service/failures';
import { endless } from '../service/list';
import type { ListState } from './memory';
import { firstPageOf, pageOf } from './messages';
import { bulkAdditions, classify, countBy, groupsOf, isJudged, toUnseen } from './news';
import type { PollRun } from './run';
import { Scan } from './scan';
import type { PlacedPage, Selection, WatchedList } from './watchedLists';

/** A page that fails in as many polls ends the reading. */
const MOST_FAILURES = 3;
/** With more unseen on its first pages than this, only a full reading tells what has happened to the list. */
const MOST_ON_TOP = 20;
/** A register changes once a day, and a list may keep its first page and its total. */
const LONGEST_UNREAD = DAY + 6 * HOUR;

/** Reads page one of each list, and goes on with the full readings that are due. */
export async function readLists(run: PollRun): Promise<ListReader[]> {
	const all = run.input.watched.map((list) => new ListReader(list, run));
	await readTops(all, run);
	// A service need not have an event that nobody chose.
	const readers = all.filter(({ list, topFailure }) => !list.isOptional || !isRejected(topFailure));
	// First readings, then the one under way, then what was read longest ago.
	const rank = ({ scan, isUnknown, state: { beganAt = 0 } }: ListReader) =>
		isUnknown ? 0 : scan ? 1 : 2 + beganAt;
	for (const reader of [...readers].sort((a, b) => rank(a) - rank(b))) await reader.readOn();
	return readers;
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

/** One list in one poll. */
export class ListReader {
	readonly state: ListState;
	/** What other filters select, with which it was last read in full. */
	private readonly before: Selection | undefined;
	/** Whether a full reading may begin only because the list has changed. */
	private readonly mayBegin: boolean;
	/** What this poll has read before any full reading; undefined until the first page was read. */
	private top: Scan | undefined;
	topFailure: Failure | undefined;
	hasRead = false;
	hasChanged = false;
	/** Whether a page below the first has failed. The next poll's full reading asks for it again. */
	private hasFailed = false;
	/** Whether a full reading has ended with this poll, at the end of the list or where it is cut. */
	private hasEnded = false;

	constructor(
		readonly list: WatchedList,
		private readonly run: PollRun,
	) {
		this.state = run.memory.lists[list.event] as ListState;
		const { filters } = this.state;
		const isOther = filters !== undefined && this.isUnknown;
		this.before = isOther ? run.input.selectionOf(filters) : undefined;
		this.mayBegin = run.mayBegin();
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

	/** Whether it had entries, and has none. */
	get isEmptied(): boolean {
		return this.top?.records === 0 && !this.isUnknown && Boolean(this.state.listed?.records);
	}

	/** The first page, and on while a page brings something that the list has not shown before. */
	async readTop(): Promise<void> {
		const { state, run } = this;
		// All that it shows is known anyway, and a limited key has few requests.
		if (this.isFirstReading && this.scan) return;
		const top = await this.readFirstPage();
		if (!top) return;
		run.log.noteReadable(firstPageOf(this.list.event));
		this.hasChanged = top.unseen > 0 || (state.signs !== '' && top.signs !== state.signs);
		for (let before = 0; top.unseen > before && !this.isUnknown; ) {
			before = top.unseen;
			await this.readNext(top);
		}
		this.top = top;
		// What is under way counts together with what now stands above it.
		this.scan?.judged.push(...top.judged);
	}

	/** Goes on with the full reading, or begins one if it is due. */
	async readOn(): Promise<void> {
		const { top, run, list, isUnknown } = this;
		if (top && !this.scan && this.isDue(top)) run.progress.scans.set(list.event, top);
		const { scan } = this;
		if (!scan || !(top || this.isFirstReading)) return;
		while (await this.readNext(scan));
		const isLeft = scan.failures >= MOST_FAILURES && isUnknown;
		this.hasEnded = isLeft || !this.hasMore(scan);
		// Records move while pages are read. What a first reading pushed down, its first page shows at the end.
		const isOnePage = scan.pages === 1 && scan.began === run.input.now;
		if (this.hasEnded && isUnknown && !isOnePage)
			this.hasEnded = run.mayGoOn() && (await this.readFirstPage()) !== undefined;
	}

	/** Takes what the list was enlarged by out of the queue: it is known, and the user is told. */
	judge(): void {
		const { run, scan, state, list } = this;
		const { listed } = state;
		if (!scan || this.isUnknown || !listed) return;
		const countIn = (group: string) => {
			const shown = scan.counts[group] ?? 0;
			return this.hasEnded ? Math.max(shown, listed.counts[group] ?? 0) : shown;
		};
		const all = bulkAdditions(list.event, scan.judged, listed, countIn);
		const additions = all.filter(({ key }) => run.queue.drop(key));
		if (additions.length > 0) run.log.aboutAdditions(list.event, additions);
	}

	/** Keeps what a full reading has shown, if it has ended. */
	conclude(): void {
		const { run, scan, state, list, isFirstReading, hasEnded } = this;
		const isToRepeat = !this.isUnknown && Number(scan?.failures) >= MOST_FAILURES;
		if (!scan || !(hasEnded || isToRepeat)) return;
		run.progress.scans.delete(list.event);
		state.mustFind = undefined;
		const { began, signs, counts, newest, pages, records } = scan;
		state.beganAt = began;
		// What stands below all that was seen before has moved up from where a cut list is not watched.
		if (state.isCut) for (const key of scan.lowest) run.queue.drop(key);
		// It is tried again from the top in its turn, and nothing is forgotten.
		if (!hasEnded) return void (state.signs = '');
		if (scan.failures === 0) run.log.noteReadable(pageOf(list.event));
		const isCut = scan.cursor !== null && !scan.isSecond;
		if (isFirstReading) run.log.aboutFirstReading(list.event, scan);
		if (isCut) run.log.aboutCut(list.event, pages >= run.session.limits.pages);
		const listed = { readAt: began, records, counts, newest };
		Object.assign(state, { filters: run.input.filters, signs, pages, listed, isCut });
	}

	/** Reads the next page, and says whether it could. */
	private async readNext(scan: Scan): Promise<boolean> {
		const { list, run, state } = this;
		if (this.hasFailed || !this.hasMore(scan) || !run.mayGoOn()) return false;
		let page = await list.readPage(scan.cursor);
		// A service that cannot read its own cursor may begin again at the top.
		if ('cursor' in page && page.cursor && scan.isEndless(page)) page = endless();
		this.hasFailed = page instanceof Failure;
		if (!(page instanceof Failure)) {
			scan.failures = 0;
			this.take(page, scan);
		} else if (page.facts.status === 429) run.hasStopped = true;
		else {
			const hasEnded = ++scan.failures >= MOST_FAILURES;
			run.log.pageFailed(list.event, page, { hasEnded, readAt: state.listed?.readAt });
		}
		return !this.hasFailed;
	}

	private async readFirstPage(): Promise<Scan | undefined> {
		const { list, run } = this;
		const page = await list.readPage(null);
		if (page instanceof Failure) {
			this.topFailure = page;
			if (isRejected(page)) run.totals.set(list.event, 0);
			// With a key that is not accepted, nothing else can be read, either.
			run.hasStopped ||= hasStatus(page, 401, 429);
			return undefined;
		}
		const scan = new Scan(run.input.now);
		this.take(page, scan);
		run.totals.set(list.event, scan.total);
		return scan;
	}

	private isDue(top: Scan): boolean {
		const { state, run } = this;
		if (this.isEmptied) return false;
		if (this.isUnknown || state.mustFind || top.unseen > MOST_ON_TOP) return true;
		const age = run.input.now - Number(state.beganAt);
		// The clock may have been set back.
		if (age < 0 || age + run.interval > LONGEST_UNREAD) return true;
		return this.mayBegin && top.signs !== state.signs;
	}

	private hasMore({ cursor, pages, counts }: Scan): boolean {
		const { limits } = this.run.session;
		const hasRoom = (counts.all ?? 0) <= this.run.roomOf(this.list.event);
		return (cursor !== null || pages === 0) && pages < limits.pages && hasRoom;
	}

	private take(page: PlacedPage, scan: Scan): void {
		const { run, list } = this;
		this.hasRead = true;
		scan.turnTo(page);
		for (const text of page.unreadable ?? [])
			run.log.leaveOut(`${pageOf(list.event)} (${scan.pages}): ${text}`, 'not a license');
		for (const placed of page.records) {
			const { record, matched, leftOut } = placed;
			const isAdded = scan.show(placed, run.input.now);
			if (!matched || !run.input.wanted.matches(matched)) continue;
			if (leftOut === undefined) this.takeMatch(record, matched, isAdded, scan);
			else run.log.leaveOut(`${licenseKey(record)} (${leftOut})`, NO_COUNTY);
		}
		if (this.isFirstReading && scan.hasMissed && !scan.isSecond) scan.beginAgain();
	}

	/** A record that matches the filters. `isAdded`: this reading had not shown it before. */
	private takeMatch(record: License, matched: License, isAdded: boolean, scan: Scan): void {
		const { state, run, before, isUnknown } = this;
		const { event } = this.list;
		const isBelow = Boolean(state.isCut) && scan.pages > (state.pages ?? 0);
		const identity = keysOf(record);
		const entry = toUnseen(firstOf(identity), matched, event);
		if (isAdded) countBy(groupsOf(entry), scan.counts);
		const newestOf = (type: string) =>
			Math.max(state.listed?.newest[type] ?? 0, scan.newest[type] ?? 0);
		const known = { state, before, isUnknown, isBelow, newestOf };
		const found = { record, matched, event, foundAt: run.input.now };
		const verdict = run.queue.observe(found, identity, (isFoundAgain) => {
			scan.unseen++;
			// What an earlier process has found already is no addition.
			if (!isUnknown && !isFoundAgain && isJudged(event, state.listed)) scan.judged.push(entry);
			return classify(matched, run.input.wanted, known);
		});
		if (verdict === undefined) scan.lowest = [];
		else scan.lowest.push(firstOf(identity));
		if (verdict === 'tooOld') run.log.leaveOut(String(licenseKey(record)), TOO_OLD);
	}
}

const NO_COUNTY = 'county not known';
const TOO_OLD = "older than 'Lookback Days' allows";
