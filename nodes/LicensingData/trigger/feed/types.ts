import type { EventRecord } from '../../licenses/eventIdentity';
import type { ListPage } from '../../licenses/licenseList';
import type { Found } from './queue';
import type { Reading } from './reading';
import type { EventKey } from './seen';
import type { Batch, Fate, FeedState } from './state';

/** What filters select. */
export interface Selection<Entry> {
	matches: (record: Entry) => boolean;
	/** How old a new filing may be, in milliseconds before the newest date of its list. */
	lookback: number;
}

/** What the user has chosen. */
export interface Settings<Entry> {
	/** The filters as a text, lookback included. */
	filters: string;
	/** What they select. */
	wanted: Selection<Entry>;
	/** What filters select that were entered earlier; undefined if nobody can read them any more. */
	selectionOf: (filters: string) => Selection<Entry> | undefined;
	/** Events since this time are news even in the first reading. */
	startFrom?: number;
	maxItems: number;
}

/** Why there is no page. If its cursor has expired, the list can be read from its top again. */
export interface NoPage {
	failure: unknown;
	isRateLimit?: boolean;
	hasExpired?: boolean;
	/** The service does not have this event, and nobody chose it. */
	isLacking?: boolean;
}
export type PageResult<Entry> = ListPage<Entry> | NoPage;

/** One of the lists that a trigger watches. */
export interface WatchedList<Entry> {
	/** The event that it lists. */
	event: string;
	/** Reads a page, the first one for null. */
	readPage: (cursor: string | null) => Promise<PageResult<Entry>>;
	/** Whether a record belongs there: a service may ignore what it was asked for. */
	lists: (record: Entry) => boolean;
}

/** What the service shows, and how long a poll may read it. */
export interface Lists<Entry> {
	/** Whose lists these are. */
	account: string;
	/** New filings first. */
	watched: Array<WatchedList<Entry>>;
	hasTime: () => boolean;
	now: number;
}

export interface Limits {
	/** How many events are remembered of all lists together, as long as they are listed. */
	events: number;
	/** How many pages of a list are read. */
	pages: number;
	/** More new ones than this at once, and more than half of a list, mean that something has happened to the list. */
	newAtOnce: number;
}

/** What is left of earlier polls, and what n8n has told about it. */
export interface Session<Entry> {
	/**
	 * What n8n has saved, or what the process knows better. Undefined if nothing is saved, or what this version
	 * cannot read: then it is not `isNew`.
	 */
	lastState: FeedState | undefined;
	isNew: boolean;
	/** What this process knows beyond the state. */
	progress: Progress<Entry> | undefined;
	fateOf: (batch: Batch) => Fate | 'inFlight';
	/** An ID and a time for the batch that this poll emits; undefined if n8n saves it together with the state. */
	newBatch: (() => Pick<Batch, 'id' | 'at'>) | undefined;
	/** How many bytes this trigger may hold in the process. */
	room: () => number;
	limits: Limits;
}

export interface FeedInput<Entry> {
	settings: Settings<Entry>;
	lists: Lists<Entry>;
	session: Session<Entry>;
}

/** What a process knows beyond the saved state. If it is lost, the list is read again. */
export interface Progress<Entry> {
	account: string;
	/** The filters with which the readings began. */
	filters: string;
	/** What was found, and is not emitted yet. */
	queue: Map<EventKey, Found<Entry>>;
	/** What was emitted, by batch, until n8n has said what became of it. */
	inFlight: Map<string, Array<Found<Entry>>>;
	/** Full readings that have not ended, by event. */
	readings: Map<string, Reading>;
	/** When the first page of each list was last asked for, by event. */
	polledAt: Map<string, number>;
}

/** What became of a list in a poll, where there is something to say. */
export interface ListReport {
	event: string;
	/** Why a page could not be read; and if it has failed in three polls, what becomes of the list below it. */
	failed?: { failure: unknown; isFirst: boolean; end?: 'cut' | 'readAgain' };
	/** Whether its first reading has ended in this poll, and whether the list kept changing meanwhile. */
	isNewlyKnown?: boolean;
	keptChanging?: boolean;
	isCut: boolean;
	/** How many new filings were left out, as they are older than the lookback. */
	tooOld: number;
	/** What is wrong with the first record that is no license, and was left out. */
	unreadable?: string | undefined;
}

/** What a poll returns, unless not even one first page could be read. */
export interface Outcome<Entry extends EventRecord> {
	/** Oldest first. */
	events: Entry[];
	/** Of the batch that these are; undefined if there are none, or n8n saves them together with the state. */
	batchId?: string;
	state: FeedState;
	progress: Progress<Entry>;
	/** How many events are left for later polls to emit, and since when the oldest of them has waited. */
	waiting: number;
	waitingSince: number;
	/** What is held back for a day, as so much turned out to be new at once. */
	held: Entry[];
	/** Whether a first reading goes on with the next poll. */
	hasUnknownList: boolean;
	/** How many requests full readings of all lists take. */
	requestsToReadAll: number;
	lists: ListReport[];
}
