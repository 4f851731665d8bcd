import { plain, textOf } from '../licenses/text';
import { isCommon, wordsOf } from './names';
import { type Business, DEFAULT_MINIMUM_SCORE, goodEnough } from './ranking';
import { likeliestCounty, streetOf } from './street';

type Name = 'phrase' | 'street' | 'longerStreet' | 'phraseInCounty' | 'word' | 'otherWord';

/** What the answers so far have shown: there may be more than came, and licenses came that nothing else had found. */
export type Answers = Partial<Record<Name, { isFull: boolean; hasNews: boolean }>>;

export interface Question {
	name: Name;
	/** The list knows no streets and no legal names; the search does. */
	of: 'list' | 'search';
	q?: string;
	county?: string;
	/** From this score on, it could not find a much better match. */
	enough: number;
	/** Tells whether the answers so far leave it open. */
	isOpen?: (answers: Answers) => boolean | undefined;
}

/** What the service is asked to find a business, in this order, as long as no match is good enough. */
export function questionsFor(business: Business): Question[] {
	const { phrase, words, streets, county } = searchesFor(business);
	const search = { of: 'search', county, enough: goodEnough(business) } as const;
	const further = { of: 'list', county, enough: DEFAULT_MINIMUM_SCORE } as const;
	const hasMore = (answers: Answers) => answers.phrase?.isFull && county !== undefined;
	const isBlind = ({ street, longerStreet }: Answers) => !street?.hasNews && !longerStreet?.hasNews;
	return [
		{ name: 'phrase', of: 'list', q: phrase, enough: 1 },
		{ name: 'street', ...search, q: streets[0] ?? phrase },
		{ name: 'longerStreet', ...search, q: streets[1], isOpen: ({ street }) => street?.isFull },
		{ name: 'phraseInCounty', ...further, q: phrase, isOpen: hasMore },
		{ name: 'word', ...further, q: words[0], isOpen: (all) => !hasMore(all) },
		{ name: 'otherWord', ...further, q: words[1], isOpen: (all) => !hasMore(all) && isBlind(all) },
	];
}

/**
 * Services read a text of several words in different ways: as a whole, within one field or across several;
 * every word somewhere; any word; parts of words, or whole ones. What stands side by side in a name is found in
 * all of these ways; a name together with its city is not. "The Lantern" may be registered as "Lantern (The)".
 */
export function searchesFor(business: Business) {
	const { name } = business;
	const written = name.split(/\s+/).map(withoutMarks);
	const pairs = written.slice(1).map((word, at) => [written[at] as string, word]);
	const [pair] = pairs
		.filter((words) => words.every((word) => isWord(word) && !/^the$/i.test(word)))
		.sort(byTelling);
	const [word = ''] = written.filter(isWord).sort((a, b) => byTelling([a], [b]));
	const phrase = pair?.join(' ') ?? word;
	return {
		/** Two words of the name that stand side by side, as they are written; one, if there is no more. */
		phrase,
		/** Single words, for a name that is spelled otherwise; the most telling first. */
		words: singleWords(name).filter((word) => word !== phrase.toLowerCase()),
		/** The beginning of the address, as registers write it: short and, if that finds too much, longer. */
		streets: streetSearches(business),
		/** Where single words, and house numbers, are few enough. */
		county: likeliestCounty(business),
	};
}

/** Words that registers shorten, or not. */
const SHORTENED = /^(?:avenue|ave|county|fort|highway|hwy|martin|mount|saint|state)$/;

/** A long house number is rare. A short one needs what follows, up to where the spellings differ. */
function streetSearches(business: Business): string[] {
	const [number, last] = streetOf(business)?.numbers ?? [];
	if (number === undefined) return [];
	const [, direction = '', word = ''] =
		/^\d+ ((?:(?:north|south|east|west|n|s|e|w)+ )*)([a-z]{3,}|\d+)/.exec(
			plain(textOf(business.street)),
		) ?? [];
	if (word === '' || SHORTENED.test(word) || last !== undefined) return [number];
	const short = direction.split(' ').map((way) => (way.length > 2 ? way.charAt(0) : way));
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
const withoutMarks = (word: string): string =>
	word.replace(/^[("'“]+|(?<![,;:)"'”])[,;:)"'”]+$/g, '');
