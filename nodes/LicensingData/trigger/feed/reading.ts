import { hash } from 'node:crypto';

import type { EventRecord } from '../../licenses/eventIdentity';
import { watchForCircle } from '../../licenses/circle';
import { Failure } from '../../licenses/failure';
import type { ListPage } from '../../licenses/licenseList';
import { newestOf, verdictOn, type Met, type Verdict } from './news';
import { eventKeyOf, type EventKey } from './seen';
import type { ListState } from './state';
import type { ListReport, NoPage, Selection, Settings, WatchedList } from './types';

/** A page that fails in as many polls ends the reading. */
const MOST_FAILURES = 3;

/** A quiet reading counts if the list did not change meanwhile. The last of as many counts as it is. */
const MOST_ATTEMPTS = 3;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * A register changes once a day, and a list may keep its first page and its total. Then it is read less than a day
 * after the last time, so that no day is left out.
 */
const LONGEST_UNREAD = 24 * HOUR;
/** If the last change showed on the first page, the next one mostly does, too, and then it needs no reading before. */
const WAIT_FOR_CHANGE = HOUR;
/** How long it takes until the next poll, where this is the first of the process. */
const UNKNOWN_INTERVAL = 5 * HOUR;

/** What was read of a list, from its first page on. */
export interface PagesRead {
	/** Leads to the next page; null at the end of the list. */
	cursor: string | null;
	pages: number;
	/** The first page and the total as they were. */
	pageOne: string;
	total?: number;
	/** How many records match the filters, and how many of these the list has not shown before. */
	size: number;
	unseen: number;
	/** What of them was news. */
	found: EventKey[];
	/** The newest date. */
	newest?: number;
}

/** A full reading. It may go on with the next poll of the process. */
export interface Reading extends PagesRead {
	began: number;
	/** In how many polls in a row its next page has failed. */
	failures: number;
	/** How often it had to begin again, as the service no longer took its cursor. */
	restarts: number;
	/** Which attempt of a quiet reading it is. */
	attempt: number;
	/** Whether the service no longer takes its cursor. */
	hasExpired: boolean;
	/** Whether it is to find again what an earlier process has found, and lost. */
	isRecovery: boolean;
	goesInCircles: (cursor: string) => boolean;
}

/** What a poll offers to all readers of its lists. */
export interface PollOfLists<Entry extends EventRecord> {
	now: number;
	settings: Settings<Entry>;
	/** Whether this poll may send another request. */
	mayGoOn: () => boolean;
	/** The service does not want to be asked any more. */
	stop: () => void;
	/** Takes in a record that the list shows. `verdict` is asked for one that it has not shown before. */
	meet: (record: Entry, key: EventKey, verdict: () => Verdict) => Met;
	mostPages: number;
	/** How many matching records of this list can be remembered. */
	roomOf: (reader: ListReader<Entry>) => number;
	/** When the next full reading of a known list may begin. */
	nextReading: number;
}

/** One list in one poll. */
export class ListReader<Entry extends EventRecord> {
	readonly report: ListReport;
	/** What this poll reads before any full reading; undefined until the first page has been read. */
	top: PagesRead | undefined;
	/** Whether the service does not have it, and nobody chose it. */
	isLacking = false;
	/** What this poll has read pages for: `top`, or the full reading that began with it. */
	readonly readNow = new Set<PagesRead | Reading>();
	/** Whether it was never read in full. */
	readonly isFirstReading: boolean;
	private readonly before: Selection<Entry> | undefined;

	constructor(
		readonly list: WatchedList<Entry>,
		readonly state: ListState,
		public reading: Reading | undefined,
		/** When this process last asked for its first page. */
		readonly polledAt: number | undefined,
		private readonly poll: PollOfLists<Entry>,
	) {
		const { filters } = state;
		this.report = { event: list.event, isCut: state.isCut, tooOld: 0 };
		this.isFirstReading = filters === undefined;
		const isAsBefore = filters === undefined || filters === poll.settings.filters;
		this.before = isAsBefore ? undefined : poll.settings.selectionOf(filters);
	}

	/** Whether it was never read in full with these filters. Then it is read quietly. */
	get isQuiet(): boolean {
		return this.state.filters !== this.poll.settings.filters;
	}

