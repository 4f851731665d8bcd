import { findCounty } from '../licenses/knownValues';
import type { License } from '../licenses/license';
import { numberOf, plain, similarNames, textOf } from '../licenses/text';
import { PLACE_TABLE } from './placeTable';
import { ZIP_TABLE } from './zipTable';

/** A place on earth, in degrees. */
export interface Point {
	lat: number;
	lng: number;
}

const EARTH_RADIUS_MILES = 3958.8;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** As the crow flies, by the haversine formula: within half a percent. */
function milesBetween(a: Point, b: Point): number {
	const halfChord =
		Math.sin(radians(b.lat - a.lat) / 2) ** 2 +
		Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(radians(b.lng - a.lng) / 2) ** 2;
	return 2 * EARTH_RADIUS_MILES * Math.asin(Math.sqrt(Math.min(1, halfChord)));
}

/** Florida and some sea around it. Coordinates outside are mistakes, such as 0, 0. */
export const isInFlorida = ({ lat, lng }: Point): boolean =>
	lat > 24 && lat < 31.5 && lng > -88 && lng < -79.5;

interface ZipCode {
	/** Its center, or where its post office is. */
	point: Point;
	city: string;
	/** The one with most of its businesses first. */
	counties: string[];
}

let table: ReadonlyMap<string, ZipCode> | undefined;

/** All of Florida's. Read on first use: most workflows never need it. */
export const zipCodes = (): ReadonlyMap<string, ZipCode> => (table ??= readTable());

/** What is known about one of Florida's ZIP codes. */
export const findZipCode = (zip: unknown): ZipCode | undefined =>
	zipCodes().get(fiveDigits(zip) ?? '');

function readTable(): Map<string, ZipCode> {
	const lines = ZIP_TABLE.trim().split('\n');
	return new Map(
		lines.flatMap((line) => {
			const [place = '', entries = ''] = line.split(':');
			const [counties = '', city = ''] = place.split('/');
			return entries.split(',').map((entry): [string, ZipCode] => {
				const [zip = '', north, west] = entry.split(' ');
				return [zip, { point: toPoint(north, west), city, counties: counties.split('+') }];
			});
		}),
	);
}

/** The tables have thousandths of degrees. */
const toPoint = (north: unknown, west: unknown): Point => ({
	lat: Number(north) / 1000,
	lng: -Number(west) / 1000,
});

/** The five digits of a ZIP code, whether ZIP+4, with spaces, or a number. */
export function fiveDigits(zip: unknown): string | undefined {
	if (typeof zip !== 'string' && typeof zip !== 'number') return undefined;
	return /^\s*(\d{5})(?!\d)|^\s*(\d{5})\d{4}\s*$/.exec(String(zip))?.slice(1).find(Boolean);
}

/** Five digits each, both included. */
export interface ZipRange {
	from: string;
	to: string;
}

/** Florida's ZIP codes begin with 32, 33 or 34. */
const isFlorida = (zip: string): boolean => /^3[234]/.test(zip);

/**
 * One entry of a list of ZIP codes: a code (33101, or 33101-1234, which counts as its first five), a range
 * (33101-33199) or a prefix (331*). Undefined for anything else, and for what lies outside Florida.
 */
export function zipRange(entry: string): ZipRange | undefined {
	const [, from = '', to = from] = /^(\d{5})(?:-?\d{4}|[-–](\d{5}))?$/.exec(entry) ?? [];
	const [, prefix] = /^(\d{2,4})\*$/.exec(entry) ?? [];
	const range = prefix ? { from: prefix.padEnd(5, '0'), to: prefix.padEnd(5, '9') } : { from, to };
	return isFlorida(range.from) && isFlorida(range.to) && range.from <= range.to ? range : undefined;
}

const isWithin = (zip: string, { from, to }: ZipRange): boolean => zip >= from && zip <= to;

