import type { Columns } from './columns.mts';
import type { Places } from './places.mts';

/** A free-text query's answer, kept current while records change. */
export interface TextMatch {
	/** 1 for each record that matches. */
	hits: Uint8Array;
	/** How many of the hits stand in each cell. */
	counts: Uint32Array;
	masks: Masks;
}

interface Masks {
	heads: number[];
	tails: number[];
	places: number[];
	/** The value that means "every word was found". */
	all: number;
}

const REMEMBERED_QUERIES = 64;
const MOST_WORDS = 16;

/**
 * Free text over business name, city and county. The interface does not say how words combine: here
 * every word of the query must occur somewhere in the three, in any case, also inside a longer word.
 *
 * A name is a head and a tail out of a dictionary, so the words are looked for in the dictionary
 * once, and a record matches when its head, tail and place together carry every word.
 */
export class TextSearch {
	private readonly remembered = new Map<string, TextMatch>();

	constructor(
		private readonly columns: Columns,
		private readonly phrases: {
			heads: readonly string[];
			tails: readonly string[];
			places: Places;
		},
	) {}

	match(query: string, recordCount: number, cellCount: number): TextMatch {
		const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(
			0,
			MOST_WORDS,
		);
		const key = words.sort().join(' ');
		let match = this.remembered.get(key);
		if (match) this.remembered.delete(key);
		else match = this.lookThrough(words, recordCount, cellCount);
		this.remembered.set(key, match);
		const [oldest] = this.remembered.keys();
		if (this.remembered.size > REMEMBERED_QUERIES && oldest !== undefined)
			this.remembered.delete(oldest);
		return match;
	}

	/** Takes a record out of the remembered answers; call it before the record changes. */
	forget(slot: number): void {
		const cell = this.columns.cell[slot] ?? 0;
		for (const { hits, counts } of this.remembered.values()) {
			if (hits[slot] !== 1) continue;
			hits[slot] = 0;
			counts[cell] = (counts[cell] ?? 0) - 1;
		}
	}

	/** Puts a record, as it stands now, into the remembered answers. */
	learn(slot: number): void {
		const { cell, head, tail, place } = this.columns;
		const cellOfSlot = cell[slot] ?? 0;
		for (const [key, match] of this.remembered) {
			const { masks } = match;
			if (
				masks.heads.length < this.phrases.heads.length ||
				masks.places.length < this.phrases.places.length
			)
				this.extend(masks, key.split(' ').filter(Boolean));
			const found =
				(masks.heads[head[slot] ?? 0] ?? 0) |
				(masks.tails[tail[slot] ?? 0] ?? 0) |
				(masks.places[place[slot] ?? 0] ?? 0);
			if (found !== masks.all) continue;
			if (slot >= match.hits.length) match.hits = lengthened(match.hits, slot + 1);
			if (cellOfSlot >= match.counts.length)
				match.counts = lengthened(match.counts, cellOfSlot + 1);
			match.hits[slot] = 1;
			match.counts[cellOfSlot] = (match.counts[cellOfSlot] ?? 0) + 1;
		}
	}

	private lookThrough(words: string[], recordCount: number, cellCount: number): TextMatch {
		const masks: Masks = { heads: [], tails: [], places: [], all: 2 ** words.length - 1 };
		this.extend(masks, words);
		const heads = Uint16Array.from(masks.heads);
		const tails = Uint16Array.from(masks.tails);
		const places = Uint16Array.from(masks.places);
		const { cell, head, tail, place, listed } = this.columns;
		const hits = new Uint8Array(recordCount);
		const counts = new Uint32Array(cellCount);
		for (let slot = 0; slot < recordCount; slot++) {
			const found = heads[head[slot]!]! | tails[tail[slot]!]! | places[place[slot]!]!;
			if (found !== masks.all || listed[slot] !== 1) continue;
			hits[slot] = 1;
			counts[cell[slot]!]!++;
		}
		return { hits, counts, masks };
	}

	/** Looks for the words in the phrases that the masks do not cover yet. */
	private extend(masks: Masks, words: string[]): void {
		const { heads, tails, places } = this.phrases;
		for (let index = masks.heads.length; index < heads.length; index++)
			masks.heads.push(wordsWithin(heads[index] ?? '', words));
		for (let index = masks.tails.length; index < tails.length; index++)
			masks.tails.push(wordsWithin(tails[index] ?? '', words));
		for (let index = masks.places.length; index < places.length; index++) {
			const { city, county } = places.at(index);
			masks.places.push(wordsWithin(`${city ?? ''}\n${county ?? ''}`, words));
		}
	}
}

/** One bit for each word that the phrase contains. */
function wordsWithin(phrase: string, words: string[]): number {
	const lowercase = phrase.toLowerCase();
	return words.reduce(
		(bits, word, index) => (lowercase.includes(word) ? bits | (1 << index) : bits),
		0,
	);
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
