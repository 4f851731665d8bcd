import { countyKey } from './county-key.mts';
import { counties } from './florida.mts';
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
	planted(address: { city?: string | null; county?: string | null }, otherwise: number): number {
		const { city, county } = address;
		if (city === undefined && county === undefined) return otherwise;
		const known = this.places.findIndex(
			(place) =>
				(county === undefined || countyKey(place.county ?? '') === countyKey(county ?? '')) &&
				(city === undefined || place.city?.toLowerCase() === city?.toLowerCase()),
		);
		if (known >= 0) return known;
		const { county: sameCounty } = this.at(otherwise);
		this.places.push({ city: city ?? null, county: county === undefined ? sameCounty : county });
		return this.places.length - 1;
	}
}
