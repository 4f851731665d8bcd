/** What a trigger remembers between polls, and everything that a restart needs. See docs/trigger.md. */
export interface TriggerState {
	version: 5;
	memories: Partial<Record<KeyKind, Memory>>;
}

/** A test key and a live key show different licenses. Another key or address of the same kind shows the same. */
export type KeyKind = 'live' | 'test';

export interface Memory {
	/** By the event that each lists. */
	lists: Record<string, ListState>;
	/** The keys of what the lists have shown, except for what waits or is in `batches`. */
	seen: string;
	/** How many were found and not handed over yet. A new process has to find them again. */
	waiting: number;
	/** The batches that were in flight when this was written. */
	batches: Batch[];
	/** Up to which moment full readings have used up their request a minute. */
	paidUntil: number;
	/** Since when nothing has changed; absent once that was said. */
	unchangedSince?: number;
}

export interface ListState {
	/** The filters of its last full reading; absent before the first one has ended. */
	filters?: string;
	/** What is dated since then is news in the first reading, and never too old. */
	startFrom?: number;
	/** When its first reading began, once it has ended. */
	knownSince?: number;
	/** Whether it goes on below what was read. */
	isCut: boolean;
	/** When the last full reading began, or 0; how many pages it had; and what its first page and total were. */
	readAt: number;
	pages: number;
	signs: string;
	/** Whether these had changed since the full reading before. */
	showsChanges?: boolean;
	/** Whether it is to be read again in its turn, whatever it shows. */
	isDue?: boolean;
	/** How many a new process may find again before it has read all: these are no addition. */
	toFind?: number;
	/** What that reading has shown. */
	listed?: Listed;
}

/** What a full reading has shown. */
export interface Listed {
	/** How many match the filters; and of new filings, how many of each type and county. */
	counts: Record<string, number>;
	/** The tenth-newest date of any event, and the tenth-newest filing date of each license type. */
	newest: Record<string, number>;
}

export interface Batch {
	/** That of an emission. */
	id: string;
	at: number;
	/** When its events were emitted for the first time. */
	firstAt: number;
	keys: string[];
}

/**
 * What became of a batch in the end; until then, it is in flight. Where a process has ended, nobody knows whether n8n
 * took over what it emitted.
 */
export type Fate = 'acknowledged' | 'lost' | 'unknown';

/** Undefined for anything that this version did not write. */
export const restore = (saved: unknown): TriggerState | undefined =>
	(saved as Partial<TriggerState> | undefined)?.version === 5 ? (saved as TriggerState) : undefined;

export const newMemory = (now: number): Memory => ({
	lists: {},
	seen: '',
	waiting: 0,
	batches: [],
	paidUntil: 0,
	unchangedSince: now,
});

export const newList = (startFrom?: number): ListState => ({
	startFrom,
	isCut: false,
	readAt: 0,
	pages: 0,
	signs: '',
});
