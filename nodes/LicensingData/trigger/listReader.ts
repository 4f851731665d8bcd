import { firstKey, keysOf } from '../licenses/eventIdentity';
import { NEW_FILING } from '../licenses/eventTypes';
import { Failure } from '../licenses/failure';
import { type License, licenseKey, type ListPage } from '../licenses/license';
import { hasStatus, isRejected } from '../service/httpFailures';
import { endless } from '../service/listPages';
import { bulkAdditions, countBy, groupsOf } from './bulkAdditions';
import { LIMITS } from './limits';
import { isNews } from './news';
import { mayGoOn, type PollRun, roomOf } from './pollRun';
import { isDue } from './readingDue';
import { Scan } from './scan';
import type { ListState } from './stateFormat';
import { firstPageOf, pageOf } from './triggerLog';
import { type Placed, type Selection, selectionOf, type WatchedList } from './watchedLists';

/** A page that fails in as many polls ends the reading. */
const MAX_FAILURES = 3;

/** Reads page one of each list, and goes on with the full readings that are due. */
export async function readWatchedLists(run: PollRun): Promise<ListReader[]> {
	const { watched, progress, now } = run;
	const all = watched.map((list) => new ListReader(list, run));
	// What earlier polls did not get to comes first: one list may take all the time, and fail.
	const turnOf = ({ list }: ListReader) => progress.triedAt.get(list.event) ?? 0;
	for (const reader of [...all].sort((a, b) => turnOf(a) - turnOf(b))) {
		if (!mayGoOn(run)) break;
		progress.triedAt.set(reader.list.event, now);
		await reader.readTop();
	}
	// A service need not have an event that nobody chose.
	const readers = all.filter(({ list, topFailure }) => !list.isOptional || !isRejected(topFailure));
	// First readings, then the one under way, then what was read longest ago.
	const rank = ({ scan, isUnknown, state: { beganAt = 0 } }: ListReader) =>
		isUnknown ? 0 : scan ? 1 : 2 + beganAt;
	for (const reader of [...readers].sort((a, b) => rank(a) - rank(b))) await reader.readOn();
	return readers;
}

/** One list in one poll. */
export class ListReader {
	readonly state: ListState;
	/** What other filters select, with which it was last read in full; undefined if there were none. */
	private readonly before: Selection | undefined;
	/** What this poll has read before any full reading; undefined until the first page was read. */
	private top: Scan | undefined;
	topFailure: Failure | undefined;
	/** True once a page has failed. The next poll asks for it again. */
	private hasFailed = false;
	/** True once a full reading has ended with this poll, at the end of the list or where it is cut. */
	private hasEnded = false;

	constructor(
		readonly list: WatchedList,
		private readonly run: PollRun,
	) {
		this.state = run.memory.lists[list.event] as ListState;
		this.before = this.isUnknown ? selectionOf(this.state.filters) : undefined;
	}

	/** The full reading under way. It may take several polls. */
	get scan(): Scan | undefined {
		return this.run.progress.scans.get(this.list.event);
	}

	/** True if it was never read in full with these filters, or with any. */
	get isUnknown(): boolean {
		return this.state.filters !== this.run.filters;
	}

	get isFirstReading(): boolean {
		return this.state.filters === undefined;
	}

	/** True if it has no entries, and it is known what it had. */
	private get isEmpty(): boolean {
		return this.top?.listed.records === 0 && !this.isUnknown;
	}

	/** The first page, and on while a page brings something that the list has not shown before. */
	async readTop(): Promise<void> {
		const { state, run, list, isUnknown } = this;
		// All that it shows is known anyway, and a limited key has few requests.
		if (this.isFirstReading && this.scan) return;
		const top = this.newScan();
		if (!(await this.readNext(top))) return;
		run.log.noteReadable(firstPageOf(list.event));
		const isOther = state.signs !== '' && top.signs !== state.signs;
		if (isOther || top.unseen > 0) run.memory.unchangedSince = run.now;
		state.total = top.total;
		for (let before = 0; top.unseen > before && !isUnknown; await this.readNext(top))
			before = top.unseen;
		this.top = top;
		// What is under way counts together with what now stands above it.
		this.scan?.judged.push(...top.judged);
	}

	/** Goes on with the full reading, or begins one if it is due. */
	async readOn(): Promise<void> {
		const { top, run, list, state, isUnknown } = this;
		if (top && !this.scan && !this.isEmpty && isDue(top, state, run)) {
			run.progress.scans.set(list.event, top);
			// Until it has ended, it is to be read again in its turn.
			Object.assign(state, { beganAt: run.now, signs: '' });
		}
		const { scan } = this;
		if (!scan || !(top || this.isFirstReading)) return;
		while (!this.hasFailed && (await this.readNext(scan)));
		this.hasEnded = !this.hasMore(scan) || (isUnknown && scan.failures >= MAX_FAILURES);
		// Records move while pages are read. What a first reading pushed down, its first page shows at the end.
		const isOnePage = scan.pages === 1 && scan.listed.readAt === run.now;
		if (this.hasEnded && isUnknown && !isOnePage)
			this.hasEnded = await this.readNext(this.newScan());
	}

