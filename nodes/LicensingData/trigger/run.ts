import { NEW_FILING } from '../licenses/knownValues';
import { EventQueue } from './eventQueue';
import type { TriggerSession } from './handshake';
import { BLANK, type KeyKind, type Memory, type TriggerState } from './memory';
import type { TriggerLog } from './messages';
import { newProgress, type Progress } from './progress';
import type { Selection, WatchedList } from './watchedLists';

const MINUTE = 60_000;
/** An event has two keys at most, and what has left the lists for a while stays known: a fifth more. */
const KEYS_PER_EVENT = 2.4;

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

/** What is known as a poll begins. */
export function restore(input: FeedInput, session: TriggerSession, log: TriggerLog): PollRun {
	const { kind, now, filters } = input;
	const { lastState, isNew, fateOf } = session;
	if (!lastState && !isNew) log.say(UNREADABLE_STATE);
	// n8n hands out saved data as a proxy, which cannot be cloned in any other way.
	const memory = JSON.parse(JSON.stringify(lastState?.memories[kind] ?? BLANK)) as Memory;
	const isGoingOn = session.progress?.kind === kind;
	const progress = (isGoingOn && session.progress) || newProgress(kind, now);
	const queue = new EventQueue(memory, progress, fateOf);
	memory.lists = restoreLists(memory, input, session);
	const run = new PollRun(input, session, log, memory, progress, queue, now - progress.polledAt);
	progress.polledAt = now;
	// With other filters, everything is read anew. What is no longer wanted stays known.
	if (progress.filters !== filters) {
		progress.scans.clear();
		progress.filters = filters;
		const known = Object.values(memory.lists).flatMap((list) => list.filters ?? []);
		if (known.some((one) => one !== filters)) log.say(OTHER_FILTERS, 'info');
	}
	for (const { event, matched, keys } of queue.waiting)
		if (!(event in memory.lists) || !input.wanted.matches(matched)) queue.drop(String(keys[0]));
	// What an earlier process has found is found again.
	if (!isGoingOn && queue.toFind.size > 0)
		for (const list of Object.values(memory.lists)) list.mustFind = true;
	return run;
}

const UNREADABLE_STATE =
	'This node version cannot read what the trigger has saved, and begins anew: what is listed now is not reported.';

/** A list that is watched for the first time while others are known begins quietly. */
function restoreLists({ lists }: Memory, input: FeedInput, session: TriggerSession) {
	const { kind, startFrom, watched } = input;
	const { lastState, isNew } = session;
	// For the first memory of all, and for that of the first live key.
	const startsFrom = !lastState?.memories[kind] && (lastState ? kind === 'live' : isNew);
	const newList = () => (startsFrom ? { startFrom } : {});
	return Object.fromEntries(watched.map(({ event }) => [event, lists[event] ?? newList()]));
}

/** What the readers of a poll's lists share. */
export class PollRun {
	/** Whether the service does not want to be asked any more. */
	hasStopped = false;
	/** How many records each list has, as its first page says. */
	readonly totals = new Map<string, number>();

	constructor(
		readonly input: FeedInput,
		readonly session: TriggerSession,
		readonly log: TriggerLog,
		readonly memory: Memory,
		readonly progress: Progress,
		readonly queue: EventQueue,
		/** From the last poll to this one: so long it takes until the next. */
		readonly interval: number,
	) {}

	/** Whether this poll may send another request. What waits is emitted before more is read. */
	mayGoOn(): boolean {
		const { hasStopped, input, queue } = this;
		const { mayAsk, hasTime, maxItems } = input;
		return !hasStopped && mayAsk && hasTime() && queue.waiting.size < maxItems;
	}

	/** Full readings take a request a minute at most: the next ones begin when the last ones are paid for. */
	mayBegin(): boolean {
		const { input, memory, progress } = this;
		const lists = Object.values(memory.lists);
		const underWay = [...progress.scans.values()].map(({ began }) => began);
		const ended = lists.map(({ beganAt = 0 }) => beganAt);
		const age = input.now - Math.max(...underWay, ...ended);
		const pages = lists.reduce((sum, list) => sum + (list.pages ?? 0), 0);
		// The clock may have been set back.
		return age < 0 || age >= pages * MINUTE;
	}

	/** How many events of a list are remembered: new filings first, and the others what they need of the rest. */
	roomOf(event: string): number {
		const { events } = this.session.limits;
		if (event === NEW_FILING) return events;
		const others = Object.keys(this.memory.lists).filter((one) => one !== NEW_FILING);
		const left = events - this.needOf(NEW_FILING, events);
		const needs = others
			.filter((one) => one !== event)
			.map((one) => this.needOf(one, left / others.length));
		return left - needs.reduce((sum, need) => sum + need, 0);
	}

	/** How many events a list has. One that nobody knows, or that is cut, may need its share. */
	private needOf(event: string, share: number): number {
		const { memory, progress, totals } = this;
		const list = memory.lists[event];
		if (!list) return 0;
		const scan = progress.scans.get(event);
		const held = Math.max(list.listed?.counts.all ?? 0, scan?.counts.all ?? 0);
		const isKnown = scan?.isAtEnd || (list.listed && !list.isCut);
		return isKnown ? held : Math.max(held, Math.min(share, totals.get(event) ?? 0));
	}

	nextState(): TriggerState {
		const { memory, queue, session } = this;
		const mostKeys = Math.floor(session.limits.events * KEYS_PER_EVENT);
		if (!Object.values(memory.lists).some(({ mustFind }) => mustFind)) queue.toFind.clear();
		const current = { ...memory, ...queue.save(mostKeys) };
		const memories = { ...session.lastState?.memories, [this.input.kind]: current };
		return { version: 6, memories };
	}
}

const OTHER_FILTERS =
	'The filters have changed, so the lists are read anew. New licenses that the old filters selected, too, are sent. Those that only the new filters select, and that are listed now, are not.';
