import type { Columns } from './columns.mts';
import type { TextMatch } from './text-match.mts';

/** A query, ready to be held against every record. */
export interface Look {
	heads: Uint8Array;
	settings: Uint8Array;
	/** 1 at the mask that means "every word was found". */
	isHit: Uint8Array;
}

/*
 * The loops that a first look at a million records spends its time in. They have no branches,
 * because a processor cannot guess which record matches; four records a turn keep it busy.
 */

export function lookAtAll(
	{ heads, settings, isHit }: Look,
	columns: Columns,
	{ hits }: TextMatch,
	count: number,
): number {
	const { head, setting } = columns;
	let total = 0;
	let slot = 0;
	for (; slot + 3 < count; slot += 4) {
		const first = isHit[heads[head[slot]!]! | settings[setting[slot]!]!]!;
		const second = isHit[heads[head[slot + 1]!]! | settings[setting[slot + 1]!]!]!;
		const third = isHit[heads[head[slot + 2]!]! | settings[setting[slot + 2]!]!]!;
		const fourth = isHit[heads[head[slot + 3]!]! | settings[setting[slot + 3]!]!]!;
		hits[slot] = first;
		hits[slot + 1] = second;
		hits[slot + 2] = third;
		hits[slot + 3] = fourth;
		total += first + second + third + fourth;
	}
	for (; slot < count; slot++) {
		const hit = isHit[heads[head[slot]!]! | settings[setting[slot]!]!]!;
		hits[slot] = hit;
		total += hit;
	}
	return total;
}

export function lookAt(
	{ heads, settings, isHit }: Look,
	columns: Columns,
	{ hits }: TextMatch,
	counts: Uint32Array,
	lists: Array<Uint32Array | number[]>,
): number {
	const { cell, head, setting } = columns;
	let total = 0;
	for (const slots of lists) {
		for (let index = 0; index < slots.length; index++) {
			const slot = slots[index]!;
			const hit = isHit[heads[head[slot]!]! | settings[setting[slot]!]!]!;
			// A record stands in both lists when both its phrases carry the word.
			const news = hit - hits[slot]!;
			hits[slot] = hit;
			counts[cell[slot]!]! += news;
			total += news;
		}
	}
	return total;
}
