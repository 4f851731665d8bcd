import { parse } from 'csv-parse/sync';
import type { IDataObject } from 'n8n-workflow';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import {
	csv,
	geoJson,
	jsonLines,
	type Layout,
	MAX_IN_MEMORY,
	MAX_ON_DISK,
	toBytes,
	writeFile,
} from '../../nodes/LicensingData/output/files.ts';
import { findZipCode } from '../../nodes/LicensingData/places/zipCodes.ts';
import { keepFiles, waitForStreams } from '../support/binary-data.mts';
import { ListService, runOn } from '../support/list-service.mts';
import { licenses } from '../support/records.mts';

/** Runs Export, and returns what it says about the file. */
async function run(count: number, more: IDataObject = {}, timeZone = 'UTC') {
	await keepFiles('on disk');
	const parameters = { operation: 'export', ...more };
	const { items, hints } = await runOn(new ListService(licenses(count)), parameters, timeZone);
	return { ...items[0], hints } as IDataObject;
}

it('Export names a file after the day at the place of the workflow', async () => {
	const day = (offset: number) =>
		new Date(Date.now() + offset * 3_600_000).toISOString().slice(0, 10);
	const [east, west] = [await run(1, {}, 'Etc/GMT-14'), await run(1, {}, 'Etc/GMT+12')];
	expect(east.fileName).toBe(`licenses-${day(14)}.csv`);
	expect(west.fileName).toBe(`licenses-${day(-12)}.csv`);
});

it('Export says what is in a file, and what it took if that is much', async () => {
	const said = await run(60, { fileName: '../leads\\bars.csv' });
	expect(said).toEqual({ fileName: '..-leads-bars.csv', count: 60, hints: [] });
	const cost = expect.stringMatching(/^Requests for this file: 20, in \d+\.\d seconds$/);
	expect((await run(1000)).hints).toEqual([cost]);
});

const NAMED = { fileName: 'licenses.jsonl', mimeType: 'application/jsonl' };
const layout = jsonLines as Layout<License>;

it('A file is not there where reading fails on the way', async () => {
	const store = await keepFiles('on disk');
	const gone = new Error('The service is gone');
	async function* pages() {
		yield licenses(2000);
		throw gone;
	}
	await expect(writeFile(store, { ...NAMED, layout, pages: pages() })).rejects.toBe(gone);
	expect(await store.files()).toEqual([]);
});

it('A file waits for its next page longer than n8n waits for a stream', async () => {
	const store = await keepFiles('in memory');
	waitForStreams(50);
	onTestFinished(() => waitForStreams(300_000));
	async function* pages() {
		yield licenses(200);
		await new Promise((done) => setTimeout(done, 500));
		yield licenses(200);
	}
	const { bytes } = await writeFile(store, { ...NAMED, layout, pages: pages() });
	expect(bytes).toBeGreaterThan(50_000);
});

it.each([
	['in memory', MAX_IN_MEMORY, 60],
	['on disk', MAX_ON_DISK, 80],
] as const)('A file %s may have %i bytes, and no more', async (where, most, some) => {
	const { helpers } = await keepFiles(where);
	const write = () => 'x'.repeat(1e6);
	let read = 0;
	const fileOf = async (megabytes: number) => {
		const pages = async function* () {
			for (read = 0; read < megabytes; read++) yield [{}];
		};
		return await writeFile({ helpers }, { ...NAMED, pages: pages(), layout: { write } });
	};
	expect(await fileOf(some)).toMatchObject({ bytes: some * 1e6 });
	await expect(fileOf(1_000)).rejects.toMatchObject({
		message: `The file grew larger than the ${most / 1e6} MB that n8n can safely hold in memory`,
		description: expect.stringContaining('N8N_DEFAULT_BINARY_DATA_MODE=filesystem'),
	});
	expect(read).toBe(most / 1e6);
});

async function textOf<T>(layout: Layout<T>, ...pages: T[][]): Promise<string> {
	async function* source() {
		yield* pages;
	}
	const chunks: Buffer[] = [];
	for await (const chunk of toBytes(source(), layout)) chunks.push(chunk);
	return Buffer.concat(chunks).toString('utf8');
}

it('A CSV file has a byte order mark, its columns, and values that programs read', async () => {
	const pages = [[{ id: 'lic_1', city: 'Tampa', lat: -82.46 }], [{ lat: null, city: ['a', 'b'] }]];
	const text = await textOf<IDataObject>(csv(['id', 'city', 'lat']), ...pages);
	expect(text).toBe('\uFEFFid,city,lat\r\nlic_1,Tampa,-82.46\r\n,"[""a"",""b""]",\r\n');
	const odd = ['"', ',', '\r', '\n', ' ', ';', '\t', "'", 'a\rb', 'a\nb', '"a",', 'é🍺'];
	const written = await textOf(csv(odd), [Object.fromEntries(odd.map((one) => [one, one]))]);
	expect(written).toContain('"a\rb","a\nb"');
	const read = parse(written, { bom: true }) as string[][];
	expect(read).toEqual([odd, odd]);
});

it.each([
	...['=HYPERLINK("https://example.com","Click")', '+1 305 555 0100', '-1+1', '@SUM(1)'],
	...['\t=1+1', '\r\n=1+1', '\u200B=1+1', '＝1+1'],
])('A CSV file holds no cell that a spreadsheet would run: %j', async (text) => {
	const rows = parse(await textOf(csv(['name']), [{ name: text }])) as string[][];
	expect(rows[1]).toEqual([`'${text}`]);
	// In much of the world, Excel splits lines at semicolons.
	const split = parse(await textOf(csv(['name']), [{ name: `JOES;${text}` }])) as string[][];
	expect(split[1]).toEqual([`JOES;'${text}`]);
});

it('A GeoJSON file has a point for each license, or that of its ZIP code', async () => {
	const at = (lat: unknown, lng: unknown): License => ({
		...{ id: 'lic_1', businessName: 'Rusty </script> Anchor' },
		address: { lat, lng, zip: '33602' } as License['address'],
	});
	const layout = geoJson(({ id }) => ({ id }));
	const read = async (...given: License[]) =>
		JSON.parse(await textOf(layout, given)) as { type: string; features: unknown[] };
	const none = [{ address: null }, { address: { zip: '10001', lat: 0, lng: 0 } }];
	const point = (isApproximate: boolean, ...coordinates: number[]) => ({
		type: 'Feature',
		geometry: { type: 'Point', coordinates },
		properties: { name: 'Rusty </script> Anchor', isApproximate, id: 'lic_1' },
	});
	const { type, features } = await read(...none, at(27.95, -82.46), at('25.77', '-80.19'));
	expect(type).toBe('FeatureCollection');
	expect(features).toEqual([point(false, -82.46, 27.95), point(false, -80.19, 25.77)]);
	const { lng, lat } = findZipCode('33602')!.point;
	const center = point(true, lng, lat);
	const unlocated = [at(null, undefined), at(0, 0), at(-82.46, 27.95)];
	expect((await read(...unlocated)).features).toEqual([center, center, center]);
});
