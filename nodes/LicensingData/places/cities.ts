import { similarNames } from '../licenses/similarity';
import { plain } from '../licenses/text';
import { milesBetween, type Point } from './distance';
import { PLACE_TABLE } from './placeTable';
import { toPoint, type ZipCode, zipCodes } from './zipCodes';

const pairs = (text: string): ReadonlyMap<string, string> =>
	new Map(text.split(/,\s*/).map((pair) => pair.split(' ') as [string, string]));

// cspell:disable
/** Abbreviations in city names, spelled out as the Postal Service does. */
const CITY_ABBREVIATIONS = pairs(
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

/** One text for "St Petersburg", "Saint Petersburg" and "ST. PETE". Empty if it is not a city. */
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
	text.split(' ').map((word) => CITY_ABBREVIATIONS.get(word) ?? word);

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
