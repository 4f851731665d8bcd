import { NEW_FILING } from '../licenses/knownValues';
import type { WatchedList } from './lists';
import type { TriggerLog } from './log';
import type { Selection } from './news';
import type { EventQueue } from './queue';
import type { KeyKind, ListState, Memory } from './state';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** What the user has chosen, what the service shows, and how long a poll may read it. */
export interface FeedInput {
	/** The filters as a text, lookback included; and what filters select, undefined if nobody can read them any more. */
	filters: string;
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

/** How many events are remembered of all lists together, as long as they are listed, and how many pages of a list read. */
export interface Limits {
	events: number;
	pages: number;
}

/** What the readers of a poll's lists share. */
export class PollRun {
	readonly now: number;
	readonly wanted: Selection;
	/** Whether the service does not want to be asked any more. */
	hasStopped: boolean;

	constructor(
		readonly input: FeedInput,
		readonly memory: Memory,
		readonly queue: EventQueue,
		readonly log: TriggerLog,
		readonly limits: Limits,
		/** When the process began with this memory. */
		private readonly since: number,
	) {
		this.now = input.now;
		this.wanted = input.selectionOf(input.filters) as Selection;
		this.hasStopped = !input.mayAsk;
		// A clock that was set back must not make the wait longer.
		if (memory.paidUntil > this.now + 2 * DAY) memory.paidUntil = this.now;
	}

	/** Whether this poll may send another request. What waits is emitted before more is read. */
	mayGoOn(): boolean {
		return !this.hasStopped && this.input.hasTime() && this.queue.size < this.input.maxItems;
	}

	/** Whether full readings have kept to a request a minute. Who polls once a day has a day's requests at once. */
	mayBegin(): boolean {
		return this.memory.paidUntil <= this.now;
	}

	payPage(): void {
		this.memory.paidUntil = Math.max(this.memory.paidUntil, this.now - DAY) + MINUTE;
	}

	/** New filings get all the memory that they need, and the others equal shares of what is left. */
	roomOf(event: string): number {
		const filings = this.memory.lists[NEW_FILING]?.size ?? 0;
		const others = this.input.watched.filter((list) => list.event !== NEW_FILING);
		return event === NEW_FILING
			? this.limits.events
			: (this.limits.events - filings) / others.length;
	}

	/** Whether a list has to find again what an earlier process has found. */
	isToFindAgain({ readAt }: ListState): boolean {
		return this.queue.hasToFind && readAt < this.since;
	}

	isAllFound(states: ListState[]): boolean {
		return states.every(({ readAt }) => readAt >= this.since);
	}
}