	/** How much of the memory it needs. New filters may find anything: the whole list, by its own account. */
	get roomNeeded(): number {
		const { top, state, report } = this;
		if (!this.isQuiet || report.failed?.isFirst) return state.size;
		return top?.total ?? Number.POSITIVE_INFINITY;
	}

	/** The first page, and on while a page brings something that the list has not shown before. */
	async readTop(): Promise<void> {
		const first = await this.list.readPage(null);
		if (!('records' in first)) {
			this.isLacking = first.isLacking === true;
			if (!this.isLacking) this.noteFailure(first, { isFirst: true });
			return;
		}
		const top = newPages(first);
		this.top = top;
		let isNew = this.take(first, top);
		while (isNew && this.hasMore(top) && this.poll.mayGoOn()) {
			const page = await this.list.readPage(top.cursor);
			// The next full reading asks for it again.
			if (!('records' in page)) return this.noteFailure(page, { isFirst: false });
			isNew = this.take(page, top);
		}
	}

	/** Goes on with the full reading, or begins one if it is due. */
	async readOn(): Promise<void> {
		const { top } = this;
		if (!top) return;
		this.beginIfDue(top);
		const { reading } = this;
		if (!reading) return;
		while (this.hasMore(reading)) {
			if (!this.poll.mayGoOn()) return;
			const page = await this.list.readPage(reading.cursor);
			if (!('records' in page)) return this.failAt(reading, page);
			// A service that cannot read its own cursor may begin again at the top.
			if (page.cursor !== null && reading.goesInCircles(page.cursor))
				return this.failAt(reading, { failure: circle() });
			reading.failures = 0;
			delete this.report.failed;
			this.take(page, reading);
		}
		await this.finish(reading);
	}

	/** With so much news on its top that only a full reading tells what has happened to the list. */
	beginFlooded(): void {
		const { top, reading } = this;
		if (!top || this.isQuiet) return;
		const found = [...(reading?.found ?? []), ...top.found];
		this.begin({ ...top, found, unseen: top.unseen + (reading?.unseen ?? 0) });
	}

	private beginIfDue(top: PagesRead): void {
		const { reading } = this;
		if (!reading) {
			if (this.isDue(top)) this.begin(top);
		} else if (this.isInVain(reading, top)) {
			this.begin(top, { ...reading, attempt: reading.attempt + 1 });
		} else if (reading.hasExpired) this.begin(top, reading);
	}

	/** Whether a quiet reading would not count, and may begin again: but not while one of its pages fails. */
	private isInVain(reading: Reading, top: PagesRead): boolean {
		const { attempt, failures } = reading;
		const mayBeginAgain = attempt < MOST_ATTEMPTS && failures === 0;
		return this.isQuiet && mayBeginAgain && hasChanged(reading, top);
	}

	private isDue(top: PagesRead): boolean {
		if (this.isQuiet || this.state.due === 'atOnce') return true;
		if (this.poll.now < this.poll.nextReading) return false;
		return this.state.due !== undefined || hasChanged(this.state, top) || this.isReadLongAgo();
	}

	private isReadLongAgo(): boolean {
		const { now } = this.poll;
		const { readAt, showsChanges } = this.state;
		const longest = LONGEST_UNREAD + (showsChanges ? WAIT_FOR_CHANGE : 0);
		const interval = this.polledAt === undefined ? UNKNOWN_INTERVAL : now - this.polledAt;
		return Math.abs(now - readAt) + interval >= longest;
	}

	private begin(
		pages: PagesRead,
		{ restarts, attempt }: Pick<Reading, 'restarts' | 'attempt'> = { restarts: 0, attempt: 1 },
	): void {
		this.reading = {
			...pages,
			found: [...pages.found],
			began: this.poll.now,
			failures: 0,
			restarts,
			attempt,
			hasExpired: false,
			isRecovery: this.state.due === 'atOnce',
			goesInCircles: watchForCircle(),
		};
		if (this.top) this.readNow.delete(this.top);
		this.readNow.add(this.reading);
	}

	private failAt(reading: Reading, page: NoPage): void {
		this.noteFailure(page, { isFirst: false });
		if (page.isRateLimit) return;
		reading.hasExpired = page.hasExpired === true;
		if (reading.hasExpired) reading.restarts++;
		else reading.failures++;
		if (Math.max(reading.failures, reading.restarts) < MOST_FAILURES) return;
		const isCutHere = this.isQuiet;
		if (this.report.failed) this.report.failed.end = isCutHere ? 'cut' : 'readAgain';
		if (isCutHere) return this.end(reading);
		// What was read in full before is tried again from the top, after the others, and nothing below is forgotten.
		Object.assign(this.state, { due: 'inTurn', readAt: reading.began });
		this.postpone(reading);
		this.reading = undefined;
	}

