import { describe, expect, it } from 'vitest';

import type { License, LicensePage } from '../../sandbox/index.mts';
import { started } from './client.mts';

const textOf = ({ businessName, address }: License) =>
	`${businessName} ${address?.city} ${address?.county}`.toLowerCase();

describe('4. GET /licenses', () => {
	it('answers with data and pagination, as JSON, newest first', async () => {
		const { client } = await started();
		const { status, headers, body } = await client.list();
		expect(status).toBe(200);
		expect(headers.get('content-type')).toMatch(/^application\/json/);
		expect(Object.keys(body)).toEqual(['data', 'pagination']);
		const times = (await client.all()).map(({ eventTimestamp }) => eventTimestamp!);
		expect(times).toHaveLength(300);
		expect(times).toEqual([...times].sort().reverse());
	});

	it.each(['Miami-Dade', 'MIAMI DADE', 'Miami-Dade County'])(
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
	] as const)('filters by %s, and counts in total what passes', async (parameter, field, value) => {
		const { sandbox, client } = await started();
		const found = await client.all({ [parameter]: value });
		expect(found).toEqual(sandbox.live.records().filter((record) => record[field] === value));
		expect(found.length).toBeGreaterThan(0);
		const { body } = await client.list({ [parameter]: value, limit: 1 });
		expect(body.pagination.total).toBe(found.length);
	});

	it.each(['Palm Beach', 'HOUSE', 'ridge', 'grill miami'])(
		'searches business name, city and county for %s, together with another filter',
		async (q) => {
			const { sandbox, client } = await started({ records: 2000 });
			const words = q.toLowerCase().split(' ');
			const expected = sandbox.live
				.records()
				.filter((record) => words.every((word) => textOf(record).includes(word)))
				.filter(({ eventType }) => eventType === 'new_filing');
			expect(await client.all({ q, event_type: 'new_filing' })).toEqual(expected);
			expect(expected.length).toBeGreaterThan(0);
		},
	);

	it.each(['key', 'position'] as const)(
		'reads every record once, page by page, by %s cursors',
		async (cursors) => {
			const { sandbox, client } = await started({ cursors });
			for (const filter of [{}, { county: 'Orange' }, { q: 'a' }])
				expect(await client.all({ ...filter, limit: 7 })).toEqual(await client.all(filter));
			expect(await client.all({ limit: 7 })).toEqual(sandbox.live.records());
		},
	);

	it.each([
		['below the last record shown', 'key', 50],
		['with what was pushed down', 'position', 47],
	] as const)('goes on %s after news, with %s cursors', async (_where, cursors, next) => {
		const { sandbox, client } = await started({ cursors });
		const before = sandbox.live.records();
		const first = await client.list({ limit: 50 });
		sandbox.live.burst(3);
		// The page size may change between pages.
		const second = await client.list({ limit: 5, cursor: first.body.pagination.cursor! });
		expect(second.body.data).toEqual(before.slice(next, next + 5));
	});

	it('reads an empty text as no filter', async () => {
		const { client } = await started();
		const { body } = await client.list({ county: '', status: '', q: ' ' });
		expect(body.pagination.total).toBe(300);
	});
});

describe('4. GET /licenses/{id}', () => {
	it('finds a license by its id and by its license number', async () => {
		const { sandbox, client } = await started();
		const license = sandbox.live.records()[17]!;
		for (const idOrNumber of [license.id, license.licenseNumber])
			expect((await client.get(idOrNumber)).body).toEqual({ data: license });
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
