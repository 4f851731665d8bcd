import type { Columns } from './columns.mts';
import { MOST_WORDS, splitWords, type Phrases } from './phrases.mts';
import { Postings } from './postings.mts';

/** A free-text query's answer, kept current while records change. */
export class TextMatch {
	/** 1 for each record that matches. */
	hits: Uint8Array;
	/** How many records match. */
	total = 0;
	private countsByCell: Uint32Array | undefined;

	constructor(
		readonly words: readonly string[],
		private readonly columns: Columns,
		recordCount: number,
	) {
		this.hits = new Uint8Array(recordCount);
	}

	/** How many of the matches stand in each cell; counted when a filter first asks. */
	counts(cellCount: number): Uint32Array {
		this.countsByCell ??= countByCell(this.hits, this.columns.cell, cellCount);
		return this.countsByCell;
	}

	change(slot: number, hit: 0 | 1): void {
		if (slot >= this.hits.length) this.hits = lengthened(this.hits, slot + 1);
		const difference = hit - this.hits[slot]!;
		if (difference === 0) return;
		this.hits[slot] = hit;
		this.total += difference;
		if (!this.countsByCell) return;
		const cell = this.columns.cell[slot]!;
		if (cell >= this.countsByCell.length)
			this.countsByCell = lengthened(this.countsByCell, cell + 1);
		this.countsByCell[cell]! += difference;
	}
}

const REMEMBERED_QUERIES = 64;
/** Looking at every record in turn is faster than jumping to more than this share of them. */
const WORTH_JUMPING = 0.1;
/** From so many records on, the first search is worth preparing for. */
const WORTH_WARMING = 100_000;

/**
 * Free text over business name, city and county. The interface does not say how words combine: here
 * each of a query's first eight words must occur somewhere in the three, in any case, also inside a
 * longer word.
 *
 * A record's text is two phrases out of dictionaries: the name's head, and its setting (the name's
 * tail with city and county). Words are looked for in the dictionaries once, and a record matches
 * when its two phrases together carry every word. Answers are remembered, so that the further pages
 * of a query, and its other filters, cost no second look.
 */
export class TextSearch {
	private readonly remembered = new Map<string, TextMatch>();
	private readonly headPostings = new Postings();
	private readonly settingPostings = new Postings();

	constructor(
		private readonly columns: Columns,
		private readonly heads: Phrases,
		private readonly settings: Phrases,
	) {}

	/** Learns many records at once. */
	load(count: number): void {
		this.headPostings.build(this.columns.head, count);
		this.settingPostings.build(this.columns.setting, count);
		// The engine compiles the loops while they run; let that not be at a caller's cost.
		if (count >= WORTH_WARMING)
			for (const words of [['a'], ['e'], ['bar'], ['grill'], ['o'], ['a']])
				this.lookThrough(words, count).counts(1 << 16);
	}

	match(query: string, recordCount: number): TextMatch {
		const words = splitWords(query).slice(0, MOST_WORDS);
		const key = words.join(' ');
		const match = this.remembered.get(key) ?? this.lookThrough(words, recordCount);
		this.remembered.delete(key);
		this.remembered.set(key, match);
		const [oldest] = this.remembered.keys();
		if (this.remembered.size > REMEMBERED_QUERIES && oldest !== undefined)
			this.remembered.delete(oldest);
		return match;
	}

	/** Takes a record out of the remembered answers; call it before the record changes. */
	forget(slot: number): void {
		for (const match of this.remembered.values()) match.change(slot, 0);
	}

	/** Puts a record, as it stands now, where searches find it. */
	learn(slot: number): void {
		const head = this.columns.head[slot]!;
		const setting = this.columns.setting[slot]!;
		this.headPostings.add(head, slot);
		this.settingPostings.add(setting, slot);
		for (const match of this.remembered.values()) {
			const mask = this.heads.mask(head, match.words) | this.settings.mask(setting, match.words);
			match.change(slot, mask === allOf(match.words) ? 1 : 0);
		}
	}

	private lookThrough(words: string[], recordCount: number): TextMatch {
		const match = new TextMatch(words, this.columns, recordCount);
		const look: Look = {
			heads: this.heads.masks(words),
			settings: this.settings.masks(words),
			isHit: Uint8Array.from({ length: 256 }, (_, mask) => (mask === allOf(words) ? 1 : 0)),
			hits: match.hits,
		};
		const carriers = this.carriersOfRarestWord(look, words, recordCount * WORTH_JUMPING);
		match.total = carriers
			? lookAt(look, this.columns, carriers)
			: lookAtAll(look, this.columns, recordCount);
		return match;
	}

	/** The records that carry the rarest word, unless those are more than is worth jumping to. */
	private carriersOfRarestWord(
		look: Look,
		words: string[],
		most: number,
	): Array<Uint32Array | number[]> | undefined {
		let rarest: Array<Uint32Array | number[]> | undefined;
		let fewest = most;
		for (let bit = 1; bit <= allOf(words); bit <<= 1) {
			const carriers = [
				...this.headPostings.ofMarked(look.heads, bit, fewest),
				...this.settingPostings.ofMarked(look.settings, bit, fewest),
			];
			const size = carriers.reduce((sum, slots) => sum + slots.length, 0);
			if (size >= fewest) continue;
			rarest = carriers;
			fewest = size;
		}
		return rarest;
	}
}

const allOf = (words: readonly string[]): number => 2 ** words.length - 1;

interface Look {
	heads: Uint8Array;
	settings: Uint8Array;
	/** 1 at the mask that means "every word was found". */
	isHit: Uint8Array;
	hits: Uint8Array;
}

/*
 * The loops that a first look at a million records spends its time in. They have no branches,
 * because a processor cannot guess which record matches.
 */

function lookAtAll(
	{ heads, settings, isHit, hits }: Look,
	columns: Columns,
	count: number,
): number {
	const { head, setting } = columns;
	let total = 0;
	for (let slot = 0; slot < count; slot++) {
		const hit = isHit[heads[head[slot]!]! | settings[setting[slot]!]!]!;
		hits[slot] = hit;
		total += hit;
	}
	return total;
}

function lookAt(
	{ heads, settings, isHit, hits }: Look,
	columns: Columns,
	lists: Array<Uint32Array | number[]>,
): number {
	const { head, setting } = columns;
	let total = 0;
	for (const slots of lists) {
		for (let index = 0; index < slots.length; index++) {
			const slot = slots[index]!;
			const hit = isHit[heads[head[slot]!]! | settings[setting[slot]!]!]!;
			// A record stands in both lists when both its phrases carry the word.
			total += hit - hits[slot]!;
			hits[slot] = hit;
		}
	}
	return total;
}

function countByCell(hits: Uint8Array, cells: Uint32Array, cellCount: number): Uint32Array {
	const counts = new Uint32Array(cellCount);
	const count = Math.min(hits.length, cells.length);
	for (let slot = 0; slot < count; slot++) counts[cells[slot]!]! += hits[slot]!;
	return counts;
}

function lengthened<Numbers extends Uint8Array | Uint32Array>(
	numbers: Numbers,
	length: number,
): Numbers {
	const Kind = numbers.constructor as new (length: number) => Numbers;
	const longer = new Kind(Math.ceil(length * 1.2));
	longer.set(numbers);
	return longer;
}
