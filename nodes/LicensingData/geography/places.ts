import { similarity } from '../domain/similarity';
import { cityKey } from './city';
import { milesBetween, type Point } from './distance';
import { PLACE_TABLE } from './placeTable';
import { zipCodes } from './zipCodes';

interface Place {
	name: string;
	/** Its middle. */
	point: Point;
}

/** How alike a name and what was typed must be for the one to be suggested for the other. */
const ALIKE = 0.72;
/** What begins or ends like a city, such as "Lauderdale". Fewer letters say too little. */
const FEWEST_LETTERS = 5;
/** Of "Beach" alone, there are a hundred. */
const MOST_SUGGESTIONS = 4;

let places: Map<string, Place> | undefined;

/** A city, town, village or other place in Florida, by its name in any usual spelling. */
export const findPlace = (name: unknown): Place | undefined => allPlaces().get(cityKey(name));

/** The names that somebody may have meant, the most alike first. */
export function similarPlaces(typed: string): string[] {
	const wanted = cityKey(typed);
	const alike = [...allPlaces()]
		.map(([key, { name }]) => ({ name, score: likeness(wanted, key) }))
		.filter(({ score }) => score >= ALIKE)
		.sort((a, b) => b.score - a.score);
	// Next to a name that differs in one letter, one that differs in three only confuses.
	const enough = (alike[0]?.score ?? 1) - 0.1;
	const best = alike.filter(({ score }) => score >= enough).map(({ name }) => name);
	return best.length > MOST_SUGGESTIONS ? [] : best;
}

const likeness = (wanted: string, key: string): number =>
	wanted.length >= FEWEST_LETTERS && (key.startsWith(wanted) || key.endsWith(wanted))
		? Math.max(0.75, similarity(wanted, key, ALIKE))
		: similarity(wanted, key, ALIKE);

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
