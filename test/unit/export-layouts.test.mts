import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import {
	csv,
	geoJson,
	json,
	jsonLines,
	type Layout,
	toBytes,
} from '../../nodes/LicensingData/output/files.ts';

async function chunksOf<T>(layout: Layout<T>, ...pages: T[][]): Promise<Buffer[]> {
	async function* source() {
		yield* pages;
	}
	const chunks: Buffer[] = [];
	for await (const chunk of toBytes(source(), layout)) chunks.push(chunk);
	return chunks;
}

const textOf = async <T,>(layout: Layout<T>, ...pages: T[][]): Promise<string> =>
	Buffer.concat(await chunksOf(layout, ...pages)).toString('utf8');

/** What a text may hold: anything at all, but more often what trips up a CSV file or a spreadsheet. */
const anyText = fc.oneof(
	fc.string({ unit: 'grapheme' }),
	fc.string({
		unit: fc.constantFrom('"', ',', '\r', '\n', ' ', ';', '\t', "'", '=', '+', '-', '@', 'a'),
	}),
);

describe('A CSV file', () => {
	it('begins with a byte order mark for Excel and the names of its columns, and ends each line as RFC 4180 says', async () => {
		const rows = [[{ city: 'Tampa', id: 'lic_1' }], [{ id: 'lic_2' }]];
		const text = await textOf(csv(['id', 'city']), ...rows);
		expect(text).toBe('\uFEFFid,city\r\nlic_1,Tampa\r\nlic_2,\r\n');
	});

	it.each([
		['null', null, ''],
		['nothing', undefined, ''],
		['a number, also below zero', -82.46, '-82.46'],
		['a truth', true, 'true'],
		['a list', ['a', 'b'], '"[""a"",""b""]"'],
	])('writes %s so that a program can read it', async (_, value, cell) => {
		const text = await textOf(csv(['name']), [{ name: value } as IDataObject]);
		expect(text).toBe(`\uFEFFname\r\n${cell}\r\n`);
	});

	it.each([
		...['=HYPERLINK("https://example.com","Click")', '+1 305 555 0100', '-1+1', '@SUM(1)'],
		...['\t=1+1', '\r\n=1+1', '\u200B=1+1', '＝1+1'],
	])('holds no cell that a spreadsheet would run: %j', async (text) => {
		const rows = parse(await textOf(csv(['name']), [{ name: text }])) as string[][];
		expect(rows[1]).toEqual([`'${text}`]);
	});

	it.each([';=HYPERLINK(A1)', '; \u200B=1+1', ';＠SUM(1)'])(
		'holds no cell that a spreadsheet would run that splits lines at semicolons: %j',
		async (text) => {
			const [, line = ''] = (await textOf(csv(['name']), [{ name: `JOES${text}` }])).split('\r\n');
			expect(line).toBe(`JOES;'${text.slice(1)}`);
		},
	);

	it('reads back as what was written, whatever the texts hold', async () => {
		const columns = ['id', 'name', 'city'];
		const records = fc.array(fc.record({ id: anyText, name: anyText, city: anyText }));
		await fc.assert(
			fc.asyncProperty(records, async (written) => {
				const text = await textOf(csv(columns), written);
				const read = parse(text, { bom: true, columns: true }) as Array<Record<string, string>>;
				const bare = (value = '') =>
					value.replace(/(^|;)'(?=[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/gu, '$1');
				expect(read.map(({ id, name, city }) => [bare(id), bare(name), bare(city)])).toEqual(
					written.map(({ id, name, city }) => [bare(id), bare(name), bare(city)]),
				);
				const cells = read.flatMap((row) => Object.values(row));
				expect(cells.filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([]);
			}),
		);
	});
});

it.each([
	['A JSON file', json, JSON.parse],
	[
		'A JSON Lines file',
		jsonLines,
		(text: string) =>
			text
				.split('\n')
				.slice(0, -1)
				.map((line) => JSON.parse(line) as unknown),
	],
])('%s reads back as what was written, whatever the records hold', async (_, layout, read) => {
	const pages = fc.array(fc.array(fc.dictionary(anyText, fc.jsonValue())));
	await fc.assert(
		fc.asyncProperty(pages, async (written) => {
			const text = await textOf(layout, ...(written as IDataObject[][]));
			expect(read(text)).toEqual(JSON.parse(JSON.stringify(written.flat())));
		}),
	);
});

describe('A GeoJSON file', () => {
	const at = (lat: unknown, lng: unknown, more: License = {}): License => ({
		businessName: 'Rusty </script> Anchor',
		address: { lat, lng, zip: '33602' } as License['address'],
		...more,
	});
	const read = async (...licenses: License[]) => {
		const layout = geoJson(({ id }) => ({ id }));
		return JSON.parse(await textOf(layout, licenses)) as { features: unknown[] };
	};

	it('has a point for each license, longitude first, with its name and its columns', async () => {
		const point = (coordinates: number[], more: object) => ({
			type: 'Feature',
			geometry: { type: 'Point', coordinates },
			properties: { name: 'Rusty </script> Anchor', ...more },
		});
		expect(await read(at(27.95, -82.46, { id: 'lic_1' }), at('25.77', '-80.19'))).toEqual({
			type: 'FeatureCollection',
			features: [point([-82.46, 27.95], { id: 'lic_1' }), point([-80.19, 25.77], {})],
		});
	});

	it.each([
		['no address', { address: null }],
		['an address of one text', { address: '1 Bay St, Tampa' as never }],
		['no coordinates', at(null, undefined)],
		['zeros', at(0, 0)],
		['longitude and latitude mixed up', at(-82.46, 27.95)],
	])('leaves out a license with %s, and not those beside it', async (_, license) => {
		expect((await read(license, at(27.95, -82.46), license)).features).toHaveLength(1);
		expect((await read(license)).features).toEqual([]);
	});
});

it('The bytes of a file come in pieces while its records do, and are forgotten then', async () => {
	let asked = 0;
	async function* pages() {
		for (;;) {
			asked++;
			yield [{ name: 'x'.repeat(1000) }];
		}
	}
	const chunks = toBytes(pages(), jsonLines);
	const first = await chunks.next();
	const askedForFirst = asked;
	await chunks.next();
	expect((first.value as Buffer).length).toBeLessThan(70_000);
	expect(asked).toBe(2 * askedForFirst);
});
