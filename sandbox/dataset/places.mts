import { countyKey } from './county-key.mts';
import { counties } from './florida.mts';
import { isAddress, textOf } from './license.mts';
import { weightedPicker } from './random.mts';

export interface Place {
	city: string | null;
	county: string | null;
	/** What a filter compares; null where no county is named. */
	countyKey: string | null;
	/** Absent for a place that a test invented. */
	center?: { latitude: number; longitude: number; zip: string };
}

const placeNamed = (city: string | null, county: string | null): Place => ({
	city,
	county,
	countyKey: countyKey(county ?? '') || null,
});

const floridaPlaces: ReadonlyArray<Place & { weight: number }> = counties.flatMap((county) =>
	county.cities.map(([city, latitude, longitude, zip], rank) => ({
		...placeNamed(city, county.name),
		center: { latitude, longitude, zip },
		weight: county.population / (county.cities.length * (rank + 1)),
	})),
);

const nowhere = placeNamed(null, null);
const pickByPopulation = weightedPicker(floridaPlaces.map(({ weight }) => weight));
const seatOfCounty = counties.map(({ name }) =>
	floridaPlaces.find(({ county }) => county === name),
);

/** The first 67 records get one county each, so that even a small dataset covers them all. */
export const pickPlace = (serial: number, chance: number): Place =>
	seatOfCounty[serial] ?? floridaPlaces[pickByPopulation(chance)] ?? nowhere;

/** The place that a planted address names, as far as it does. */
export function placeOf(address: unknown, otherwise: Place): Place {
	if (!isAddress(address)) return nowhere;
	const namesCity = 'city' in address;
	const namesCounty = 'county' in address;
	if (!namesCity && !namesCounty) return otherwise;
	const city = textOf(address.city);
	const county = textOf(address.county);
	const known = floridaPlaces.find(
		(place) =>
			(!namesCounty || place.countyKey === countyKey(county ?? '')) &&
			(!namesCity || place.city?.toLowerCase() === city?.toLowerCase()),
	);
	return known ?? placeNamed(city, namesCounty ? county : otherwise.county);
}
