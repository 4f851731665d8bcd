import type { EventRecord } from '../../domain/eventIdentity';
import type { Found } from './findings';
import type { SortKey } from './sortKey';
import type { ReadPage, Scan, UnreadPage } from './scan';
import type { Forgotten } from './remember';
import type { Batch, Fate, FeedState, ListFacts, Query } from './state';

/** What the user has chosen. */
export interface Settings<Entry extends EventRecord> {
	/** The filters that the trigger applies itself, and a text that changes with them. */
	matches: (record: Entry) => boolean;
	/** Those, and the query: for what was found when something else was asked for. */
	matchesAll: (record: Entry) => boolean;
	filters: string;
	/** Events since this time are news even at the very first poll. */
	startFrom?: number;
	/** How many milliseconds late an event may turn up. */
	lookback: number;
	maxItems: number;
}

/** What the service shows, and how long a poll may read it. */
export interface List<Entry extends EventRecord> {
	/** Whose list this is, and what the service filters by. Another account starts from scratch. */
	account: string;
	query: Query;
	readPage: ReadPage<Entry>;
	hasTime: () => boolean;
	now: number;
}

/** What is left of earlier polls, and what n8n has told about it. */
export interface Session<Entry extends EventRecord> {
	/**
	 * What n8n has saved, or what the process knows better. Undefined if nothing is saved, or what this version
	 * cannot read: then it is not `isNew`.
	 */
	lastState: FeedState | undefined;
	isNew: boolean;
	/** What this process has read in earlier polls, and not handled. */
	progress: Progress<Entry> | undefined;
	fateOf: (batch: Batch) => Fate | 'inFlight';
	/** An ID and a time for the batch that this poll emits; undefined if n8n saves it together with the state. */
	newBatch: (() => Pick<Batch, 'id' | 'at'>) | undefined;
	/** How many bytes this trigger may hold in the process. */
	room: () => number;
	/** How many keys the state may hold. */
	capacity: number;
}

export interface FeedInput<Entry extends EventRecord> {
	settings: Settings<Entry>;
	list: List<Entry>;
	session: Session<Entry>;
}

/** Work that takes several polls. Nothing of it has been handled, so if it is lost, it is just read again. */
export interface Progress<Entry extends EventRecord> {
	/** The query and filters that it was read for. */
	purpose: string;
	/** A top scan that has not ended. */
	top?: Scan<Entry>;
	/** A sweep that has not ended. It begins where a top scan ended or, without one, on the first page. */
	sweep?: Scan<Entry>;
	/** What scans that are over have found, until it is handled. */
	backlog: Map<SortKey, Found<Entry>>;
	/** What scans have said of the list that is not written into the state yet, as it would hide the backlog. */
	unwritten: ListFacts;
}

/** What a poll returns, unless not even the first page could be read. */
export interface Outcome<Entry extends EventRecord> {
	/** Oldest first. */
	events: Entry[];
	/** Of the batch that these are; undefined if there are none, or n8n saves them together with the state. */
	batchId?: string;
	state: FeedState;
	progress: Progress<Entry>;
	/** How many events are left for the next poll to emit. */
	waiting: number;
	/** Whether the next poll goes on with the baseline. */
	isReadingBaseline: boolean;
	forgotten: Forgotten;
	/** By how many records the list fell short of its own total. */
	shortBy: number;
	/** If it `isStuck`, what is above it is emitted. */
	unread?: UnreadPage;
}
