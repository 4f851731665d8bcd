import { HASH_LENGTH } from './event';

/** The events that were seen: hash → time. */
export type Memory = Map<string, number>;

const TIME_LENGTH = 8;
const ENTRY_LENGTH = HASH_LENGTH + TIME_LENGTH;

/** Promise 14: with this many entries, state stays under 64 KB, its cursor included. */
export const CAPACITY = 3_700;

/** Sixteen characters an event, one after the other. */
export function write(memory: Memory): string {
	let text = '';
	for (const [hash, time] of memory) {
		text += hash + Math.max(0, time).toString(36).padStart(TIME_LENGTH, '0');
	}
	return text;
}

export function read(text: string): Memory {
	const memory: Memory = new Map();
	for (let start = 0; start + ENTRY_LENGTH <= text.length; start += ENTRY_LENGTH) {
		const middle = start + HASH_LENGTH;
		const time = Number.parseInt(text.slice(middle, start + ENTRY_LENGTH), 36);
		memory.set(text.slice(start, middle), time);
	}
	return memory;
}

/**
 * Keeps the newest entries, and says up to which time any had to go. Events of one moment go together:
 * half of them remembered would make the other half look new.
 */
export function keepNewest(memory: Memory, room: number): { kept: Memory; forgotten?: number } {
	if (memory.size <= room) return { kept: memory };
	const entries = [...memory].sort(([, a], [, b]) => b - a);
	const forgotten = entries[Math.max(0, room)]?.[1];
	if (forgotten === undefined) return { kept: memory };
	return { kept: new Map(entries.filter(([, time]) => time > forgotten)), forgotten };
}