/** In which these ZIP codes may lie. Empty if nothing is known. */
export function countiesOfZipCodes(range: ZipRange): string[] {
	const all = new Set<string>();
	for (const [zip, { counties }] of zipCodes())
		if (isWithin(zip, range)) for (const county of counties) all.add(county);
	return [...all];
}

const pairs = (text: string): ReadonlyMap<string, string> =>
	new Map(text.split(/,\s*/).map((pair) => pair.split(' ') as [string, string]));

// cspell:disable
/** Abbreviations in city names, spelled out as the Postal Service does. */
const ABBREVIATIONS = pairs(
	`ft fort, mt mount, pt port, st saint, no north, n north, so south, s south, e east, w west,
	bch beach, ctr center, gdns gardens, hts heights, lk lake, spgs springs`,
);

/** Short, older and colloquial names, as people and license records use them. */
const OTHER_NAMES = pairs(
	`acreage theacreage, balharbor balharbour, boca bocaraton, boynton boyntonbeach,
	cutlerridge cutlerbay, dania daniabeach, daytona daytonabeach, deerfield deerfieldbeach,
	delray delraybeach, drphillips doctorphillips, eglinafb eglinairforcebase,
	everglades evergladescity, fortlaud fortlauderdale, fortwalton fortwaltonbeach,
	grant grantvalkaria, hallandale hallandalebeach, islamoradavillageofislands islamorada,
	jax jacksonville, jaxbeach jacksonvillebeach, lakeworth lakeworthbeach, lehigh lehighacres,
	marco marcoisland, miamishoresvillage miamishores, newsmyrna newsmyrnabeach,
	pompano pompanobeach, rotonda rotondawest, saintpete saintpetersburg,
	saintpetersburgbeach saintpetebeach, sanibelisland sanibel, sunnyisles sunnyislesbeach,
	tyndallafb tyndallairforcebase, vero verobeach, villages thevillages, westpalm westpalmbeach`,
);
// cspell:enable

/** The same text for "St Petersburg", "Saint Petersburg" and "ST. PETE". Empty if it is not a city. */
export function cityKey(city: unknown): string {
	if (typeof city !== 'string') return '';
	const words = plain(city)
		.replace(/ (?:fl|florida)$/, '')
		.replace(/^(?:(?:city|town|village) of|md) /, '');
	const name = spelledOut(words).join('');
	return OTHER_NAMES.get(name) ?? name;
}

/** The words of a plain text, without abbreviations. */
export const spelledOut = (text: string): string[] =>
	text.split(' ').map((word) => ABBREVIATIONS.get(word) ?? word);

interface Place {
	name: string;
	/** Its middle. */
	point: Point;
	/** Its own; some have none. */
	zipCodes: ZipCode[];
	/** In which it may lie, once somebody has asked. */
	counties?: string[];
}

let places: ReadonlyMap<string, Place> | undefined;

/** Read on first use: most workflows never need it. */
const allPlaces = (): ReadonlyMap<string, Place> => (places ??= readPlaces());

function readPlaces(): Map<string, Place> {
	const all = new Map<string, Place>();
	for (const zip of zipCodes().values()) {
		const key = cityKey(zip.city);
		const own = [...(all.get(key)?.zipCodes ?? []), zip];
		all.set(key, { name: own[0]?.city ?? '', point: middleOf(own), zipCodes: own });
	}
	for (const line of PLACE_TABLE.trim().split('\n')) {
		const [, name = '', north, west] = /^(.+) (\d+) (\d+)$/.exec(line) ?? [];
		const { zipCodes: own = [] } = all.get(cityKey(name)) ?? {};
		all.set(cityKey(name), { name, point: toPoint(north, west), zipCodes: own });
	}
	return all;
}

function middleOf(zips: ZipCode[]): Point {
	const middle = (axis: keyof Point) =>
		zips.reduce((sum, { point }) => sum + point[axis], 0) / zips.length;
	return { lat: middle('lat'), lng: middle('lng') };
}

