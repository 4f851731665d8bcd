/**
 * Writes nodes/LicensingData/licenses/licenseNumbers.ts: the highest license number that Florida has given out in
 * each county, which tells a new license from an old one in new hands.
 *
 *     npm run license-numbers -- <folder> <day>
 *
 * The folder holds the state's files as they were downloaded that day (year-month-day), from the pages "Public
 * Records" of the Department of Business and Professional Regulation (www2.myfloridalicense.com): bd4006lic.csv
 * for alcohol, hrfood1.csv to hrfood7.csv for food. A numbering that no file has stays as it is. Only numbers
 * and counties go into the table. It ages: a license that is given out later and handed on counts as new.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LICENSE_NUMBERS } from '../nodes/LicensingData/licenses/licenseNumbers.ts';

const target = fileURLToPath(
	new URL('../nodes/LicensingData/licenses/licenseNumbers.ts', import.meta.url),
);

/** Series with a slash between share one numbering. */
const NUMBERINGS = ['BEV', 'SEA/NOS', 'CAT', 'MFD/HTD', 'VEN'];

/** Of a county with fewer licenses, the highest may be long out of date. */
const FEWEST_LICENSES = 5;

/** A number so far above all others is a typing error, or of another numbering. */
const WIDEST_GAP = 100;

export function licenseNumbersSource(texts: string[], day: string, earlier: string): string {
	if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new Error('Name the day of the files: 2026-06-18');
	const found = texts.flatMap((text) => [...text.matchAll(/\b([A-Z]{3})(\d\d)(\d{5})\b/g)]);
	const lines = NUMBERINGS.map((numbering) => {
		const counties = new Map<string, Set<number>>();
		for (const [, series = '', county = '', digits] of found) {
			if (!numbering.split('/').includes(series)) continue;
			counties.set(county, (counties.get(county) ?? new Set()).add(Number(digits)));
		}
		if (counties.size === 0) return earlier.split('\n').find((line) => line.startsWith(numbering));
		const entries = [...counties].sort().flatMap(([county, numbers]) => {
			const highest = highestOf([...numbers]);
			return highest === undefined ? [] : `${county} ${highest}`;
		});
		return `${numbering} ${day}:${entries.join(',')}`;
	});
	return `/*! Made by scripts/license-numbers.mts from the public license files of Florida's DBPR. */

/**
 * One line for each numbering of the state: the series that share it, the day that it was read, and for each
 * county's code the highest number that was given out by then.
 */
export const LICENSE_NUMBERS = \`
${lines.filter(Boolean).join('\n')}
\`;
`;
}

function highestOf(numbers: number[]): number | undefined {
	if (numbers.length < FEWEST_LICENSES) return undefined;
	const falling = numbers.sort((one, other) => other - one);
	return falling.find((number, at) => number - (falling[at + 1] ?? -WIDEST_GAP) <= WIDEST_GAP);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [folder = '.', day = ''] = process.argv.slice(2);
	const files = readdirSync(folder).filter((file) => file.endsWith('.csv'));
	// The state's files are in an older code than UTF-8, and numbers are the same in both.
	const texts = files.map((file) => readFileSync(join(folder, file), 'latin1'));
	writeFileSync(target, licenseNumbersSource(texts, day, LICENSE_NUMBERS));
}
