import { hash } from 'node:crypto';

import { watchForCircle } from '../licenses/circle';
import { licenseName } from '../licenses/eventIdentity';
import { NEW_FILING } from '../licenses/eventTypes';
import { Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import type { ListPage } from '../licenses/licenseList';
import { momentOf } from '../licenses/moment';
import { NewestDates, Tally, toUnseen, typeOf, type Listed, type Unseen } from './bulk';
import type { WatchedList } from './lists';
import { firstOf, keysOf, type EventKeys } from './memory';
import { classify, type Selection, type Verdict } from './news';
import type { NoPage } from './pages';
import type { ListState } from './state';

/** A page that fails in as many polls ends the reading. */
const MOST_FAILURES = 3;
/** A first reading counts if the list did not change meanwhile. The last of as many within a poll counts as it is. */
const MOST_ATTEMPTS = 3;
/** How often a page of another list is asked for again. */
const MOST_OTHER_SERVERS = 3;
/** With more unseen on its first pages than this, only a full reading tells what has happened to the list. */
const MOST_ON_TOP = 20;

const HOUR = 3_600_000;
/** A register changes once a day, and a list may keep its first page and its total. */
const LONGEST_UNREAD = 24 * HOUR;
/** If the last change showed on the first page, the next one mostly does, too, and then it needs no reading before. */
const WAIT_FOR_CHANGE = HOUR;
/** How long it takes until the next poll, where this is the first of the process. */
const UNKNOWN_INTERVAL = 5 * HOUR;

/** What was read of a list, from its first pages on. As a full reading, it may go on with the next poll. */
export interface Scan {
	parts: PartScan[];
	began: number;
	/** The first pages and totals as they were. */
	signs: string;
	/** How many records were shown, and how many of them match the filters. */
	records: number;
	size: number;
	/** Those that the list had not shown before. */
	unseen: number;
	filings: Unseen[];
	tally: Tally;
	newest: NewestDates;
	/** In how many polls in a row its next page has failed, and how often its cursor was refused. */
	failures: number;
	refusals: number;
	/** Whether the service no longer takes its cursor. */
	isRefused: boolean;
	attempt: number;
}

interface PartScan {
	/** Leads to the next page; null at the end. */
	cursor: string | null;
	pages: number;
	total?: number;
	goesInCircles: (cursor: string) => boolean;
}

/** What a poll offers to the readers of its lists. */
export interface PollOfLists {
	now: number;
	filters: string;
	wanted: Selection;
	mostPages: number;
	/** Whether this poll may send another request. */
	mayGoOn: () => boolean;
	/** Whether full readings have kept to their request a minute, and what each page of them costs. */
	mayBegin: () => boolean;
	pay: () => void;
	/** The service does not want to be asked any more. */
	stop: () => void;
	/** Takes in a record that the list shows. `verdict` is asked for one that it has not shown before. */
	observe: (
		record: License,
		keys: EventKeys,
		verdict: () => Verdict,
	) => Verdict | 'repeat' | undefined;
	/** How many matching records of this list can be remembered. */
	roomOf: (reader: ListReader) => number;
	/** Whether this list has to find again what an earlier process has found. */
	isToFindAgain: (state: ListState) => boolean;
}

/** What became of a list in a poll, where there is something to say. */
export interface ListReport {
	event: string;
	/** Why a page could not be read, and whether it has failed in three polls. */
	failed?: { failure: unknown; isFirst: boolean; hasEnded?: boolean };
	isNewlyKnown?: boolean;
	keptChanging?: boolean;
	isCut: boolean;
	/** Whether its first reading has shown no record at all. */
	isEmpty?: boolean;
	tooOld: number;
	/** What was left out as it makes no sense, and why, by the name of the record. */
	leftOut: Map<string, string>;
}

/** One list in one poll. */
export class ListReader {
	readonly report: ListReport;
	/** What this poll has read before any full reading; undefined until all first pages were read. */
	top: Scan | undefined;
	/** The full reading of this poll, though it may have ended by now. */
	latest: Scan | undefined;
	/** Whether the service does not have it, and nobody chose it. */
	isLacking = false;
	hasRead = false;
	hasChanged = false;
	/** What its last full reading has shown, and whether this one tells what was there before. */
	readonly listedBefore: Listed | undefined;
	readonly wasQuiet: boolean;
	private readonly before: Selection | undefined;

	constructor(
		readonly list: WatchedList,
		readonly state: ListState,
		public scan: Scan | undefined,
		/** When this process last asked for its first page. */
		readonly polledAt: number | undefined,
		readonly poll: PollOfLists,
		selectionOf: (filters: string) => Selection | undefined,
	) {
		const { filters, isCut } = state;
		this.report = { event: list.event, isCut, tooOld: 0, leftOut: new Map() };
		this.latest = scan;
		this.listedBefore = state.listed;
		this.wasQuiet = this.isQuiet;
		const isAsBefore = filters === undefined || filters === poll.filters;
		this.before = isAsBefore ? undefined : selectionOf(filters);
	}

	/** Whether it was never read in full with these filters. */
	get isQuiet(): boolean {
		return this.state.filters !== this.poll.filters;
	}

	get isFirstReading(): boolean {
		return this.state.filters === undefined;
	}

	/** How much of the memory it needs. New filters may find anything: the whole list, by its own account. */
	get roomNeeded(): number {
		if (!this.isQuiet || this.report.failed?.isFirst) return this.state.size;
		const totals = this.top?.parts.map(({ total }) => total ?? Number.POSITIVE_INFINITY);
		return totals?.reduce((sum, total) => sum + total, 0) ?? Number.POSITIVE_INFINITY;
	}

	/** The first page of each part, and on while a page brings something that the list has not shown before. */
	async readTop(): Promise<void> {
		// All that it shows is known anyway, and a limited key has few requests.
		if (this.isFirstReading && this.scan && !this.scan.isRefused) return;
		const top = await this.readFirstPages();
		if (!top) return;
		this.top = top;
		this.hasChanged = top.unseen > 0 || top.signs !== this.state.signs;
		if (!this.isQuiet) await this.readWhileUnseen(top);
		// What is under way counts together with what now stands above it.
		this.scan?.filings.push(...top.filings);
	}

	private async readWhileUnseen(top: Scan): Promise<void> {
		for (const [index, part] of top.parts.entries()) {
			let unseen = top.unseen;
			while (unseen > 0 && part.cursor !== null && this.hasRoom(top, part) && this.poll.mayGoOn()) {
				const before = top.unseen;
				const page = await this.readPart(index, part);
				// The next full reading asks for it again.
				if (!('records' in page)) return this.noteFailure(page, false);
				this.take(page, index, top);
				unseen = top.unseen - before;
			}
		}
	}

	/** Goes on with the full reading, or begins one if it is due. */
	async readOn(): Promise<void> {
		const { top } = this;
		if (top && (this.scan?.isRefused || (!this.scan && this.isDue(top))))
			this.begin(top, this.scan);
		const { scan } = this;
		if (!scan || (!top && !this.isFirstReading)) return;
		for (let next = this.nextPart(scan); next; next = this.nextPart(scan)) {
			if (!this.poll.mayGoOn()) return;
			const [index, part] = next;
			this.poll.pay();
			const page = await this.readPart(index, part);
			if (!('records' in page)) return this.failAt(scan, page);
			// A service that cannot read its own cursor may begin again at the top.
			if (page.cursor !== null && part.goesInCircles(page.cursor))
				return this.failAt(scan, { failure: circle() });
			scan.failures = 0;
			delete this.report.failed;
			this.take(page, index, scan);
		}
		await this.finish(scan);
	}

	private async readFirstPages(): Promise<Scan | undefined> {
		const scan = newScan(this.poll.now);
		for (const index of this.list.parts.keys()) {
			if (index > 0 && !this.poll.mayGoOn()) return undefined;
			const page = await this.list.parts[index]?.readPage(null);
			if (!page || !('records' in page)) {
				this.isLacking = page?.isLacking === true;
				if (page && !this.isLacking) this.noteFailure(page, true);
				return undefined;
			}
			const { total, records } = page;
			const goesInCircles = watchForCircle();
			scan.parts.push({ cursor: null, pages: 0, total, goesInCircles });
			scan.signs += signsOf(records, total);
			this.take(page, index, scan);
		}
		return scan;
	}

	/** The next page of a part. One of several servers may have another list: a sample, for instance. */
	private async readPart(index: number, { cursor, total = 0 }: PartScan) {
		for (let tries = 0; ; tries++) {
			const page = (await this.list.parts[index]?.readPage(cursor)) ?? { failure: undefined };
			if (!('records' in page)) return page;
			const { total: its = total } = page;
			if (its * 2 >= total && its <= total * 2) return page;
			if (tries === MOST_OTHER_SERVERS) return { failure: otherList(total, its) };
		}
	}

	private isDue(top: Scan): boolean {
		if (this.isQuiet || this.poll.isToFindAgain(this.state) || top.unseen > MOST_ON_TOP)
			return true;
		if (!this.poll.mayBegin()) return false;
		return this.state.isDue === true || top.signs !== this.state.signs || this.isReadLongAgo();
	}

	private isReadLongAgo(): boolean {
		const { now } = this.poll;
		const { readAt, showsChanges } = this.state;
		const longest = LONGEST_UNREAD + (showsChanges ? WAIT_FOR_CHANGE : 0);
		const interval = this.polledAt === undefined ? UNKNOWN_INTERVAL : now - this.polledAt;
		return Math.abs(now - readAt) + interval >= longest;
	}

	private begin(top: Scan, earlier?: Scan): void {
		const { refusals = 0, filings = top.filings } = earlier ?? {};
		this.scan = { ...top, refusals, filings };
		this.latest = this.scan;
	}

	private failAt(scan: Scan, page: NoPage): void {
		this.noteFailure(page, false);
		if (page.isRateLimit) return;
		scan.isRefused = page.isRefused === true;
		if (scan.isRefused) scan.refusals++;
		else scan.failures++;
		if (Math.max(scan.failures, scan.refusals) < MOST_FAILURES) return;
		if (this.report.failed) this.report.failed.hasEnded = true;
		if (this.isQuiet) return this.end(scan);
		// It was read in full before. It is tried again from the top, after the others, and nothing is forgotten.
		Object.assign(this.state, { isDue: true, readAt: scan.began });
		this.scan = undefined;
	}

	private noteFailure({ failure, isRateLimit }: NoPage, isFirst: boolean): void {
		if (isRateLimit) this.poll.stop();
		if (isFirst || !isRateLimit) this.report.failed = { failure, isFirst };
	}

	/** Records move while pages are read, so a first reading looks at the first pages once more. */
	private async finish(scan: Scan): Promise<void> {
		if (this.isQuiet && scan.parts.some(({ pages }) => pages > 1)) {
			if (!this.poll.mayGoOn()) return;
			const top = await this.readFirstPages();
			if (!top) return;
			const isOfThisPoll = scan.began === this.poll.now;
			const isChanged = top.signs !== scan.signs;
			if (isChanged && isOfThisPoll && scan.attempt < MOST_ATTEMPTS) {
				this.begin({ ...top, attempt: scan.attempt + 1 });
				this.top = top;
				return await this.readOn();
			}
			this.report.keptChanging = isChanged;
		}
		this.end(scan);
	}

	private end(scan: Scan): void {
		const { state, report } = this;
		report.isNewlyKnown = this.isFirstReading;
		report.isEmpty = report.isNewlyKnown && scan.records === 0;
		report.isCut = scan.parts.some(({ cursor }) => cursor !== null);
		state.showsChanges = !state.isDue && scan.signs !== state.signs;
		state.knownSince ??= scan.began;
		delete state.isDue;
		Object.assign(state, {
			filters: this.poll.filters,
			isCut: report.isCut,
			readAt: scan.began,
			signs: scan.signs,
			size: scan.size,
			pages: scan.parts.map(({ pages }) => pages),
			newest: scan.newest.tenth,
			...(this.list.event === NEW_FILING ? { listed: scan.tally.listed } : {}),
		});
		this.scan = undefined;
	}

	private nextPart(scan: Scan): [number, PartScan] | undefined {
		const parts = [...scan.parts.entries()];
		return parts.find(([, part]) => part.cursor !== null && this.hasRoom(scan, part));
	}

	private hasRoom({ size }: Scan, { pages }: PartScan): boolean {
		return pages < this.poll.mostPages && size <= this.poll.roomOf(this);
	}

	private take(
		{ records, cursor, unreadable }: ListPage<License>,
		index: number,
		scan: Scan,
	): void {
		const part = scan.parts[index] as PartScan;
		this.hasRead = true;
		if (unreadable !== undefined) this.report.leftOut.set(unreadable, 'It is no license.');
		const mine = records.flatMap((record) => this.list.parts[index]?.place(record) ?? []);
		const isBelowKnown = this.state.isCut && part.pages >= (this.state.pages[index] ?? 0);
		for (const { record } of mine) {
			scan.newest.add(momentOf(record.eventTimestamp), this.poll.now);
			scan.tally.show(record, this.poll.now);
		}
		for (const { record, placed, leftOut } of mine) {
			if (!this.poll.wanted.matches(placed)) continue;
			if (leftOut) this.report.leftOut.set(licenseName(record) ?? '', leftOut);
			else this.takeMatch(record, placed, scan, isBelowKnown);
		}
		scan.records += mine.length;
		part.pages++;
		part.cursor = cursor;
	}

	private takeMatch(record: License, placed: License, scan: Scan, isBelowKnown: boolean): void {
		const { state, poll, before } = this;
		const keys = keysOf(record);
		const type = typeOf(record);
		const verdict = poll.observe(record, keys, () =>
			classify(placed, {
				state,
				before,
				wanted: poll.wanted,
				isQuiet: this.isQuiet,
				isBelowKnown,
				newestFiled: largest(state.listed?.newest[type], scan.tally.newestOf(type)),
				newest: largest(state.newest, scan.newest.tenth),
			}),
		);
		scan.size++;
		scan.tally.count(record);
		if (verdict === undefined) return;
		scan.unseen++;
		if (verdict === 'tooOld') this.report.tooOld++;
		const isFiling = this.list.event === NEW_FILING && verdict !== 'repeat';
		if (isFiling && !this.isQuiet) scan.filings.push(toUnseen(firstOf(keys), record));
	}
}

const newScan = (began: number): Scan => ({
	parts: [],
	began,
	signs: '',
	records: 0,
	size: 0,
	unseen: 0,
	filings: [],
	tally: new Tally(),
	newest: new NewestDates(),
	failures: 0,
	refusals: 0,
	isRefused: false,
	attempt: 1,
});

const largest = (...values: Array<number | undefined>): number | undefined => {
	const known = values.filter((value) => value !== undefined);
	return known.length > 0 ? Math.max(...known) : undefined;
};

/** A first page in eight characters, what it shows and its dates; and the total. */
function signsOf(records: License[], total: number | undefined): string {
	const shown = records.map((record) => [
		firstOf(keysOf(record)),
		record.eventTimestamp,
		record.filedDate,
	]);
	return `${hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 8)}${total ?? ''} `;
}

const circle = (): Failure =>
	new Failure(
		'shape',
		'The list of the service goes in circles',
		"A marker for the next page (cursor) leads back to a page that came before. If it keeps happening, send this text to the service's support.",
	);

const otherList = (total: number, its: number): Failure =>
	new Failure(
		'shape',
		`The service shows two lists in turns, one of ${total} licenses and one of ${its}`,
		"One of its servers may lack data. If it keeps happening, send this text to the service's support.",
		{ isTransient: true },
	);
