import { plain } from '../licenses/text';
import { isCommon, wordsOf } from './names';
import { countyOf, type Business } from './ranking';
import { normalizeStreet } from './street';

/** What to ask the service for. */
interface Searches {
	/** Two words of the name that stand side by side, as they are written; one, if there is no more. */
	phrase: string;
	/** Single words, for a name that is spelled otherwise; the most telling first. */
	words: string[];
	/** The beginning of the address, as registers write it: short and, if that finds too much, longer. */
	streets: string[];
	/** Where single words, and house numbers, are few enough. */
	county: string | undefined;
}

/**
 * Services read a text of several words in different ways: as a whole, within one field or across several;
 * every word somewhere; any word; parts of words, or whole ones. What stands side by side in a name is found in
 * all of these ways; a name together with its city is not. "The Lantern" may be registered as "Lantern (The)".
 */
export function searchesFor(business: Business): Searches {
	const { name, street } = business;
	const written = name.split(/\s+/).map(withoutMarks);
	const pairs = written.slice(1).map((word, at) => [written[at] as string, word]);
	const [pair] = pairs
		.filter((words) => words.every((one) => isWord(one) && !/^the$/i.test(one)))
		.sort(byTelling);
	const [word = ''] = written.filter(isWord).sort((a, b) => byTelling([a], [b]));
	const phrase = pair?.join(' ') ?? word;
	return {
		phrase,
		words: singleWords(name).filter((one) => one !== phrase.toLowerCase()),
		streets: streetSearches(street),
		county: countyOf(business),
	};
}

/** Words that registers shorten, or not. */
const SHORTENED = /^(?:avenue|ave|county|fort|highway|hwy|martin|mount|saint|state)$/;

/** A long house number is rare. A short one needs what follows, up to where the spellings differ. */
function streetSearches(written = ''): string[] {
	const [first, last] = normalizeStreet(written).numbers;
	if (first === undefined) return [];
	const number = first.replace(/ half$/, '');
	const [, direction = '', word = ''] =
		/^\d+ ((?:(?:north|south|east|west|[ns]?[ew]|[ns])+ )*)([a-z]{3,}|\d+)/.exec(plain(written)) ??
		[];
	if (word === '' || SHORTENED.test(word) || last !== undefined) return [number];
	const short = direction.split(' ').map((one) => (one.length > 2 ? one.charAt(0) : one));
	const longer = [number, short.join(''), word].filter(Boolean).join(' ');
	return number.length >= 4 ? [number, longer] : [longer];
}

function singleWords(name: string): string[] {
	// "JOE'S" is asked for as "joe", which "Joes" has as well.
	const all = plain(name.replace(/['’`]/g, ' ')).split(' ').filter(Boolean);
	// Single letters say little, but "B & B" has nothing else.
	const words = all.some(isLong) ? all.filter(isLong) : all;
	const telling = words.filter(isTelling).sort((a, b) => b.length - a.length);
	const [first = '', second = ''] = [...telling, ...words.filter((word) => !isTelling(word))];
	// "JOES" does not find "Joe's", but its beginning may.
	const beginning = first.slice(0, Math.max(3, Math.ceil(first.length / 2)));
	const alone = telling.length > 1 ? first : beginning;
	return [...new Set([alone, second])].filter(Boolean);
}

const isTelling = (word: string): boolean => !wordsOf(word).every(isCommon);

const byTelling = (words: string[], others: string[]): number =>
	others.filter(isTelling).length - words.filter(isTelling).length;

const isWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

const isLong = (word: string): boolean => word.length > 1;

/** Without the comma or the bracket beside it. A mark inside of a word is part of the name. */
const withoutMarks = (word: string): string => word.replace(/^[("'“]+|[,;:)"'”]+$/g, '');
