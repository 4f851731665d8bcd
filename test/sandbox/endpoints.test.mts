import { describe, expect, it } from 'vitest';

import type { License, LicensePage } from '../../sandbox/index.mts';
import { started } from './client.mts';

const textOf = ({ businessName, address }: License) =>
	`${businessName} ${address?.city} ${address?.county}`.toLowerCase();

describe('4. GET /licenses', () => {
	it('answers with data and pagination, as JSON', async () => {
		const { client } = await started();
		const { status, headers, body } = await client.list();
		expect(status).toBe(200);
		expect(headers.get('content-type')).toMatch(/^application\/json/);
		expect(Object.keys(body)).toEqual(['data', 'pagination']);
	});

	it('lists newest first', async () => {
		const { client } = await started();
		const times = (await client.all()).map(({ eventTimestamp }) => eventTimestamp!);
		expect(times).toHaveLength(300);
		expect(times).toEqual([...times].sort().reverse());
	});

	it.each(['Miami-Dade', 'miami-dade', 'MIAMI DADE', 'miamidade', 'Miami-Dade County'])(
		'finds the county written as %s',
		async (county) => {
			const { sandbox, client } = await started();
			const found = await client.all({ county });
			const expected = sandbox.live
				.records()
				.filter(({ address }) => address?.county === 'Miami-Dade');
			expect(found).toEqual(expected);
			expect(found.length).toBeGreaterThan(10);
		},
	);

	it('finds no record of an unknown county, and says so with an empty list', async () => {
		const { client } = await started();
		const { status, body } = await client.list({ county: 'Atlantis' });
		expect(status).toBe(200);
		expect(body).toEqual({
			data: [],
			pagination: { cursor: null, hasMore: false, total: 0, limit: 10 },
		});
	});

	it.each([
		['license_type', 'licenseType', 'FOOD_SERVICE'],
		['event_type', 'eventType', 'ownership_transfer'],
		['status', 'status', 'suspended'],
	] as const)('filters by %s', async (parameter, field, value) => {
		const { sandbox, client } = await started();
		const found = await client.all({ [parameter]: value });
		expect(found).toEqual(sandbox.live.records().filter((record) => record[field] === value));
		expect(found.length).toBeGreaterThan(0);
	});

	it('takes a status in any case', async () => {
		const { client } = await started();
		const lower = await client.all({ status: 'active' });
		expect(await client.all({ status: 'ACTIVE' })).toEqual(lower);
	});

	it.each(['grill', 'miami', 'Palm Beach', 'HOUSE', 'ridge', 'grill miami', 'st. '])(
		'searches business name, city and county for %s',
		async (q) => {
			const { sandbox, client } = await started({ records: 2000 });
			const words = q.toLowerCase().split(' ').filter(Boolean);
			const expected = sandbox.live
				.records()
				.filter((record) => words.every((word) => textOf(record).includes(word)));
			expect(await client.all({ q })).toEqual(expected);
			expect(expected.length).toBeGreaterThan(0);
		},
	);

	it('combines filters', async () => {
		const { sandbox, client } = await started({ records: 5000 });
		const found = await client.all({
			county: 'miami-dade',
			license_type: 'SRX',
			event_type: 'new_filing',
			status: 'pending',
			q: 'a',
		});
		const expected = sandbox.live
			.records()
			.filter(
				(record) =>
					record.address?.county === 'Miami-Dade' &&
					record.licenseType === 'SRX' &&
					record.eventType === 'new_filing' &&
					record.status === 'pending' &&
					textOf(record).includes('a'),
			);
		expect(found).toEqual(expected);
		expect(found.length).toBeGreaterThan(0);
	});

	it.each(['key', 'position'] as const)(
		'reads every record once, page by page, by %s cursors',
		async (cursors) => {
			const { sandbox, client } = await started({ cursors });
			for (const filter of [{}, { county: 'Orange' }, { q: 'a' }])
				expect(await client.all({ ...filter, limit: 7 })).toEqual(await client.all(filter));
			expect(await client.all({ limit: 7 })).toEqual(sandbox.live.records());
		},
	);

	it('goes on below the last record shown when news comes between pages, with key cursors', async () => {
		const { sandbox, client } = await started({ cursors: 'key' });
		const before = sandbox.live.records();
		const first = await client.list({ limit: 50 });
		sandbox.live.burst(3);
		const second = await client.list({ limit: 50, cursor: first.body.pagination.cursor! });
		expect(second.body.data[0]).toEqual(before[50]);
	});

	it('shows again what news has pushed down between pages, with position cursors', async () => {
		const { sandbox, client } = await started({ cursors: 'position' });
		const before = sandbox.live.records();
		const first = await client.list({ limit: 50 });
		sandbox.live.burst(3);
		const second = await client.list({ limit: 50, cursor: first.body.pagination.cursor! });
		expect(second.body.data[0]).toEqual(before[47]);
	});

	it('lets the page size change between pages', async () => {
		const { sandbox, client } = await started();
		const first = await client.list({ limit: 2 });
		const second = await client.list({ limit: 5, cursor: first.body.pagination.cursor! });
		expect(second.body.data).toEqual(sandbox.live.records().slice(2, 7));
	});

	it('reads an empty text as no filter', async () => {
		const { client } = await started();
		const { body } = await client.list({ county: '', status: '', q: ' ' });
		expect(body.pagination.total).toBe(300);
	});
});

describe('4. GET /licenses/{id}', () => {
	it('finds a license by its id', async () => {
		const { sandbox, client } = await started();
		const license = sandbox.live.records()[17]!;
		const { status, body } = await client.get(license.id);
		expect(status).toBe(200);
		expect(body).toEqual({ data: license });
	});

	it('finds a license by its license number', async () => {
		const { sandbox, client } = await started();
		for (const license of sandbox.live.records().slice(0, 20))
			expect((await client.get(license.licenseNumber)).body).toEqual({ data: license });
	});

	it('finds a planted id and number', async () => {
		const { sandbox, client } = await started({ checkAnswers: false });
		const planted = { id: 'lic_planted', licenseNumber: 'SRX/2026 7' };
		sandbox.live.insert(planted);
		expect((await client.get('lic_planted')).body.data).toMatchObject(planted);
		expect((await client.get('SRX/2026 7')).body.data).toMatchObject(planted);
	});

	it('no longer finds a removed license', async () => {
		const { sandbox, client } = await started();
		const { id } = sandbox.live.insert();
		sandbox.live.remove(id);
		expect((await client.get(id)).status).toBe(404);
	});
});

describe('4. GET /licenses/search', () => {
	it('takes q, county and limit', async () => {
		const { client } = await started({ records: 2000 });
		const query = { q: 'grill', county: 'orange', limit: 2 };
		const search = await client.ask<LicensePage>('/licenses/search', { query });
		expect(search.status).toBe(200);
		expect(search.body).toEqual((await client.list(query)).body);
		expect(search.body.data).toHaveLength(2);
	});

	it.each([
		['page', { data: expect.any(Array), pagination: expect.any(Object) }],
		['data', { data: expect.any(Array) }],
		['array', expect.any(Array)],
	] as const)('answers in the shape chosen: %s', async (searchShape, shape) => {
		const { client } = await started({ searchShape });
		const { body } = await client.ask('/licenses/search', { query: { q: 'a' } });
		expect(body).toEqual(shape);
	});
});
