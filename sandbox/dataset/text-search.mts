import type { Columns } from './columns.mts';
import { MOST_WORDS, splitWords, type Phrases } from './phrases.mts';
import { Postings } from './postings.mts';
import type { Settings } from './settings.mts';

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
const WORTH_JUMPING = 0.04;

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
		private readonly settings: Settings,
	) {}

	/** Learns many records at once. */
	load(count: number): void {
		this.headPostings.build(this.columns.head, count);
		this.settingPostings.build(this.columns.setting, count);
	}

	/** Looks for words that many and few records carry, so that the engine compiles both loops. */
	warmUp(recordCount: number, cellCount: number): void {
		for (let round = 0; round < 4; round++)
			for (const word of ['a', 'rosa', 'e', 'heron', 'o', 'tavern'])
				this.lookThrough([word], recordCount).counts(cellCount);
	}

	match(query: string, recordCount: number): TextMatch {
		const words = wordsOf(query);
		const key = words.join(' ');
		const match = this.remembered.get(key) ?? this.lookThrough(words, recordCount);
		this.remembered.delete(key);
		this.remembered.set(key, match);
		const [oldest] = this.remembered.keys();
		if (this.remembered.size > REMEMBERED_QUERIES && oldest !== undefined)
			this.remembered.delete(oldest);
		return match;
	}

	remembers(query: string): boolean {
		return this.remembered.has(wordsOf(query).join(' '));
	}

	/** Those of the records that match, in their order; nothing is remembered. */
	among(slots: readonly number[], query: string): number[] {
		const { heads, settings, isHit } = this.lookFor(wordsOf(query));
		const { head, setting } = this.columns;
		return slots.filter((slot) => isHit[heads[head[slot]!]! | settings[setting[slot]!]!] === 1);
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
		const look = this.lookFor(words);
		const carriers = this.carriersOfRarestWord(look, words, recordCount * WORTH_JUMPING);
		match.total = carriers
			? lookAt(look, this.columns, match.hits, carriers)
			: lookAtAll(look, this.columns, match.hits, recordCount);
		return match;
	}

	private lookFor(words: string[]): Look {
		const isHit = new Uint8Array(2 ** MOST_WORDS);
		isHit[allOf(words)] = 1;
		return { heads: this.heads.masks(words), settings: this.settings.masks(words), isHit };
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

const wordsOf = (query: string): string[] => splitWords(query).slice(0, MOST_WORDS);

const allOf = (words: readonly string[]): number => 2 ** words.length - 1;

interface Look {
	heads: Uint8Array;
	settings: Uint8Array;
	/** 1 at the mask that means "every word was found". */
	isHit: Uint8Array;
}

/*
 * The loops that a first look at a million records spends its time in. They have no branches,
 * because a processor cannot guess which record matches; four records a turn keep it busy.
 */

function lookAtAll(
	{ heads, settings, isHit }: Look,
	columns: Columns,
	hits: Uint8Array,
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

function lookAt(
	{ heads, settings, isHit }: Look,
	columns: Columns,
	hits: Uint8Array,
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
