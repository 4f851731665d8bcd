import type { Address, License } from '../licenses/license';
import { textOf } from '../licenses/text';
import { cityKey } from '../places/cities';
import { findZipCode, fiveDigits } from '../places/zipCodes';
import { nameSimilarity } from './names';
import { compareStreets, type Street, streetOf, venueKey } from './street';

/** A business as it appears in somebody's list. */
export type Business = { name: string } & Pick<Address, 'street' | 'city' | 'zip'>;

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

/** From this score on, a further search could not find a much better match. */
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
