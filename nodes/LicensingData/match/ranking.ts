import type { Address, License } from '../licenses/license';
import { plain, textOf } from '../licenses/text';
import { cityKey } from '../places/cities';
import { findZipCode, fiveDigits } from '../places/zipCodes';
import { isCommon, nameSimilarity, wordsOf } from './names';
import { compareStreets, likeliestCounty, type Street, streetOf, venueKey } from './street';

/** A business as it appears in somebody's list. */
export type Business = { name: string } & Pick<Address, 'street' | 'city' | 'zip'>;

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
		.filter((words) => words.every((one) => isWord(one) && !/^the$/i.test(one)))
		.sort(byTelling);
	const [word = ''] = written.filter(isWord).sort((a, b) => byTelling([a], [b]));
	const phrase = pair?.join(' ') ?? word;
	return {
		/** Two words of the name that stand side by side, as they are written; one, if there is no more. */
		phrase,
		/** Single words, for a name that is spelled otherwise; the most telling first. */
		words: singleWords(name).filter((one) => one !== phrase.toLowerCase()),
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
const withoutMarks = (word: string): string =>
	word.replace(/^[("'“]+|(?<![,;:)"'”])[,;:)"'”]+$/g, '');

/**
 * Where the two are, and what a perfect name is worth there. A name alone proves little, as chains have many
 * branches; a business that moved within its city is found if its exact name occurs there once. Only at the same
 * door may the name differ. `npm run bench -- match` measures how good these numbers are.
 */
const AREAS = {
	zip: { words: 'same ZIP code', noStreet: 0.92, otherStreet: 0.8 },
	city: { words: 'same city', noStreet: 0.88, otherStreet: 0.8 },
	unknown: { words: 'city unknown', noStreet: 0.7, otherStreet: 0.6 },
	apart: { words: 'another city', noStreet: 0.5, otherStreet: 0.4 },
};
const SAME_STREET = 0.5;
/** Two units of one house are two venues: there, the name has to be nearly the same. */
const OTHER_UNIT = 0.15;
/** An owner may have several venues. Which of them it is, only the address tells. */
const OWNER_ELSEWHERE = 0.9;
/** Two licenses this close fit equally well. */
const TIE = 0.05;
const TIE_WORTH = 0.85;
const NEARLY_SAME_NAME = 0.95;
/** Below it, a match is left out, unless the user says otherwise. */
export const DEFAULT_MINIMUM_SCORE = 0.8;

/** From this score on, a further question could not find a much better match. */
export const goodEnough = ({ street }: Business): number => (street === undefined ? 0.88 : 0.95);

/**
 * How well each license fits, best first. If several venues fit equally well, all licenses score lower, or one
 * that fits less well would take their place.
 */
export function rank(business: Business, licenses: License[]) {
	const street = streetOf(business);
	const matches = licenses
		.map((license) => ({ license, ...compare(business, street, license) }))
		.sort((a, b) => b.score - a.score);
	const best = matches[0]?.score ?? 0;
	// Of a name that several venues have, the one at another address is another branch, and has not moved.
	const isBranch = ({ share, license }: (typeof matches)[number]) =>
		street && share >= NEARLY_SAME_NAME && streetOf(license.address);
	const rivals = matches.filter((match) => best - match.score < TIE || isBranch(match));
	const venues = new Set(rivals.map(({ license }) => venueKey(license) ?? license));
	if (venues.size < 2 || rivals.some(({ isSameDoor }) => isSameDoor)) return matches;
	return matches.map((match) => {
		const tied = rivals.includes(match) ? `; ${venues.size} venues fit equally well` : '';
		return { ...match, score: rounded(match.score * TIE_WORTH), reason: match.reason + tied };
	});
}

/** Its score goes from 0 to 1. */
export type Match = ReturnType<typeof rank>[number];

const NAME_FIELDS = [
	['businessName', 'name'],
	['dbaName', 'trade name'],
	['legalName', 'legal name'],
] as const;

function compare(business: Business, asked: Street | undefined, license: License) {
	const [best] = NAME_FIELDS.flatMap(([field, label]) => {
		const name = textOf(license[field]);
		return name === '' ? [] : { label, share: nameSimilarity(business.name, name) };
	}).sort((one, other) => other.share - one.share);
	const { label, share } = best ?? { label: 'name', share: 0 };
	const known = streetOf(license.address);
	const street = asked && known && compareStreets(asked, known);
	const area = areaOf(business, license);
	const isSameHouse = street && street !== 'other' && area !== 'apart';
	const isSameDoor = isSameHouse && street === 'same';
	const { words, ...worth } = AREAS[area];
	const score = isSameHouse
		? SAME_STREET + (1 - SAME_STREET) * share - (isSameDoor ? 0 : OTHER_UNIT)
		: share * worth[street ? 'otherStreet' : 'noStreet'];
	const isOwnerElsewhere = label === 'legal name' && street && !isSameDoor;
	const names = share === 1 ? `same ${label}` : share >= 0.6 ? `similar ${label}` : 'another name';
	const place = isSameHouse
		? `same address${isSameDoor ? '' : ', another unit'}`
		: `${words}, ${street ? 'another address' : 'street unknown'}`;
	return {
		score: rounded(isOwnerElsewhere ? score * OWNER_ELSEWHERE : score),
		share,
		isSameDoor,
		reason: `${names}, ${place}`,
	};
}

function areaOf({ zip, city }: Business, { address }: License): keyof typeof AREAS {
	const [ownZip, otherZip] = [fiveDigits(zip), fiveDigits(address?.zip)];
	const [ownCity, otherCity] = [cityKey(city), cityKey(address?.city)];
	if (ownZip && ownZip === otherZip) return 'zip';
	if (ownCity && otherCity) return ownCity === otherCity ? 'city' : 'apart';
	// A ZIP code that there is not, or not anymore, says nothing.
	return findZipCode(ownZip) && findZipCode(otherZip) ? 'apart' : 'unknown';
}

const rounded = (score: number): number => Math.round(Math.max(0, score) * 100) / 100;
