import { countyKey } from './county-key.mts';
import { counties } from './florida.mts';
import { isAddress, textOf } from './license.mts';
import { weightedPicker } from './random.mts';

export interface Place {
	city: string | null;
	county: string | null;
	/** Absent for a place that a test made up. */
	center?: { latitude: number; longitude: number; zip: string };
}

const floridaPlaces: readonly (Place & { weight: number })[] = counties.flatMap((county) =>
	county.cities.map(([city, latitude, longitude, zip], rank) => ({
		city,
		county: county.name,
		center: { latitude, longitude, zip },
		weight: county.population / (county.cities.length * (rank + 1)),
	})),
);

const pickByPopulation = weightedPicker(floridaPlaces.map(({ weight }) => weight));
const seatOfCounty = counties.map(({ name }) =>
	floridaPlaces.findIndex(({ county }) => county === name),
);

/** Numbered places: Florida's cities, and whatever a test plants. */
export class Places {
	readonly nowhere = floridaPlaces.length;
	private readonly places: Place[] = [...floridaPlaces, { city: null, county: null }];

	at(index: number): Place {
		const place = this.places[index];
		if (!place) throw new Error(`There is no place ${index}`);
		return place;
	}

	/** The first 67 records take one county each, so that even a small dataset covers them all. */
	pick(record: number, chance: number): number {
		return seatOfCounty[record] ?? pickByPopulation(chance);
	}

	/** The place that a planted address names, as far as it names one. */
	planted(address: unknown, otherwise: number): number {
		if (!isAddress(address)) return this.nowhere;
		const namesCity = 'city' in address;
		const namesCounty = 'county' in address;
		if (!namesCity && !namesCounty) return otherwise;
		const city = textOf(address.city);
		const county = textOf(address.county);
		const known = this.places.findIndex(
			(place) =>
				(!namesCounty || countyKey(place.county ?? '') === countyKey(county ?? '')) &&
				(!namesCity || place.city?.toLowerCase() === city?.toLowerCase()),
		);
		if (known >= 0) return known;
		this.places.push({ city, county: namesCounty ? county : this.at(otherwise).county });
		return this.places.length - 1;
	}
}
