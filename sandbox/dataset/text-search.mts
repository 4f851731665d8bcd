import type { Columns } from './columns.mts';
import { MOST_WORDS, splitWords, type Phrases } from './phrases.mts';
import { Postings } from './postings.mts';
import type { Settings } from './settings.mts';
import { lookAt, lookAtAll, type Look } from './text-loops.mts';
import { TextMatch } from './text-match.mts';

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
				this.lookThrough([word], recordCount, cellCount).counts(cellCount);
	}

	match(query: string, recordCount: number, cellCount: number): TextMatch {
		const words = wordsOf(query);
		const key = words.join(' ');
		const match = this.remembered.get(key) ?? this.lookThrough(words, recordCount, cellCount);
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

	private lookThrough(words: string[], recordCount: number, cellCount: number): TextMatch {
		const match = new TextMatch(words, this.columns, recordCount);
		const look = this.lookFor(words);
		const carriers = this.carriersOfRarestWord(look, words, recordCount * WORTH_JUMPING);
		if (carriers) {
			match.countsByCell = new Uint32Array(cellCount);
			match.total = lookAt(look, this.columns, match, match.countsByCell, carriers);
		} else match.total = lookAtAll(look, this.columns, match, recordCount);
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
