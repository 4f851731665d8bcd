import { parse } from 'csv-parse/sync';
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { createSandbox, type License } from '../../sandbox/index.mts';
import { type BinaryStore, keepFiles } from '../support/binary-data.mts';
import { compiled } from '../support/compiled.mts';
import { runLicense } from '../support/nodes.mts';

let store: BinaryStore;
beforeEach(async () => {
	store = await keepFiles('on disk');
});

async function start(records: number) {
	const sandbox = await createSandbox({ today: '2026-09-24', records });
	onTestFinished(() => sandbox.close());
	const { register, requests, credentials } = sandbox;
	const run = async (parameters: IDataObject = {}, items: IDataObject[] = [{}]) =>
		await runLicense(
			{ operation: 'export', ...parameters },
			{ ...compiled('LicensingData'), credentials, items },
		);
	return {
		...{ register, requests, run },
		recordsById: () => new Map(register.all().map((license) => [license.id, license])),
		/** What an export returns if nothing goes wrong. */
		async exported(parameters: IDataObject = {}) {
			const { items, error } = await run(parameters);
			if (error) throw error;
			const [item] = items;
			expect(items).toHaveLength(1);
			const { fileName, ...json } = item?.json ?? {};
			const text = (await store.read(item)).toString('utf8');
			return { text, json, file: { fileName, mimeType: item?.binary?.data?.mimeType } };
		},
	};
}

const rowsOf = (text: string) =>
	parse(text, { columns: true, bom: true }) as Array<Record<string, string>>;
const WRITTEN = new Set(['businessName', 'legalName', 'dbaName', 'city', 'zip']);

describe('Export', () => {
	it('writes a CSV file with every license once, newest first, in columns without nesting, keys last', async () => {
		const { exported, recordsById } = await start(3000);
		const { json, file, text } = await exported();
		expect(text).toMatch(
			/^\uFEFFbusinessName,street,city,state,zip,county,phone,website,.*,eventId,venueKey,holderKey\r\n/,
		);
		const rows = rowsOf(text);
		const filings = rows.filter(({ eventType }) => eventType === 'new_filing');
		const dates = filings.map(({ filedDate }) => filedDate);
		expect(dates).toEqual(dates.toSorted().reverse());

		const records = recordsById();
		expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(records.keys()));
		expect(rows).toHaveLength(records.size);
		// Broken accents are mended, invisible characters taken out, and names, cities and ZIP codes written as people
		// write them, which has tests of its own.
		const flat = ({ address, enrichment, ...license }: License) =>
			Object.entries({ ...address, ...license, phone: enrichment?.phone })
				.map(([name, value]) => [name, String(value ?? '')])
				.filter(([name = '', value = '']) => !WRITTEN.has(name) && !/[Ã\u00AD]/.test(value));
		for (const row of rows) {
			const expected = flat(records.get(row.id ?? '') as License);
			const written = expected.map(([name = '']) => [
				name,
				row[name]?.replace(/^'(?=[=+\-@])/, ''),
			]);
			expect(written).toEqual(expected);
		}
		expect(json).toEqual({ count: 3000 });
		const month = new Date().toISOString().slice(0, 7);
		expect(file).toMatchObject({ mimeType: 'text/csv' });
		expect(file.fileName).toMatch(new RegExp(`^licenses-${month}-\\d\\d\\.csv$`));
	});

	it.each<[string, (text: string) => License[]]>([
		['json', (text) => JSON.parse(text) as License[]],
		['jsonl', (text) => JSON.parse(`[${text.trim().split('\n').join()}]`) as License[]],
	])('writes what the service sends, untouched, as %s', async (format, read) => {
		const { exported, recordsById } = await start(800);
		const { text, file } = await exported({ format });
		const licenses = read(text);
		expect(licenses).toHaveLength(800);
		expect(new Map(licenses.map((license) => [license.id, license]))).toEqual(recordsById());
		expect(file.fileName).toMatch(new RegExp(`\\.${format}$`));
		expect(file.mimeType).toBe(`application/${format}`);
	});

	it('writes a map of what has coordinates, and says how much has none', async () => {
		const { exported, recordsById, register } = await start(700);
		for (let left = 3; left > 0; left--) register.file({ address: { lat: null, lng: null } });
		const { text, json, file } = await exported({ format: 'geojson' });
		const { features } = JSON.parse(text) as {
			features: Array<{ geometry: { coordinates: number[] }; properties: IDataObject }>;
		};
		const records = recordsById();
		for (const { geometry, properties } of features) {
			const { address, status } = records.get(String(properties.id)) as License;
			expect(geometry.coordinates).toEqual([address?.lng, address?.lat]);
			expect(properties).toMatchObject({ status, county: address?.county });
		}
		expect(new Set(features.map(({ properties }) => properties.id)).size).toBe(features.length);
		const located = [...records.values()].filter(({ address }) => typeof address?.lat === 'number');
		expect(features).toHaveLength(located.length);
		const withoutCoordinates = records.size - located.length;
		expect(json).toEqual({ count: located.length, withoutCoordinates });
		expect(file.mimeType).toBe('application/geo+json');
		expect(file.fileName).toMatch(/\.geojson$/);
	});

	it.each(['all', 'simplified'])(
		'adds the distance to the columns of %s if asked',
		async (columns) => {
			const near = { area: { center: '33602', radius: 50 } };
			const { exported } = await start(600);
			const filters = { near, keepUnlocated: false };
			const { text, json } = await exported({ columns, filters });
			const rows = rowsOf(text);
			expect(rows).toHaveLength(json.count as number);
			expect(rows.length).toBeGreaterThan(0);
			for (const { distanceMiles } of rows) expect(Number(distanceMiles || 99)).toBeLessThan(51);
		},
	);

	it('writes a file with a header alone where no license passes the filters', async () => {
		const { exported } = await start(10);
		const { text, json } = await exported({ filters: { query: 'nobody is called this' } });
		expect(rowsOf(text)).toEqual([]);
		expect(json).toMatchObject({ count: 0 });
	});

	it('writes one file for items that ask for the same', async () => {
		const { run, requests } = await start(60);
		await run();
		const { count } = requests;
		const { items } = await run({}, [{}, {}, {}]);
		expect(items).toHaveLength(3);
		expect(new Set(items.map(({ binary }) => binary?.data?.id)).size).toBe(1);
		expect(requests.count).toBe(2 * count);
	});
});
