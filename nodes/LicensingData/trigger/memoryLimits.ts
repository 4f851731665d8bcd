import { NEW_FILING } from '../licenses/eventTypes';
import type { Memory } from './memory';
import type { Progress } from './savedState';

/** How many events are remembered of all lists together, as long as they are listed, and how many pages of a list read. */
export const LIMITS = { events: 15_000, pages: 400 };

/** An event has two keys at most, and what has left the lists for a while stays known: a fifth more. */
const KEYS_PER_EVENT = 2.4;

interface Remembered {
	limits: typeof LIMITS;
	memory: Memory;
	progress: Progress;
}

export const maxKeys = ({ events }: typeof LIMITS): number => Math.floor(events * KEYS_PER_EVENT);

/** How many events of a list are remembered: new filings first, and the others what they need of the rest. */
export function roomOf(run: Remembered, event: string): number {
	const { events } = run.limits;
	if (event === NEW_FILING) return events;
	const others = Object.keys(run.memory.lists).filter((one) => one !== NEW_FILING);
	let room = events - needOf(run, NEW_FILING, events);
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