	private noteFailure({ failure, isRateLimit }: NoPage, { isFirst }: { isFirst: boolean }): void {
		if (isRateLimit) this.poll.stop();
		if (isFirst || !isRateLimit) this.report.failed = { failure, isFirst };
	}

	private async finish(reading: Reading): Promise<void> {
		if (this.isQuiet && reading.pages > 1) {
			if (!this.poll.mayGoOn()) return;
			const first = await this.list.readPage(null);
			if (!('records' in first)) return this.noteFailure(first, { isFirst: false });
			const again = newPages(first);
			if (this.isInVain(reading, again)) {
				this.take(first, again);
				this.top = again;
				return await this.readOn();
			}
			this.report.keptChanging = hasChanged(reading, again);
		}
		this.end(reading);
	}

	private end(reading: Reading): void {
		const { state, report } = this;
		const { began, pages, pageOne, total, size, newest } = reading;
		const { filters } = this.poll.settings;
		const isCut = reading.cursor !== null;
		report.isNewlyKnown = state.filters === undefined;
		report.isCut = isCut;
		state.showsChanges = state.due === undefined && hasChanged(state, reading);
		delete state.due;
		Object.assign(state, { filters, isCut, readAt: began, pageOne, total, size, pages, newest });
		state.knownSince ??= began;
		this.postpone(reading);
		this.reading = undefined;
	}

	/** Puts off the next full reading: those of all lists together take a request a minute. */
	private postpone({ began, pages }: Reading): void {
		this.poll.nextReading = Math.max(this.poll.nextReading, began + pages * MINUTE);
	}

	/** Whether there is another page to read: not below what the bounds allow. */
	private hasMore({ cursor, pages, size }: PagesRead): boolean {
		const { mostPages, roomOf } = this.poll;
		return cursor !== null && pages < mostPages && size <= roomOf(this);
	}

	/** Says whether the page brings something that the list has not shown before. */
	private take(page: ListPage<Entry>, into: PagesRead): boolean {
		const { state, poll } = this;
		const { wanted } = poll.settings;
		this.readNow.add(into);
		this.report.unreadable ??= page.unreadable;
		const records = page.records.filter(this.list.lists);
		into.newest = newestOf(into.newest, records, poll.now);
		state.newest = newestOf(state.newest, records, poll.now);
		const known = {
			state,
			isBelowKnown: state.isCut && into.pages >= state.pages,
			before: this.before,
			wanted,
			isQuiet: this.isQuiet,
		};
		let isNew = false;
		for (const record of records) {
			if (!wanted.matches(record)) continue;
			const key = eventKeyOf(record);
			const met = poll.meet(record, key, () => verdictOn(record, known));
			into.size++;
			isNew ||= met !== undefined;
			if (met !== undefined && met !== 'repeat') into.unseen++;
			if (met === 'news') into.found.push(key);
			if (met === 'tooOld') this.report.tooOld++;
		}
		into.pages++;
		into.cursor = page.cursor;
		return isNew;
	}
}

const newPages = ({ records, total }: ListPage<EventRecord>): PagesRead => ({
	cursor: null,
	pages: 0,
	pageOne: hashOf(records),
	total,
	size: 0,
	unseen: 0,
	found: [],
});

type Signs = Pick<PagesRead, 'pageOne' | 'total'>;

/** As far as a first page shows. */
const hasChanged = (before: Signs, after: Signs): boolean =>
	before.pageOne !== after.pageOne || before.total !== after.total;

const circle = (): Failure =>
	new Failure(
		'shape',
		'The list of the service goes in circles',
		"A marker for the next page (cursor) leads back to a page that came before. If it keeps happening, send this text to the service's support.",
	);

/** A first page in eight characters: what it shows, and its dates. */
const hashOf = (records: EventRecord[]): string =>
	hash(
		'sha256',
		JSON.stringify(
			records.map((record) => [eventKeyOf(record), record.eventTimestamp, record.filedDate]),
		),
		'base64url',
	).slice(0, 8);
