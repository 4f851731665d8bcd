import { similarNames } from '../licenses/similarNames';
import { cityKey } from './city';
import { milesBetween, type Point } from './distance';
import { PLACE_TABLE } from './placeTable';
import { zipCodes } from './zipCodes';

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
function placesWithZipCode(): Array<[string, Place]> {
	const cities = new Map<string, Point[]>();
	for (const { city, point } of zipCodes().values()) {
		cities.set(city, [...(cities.get(city) ?? []), point]);
	}
	const middle = (degrees: number[]) => degrees.reduce((sum, one) => sum + one, 0) / degrees.length;
	return [...cities].map(([name, points]) => [
		cityKey(name),
		{
			name,
			point: {
				lat: middle(points.map(({ lat }) => lat)),
				lng: middle(points.map(({ lng }) => lng)),
			},
		},
	]);
}

/** Farther than this from its middle, a license hardly names the city. */
const CITY_MILES = 10;

/** In which a city may lie, the likeliest first. Empty if nothing is known. */
export function countiesOfCity(name: unknown): string[] {
	const key = cityKey(name);
	const middle = allPlaces().get(key)?.point;
	const all = [...zipCodes().values()].map((zip) => ({
		...zip,
		miles: middle ? milesBetween(middle, zip.point) : Number.POSITIVE_INFINITY,
	}));
	const itsOwn = all.filter(({ city }) => cityKey(city) === key);
	const around = all
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
