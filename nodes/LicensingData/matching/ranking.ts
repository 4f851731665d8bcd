import type { License } from '../domain/license';
import { cityKey } from '../geography/city';
import { fiveDigits } from '../geography/zipCodes';
import { venueKey } from './venueKey';
import { nameSimilarity } from './businessName';
import { compareStreets, normalizeStreet } from './street';

/** A business as it appears in somebody's list. */
export interface Business {
	name: string;
	street?: string;
	city?: string;
	zip?: string;
}

export interface Match {
	license: License;
	/** From 0 to 1. */
	score: number;
	reason: string;
}

/** Where the two are: in one ZIP code, in one city, apart, or unknown. */
type Area = 'zip' | 'city' | 'apart' | 'unknown';

/**
 * What a perfect name is worth, by how the places compare. A name alone proves little, as chains have many
 * branches; a business that moved within its city is found if its exact name occurs there once. Only at the
 * same door may the name differ. `npm run bench -- match` measures how good these numbers are.
 */
const WORTH: Record<'otherStreet' | 'noStreet', Record<Area, number>> = {
	noStreet: { zip: 0.92, city: 0.88, unknown: 0.7, apart: 0.5 },
	otherStreet: { zip: 0.8, city: 0.8, unknown: 0.6, apart: 0.4 },
};
const SAME_STREET = 0.5;
const OTHER_UNIT = 0.05;
/** Two licenses this close fit equally well. */
const TIE = 0.05;
const TIE_WORTH = 0.85;

/**
 * How well each license fits, best first. If several venues fit equally well, all licenses score lower, or one
 * that fits less well would take their place.
 */
export function rank(business: Business, licenses: License[]): Match[] {
	const matches = licenses
		.map((license) => ({ license, ...compare(business, license) }))
		.sort((a, b) => b.score - a.score);
	const best = matches[0]?.score ?? 0;
	const rivals = matches.filter(({ score }) => best - score < TIE);
	const venues = new Set(rivals.map(({ license }) => venueOf(license)));
	if (venues.size < 2 || rivals.some(({ isSameDoor }) => isSameDoor)) return matches;
	return matches.map((match) => {
		const tied = rivals.includes(match) ? `; ${venues.size} venues fit equally well` : '';
		return { ...match, score: rounded(match.score * TIE_WORTH), reason: match.reason + tied };
	});
}

/** Longer texts are neither names nor streets, and comparing them letter by letter would block n8n. */
const LONGEST_TEXT = 200;

/** The same for two licenses of one address, even if it lacks what a key needs. */
function venueOf(license: License): unknown {
	const { street, city } = license.address ?? {};
	if (!isComparable(street)) return license;
	const { line, unit } = normalizeStreet(street);
	return venueKey(license) ?? [line, unit, cityKey(city)].join();
}

function compare(business: Business, license: License) {
	const { address } = license;
	const names = [license.businessName, license.dbaName, license.legalName].filter(isComparable);
	const name = Math.max(0, ...names.map((known) => nameSimilarity(business.name, known)));
	const street =
		isText(business.street) && isComparable(address?.street)
			? compareStreets(normalizeStreet(business.street), normalizeStreet(address.street))
			: undefined;
	const area = compareAreas(business, license);
	const isSameDoor = street !== undefined && street !== 'other' && area !== 'apart';
	const worth = WORTH[street === undefined ? 'noStreet' : 'otherStreet'][area];
	const score = isSameDoor
		? SAME_STREET + (1 - SAME_STREET) * name - (street === 'otherUnit' ? OTHER_UNIT : 0)
		: name * worth;
	return { score: rounded(score), isSameDoor, reason: reasonFor(name, street, area, isSameDoor) };
}

function compareAreas({ zip, city }: Business, { address }: License): Area {
	const [zips, cities] = [
		[fiveDigits(zip), fiveDigits(address?.zip)],
		[cityKey(city), cityKey(address?.city)],
	];
	const knows = (pair: unknown[]) => Boolean(pair[0] && pair[1]);
	if (knows(zips) && zips[0] === zips[1]) return 'zip';
	if (knows(cities)) return cities[0] === cities[1] ? 'city' : 'apart';
	return knows(zips) ? 'apart' : 'unknown';
}

function reasonFor(
	name: number,
	street: ReturnType<typeof compareStreets> | undefined,
	area: Area,
	isSameDoor: boolean,
): string {
	const names = name === 1 ? 'same name' : name >= 0.6 ? 'similar name' : 'another name';
	const areas = {
		zip: 'same ZIP code',
		city: 'same city',
		apart: 'another city',
		unknown: 'city unknown',
	};
	const where = isSameDoor
		? street === 'otherUnit'
			? 'same address, another unit'
			: 'same address'
		: `${areas[area]}, ${street === undefined ? 'street unknown' : 'another address'}`;
	return `${names}, ${where}`;
}

const isText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';

const isComparable = (value: unknown): value is string =>
	isText(value) && value.length <= LONGEST_TEXT;

const rounded = (score: number): number => Math.round(Math.max(0, score) * 100) / 100;
