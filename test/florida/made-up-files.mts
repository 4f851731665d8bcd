import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { refresh, type Summary } from '../../florida/acceptFiles.mts';
import { Memory, type Snapshot } from '../../florida/memory.mts';
import { sourceOf } from '../../florida/sources.mts';
import names from '../../sandbox/register/names.json' with { type: 'json' };

const firsts = names.pictures.first.split(', ');
const seconds = names.pictures.second.split(', ');

/** A made-up holder: no two of them are spelled alike. */
export const holder = (at: number): string => {
	const first = firsts[at % firsts.length]!;
	const second = seconds[Math.floor(at / firsts.length) % seconds.length]!;
	return `${first} ${second} HOLDINGS LLC`.toUpperCase();
};

export type Fields = Record<string, string>;

/** Rows made up in the shapes of the state's files. */
export const food = (number: string, more: Fields = {}): Fields => ({
	...{ 'Board Code': '200', 'License Type Code': '2010', 'Rank Code': 'SEAT' },
	...{ 'License Number': number, 'License Expiry Date': '10/01/2025' },
	...{ 'Primary Status Code': '20', 'Secondary Status Code': '20' },
	...{ 'Licensee Name': 'EXAMPLE FOODS LLC', 'Business Name': 'EXAMPLE CAFE' },
	...{ 'Location Street Address': '200 SAMPLE PKWY', 'Location City': 'MIAMI' },
	...{ 'Location State Code': 'FL', 'Location Zip Code': '331010000' },
	...{ 'Location County Code': '23', 'Location County': 'Dade' },
	...{ 'Primary Phone Number': '(305)555-0100', ...more },
});

export const liquor = (number: string, more: Fields = {}): Fields => ({
	...{ Board: '400', Profession: '4006', Series: '2COP', 'License Number': number },
	...{ 'Primary Status': '20', 'Secondary Status': '20', 'Expiration Date': '09/30/2026' },
	...{ 'Original Licensure Date': '10/29/2018', 'Effective Date': '12/11/2023' },
	...{ 'Owner Name': 'EXAMPLE FOODS LLC', DBA: 'EXAMPLE BAR' },
	...{ 'Location Address 1': '200 SAMPLE PKWY', 'Location City': 'ORLANDO' },
	...{ 'Location State': 'FL', 'Location ZIP': '32819', 'Location County': '58', ...more },
});

/** A row of `newfood` or `chgownr_food`. */
export const dated = (number: string, date: string, more: Fields = {}): Fields => ({
	...food(number),
	'Application Number': '1',
	'Application Approval Date': date,
	...more,
});

/** A whole file. The two risk levels stand in the header of a dated file alone. */
export function fileOf(
	source: string,
	rows: readonly Fields[],
	columns = sourceOf(source).columns,
): string {
	const isDated = columns[0] === 'Application Number';
	const inRows = isDated ? columns.slice(0, -2) : columns;
	const lines = rows.map((row) => inRows.map((name) => row[name.trim()] ?? ''));
	return [columns, ...lines].map((fields) => `"${fields.join('","')}"\r\n`).join('');
}

export const number = (series: string, at: number): string =>
	`${series}${String(at).padStart(5, '0')}`;

/** So many licenses of one county, each with a holder of its own. */
export const foods = (count: number, from = 1000, series = 'SEA23'): Fields[] =>
	Array.from({ length: count }, (_, at) =>
		food(number(series, from + at), { 'Licensee Name': holder(from + at) }),
	);

export const bars = (count: number, from = 5000): Fields[] =>
	Array.from({ length: count }, (_, at) =>
		liquor(number('BEV58', from + at), { 'Owner Name': holder(from + at) }),
	);

/** The same food licenses in other hands. */
export const transferred = (rows: readonly Fields[]): Fields[] =>
	rows.map((row, at) => ({ ...row, 'Licensee Name': holder(at) }));

/** The same licenses in a file that is another one. */
export const reissued = (rows: readonly Fields[], region: string): Fields[] =>
	rows.map((row) => ({ ...row, Region: region }));

export const folder = (): string => mkdtempSync(join(tmpdir(), 'florida-'));

/** The rows of a file, or what else stands in it. */
export type Content = string | Buffer | readonly Fields[];

export type Files = Record<string, Content>;

/** Writes files into a folder, and returns where each is. */
export const put = (folder: string, files: Files): Array<{ source: string; path: string }> =>
	Object.entries(files).map(([source, content]) => {
		const path = join(folder, `${source}.csv`);
		const isWritten = typeof content === 'string' || content instanceof Buffer;
		writeFileSync(path, isWritten ? content : fileOf(source, content as Fields[]));
		return { source, path };
	});

/** The state's files day by day, and what is made of them. Each refresh is a process of its own. */
export class Days {
	constructor(readonly data = folder()) {}

	/** All that is remembered. */
	async open(): Promise<Snapshot> {
		return (await Memory.open(this.data)).snapshot;
	}

	async refresh(day: string, files: Files): Promise<Summary> {
		const inputs = put(this.data, files).map((file) => ({ ...file, day }));
		return await refresh(await Memory.open(this.data), inputs);
	}

	/** What is known of a number. */
	async known(number: string) {
		return (await this.open()).licenses.get(number);
	}
}
