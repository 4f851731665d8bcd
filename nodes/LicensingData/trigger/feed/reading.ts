import { hash } from 'node:crypto';

import type { EventRecord } from '../../domain/eventIdentity';
import { watchForCircle } from '../../domain/circle';
import { Failure } from '../../domain/failure';
import { newestOf, verdictOn } from './news';
import { eventKeyOf, type EventKey } from './seen';
import type { ListState } from './state';
import type { ListReport, NoPage, PageResult, Selection, WatchedList } from './types';
import type { ListPage } from '../../domain/licenseList';

/** A page that fails in as many polls counts as the end of its list. */
const MOST_FAILURES = 3;

/** A first reading counts if the list did not change meanwhile. The last of as many counts as it is. */
const MOST_ATTEMPTS = 3;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * A list may keep its first page and its size while something new comes in its middle. A register changes once a day:
 * an hour more, and the next change comes first.
 */
const LONGEST_UNREAD = 25 * HOUR;
/** How long it takes until the next poll, where this is the first of the process. */
const UNKNOWN_INTERVAL = 5 * HOUR;

/** How far a list has been read from its top. */
interface Way {
	/** Leads to the next page; null at the end of the list. */
	cursor: string | null;
	pages: number;
	/** The first page and the total as they were. */
	top: string;
	total: number | null;
	/** How many records matched. */
	size: number;
	/** How many records were there at all. */
	read: number;
	/** What of them was news. */
	found: EventKey[];
	/** The newest date. */
	newest?: number;
}

/** A full reading that goes on with the next poll of the process. */
export interface Reading extends Way {
	began: number;
	/** In how many polls in a row its next page has failed. */
	failures: number;
	/** Which attempt of a first reading it is. */
	attempt: number;
	/** Whether it has to begin again at the top. */
	isOver: boolean;
	goesInCircles: (cursor: string) => boolean;
}

/** What a poll offers to all lists that it reads. */
export interface PollOfLists<Entry> {
	now: number;
	filters: string;
	/** What those select. */
	wanted: Selection<Entry>;
	/** What others select, with which a list was read before. */
	selectionOf: (filters: string) => Selection<Entry> | undefined;
	/** Whether this poll may send another request. */
	mayGoOn: () => boolean;
	/** The service does not want to be asked any more. */
	stop: () => void;
	/** Takes in a record that the list shows. Says whether it was unseen, and its key if it is news. */
	meet: (record: Entry, key: EventKey, verdict: () => ReturnType<typeof verdictOn>) => Met;
	mostPages: number;
	/** How many matching records of this list can be remembered. */
	roomOf: (event: string) => number;
	/** When the next full reading of a known list may begin. */
	nextReading: number;
	/** Holds back what was found so far, if there is too much of it. */
	holdBack: (found: EventKey[], read: number) => void;
}

export interface Met {
	isUnseen: boolean;
	verdict?: ReturnType<typeof verdictOn>;
	/** Whether an earlier process has emitted it already. */
	isRepeat?: boolean;
}

/** One list in one poll. */
export class ListReader<Entry extends EventRecord> {
	readonly report: ListReport;
	/** Undefined until the first page has been read. */
	way: Way | undefined;
	private readonly before: Selection<Entry> | undefined;

	constructor(
		readonly list: WatchedList<Entry>,
		readonly state: ListState,
		public reading: Reading | undefined,
		/** When it was looked at by the last poll of this process. */
		readonly lastLook: number | undefined,
		private readonly poll: PollOfLists<Entry>,
	) {
		const { filters } = state;
		this.report = { event: list.event, isCut: state.isCut, tooOld: 0 };
		const isAsBefore = filters === undefined || filters === poll.filters;
		this.before = isAsBefore ? undefined : poll.selectionOf(filters);
	}

	/** Its first reading, or the first one with changed filters. */
	get isQuiet(): boolean {
		return this.state.filters !== this.poll.filters;
	}

	/** The first page, and on while a page brings something that the list has not shown before. */
	async look(): Promise<void> {
		const first = await this.readFirst();
		if (!('records' in first)) return this.noteFailure(first, { isFirst: true });
		const way = newWay(first);
		this.way = way;
		let isNew = this.take(first, way);
		while (isNew && way.cursor !== null && !this.isFarEnough(way) && this.poll.mayGoOn()) {
			const page = await this.readPage(way.cursor);
			// A full reading is due by now, and meets it again.
			if (!('records' in page)) return this.noteFailure(page, { isFirst: false });
			isNew = this.take(page, way);
		}
		if (!this.isQuiet) this.poll.holdBack(way.found, way.read);
	}

	/** Goes on with the full reading, or begins one if it is due. */
	async readOn(): Promise<void> {
		if (!this.way || this.report.unread) return;
		if (!this.reading) {
			if (this.isDue(this.way)) this.begin(this.way, { failures: 0, attempt: 1 });
		} else if (this.reading.isOver) {
			this.begin(this.way, this.reading);
		}
		const { reading } = this;
		if (!reading) return;
		while (reading.cursor !== null && !this.isFarEnough(reading)) {
			if (!this.poll.mayGoOn()) return;
			const page = await this.readPage(reading.cursor);
			if (!('records' in page)) return this.failAt(reading, page);
			// A service that cannot read its own cursor may begin again at the top.
			if (page.cursor !== null && reading.goesInCircles(page.cursor))
				return this.failAt(reading, { failure: circle() });
			reading.failures = 0;
			this.take(page, reading);
		}
		await this.finish(reading);
	}

	private isDue({ top, total }: Way): boolean {
		if (this.isQuiet) return true;
		const { now, nextReading } = this.poll;
		const wait = nextReading - now;
		// A clock that was set back must not make the wait longer.
		if (wait > 0 && wait <= this.poll.mostPages * MINUTE) return false;
		return top !== this.state.top || total !== this.state.total || this.isLongUnread;
	}

