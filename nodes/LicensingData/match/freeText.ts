import { plain } from '../licenses/text';
import type { License } from '../licenses/license';
import { spelledOut } from '../places/city';

/** Whether each of the words begins a word of the names, the city or the county, wherever spaces stand. */
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
