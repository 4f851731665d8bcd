import { LEGAL_FORM_WORDS } from '../licenses/legalForms';
import type { License } from '../licenses/license';
import { similarity } from '../licenses/similarity';
import { plain, repaired } from '../licenses/text';
import { spelledOut } from '../places/cities';

// cspell:ignore taqueria conv
/** Words that many businesses share: they weigh little, and a search for them finds too much. */
const COMMON = new Set([
	...LEGAL_FORM_WORDS,
	...`at by de del el la las los of on a an
	bakery bar bbq beer beverage bistro brewery brewing buffet cafe cantina catering cellar club coffee
	convenience corner deli diner discount distributor eatery express family fish food grill grocery group holding
	hospitality house kitchen liquor lounge market mart package pizza pizzeria pub restaurant room saloon seafood
	shop sport spirit steakhouse store sushi taqueria tavern truck wine wing`.split(/\s+/),
]);

const COMMON_WEIGHT = 0.3;

/** The words of a name in one spelling: without accents, apostrophes, plurals, and words that only join; "J.R." is one. */
export function wordsOf(name: string): string[] {
	return plain(repaired(name))
		.replace(/\b(\w) (?=\w\b)/g, '$1')
		.split(' ')
		.filter((word) => word !== '' && word !== 'and' && word !== 'the')
		.map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
}

export const isCommon = (word: string): boolean => COMMON.has(word);

/** How alike two names are, from 0 to 1, whatever the order of their words. */
export const nameSimilarity = (one: string, other: string): number =>
	Math.max(
		...namesIn(one).flatMap((name) => namesIn(other).map((known) => similarityOf(name, known))),
	);

/** No business has more. Each is compared with each. */
const MAX_NAMES = 4;

/** "Marla's/Harbor Cafe" and "Harbor Foods LLC dba Marla's" are two names each, and one. */
function namesIn(name: string): string[] {
	const parts = name
		.split(/\/|\b(?:dba|d\/b\/a)\b/i, MAX_NAMES)
		.filter((part) => !wordsOf(part).every(isCommon));
	return parts.length > 1 ? [name, ...parts] : [name];
}

function similarityOf(one: string, other: string): number {
	const [words, others] = [wordsOf(one), wordsOf(other)];
	if (words.length === 0 || others.length === 0) return 0;
	// "Sea Side" and "Seaside".
	const joined = similarity(words.join(''), others.join(''), 0.9);
	const byWords = (coverage(words, others) + coverage(others, words)) / 2;
	return Math.max(byWords, joined >= 0.9 ? joined : 0);
}

/** How much of a name's weight has a counterpart in the other name. */
function coverage(words: string[], others: string[]): number {
	let [found, total] = [0, 0];
	for (const word of words) {
		const weight = isCommon(word) ? COMMON_WEIGHT : 1;
		total += weight;
		found += weight * Math.max(...others.map((other) => wordSimilarity(word, other)));
	}
	return found / total;
}

/** A typo or two is forgiven in a long word; "conv" may stand for "convenience". */
function wordSimilarity(word: string, other: string): number {
	if (word === other) return 1;
	const [short, long] = word.length < other.length ? [word, other] : [other, word];
	if (short.length >= 3 && long.startsWith(short)) return 0.85;
	const alike = short.length >= 4 ? similarity(word, other, 0.7) : 0;
	return alike >= 0.7 ? alike : 0;
}

/** Tells whether each of the words begins a word of the names, the city or the county, wherever spaces stand. */
export function hasAllWords(license: License, wanted: string): boolean {
	const { businessName, dbaName, legalName, address } = license;
	const searched = [businessName, dbaName, legalName, address?.city, address?.county];
	const texts = searched.filter((one) => typeof one === 'string').map(plain);
	// As it is written, and without abbreviations: "st" stands for "Saint", and begins "Starbucks".
	return [toWords, spelledOut].some((wordsOf) => {
		const words = wordsOf(plain(wanted));
		const beginsIn = (part: string) => texts.some((one) => beginsWord(wordsOf(one), part));
		return words.every(beginsIn) || beginsIn(words.join(''));
	});
}

const toWords = (text: string): string[] => text.split(' ');

/** Spaces do not count from there on: "deland" finds "De Land", and "de land" finds "DeLand". */
const beginsWord = (words: string[], part: string): boolean =>
	words.some((_, index) => words.slice(index).join('').startsWith(part));
