import { licenseName } from '../licenses/eventIdentity';
import { NEW_FILING } from '../licenses/eventTypes';
import { Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import type { LicensePage } from '../licenses/licenseList';
import { toUnseen, typeOf, type Listed } from './bulk';
import type { WatchedList } from './lists';
import { firstPageOf, nameOf, pageOf, type TriggerLog } from './log';
import { firstOf, keysOf, type EventKeys } from './memory';
import { classify, type Selection, type Verdict } from './news';
import type { NoPage } from './pages';
import { Scan, type PartScan } from './scan';
import type { ListState } from './state';

/** A page that fails in as many polls ends the reading. */
const MOST_FAILURES = 3;
/** A first reading counts if the list did not change meanwhile. The last of as many within a poll counts as it is. */
const MOST_ATTEMPTS = 3;
/** How often a page is asked for that another server seems to have answered. */
const MOST_TRIES = 4;
/** With more unseen on its first pages than this, only a full reading tells what has happened to the list. */
const MOST_ON_TOP = 20;

const HOUR = 3_600_000;
/** A register changes once a day, and a list may keep its first page and its total. */
const LONGEST_UNREAD = 24 * HOUR;
/** If the last change showed on the first page, the next one mostly does, too, and then it needs no reading before. */
const WAIT_FOR_CHANGE = HOUR;
/** How long it takes until the next poll, where this is the first of the process. */
const UNKNOWN_INTERVAL = 5 * HOUR;

/** What a poll offers to the readers of its lists. */
export interface PollOfLists {
	now: number;
	filters: string;
	wanted: Selection;
	selectionOf: (filters: string) => Selection | undefined;
	log: TriggerLog;
	mostPages: number;
	/** Whether this poll may send another request. */
	mayGoOn: () => boolean;
	/** Whether full readings have kept to their request a minute, and what each page of them costs. */
	mayBegin: () => boolean;
	pay: () => void;
	/** The service does not want to be asked any more. */
	stop: () => void;
	observe: (
		record: License,
		keys: EventKeys,
		classify: () => Verdict,
	) => Verdict | 'repeat' | undefined;
	/** How many matching records of a list can be remembered. */
	roomOf: (event: string) => number;
	/** Whether a list has to find again what an earlier process has found. */
	isToFindAgain: (state: ListState) => boolean;
}

/** One list in one poll. */
export class ListReader {
	/** What this poll has read before any full reading; undefined until all first pages were read. */
	private top: Scan | undefined;
	topFailure: unknown;
	/** The full reading of this poll, though it may have ended by now. */
	latest: Scan | undefined;
	/** Whether the service does not have it, and nobody chose it. */
	isLacking = false;
	hasRead = false;
	hasChanged = false;
	/** What the last full reading has shown, and whether what this one shows is quietly known. */
	readonly listedBefore: Listed | undefined;
	readonly wasQuiet: boolean;
	private readonly before: Selection | undefined;

	constructor(
		readonly list: WatchedList,
		readonly state: ListState,
		public scan: Scan | undefined,
		/** When this process last asked for its first pages. */
		readonly polledAt: number | undefined,
		private readonly poll: PollOfLists,
	) {
		this.latest = scan;
		this.listedBefore = state.listed;
		this.wasQuiet = this.isQuiet;
		const { filters } = state;
		const isAsBefore = filters === undefined || !this.isQuiet;
		this.before = isAsBefore ? undefined : poll.selectionOf(filters);
	}

	/** Whether it was never read in full with these filters, or with any. */
	get isQuiet(): boolean {
		return this.state.filters !== this.poll.filters;
	}

	get isFirstReading(): boolean {
		return this.state.filters === undefined;
	}

	/** The first page of each part, and on while a page brings something that the list has not shown before. */
	async readTop(): Promise<void> {
		// All that it shows is known anyway, and a limited key has few requests.
		if (this.isFirstReading && this.scan && !this.scan.isRefused) return;
		const top = await this.readFirstPages();
		if (!top) return;
		this.top = top;
		this.poll.log.isReadable(firstPageOf(this.list.event));
		this.hasChanged = top.unseen > 0 || top.signs !== this.state.signs;
		if (!this.isQuiet) await this.readWhileNew(top);
		// What is under way counts together with what now stands above it.
		this.scan?.filings.push(...top.filings);
	}

	private async readWhileNew(top: Scan): Promise<void> {
		for (const [index, part] of top.parts.entries()) {
			while (part.hasNew && this.hasMore(top, part) && this.poll.mayGoOn()) {
				const page = await this.readPart(index, part);
				if ('failure' in page) {
					// The next poll's full reading asks for it again.
					this.top = undefined;
					return this.pageFailed(page);
				}
				this.take(page, index, top);
			}
		}
	}

	/** Goes on with the full reading, or begins one if it is due. */
	async readOn(): Promise<void> {
		const { top } = this;
		if (top && (this.scan ? this.scan.isRefused : this.isDue(top))) this.begin(top, this.scan);
		const { scan } = this;
		if (!scan || !(top || this.isFirstReading)) return;
		for (const [index, part] of scan.parts.entries()) {
			while (this.hasMore(scan, part)) {
				if (!this.poll.mayGoOn()) return;
				this.poll.pay();
				const page = await this.readPart(index, part);
				if ('failure' in page) return await this.failAt(scan, page);
				// A service that cannot read its own cursor may begin again at the top.
				if (page.cursor !== null && part.goesInCircles(page.cursor))
					return await this.failAt(scan, { failure: circle() });
				scan.failures = 0;
				this.take(page, index, scan);
			}
		}
		await this.finish(scan);
	}

	private async readFirstPages(attempt?: number): Promise<Scan | undefined> {
		const scan = new Scan(this.poll.now, attempt);
		for (const [index, { readPage }] of this.list.parts.entries()) {
			if (index > 0 && !this.poll.mayGoOn()) return undefined;
			const page = await readPage(null);
			if ('failure' in page) {
				this.isLacking = page.isLacking === true;
				this.topFailure = page.failure;
				if (page.isRateLimit) this.poll.stop();
				return undefined;
			}
			scan.addPart(page);
			this.take(page, index, scan);
		}
		return scan;
	}

	/** The next page of a part. One of several servers may have another list: a sample, for instance. */
	private async readPart(
		index: number,
		{ cursor, total }: PartScan,
	): Promise<LicensePage | NoPage> {
		const readPage = this.list.parts[index]?.readPage;
		let page: LicensePage | NoPage = { failure: otherList() };
		for (let tries = 0; readPage && tries < MOST_TRIES; tries++) {
			page = await readPage(cursor);
			if ('failure' in page || isAbout(page.total, total)) return page;
		}
		return { failure: otherList() };
	}

	private isDue(top: Scan): boolean {
		const { state, poll, polledAt } = this;
		if (this.isQuiet || poll.isToFindAgain(state) || top.unseen > MOST_ON_TOP) return true;
		const longest = LONGEST_UNREAD + (state.showsChanges ? WAIT_FOR_CHANGE : 0);
		const interval = polledAt === undefined ? UNKNOWN_INTERVAL : poll.now - polledAt;
		const isReadLongAgo = Math.abs(poll.now - state.readAt) + interval >= longest;
		return poll.mayBegin() && (state.isDue || top.signs !== state.signs || isReadLongAgo);
	}

	private begin(top: Scan, earlier?: Scan): void {
		const { state, poll } = this;
		const isBecauseOfChanges = !(this.isFirstReading || state.isDue || poll.isToFindAgain(state));
		top.showsChanges = isBecauseOfChanges && top.signs !== state.signs;
		top.refusals = earlier?.refusals ?? 0;
		top.filings = earlier?.filings ?? top.filings;
		this.scan = top;
		this.latest = top;
	}

	private pageFailed({ failure, isRateLimit }: NoPage, hasEnded = false): void {
		if (isRateLimit) this.poll.stop();
		else this.poll.log.pageFailed(this.list.event, failure, { hasEnded });
	}

	private async failAt(scan: Scan, page: NoPage): Promise<void> {
		scan.isRefused = page.isRefused === true;
		if (scan.isRefused) scan.refusals++;
		else if (!page.isRateLimit) scan.failures++;
		const hasEnded = Math.max(scan.failures, scan.refusals) >= MOST_FAILURES;
		this.pageFailed(page, hasEnded);
		if (!hasEnded) return;
		if (this.isQuiet) return await this.finish(scan);
		// It was read in full before. It is tried again from the top, after the others, and nothing is forgotten.
		Object.assign(this.state, { isDue: true, readAt: scan.began });
		this.scan = undefined;
	}

	/** Records move while pages are read, so a first reading looks at the first pages once more. */
	private async finish(scan: Scan): Promise<void> {
		const isOfThisPoll = scan.began === this.poll.now;
		const isOneMoment = isOfThisPoll && scan.parts.every(({ pages }) => pages === 1);
		if (this.isQuiet && !isOneMoment) {
			const top = this.poll.mayGoOn() ? await this.readFirstPages(scan.attempt + 1) : undefined;
			if (!top) return;
			// What polls lie between would change for ever.
			const mayBeginAgain = isOfThisPoll && scan.attempt < MOST_ATTEMPTS;
			if (mayBeginAgain && top.signs !== scan.signs) {
				this.begin(top);
				this.top = top;
				return await this.readOn();
			}
		}
		if (scan.failures === 0) this.poll.log.isReadable(pageOf(this.list.event));
		this.end(scan);
	}

	private end(scan: Scan): void {
		const { state, poll, list } = this;
		const { began, signs, size, newest, tally, parts, showsChanges } = scan;
		const isCut = parts.some(({ cursor }) => cursor !== null);
		this.aboutEnd(scan, isCut);
		const pages = parts.map((part) => part.pages);
		const { filters } = poll;
		Object.assign(state, { filters, isCut, readAt: began, signs, size, pages, showsChanges });
		state.newest = newest.tenth;
		if (list.event === NEW_FILING) state.listed = tally.listed;
		state.knownSince ??= began;
		delete state.isDue;
		this.scan = undefined;
	}

	private aboutEnd({ records }: Scan, isCut: boolean): void {
		const { log } = this.poll;
		const name = nameOf(this.list.event);
		if (this.isFirstReading)
			log.say(
				`${name}: the list is known from now on, and whatever is new in it is reported.`,
				'info',
			);
		if (this.isFirstReading && records === 0)
			log.say(
				`${name}: the service lists no record of this event for your filters. Ask your provider whether it has this event at all.`,
			);
		if (isCut)
			log.daily(
				`${name}: the list is longer than the trigger can remember, or could not be read to its end. Only what is dated within a week of its newest date is reported. Choose fewer 'Counties', 'License Types' or 'Events'.`,
			);
	}

	private hasMore({ size }: Scan, { cursor, pages }: PartScan): boolean {
		const { mostPages, roomOf } = this.poll;
		return cursor !== null && pages < mostPages && size <= roomOf(this.list.event);
	}

	private take({ records, cursor, unreadable }: LicensePage, index: number, scan: Scan): void {
		const { poll, state, list } = this;
		const part = scan.parts[index] as PartScan;
		const { unseen } = scan;
		this.hasRead = true;
		if (unreadable !== undefined) poll.log.leaveOut(unreadable, 'It is no license.');
		const mine = records.flatMap((record) => list.parts[index]?.place(record) ?? []);
		scan.show(
			mine.map(({ record }) => record),
			poll.now,
		);
		const isBelowKnown = state.isCut && part.pages >= (state.pages[index] ?? 0);
		for (const { record, placed, leftOut } of mine) {
			if (!poll.wanted.matches(placed)) continue;
			if (leftOut === undefined) this.takeMatch(record, placed, scan, isBelowKnown);
			else poll.log.leaveOut(`${licenseName(record)} (${leftOut})`, 'Its county is not known.');
		}
		part.hasNew = scan.unseen > unseen;
		part.pages++;
		part.cursor = cursor;
	}

	private takeMatch(record: License, placed: License, scan: Scan, isBelowKnown: boolean): void {
		const { state, poll, before, isQuiet } = this;
		const keys = keysOf(record);
		const verdict = poll.observe(record, keys, () => {
			const type = typeOf(record);
			const newestFiled = largest(state.listed?.newest[type], scan.tally.newestOf(type));
			const newest = largest(state.newest, scan.newest.tenth);
			const { wanted } = poll;
			return classify(placed, {
				state,
				before,
				wanted,
				isQuiet,
				isBelowKnown,
				newestFiled,
				newest,
			});
		});
		scan.size++;
		scan.tally.count(record);
		if (verdict === undefined) return;
		scan.unseen++;
		if (verdict === 'tooOld')
			poll.log.leaveOut(String(licenseName(record)), "It is older than 'Lookback Days' allows.");
		if (this.list.event === NEW_FILING && verdict !== 'repeat' && !isQuiet)
			scan.filings.push(toUnseen(firstOf(keys), record));
	}
}

const largest = (one = 0, other = 0): number => Math.max(one, other);

/** As far as they say. */
const isAbout = (its = 0, total = its): boolean => its * 2 >= total && its <= total * 2;

const circle = (): Failure =>
	new Failure(
		'shape',
		'The list of the service goes in circles',
		"A marker for the next page (cursor) leads back to a page that came before. If it keeps happening, send this text to the service's support.",
	);

const otherList = (): Failure =>
	new Failure('shape', 'The service shows two lists of different lengths in turns', '', {
		isTransient: true,
	});
