import { readFileSync } from 'node:fs';

import { weighted } from './random.mts';

export interface Place {
	city: string;
	county: string;
	/** The county's code in license numbers, and the highest number that had been given out there. */
	code: string;
	highest: number;
	latitude: number;
	longitude: number;
	zip: string;
}

const [, ...lines] = readFileSync(new URL('./florida.csv', import.meta.url), 'utf8')
	.trim()
	.split('\n');

/** A place with its weight: filings fall where people live. */
const places = lines.flatMap((line) => {
	const [code = '', county = '', population, highest, cities = ''] = line.split(',');
	return cities.split('; ').map((text, rank, { length }) => {
		const [, city = '', latitude, longitude, zip = ''] = /(.+) (.+) (.+) (.+)/.exec(text) ?? [];
		const place: Place = {
			...{ city, county, code, zip, highest: Number(highest) || 500 },
			...{ latitude: Number(latitude), longitude: Number(longitude) },
		};
		return [place, Number(population) / (length * (rank + 1))] as const;
	});
});

export const pickPlace = weighted(places);

/** The largest city of each county. */
export const seats: readonly Place[] = places
	.map(([place]) => place)
	.filter(({ county }, index, all) => county !== all[index - 1]?.county);
