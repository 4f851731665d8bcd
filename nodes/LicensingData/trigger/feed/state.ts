/** What a trigger remembers between polls, and everything that a restart needs. See docs/trigger.md. */
export interface FeedState {
	version: 4;
	/** The one used last comes first. */
	accounts: AccountState[];
}

/** A test key and a live key show different licenses, so each has a memory of its own. */
export interface AccountState {
	/** Base URL and kind of key. */
	account: string;
	/** By the name of the event that each lists. */
	lists: Record<string, ListState>;
	/** What the lists have shown, but for what is in `batches` or still waits: see `Seen`. */
	seen: string;
	/** The batches that were in flight when this was written. */
	batches: Batch[];
	/** Whether something was found that is not emitted yet. A new process has to find it again. */
	hasBacklog: boolean;
	/** When so much turned out to be new that it was held back. */
	heldSince?: number;
	/** When full readings have kept to their average again. */
	nextReading: number;
}

export interface ListState {
	/** The filters of its last full reading; absent before the first time. */
	filters?: string;
	/** What is dated since then is news in the first reading, and never too old. */
	startFrom?: number;
	/** When its first reading began, once it has ended. */
	knownSince?: number;
	/** Whether it goes on below what was read. */
	isCut: boolean;
	/** The newest date in it. */
	newest?: number;
	/** How many of its records match the filters, and how many pages it takes to read it. */
	size: number;
	pages: number;
	/** When the last full reading began, and its first page and total then. */
	readAt: number;
	pageOne: string;
	total?: number;
	/** Whether these had changed since the full reading before, as far as is known. */
	showsChanges?: boolean;
	/** Whether it has to be read anew whatever it shows: at whatever cost, or as soon as the average allows. */
	due?: 'atOnce' | 'inTurn';
}

export interface Batch {
	/** That of an emission. */
	id: string;
	at: number;
	/** When its events were emitted for the first time. */
	firstAt: number;
	keys: string;
}

/**
 * What became of a batch in the end; until then, it is in flight. Where a process has ended, nobody knows whether n8n
 * took over what it emitted.
 */
export type Fate = 'acknowledged' | 'lost' | 'unknown';

/** Undefined for anything that this version did not write. */
export const restore = (saved: unknown): FeedState | undefined =>
	(saved as Partial<FeedState> | undefined)?.version === 4 ? (saved as FeedState) : undefined;

export const accountIn = (state: FeedState | undefined, account: string): AccountState =>
	state?.accounts.find((one) => one.account === account) ?? {
		account,
		lists: {},
		seen: '',
		batches: [],
		hasBacklog: false,
		nextReading: 0,
	};

export const newList = (startFrom?: number): ListState => ({
	startFrom,
	isCut: false,
	size: 0,
	pages: 0,
	readAt: 0,
	pageOne: '',
	due: 'atOnce',
});
