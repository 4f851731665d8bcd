import { findZipCode, fiveDigits } from '../geography/zipCodes';
import { isCommon, wordsOf } from './businessName';
import { isText, type Business } from './ranking';

/**
 * What to search the service for, at most three times. The service finds words of the name and the city, and
 * a misspelled word finds nothing. So the two most telling words are tried together, then each alone.
 */
export function searchesFor({ name, city, zip }: Business): string[] {
	const place = cityWord(isText(city) ? city : findZipCode(fiveDigits(zip) ?? '')?.city);
	const all = name
		.normalize('NFKD')
		.toLowerCase()
		.replace(/\p{M}/gu, '')
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean);
	// Single letters say little, but "B & B" has nothing else.
	const words = all.some(isLong) ? all.filter(isLong) : all;
	const isTelling = (word: string) => !wordsOf(word).every(isCommon);
	const telling = words.filter(isTelling).sort((a, b) => b.length - a.length);
	const [first = '', second] = [...telling, ...words.filter((word) => !isTelling(word))];
	// "JOES" does not find "Joe's", but its beginning may.
	const beginning = first.slice(0, Math.max(3, Math.ceil(first.length / 2)));
	const alone = telling.length > 1 ? first : beginning;
	const searches = second === undefined ? [[first], [alone]] : [[first, second], [alone], [second]];
	const texts = searches.map((asked) => [...asked, place].filter(Boolean).join(' '));
	return [...new Set(texts)].filter(Boolean);
}

const isLong = (word: string): boolean => word.length > 1;

/** "Petersburg" of "St. Petersburg": the word that nobody abbreviates. */
const cityWord = (city = ''): string =>
	city
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