	private get isLongUnread(): boolean {
		const { now } = this.poll;
		const interval = this.lastLook === undefined ? UNKNOWN_INTERVAL : now - this.lastLook;
		return Math.abs(now - this.state.readAt) + interval >= LONGEST_UNREAD;
	}

	private begin(way: Way, { failures, attempt }: Pick<Reading, 'failures' | 'attempt'>): void {
		this.reading = {
			...way,
			began: this.poll.now,
			failures,
			attempt,
			isOver: false,
			goesInCircles: watchForCircle(),
		};
	}

	private failAt(reading: Reading, page: NoPage): void {
		this.noteFailure(page, { isFirst: false });
		if ('isRateLimit' in page && page.isRateLimit) return;
		reading.failures++;
		reading.isOver = 'expired' in page;
		if (reading.failures < MOST_FAILURES) return;
		if (this.report.unread) this.report.unread.isEnd = true;
		// What was read to its end before is tried again from the top, and nothing below is forgotten.
		if (this.isQuiet) return this.end(reading, true);
		this.pay(reading);
		this.reading = undefined;
	}

	private noteFailure(page: NoPage, { isFirst }: { isFirst: boolean }): void {
		const isRateLimit = 'isRateLimit' in page && page.isRateLimit;
		if (isRateLimit) this.poll.stop();
		if (isRateLimit && !isFirst) return;
		const failure = 'failure' in page ? page.failure : undefined;
		this.report.unread = { failure, isFirst, isEnd: false };
	}

	private async finish(reading: Reading): Promise<void> {
		if (this.isQuiet && reading.pages > 1) {
			if (!this.poll.mayGoOn()) return;
			const first = await this.readFirst();
			if (!('records' in first)) return;
			const again = newWay(first);
			const hasChanged = again.top !== reading.top || again.total !== reading.total;
			if (hasChanged && reading.attempt < MOST_ATTEMPTS) {
				this.take(first, again);
				this.begin(again, { failures: 0, attempt: reading.attempt + 1 });
				return await this.readOn();
			}
			this.report.keptChanging = hasChanged;
		}
		this.end(reading, reading.cursor !== null);
	}

	private end(reading: Reading, isCut: boolean): void {
		const { began, pages, top, total, size, read, found, newest } = reading;
		this.report.isNewlyKnown = this.state.filters === undefined;
		if (this.state.filters !== undefined) this.poll.holdBack(found, read);
		const { filters } = this.poll;
		Object.assign(this.state, { filters, isCut, readAt: began, top, total, size, pages, newest });
		this.state.firstReadAt ??= began;
		this.report.isCut = isCut;
		this.pay({ began, pages });
		this.reading = undefined;
	}

	/** Full readings of all lists together take a request a minute. */
	private pay({ began, pages }: Pick<Reading, 'began' | 'pages'>): void {
		this.poll.nextReading = began + pages * MINUTE;
	}

	private isFarEnough({ pages, size }: Way): boolean {
		return pages >= this.poll.mostPages || size > this.poll.roomOf(this.list.event);
	}

	/** Says whether the page brings something that the list has not shown before. */
	private take(page: ListPage<Entry>, way: Way): boolean {
		const { state, poll } = this;
		this.report.unreadable ??= page.unreadable;
		const records = page.records.filter(this.list.lists);
		way.newest = newestOf(way.newest, records, poll.now);
		state.newest = newestOf(state.newest, records, poll.now);
		const watch = {
			state,
			isBelowKnown: state.isCut && way.pages >= state.pages,
			before: this.before,
			wanted: poll.wanted,
			haveFiltersChanged: this.isQuiet,
		};
		let isNew = false;
		for (const record of records) {
			if (!poll.wanted.matches(record)) continue;
			const key = eventKeyOf(record);
			const met = poll.meet(record, key, () => verdictOn(record, watch));
			way.size++;
			isNew ||= met.isUnseen;
			if (met.verdict === 'news' && !met.isRepeat) way.found.push(key);
			if (met.verdict === 'tooOld') this.report.tooOld++;
		}
		way.read += records.length;
		way.pages++;
		way.cursor = page.cursor;
		return isNew;
	}

	/** If its county shows nothing by one name, it is asked for by another, once a day. */
	private async readFirst(): Promise<PageResult<Entry>> {
		const first = await this.readPage(null);
		const isEmpty = 'records' in first && first.records.length === 0;
		const other = (this.state.spelling + 1) % this.list.spellings;
		if (!isEmpty || other === this.state.spelling || !this.isLongUnread) return first;
		const otherwise = await this.list.readPage(null, other);
		if (!('records' in otherwise) || otherwise.records.length === 0) return first;
		this.state.spelling = other;
		return otherwise;
	}

	private async readPage(cursor: string | null): Promise<PageResult<Entry>> {
		return await this.list.readPage(cursor, this.state.spelling);
	}
}

const newWay = ({ records, total }: ListPage<EventRecord>): Way => ({
	cursor: null,
	pages: 0,
	top: topOf(records),
	total: total ?? null,
	size: 0,
	read: 0,
	found: [],
});

const circle = (): Failure =>
	new Failure(
		'shape',
		'The list of the service goes in circles',
		"A marker for the next page (cursor) leads back to a page that came before. If it keeps happening, send this text to the service's support.",
	);

/** A first page in eight characters: what it shows, and its dates. */
const topOf = (records: EventRecord[]): string =>
	hash(
		'sha256',
		JSON.stringify(
			records.map((record) => [eventKeyOf(record), record.eventTimestamp, record.filedDate]),
		),
		'base64url',
	).slice(0, 8);