	/** Takes what the list was enlarged by out of the queue: it is known, and the user is told. */
	private judge(): void {
		const { run, scan, state, list } = this;
		const { listed } = state;
		// Of an event that was there, so many renewals of one day for instance, nothing is an addition.
		const isJudged = listed && (list.event === NEW_FILING || !listed.counts.all);
		if (!scan || this.isUnknown || !isJudged) return;
		const before = this.hasEnded ? listed.counts : {};
		const countIn = (group: string) => Math.max(scan.listed.counts[group] ?? 0, before[group] ?? 0);
		const all = bulkAdditions(list.event, scan.judged, listed, countIn);
		const additions = all.filter((one) => run.queue.drop(firstKey(keysOf(one))));
		if (additions.length > 0) run.log.aboutAdditions(list.event, additions);
	}

	/** What of the unseen is no news; and what a full reading has shown is kept, if it has ended. */
	conclude(): void {
		const { run, scan, state, list, isFirstReading, hasEnded } = this;
		this.judge();
		if (this.isEmpty && state.listed?.records) {
			run.log.aboutEmpty(list.event, state.listed);
			state.listed.records = 0;
		}
		if (!scan || !(hasEnded || scan.failures >= MAX_FAILURES)) return;
		run.progress.scans.delete(list.event);
		// What stands below all that was seen before has moved up from where a cut list is not watched.
		if (state.isCut) for (const key of scan.belowSeen) run.queue.drop(key);
		// It is tried again from the top, and nothing is forgotten.
		if (!hasEnded) return;
		if (scan.failures === 0) run.log.noteReadable(pageOf(list.event));
		const isCut = scan.cursor !== null && !scan.isSecond;
		const { signs, pages, listed } = scan;
		if (isFirstReading) run.log.aboutFirstReading(list.event, scan);
		if (isCut) run.log.aboutCut(list.event, pages >= LIMITS.pages);
		Object.assign(state, { filters: run.filters, signs, pages, listed, isCut });
	}

	private newScan(): Scan {
		return new Scan({ readAt: this.run.now, records: 0, counts: {}, newest: {} });
	}

	/** Reads the next page, and says whether it could. */
	private async readNext(scan: Scan): Promise<boolean> {
		const { list, run, state } = this;
		if (!this.hasMore(scan) || !mayGoOn(run)) return false;
		let page = await list.readPage(scan.cursor);
		// A service that cannot read its own cursor may begin again at the top.
		if ('cursor' in page && page.cursor && scan.isEndless(page)) page = endless();
		if (!(page instanceof Failure)) {
			scan.failures = 0;
			this.take(page, scan);
			return true;
		}
		this.hasFailed = true;
		// With a key that is not accepted, nothing else can be read, either.
		run.hasStopped ||= hasStatus(page, 401, 429);
		if (scan.pages === 0) this.topFailure = page;
		else if (page.facts.status !== 429) {
			const hasEnded = ++scan.failures >= MAX_FAILURES;
			run.log.pageFailed(list.event, page, hasEnded, state.listed?.readAt);
		}
		return false;
	}

	private hasMore({ cursor, pages, listed: { counts } }: Scan): boolean {
		const { run, list } = this;
		const mayTurn = cursor !== null && pages < LIMITS.pages;
		return pages === 0 || (mayTurn && (counts.all ?? 0) <= roomOf(run, list.event));
	}

	private take(page: ListPage<Placed>, scan: Scan): void {
		const { run, list } = this;
		run.hasRead = true;
		scan.turnTo(page);
		for (const text of page.unreadable ?? [])
			run.log.leaveOut(`${pageOf(list.event)} (${scan.pages}): ${text}`, 'not a license');
		for (const placed of page.records) {
			const { record, matched, leftOut } = placed;
			const isAdded = scan.show(placed);
			if (!matched || !run.wanted.matches(matched)) continue;
			if (leftOut === undefined) this.takeMatch(record, matched, isAdded, scan);
			else run.log.leaveOut(`${licenseKey(record)} (${leftOut})`, NO_COUNTY);
		}
		if (this.isFirstReading && scan.hasMissed && !scan.isSecond) scan.beginAgain();
	}

	/** A record that matches the filters. `isAdded`: this reading had not shown it before. */
	private takeMatch(record: License, matched: License, isAdded: boolean, scan: Scan): void {
		const { run, isUnknown, state, before } = this;
		const { event } = this.list;
		const identity = keysOf(record);
		if (isAdded) countBy(groupsOf(matched), scan.listed.counts);
		const isUnseen = run.queue.observe({ record, matched, event }, identity, (isFoundAgain) => {
			scan.unseen++;
			// What an earlier process has found already is no addition.
			if (!isUnknown && !isFoundAgain) scan.judged.push(matched);
			return isNews(matched, scan, state, before, run);
		});
		if (isUnseen) scan.belowSeen.push(firstKey(identity));
		else scan.belowSeen = [];
	}
}

const NO_COUNTY = 'county not known';
