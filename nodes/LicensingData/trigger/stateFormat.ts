/** What a trigger remembers between polls, and everything that a restart needs. See docs/trigger.md. */
export interface TriggerState {
	version: 6;
	memories: Partial<Record<KeyKind, Memory>>;
}

/** A test key and a live key show different licenses. Another key or address of the same kind shows the same. */
export type KeyKind = 'live' | 'test';

export interface Memory {
	/** By the event that each lists. */
	lists: Record<string, ListState>;
	/** The keys of what the lists have shown, except for what waits or is in `batches`. */
	seen: string;
	/** The keys of what was found and not handed over yet. A new process has to find it again. */
	waiting: string;
	/** The batches that were in flight when this was written. */
	batches: Batch[];
	/** Since when nothing has changed; absent once that was said. */
	unchangedSince?: number;
}

export interface ListState {
	/** The filters of its last full reading; absent before the first one has ended. */
	filters?: string;
	/** What is dated since then is news in the first reading, and never too old. */
	startFrom?: number | undefined;
	/** True if it goes on below what was read. */
	isCut?: boolean;
	/** When the last full reading began, whether or not it got to its end; 0 if something has to be found again. */
	beganAt?: number;
	/** How many pages the last whole reading had. */
	pages?: number;
	/** What the first page and the total were then; empty if it is to be read again in its turn, whatever they are. */
	signs?: string;
	/** How many records it has, as its first page says. */
	total?: number;
	/** What the last whole reading has shown. */
	listed?: Listed;
}

/** What a full reading has shown. */
export interface Listed {
	/** When it began. */
	readAt: number;
	/** How many different records there were, whatever the filters. */
	records: number;
	/** How many match the filters: all, and how many of each type and county. */
	counts: Record<string, number>;
	/** The tenth-newest filing date of each license type. */
	newest: Record<string, number>;
}

export interface Batch {
	/** The ID of the emission. */
	id: string;
	at: number;
	/** When its events were emitted for the first time. */
	firstAt: number;
	keys: string[];
}

/** Undefined for anything that this version did not write. */
export const restoreState = (saved: unknown): TriggerState | undefined =>
	(saved as Partial<TriggerState> | undefined)?.version === 6 ? (saved as TriggerState) : undefined;

export const BLANK: Memory = { lists: {}, seen: '', waiting: '', batches: [] };
