import { parse } from 'csv-parse/sync';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
	createSandbox,
	type License,
	type Sandbox,
	type SandboxOptions,
} from '../../sandbox/index.mts';
import { type BinaryStore, keepFiles } from '../support/binary-data.mts';
import { compiled } from '../support/compiled.mts';
import type { RunOptions } from '../support/host.mts';
import { runLicense } from '../support/nodes.mts';

let sandbox: Sandbox;
let store: BinaryStore;
const start = async (options: SandboxOptions) => {
	sandbox = await createSandbox({ today: '2026-09-24', ...options });
};
beforeEach(async () => {
	store = await keepFiles('on disk');
});
afterEach(async () => await sandbox.close());

const run = async (parameters: IDataObject = {}, more: Partial<RunOptions> = {}) =>
	await runLicense(
		{ operation: 'export', ...parameters },
		{ ...compiled('LicensingData'), credentials: sandbox.credentials, ...more },
	);

/** What an export returns if nothing goes wrong. */
async function exported(parameters: IDataObject = {}) {
	const { items, error } = await run(parameters);
	if (error) throw error;
	const [item] = items;
	expect(items).toHaveLength(1);
	return { item, json: item?.json, text: (await store.read(item)).toString('utf8') };
}

const rowsOf = (text: string) =>
	parse(text, { columns: true, bom: true }) as Array<Record<string, string>>;
const WRITTEN = new Set(['businessName', 'legalName', 'dbaName', 'city', 'zip']);
const recordsById = () => new Map(sandbox.register.all().map((license) => [license.id, license]));

describe('Export', () => {
	it('writes a CSV file with every license once, newest first, in columns without nesting', async () => {
		await start({ records: 3000 });
		const { json, item, text } = await exported();
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
		const written = rows.map((row) =>
			flat(records.get(row.id ?? '') as License).map(([name = '']) => [
				name,
				row[name]?.replace(/^'(?=[=+\-@])/, ''),
			]),
		);
		expect(written).toEqual(rows.map(({ id = '' }) => flat(records.get(id) as License)));

		const day = new Date().toISOString().slice(0, 7);
		expect(item?.binary?.data).toMatchObject({ mimeType: 'text/csv', fileExtension: 'csv' });
		expect(json).toMatchObject({
			fileName: expect.stringMatching(new RegExp(`^licenses-${day}-\\d\\d\\.csv$`)),
			count: 3000,
		});
	});

	it.each([
		['json', (text: string) => JSON.parse(text) as License[]],
		[
			'jsonl',
			(text: string) =>
				text
					.split('\n')
					.slice(0, -1)
					.map((line) => JSON.parse(line) as License),
		],
	])('writes what the service sends, untouched, as %s', async (format, read) => {
		await start({ records: 800 });
		const { text, json, item } = await exported({ format });
		const records = recordsById();
		const licenses = read(text);
		expect(licenses).toHaveLength(records.size);
		for (const license of licenses) expect(license).toEqual(records.get(license.id));
		expect(json?.fileName).toMatch(new RegExp(`\\.${format}$`));
		expect(item?.binary?.data?.mimeType).toBe(`application/${format}`);
	});

	it('writes a map of what has coordinates, and says how much has none', async () => {
		await start({ records: 700 });
		for (let left = 3; left > 0; left--)
			sandbox.register.file({ address: { lat: null, lng: null } });
		const { text, json, item } = await exported({ format: 'geojson' });
		const { features } = JSON.parse(text) as {
			features: Array<{ geometry: { coordinates: number[] }; properties: Record<string, unknown> }>;
		};
		const records = recordsById();
		const known = features.map(({ geometry, properties }) => {
			const { address, businessName, status } = records.get(String(properties.id)) as License;
			expect(geometry.coordinates).toEqual([address?.lng, address?.lat]);
			expect(properties).toMatchObject({ status, county: address?.county });
			// Broken accents are mended, and legal forms written as people do.
			const name = String(properties.name).toLowerCase();
			if (!businessName?.includes('Ã')) expect(name).toContain(businessName?.toLowerCase());
			return properties.id;
		});
		expect(new Set(known).size).toBe(features.length);
		const without = [...records.values()].filter(({ address }) => typeof address?.lat !== 'number');
		expect(json).toMatchObject({
			count: records.size - without.length,
			withoutCoordinates: without.length,
		});
		expect(features).toHaveLength(records.size - without.length);
		expect(item?.binary?.data?.mimeType).toBe('application/geo+json');
		expect(json?.fileName).toMatch(/\.geojson$/);
	});

	it('writes the columns of all fields as a seller reads them, keys last', async () => {
		await start({ records: 60 });
		const { text } = await exported();
		const [header = ''] = text.split('\r\n');
		expect(header).toMatch(
			/^\uFEFFbusinessName,street,city,state,zip,county,phone,website,.*,eventId,venueKey,holderKey$/,
		);
	});

	it.each(['all', 'simplified'])(
		'adds the distance to the columns of %s where it is asked for',
		async (columns) => {
			await start({ records: 600 });
			const near = { area: { center: '33602', radius: 50 } };
			const { text, json } = await exported({ columns, filters: { near, keepUnlocated: false } });
			const rows = rowsOf(text);
			expect(rows).toHaveLength(json?.count as number);
			expect(rows.length).toBeGreaterThan(0);
			for (const { distanceMiles } of rows) expect(Number(distanceMiles || 99)).toBeLessThan(51);
		},
	);

	it('writes a file with a header alone where no license passes the filters', async () => {
		await start({ records: 10 });
		const { text, json } = await exported({ filters: { query: 'nobody is called this' } });
		expect(rowsOf(text)).toEqual([]);
		expect(json).toMatchObject({ count: 0 });
	});

	it('writes one file for items that ask for the same', async () => {
		await start({ records: 60 });
		await run({});
		const { count } = sandbox.requests;
		const { items } = await run({}, { items: [{}, {}, {}] });
		expect(items).toHaveLength(3);
		expect(new Set(items.map(({ binary }) => binary?.data?.id)).size).toBe(1);
		expect(sandbox.requests.count).toBe(2 * count);
	});
});
