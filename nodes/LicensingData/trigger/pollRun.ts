import { NEW_FILING } from '../licenses/eventTypes';
import { MINUTE } from '../licenses/time';
import { EventQueue } from './eventQueue';
import { KEYS_PER_EVENT, LIMITS } from './limits';
import type { PollInput } from './parameters';
import { newProgress } from './progress';
import type { TriggerSession } from './sessions';
import { BLANK, type Memory, type TriggerState } from './stateFormat';
import { OTHER_FILTERS, type TriggerLog, UNREADABLE_STATE } from './triggerLog';

/** What the readers of a poll's lists share. */
export type PollRun = ReturnType<typeof restore>;

/** What is known as a poll begins. */
export function restore(input: PollInput, session: TriggerSession, log: TriggerLog) {
	const { kind, now, filters, wanted, watched, startFrom } = input;
	const { lastState, isNew } = session;
	if (!lastState && !isNew) log.say(UNREADABLE_STATE);
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
		if (lists.some((one) => one.filters && one.filters !== filters)) log.say(OTHER_FILTERS, 'info');
	}
	for (const { event, matched, keys } of queue.waiting)
		if (!(event in memory.lists) || !wanted.matches(matched)) queue.drop(String(keys[0]));
	// What an earlier process has found is found again.
	if (!isGoingOn && queue.toFind.size > 0) for (const list of lists) list.beganAt = 0;
	/** From the last poll to this one: so long it takes until the next. */
	const interval = now - progress.polledAt;
	Object.assign(progress, { filters, polledAt: now });
	// Full readings take a request a minute at most: the next ones begin when the last ones are paid for.
	const age = now - Math.max(...lists.map(({ beganAt = 0 }) => beganAt));
	const pages = lists.reduce((sum, list) => sum + (list.pages ?? 0), 0);
	/** True if one may begin only because the list has changed. The clock may have been set back. */
	const mayBegin = age < 0 || age >= pages * MINUTE;
	/** The poll has read a page; and the service does not want to be asked any more. */
	const flags = { hasRead: false, hasStopped: false };
	return { ...input, log, memory, progress, queue, interval, mayBegin, ...flags };
}

/** Says whether this poll may send another request. What waits is emitted before more is read. */
export const mayGoOn = ({ hasStopped, mayAsk, hasTime, maxItems, queue }: PollRun): boolean =>
	!hasStopped && mayAsk && hasTime() && queue.waiting.size < maxItems;

/** How many events of a list are remembered: new filings first, and the others what they need of the rest. */
export function roomOf(run: PollRun, event: string): number {
	if (event === NEW_FILING) return LIMITS.events;
	const others = Object.keys(run.memory.lists).filter((one) => one !== NEW_FILING);
	let room = LIMITS.events - needOf(run, NEW_FILING, LIMITS.events);
	const share = room / others.length;
	for (const other of others) if (other !== event) room -= needOf(run, other, share);
	return room;
}

/** How many events a list has. One that nobody knows, or that is cut, may need its share. */
function needOf({ memory, progress }: PollRun, event: string, share: number): number {
	const { listed, isCut, total = 0 } = memory.lists[event] ?? {};
	const scan = progress.scans.get(event);
	const held = Math.max(listed?.counts.all ?? 0, scan?.listed.counts.all ?? 0);
	const isKnown = scan?.isAtEnd || (listed && !isCut);
	return isKnown ? held : Math.max(held, Math.min(share, total));
}

/** What the next poll goes on from. */
export function nextState(run: PollRun, { lastState }: TriggerSession): TriggerState {
	const { memory, queue, progress, kind } = run;
	const mustFind = Object.values(memory.lists).some(({ beganAt }) => beganAt === 0);
	if (!mustFind && progress.scans.size === 0) queue.toFind.clear();
	const current = { ...memory, ...queue.save(Math.floor(LIMITS.events * KEYS_PER_EVENT)) };
	return { version: 6, memories: { ...lastState?.memories, [kind]: current } };
}