/** A city, town, village or other place in Florida, by its name in any usual spelling. */
export const findPlace = (name: unknown): Place | undefined => allPlaces().get(cityKey(name));

export const similarPlaces = (typed: string): string[] =>
	similarNames(
		cityKey(typed),
		[...allPlaces()].map(([key, { name }]) => ({ key, name })),
	);

/** Farther than this from its middle, a license hardly names the city. */
const CITY_MILES = 10;
/** At least. */
const MILES_IN_A_DEGREE = 68;

/** In which a city may lie, the likeliest first. Empty if nothing is known. */
export function countiesOfCity(name: unknown): string[] {
	const place = findPlace(name);
	return place === undefined ? [] : (place.counties ??= countiesAround(place));
}

function countiesAround(place: Place): string[] {
	const { lat } = place.point;
	const around = [...zipCodes().values()]
		.filter(({ point }) => Math.abs(point.lat - lat) * MILES_IN_A_DEGREE <= CITY_MILES)
		.map((zip) => ({ ...zip, miles: milesBetween(place.point, zip.point) }))
		.filter(({ miles }) => miles <= CITY_MILES)
		.sort((one, other) => one.miles - other.miles);
	const all = new Set([...place.zipCodes, ...around].flatMap(({ counties }) => counties));
	const countOf = (county: string) =>
		place.zipCodes.filter(({ counties: [main] }) => main === county).length;
	return [...all].sort((one, other) => countOf(other) - countOf(one));
}

/** The cities, ZIP codes and circle that a user chose. Every one given must hold; its values are alternatives. */
export interface ChosenPlaces {
	/** As `cityKey` writes them. */
	cities?: string[];
	zipCodes?: ZipRange[];
	near?: { center: Point; miles: number };
	/** Whether to keep a license that does not say what is needed to tell. */
	keepUnlocated: boolean;
}

type WithAddress = Pick<License, 'address'>;

export function isInChosenPlaces(chosen: ChosenPlaces, license: WithAddress): boolean {
	const { cities, zipCodes, near, keepUnlocated } = chosen;
	const zip = fiveDigits(license.address?.zip);
	const city = cityKey(license.address?.city);
	const miles = near && milesFrom(near.center, license);
	return (
		(!cities || (city ? cities.includes(city) : keepUnlocated)) &&
		(!zipCodes || (zip ? zipCodes.some((range) => isWithin(zip, range)) : keepUnlocated)) &&
		(!near || (miles === undefined ? keepUnlocated : miles <= near.miles))
	);
}

/** How far a license is from a point; undefined if neither its coordinates nor its ZIP code tell. */
export function milesFrom(center: Point, { address }: WithAddress): number | undefined {
	const point = pointOf(address) ?? findZipCode(address?.zip)?.point;
	return point && milesBetween(center, point);
}

/** The coordinates, if they are in Florida. */
export function pointOf(address: License['address']): Point | undefined {
	const point = { lat: numberOf(address?.lat), lng: numberOf(address?.lng) };
	return isInFlorida(point) ? point : undefined;
}

/** The county that an address names or, if that is none of Florida's, those of its ZIP code. Empty if nobody knows. */
export function countiesOf(address: License['address']): string[] {
	const named = findCounty(address?.county);
	return named ? [named] : (findZipCode(address?.zip)?.counties ?? []);
}

/** A license in escrow belongs to no place. The register then writes these, and no street. */
export const NO_ZIP_CODE = '99999';
const NO_CITY = /^no city code$/i;

/** Whether there is a place to go to, or to write to. Where street and city are known, the ZIP code may be missing. */
export function hasAddress({ address }: WithAddress): boolean {
	const city = textOf(address?.city).trim();
	const isLocated = city !== '' || fiveDigits(address?.zip) !== NO_ZIP_CODE;
	return textOf(address?.street) !== '' && isLocated && !NO_CITY.test(city);
}
