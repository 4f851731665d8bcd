import type { IPollFunctions } from 'n8n-workflow';

import { NEW_FILING } from '../licenses/eventTypes';
import type { Memory } from './stateFormat';
import type { Progress } from './processMemory';

/** How many events a poll emits. */
export const MAX_ITEMS = { usual: 1000, max: 10_000 };

/** How many events are remembered of all lists together, as long as they are listed, and how many pages of a list read. */
export const LIMITS = { events: 15_000, pages: 400 };

/** An event has two keys at most, and what has left the lists for a while stays known: a fifth more. */
export const KEYS_PER_EVENT = 2.4;

/** For versions of n8n that do not say: less than the minute after which the next poll may come. */
const DEFAULT_BUDGET = 45_000;
/** Publishing waits for the first poll, and so does the user. */
const PUBLISHING_BUDGET = 60_000;

/** The time that a poll has. */
export function startBudget(context: Partial<IPollFunctions>, isPublishing: boolean) {
	const said = Math.floor(Number(context.getPollBudgetMs?.()));
	const allowed = said >= 0 ? said : DEFAULT_BUDGET;
	// Without any time, the poll must fail: it would do nothing, and say nothing.
	const total = Math.max(1, isPublishing ? Math.min(allowed, PUBLISHING_BUDGET) : allowed);
	const end = Date.now() + total;
	const timeLeft = () => end - Date.now();
	// Whether there is time to ask for another page, and for it to go wrong once.
	return { timeLeft, hasTime: () => timeLeft() > total / 4 };
}

type Remembered = { memory: Memory; progress: Progress };

/** How many events of a list are remembered: new filings first, and the others what they need of the rest. */
export function roomOf(run: Remembered, event: string): number {
	if (event === NEW_FILING) return LIMITS.events;
	const others = Object.keys(run.memory.lists).filter((one) => one !== NEW_FILING);
	let room = LIMITS.events - needOf(run, NEW_FILING, LIMITS.events);
	const share = room / others.length;
	for (const other of others) if (other !== event) room -= needOf(run, other, share);
	return room;
}

/** How many events a list has. One that nobody knows, or that is cut, may need its share. */
function needOf({ memory, progress }: Remembered, event: string, share: number): number {
	const { listed, isCut, total = 0 } = memory.lists[event] ?? {};
	const scan = progress.scans.get(event);
	const held = Math.max(listed?.counts.all ?? 0, scan?.listed.counts.all ?? 0);
	const isKnown = scan?.isAtEnd || (listed && !isCut);
	return isKnown ? held : Math.max(held, Math.min(share, total));
}
