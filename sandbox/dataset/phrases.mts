/** A query's words are the bits of a mask, so that eight of them fit a byte. */
export const MOST_WORDS = 8;

/**
 * A numbered list of phrases that can tell which of them contain a word. A query's word holds no
 * space, so it is looked for in the few hundred distinct words, not in ten thousand phrases.
 */
export class Phrases {
	private readonly texts: string[] = [];
	private readonly indexes = new Map<string, number>();
	private readonly words: string[] = [];
	private readonly wordIndexes = new Map<string, number>();
	private readonly wordsOf: number[][] = [];

	get length(): number {
		return this.texts.length;
	}

	textOf(index: number): string {
		return this.texts[index] ?? '';
	}

	/** The number of a phrase, which is added when it is new. */
	indexOf(text: string): number {
		const known = this.indexes.get(text);
		if (known !== undefined) return known;
		const index = this.add(text);
		this.indexes.set(text, index);
		return index;
	}

	add(text: string): number {
		this.wordsOf.push(splitWords(text).map((word) => this.wordIndexOf(word)));
		return this.texts.push(text) - 1;
	}

	/** For each phrase, one bit for each query word that it contains. */
	masks(query: readonly string[]): Uint8Array {
		const wordMasks = Uint8Array.from(this.words, (word) => maskOf(word, query));
		const masks = new Uint8Array(this.texts.length);
		for (let index = 0; index < masks.length; index++)
			for (const word of this.wordsOf[index]!) masks[index]! |= wordMasks[word]!;
		return masks;
	}

	mask(index: number, query: readonly string[]): number {
		return this.wordsOf[index]!.reduce((mask, word) => mask | maskOf(this.words[word]!, query), 0);
	}

	private wordIndexOf(word: string): number {
		let index = this.wordIndexes.get(word);
		if (index === undefined) {
			index = this.words.push(word) - 1;
			this.wordIndexes.set(word, index);
		}
		return index;
	}
}

/** The distinct words, in an order of their own: "bar oyster" asks for the same as "oyster bar". */
export const splitWords = (text: string): string[] =>
	[...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))].sort();

function maskOf(word: string, query: readonly string[]): number {
	let mask = 0;
	for (let index = 0; index < query.length; index++)
		if (word.includes(query[index]!)) mask |= 1 << index;
	return mask;
}
