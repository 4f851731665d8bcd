import { similarNames } from '../licenses/text';
import { cityKey } from './city';
import { milesBetween, type Point } from './distance';
import { PLACE_TABLE } from './placeTable';
import { zipCodes, type ZipCode } from './zipCodes';

interface Place {
	name: string;
	/** Its middle. */
	point: Point;
}

let places: Map<string, Place> | undefined;

/** A city, town, village or other place in Florida, by its name in any usual spelling. */
export const findPlace = (name: unknown): Place | undefined => allPlaces().get(cityKey(name));

export const similarPlaces = (typed: string): string[] =>
	similarNames(
		cityKey(typed),
		[...allPlaces()].map(([key, { name }]) => ({ key, name })),
	);

/** Read on first use: most workflows never need it. */
const allPlaces = (): Map<string, Place> =>
	(places ??= new Map([...placesWithZipCode(), ...tabulatedPlaces()]));

const tabulatedPlaces = (): Array<[string, Place]> =>
	PLACE_TABLE.trim()
		.split('\n')
		.map((line) => {
			const [, name = '', north, west] = /^(.+) (\d+) (\d+)$/.exec(line) ?? [];
			const point = { lat: Number(north) / 1000, lng: -Number(west) / 1000 };
			return [cityKey(name), { name, point }];
		});

/** Each in the middle of its ZIP codes. */
const placesWithZipCode = (): Array<[string, Place]> =>
	[...zipCodesByCity()].map(([key, all]) => {
		const [{ city: name } = { city: '' }] = all;
		const middle = (axis: keyof Point) =>
			all.reduce((sum, { point }) => sum + point[axis], 0) / all.length;
		return [key, { name, point: { lat: middle('lat'), lng: middle('lng') } }];
	});

let cities: Map<string, ZipCode[]> | undefined;

/** The ZIP codes of each city, by its key. */
const zipCodesByCity = (): ReadonlyMap<string, ZipCode[]> => (cities ??= groupByCity());

function groupByCity(): Map<string, ZipCode[]> {
	const groups = new Map<string, ZipCode[]>();
	for (const zip of zipCodes().values()) {
		const key = cityKey(zip.city);
		groups.set(key, [...(groups.get(key) ?? []), zip]);
	}
	return groups;
}

/** Farther than this from its middle, a license hardly names the city. */
const CITY_MILES = 10;

/** In which a city may lie, the likeliest first. Empty if nothing is known. */
export function countiesOfCity(name: unknown): string[] {
	const key = cityKey(name);
	const middle = allPlaces().get(key)?.point;
	const itsOwn = zipCodesByCity().get(key) ?? [];
	const around = [...zipCodes().values()]
		.map(({ counties, point }) => ({
			counties,
			miles: middle ? milesBetween(middle, point) : Number.POSITIVE_INFINITY,
		}))
		.filter(({ miles }) => miles <= CITY_MILES)
		.sort((one, other) => one.miles - other.miles);
	const mains = itsOwn.map(({ counties: [main = ''] }) => main);
	const count = (county: string) => mains.filter((one) => one === county).length;
	return [
		...new Set([
			...mains.sort((one, other) => count(other) - count(one)),
			...[...itsOwn, ...around].flatMap(({ counties }) => counties),
		]),
	];
}
