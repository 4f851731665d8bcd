import { NEW_FILING } from '../licenses/knownValues';
import { DAY, HOUR } from '../licenses/text';
import type { Selection, WatchedList } from './watchedLists';
import type { TriggerLog } from './messages';
import {
	type Batch,
	BLANK,
	EventQueue,
	type FateOf,
	type KeyKind,
	type Memory,
	newHeld,
	type TriggerState,
} from './memory';
import type { Scan } from './news';

const MINUTE = 60_000;
/** An event has two keys at most, and what has left the lists for a while stays known: a fifth more. */
const KEYS_PER_EVENT = 2.4;

/** How long it takes until the next poll, where this is the first of the process. */
const UNKNOWN_INTERVAL = 5 * HOUR;

/** What the user has chosen, what the service shows, and how long a poll may read it. */
export interface FeedInput {
	/** The filters as a text, lookback included; and what they select. */
	filters: string;
	wanted: Selection;
	/** What filters select, undefined if nobody can read them any more. */
	selectionOf: (filters: string) => Selection | undefined;
	/** Events since this time are news even in the first reading. */
	startFrom?: number;
	maxItems: number;
	kind: KeyKind;
	/** New filings first. */
	watched: WatchedList[];
	/** Whether the service may be asked at all, or still wants to be left alone. */
	mayAsk: boolean;
	hasTime: () => boolean;
	now: number;
}

/** What is left of earlier polls, and what n8n has told about it. */
export interface Session {
	/** What n8n has saved, or what the process knows better; undefined if there is nothing that can be read. */
	lastState: TriggerState | undefined;
	/** Whether there was nothing at all. */
	isNew: boolean;
	progress: Progress | undefined;
	fateOf: FateOf;
	/** For the batch that this poll emits; undefined if n8n saves it together with the state. */
	newBatch: (() => Pick<Batch, 'id' | 'at'>) | undefined;
	/** How many events are remembered of all lists together, as long as they are listed, and how many pages of a list read. */
	limits: { events: number; pages: number };
}

export type Progress = ReturnType<typeof newProgress>;

/** What the readers of a poll's lists share. */
export class PollRun {
	readonly memory: Memory;
	readonly progress: Progress;
	readonly queue: EventQueue;
	/** From the last poll to this one: so long it takes until the next. */
	readonly interval: number;
	/** Whether the service does not want to be asked any more. */
	hasStopped: boolean;

	constructor(
		readonly input: FeedInput,
		readonly session: Session,
		readonly log: TriggerLog,
	) {
		const { kind, filters, watched, now } = input;
		const { lastState, isNew, progress, fateOf } = session;
		this.hasStopped = !input.mayAsk;
		const saved = lastState?.memories[kind];
		// n8n hands out saved data as a proxy, which cannot be cloned in any other way.
		this.memory = JSON.parse(JSON.stringify(saved ?? BLANK)) as Memory;
		const isGoingOn = progress?.kind === kind;
		this.progress = isGoingOn ? progress : newProgress(kind, now);
		this.interval = now - this.progress.polledAt;
		this.progress.polledAt = now;
		this.queue = new EventQueue(this.memory, this.progress, fateOf);
		if (this.progress.filters !== filters) this.progress.scans.clear();
		this.progress.filters = filters;
		// What is no longer wanted stays known.
		for (const { event, matched, keys } of this.queue.waiting)
			if (!watched.some((list) => list.event === event) || !input.wanted.matches(matched))
				this.queue.drop(String(keys[0]));
		// For the first memory of all, and for that of the first live key.
		const startsFrom = !saved && (lastState ? kind === 'live' : isNew);
		const { lists } = this.memory;
		// A list that is watched for the first time while others are known begins quietly.
		const newList = startsFrom ? { startFrom: input.startFrom } : {};
		const known = watched.map(({ event }) => [event, lists[event] ?? { ...newList }] as const);
		this.memory.lists = Object.fromEntries(known);
		// What an earlier process has found is found again.
		const found = isGoingOn ? 0 : this.memory.waiting + this.queue.lost;
		for (const list of found > 0 ? Object.values(this.memory.lists) : [])
			Object.assign(list, { readAt: undefined, signs: '', toFind: (list.toFind ?? 0) + found });
		// A clock that was set back must not make the wait longer.
		if (this.memory.paidUntil > now + 2 * DAY) this.memory.paidUntil = now;
	}

	/** Whether this poll may send another request. What waits is emitted before more is read. */
	mayGoOn(): boolean {
		const { hasStopped, input, queue } = this;
		return !hasStopped && input.hasTime() && queue.waiting.size < input.maxItems;
	}

	/** A request a minute for all full readings. Who polls once a day has a day's requests at once. */
	payPage(): void {
		this.memory.paidUntil = Math.max(this.memory.paidUntil, this.input.now - DAY) + MINUTE;
	}

	/** New filings get all the memory that they need, and the others equal shares of what is left. */
	roomOf(event: string): number {
		const { events } = this.session.limits;
		const { [NEW_FILING]: filings, ...others } = this.memory.lists;
		const left = events - (filings?.listed?.counts.all ?? 0);
		return event === NEW_FILING ? events : left / Object.keys(others).length;
	}

	nextState(): TriggerState {
		const { memory, queue, session } = this;
		const mostKeys = Math.floor(session.limits.events * KEYS_PER_EVENT);
		const current = { ...memory, ...queue.save(mostKeys) };
		const memories = { ...session.lastState?.memories, [this.input.kind]: current };
		return { version: 5, memories };
	}
}

/** What a process knows beyond the saved state. If it is lost, the lists are read again. */
const newProgress = (kind: KeyKind, now: number) => ({
	...newHeld(),
	kind,
	/** The filters with which the readings began. */
	filters: '',
	/** Full readings that have not ended, by event. */
	scans: new Map<string, Scan>(),
	/** Which list the next poll begins with, and when the last poll was. */
	first: 0,
	polledAt: now - UNKNOWN_INTERVAL,
});
