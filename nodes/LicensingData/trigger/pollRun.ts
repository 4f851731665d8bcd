import { EventQueue } from './eventQueue';
import { mayBeginReading } from './fullReading';
import type { ReadPage } from './listPages';
import { BLANK, type KeyKind, type Memory, type TriggerState } from './memory';
import { type LIMITS, maxKeys } from './memoryLimits';
import { newProgress, type TriggerSession } from './savedState';
import { SAID, type TriggerLog } from './triggerLog';
import type { Selection, WatchedList } from './watchedLists';

/** A list that a poll can read. */
export type ReadableList = Omit<WatchedList, 'queries'> & { readPage: ReadPage };

/** What the user has chosen, what the service shows, and how long a poll may read it. */
export interface PollInput {
	kind: KeyKind;
	/** What was entered, as a text. */
	filters: string;
	wanted: Selection;
	savedSelection: (filters?: string) => Selection | undefined;
	startFrom: number | undefined;
	maxItems: number;
	limits: typeof LIMITS;
	watched: ReadableList[];
	/** False while the service wants too long a wait. */
	mayAsk: boolean;
	hasTime: () => boolean;
	now: number;
}

/** What the readers of a poll's lists share. */
export type PollRun = ReturnType<typeof restore>;

/** What is known as a poll begins. */
export function restore(input: PollInput, session: TriggerSession, log: TriggerLog) {
	const { kind, now, filters, wanted, watched, startFrom } = input;
	const { lastState, isNew } = session;
	if (!lastState && !isNew) log.say(SAID.unreadableState);
	// n8n hands out saved data as a proxy, which cannot be cloned in any other way.
	const memory = JSON.parse(JSON.stringify(lastState?.memories[kind] ?? BLANK)) as Memory;
	const isGoingOn = session.progress?.kind === kind;
	const progress = (isGoingOn && session.progress) || newProgress(kind, now);
	const queue = new EventQueue(memory, progress);
	queue.settle(memory.batches, session.fateOf);
	// A list that is watched for the first time while others are known begins quietly.
	const isFirst = !lastState?.memories[kind] && (lastState ? kind === 'live' : isNew);
	const listOf = (event: string) => memory.lists[event] ?? (isFirst ? { startFrom } : {});
	memory.lists = Object.fromEntries(watched.map(({ event }) => [event, listOf(event)]));
	const lists = Object.values(memory.lists);
	// With other filters, everything is read anew. What is no longer wanted stays known.
	if (progress.filters !== filters) {
		progress.scans.clear();
		if (lists.some((one) => one.filters && one.filters !== filters))
			log.say(SAID.otherFilters, 'info');
	}
	for (const { event, matched, keys } of queue.waiting)
		if (!(event in memory.lists) || !wanted.matches(matched)) queue.drop(String(keys[0]));
	// What an earlier process has found is found again.
	if (!isGoingOn && queue.toFind.size > 0) for (const list of lists) list.beganAt = 0;
	/** From the last poll to this one: so long it takes until the next. */
	const interval = now - progress.polledAt;
	Object.assign(progress, { filters, polledAt: now });
	const mayBegin = mayBeginReading(lists, now);
	/** The poll has read a page; and the service does not want to be asked any more. */
	const flags = { hasRead: false, hasStopped: false };
	return { ...input, log, memory, progress, queue, interval, mayBegin, ...flags };
}

/** Says whether this poll may send another request. What waits is emitted before more is read. */
export const mayGoOn = ({ hasStopped, mayAsk, hasTime, maxItems, queue }: PollRun): boolean =>
	!hasStopped && mayAsk && hasTime() && queue.waiting.size < maxItems;

/** What the next poll goes on from. */
export function nextState(run: PollRun, { lastState }: TriggerSession): TriggerState {
	const { memory, queue, progress, limits, kind } = run;
	const mustFind = Object.values(memory.lists).some(({ beganAt }) => beganAt === 0);
	if (!mustFind && progress.scans.size === 0) queue.toFind.clear();
	const current = { ...memory, ...queue.save(maxKeys(limits)) };
	return { version: 6, memories: { ...lastState?.memories, [kind]: current } };
}
