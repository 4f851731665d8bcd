import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, it } from 'vitest';

import { API_KEY } from '../support/answers.mts';
import { runCompiled } from '../support/compiled.mts';
import { listen, type Loopback } from '../support/loopback.mts';

/** Legal by an interface that does not say what is required, and yet nothing one would expect. */
const ODD = [
	{ id: 'lic_bare' },
	{ id: null, licenseNumber: 'COP-1', address: null, filedDate: null, eventType: null },
	{ id: 'lic_strange', licenseType: 'WINE_BAR', status: 'PENDING review', eventType: 'inspection' },
	{ id: 'lic_more', tier: 'gold', owners: [{ name: 'A' }], address: { county: 'Lee', unit: 4 } },
	{ id: 'lic_types', licenseNumber: 7, businessName: 12, address: { zip: 33602, lat: '27.9' } },
	{ id: 'lic_unicode', businessName: 'Café “Über” 🍷', address: { city: "O'Brien", state: 'FL' } },
];

let service: Loopback | undefined;
afterEach(async () => await service?.close());

/** A service that answers every request the same. */
async function against(body: unknown, parameters: IDataObject) {
	service = await listen((_, response) => {
		response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
		response.end(JSON.stringify(body));
	});
	return await runCompiled({ baseUrl: service.baseUrl, apiKey: API_KEY }, parameters);
}

const list = {
	data: ODD,
	pagination: { cursor: null, hasMore: false, total: 3, limit: 500, page: 1 },
};

describe('Odd but legal answers', () => {
	it.each([
		['Get Many', { operation: 'getAll', returnAll: true }, list],
		['Get Many with a limit', { operation: 'getAll', limit: 50 }, list],
		['Search over a page', { operation: 'search', query: 'bar' }, list],
		['Search over data alone', { operation: 'search', query: 'bar' }, { data: ODD }],
		['Search over a bare list', { operation: 'search', query: 'bar' }, ODD],
	])('pass through %s untouched', async (_, parameters, body) => {
		const ran = await against(body, parameters);
		expect(ran.error).toBeUndefined();
		expect(ran.items.map(({ json }) => json)).toEqual(ODD);
	});

	it.each(['simplified', 'crmLead', 'selectedFields'])(
		'come out as %s with the same columns each',
		async (output) => {
			const ran = await against(list, { operation: 'getAll', output });
			expect(ran.error).toBeUndefined();
			const columns = ran.items.map(({ json }) => Object.keys(json).join());
			expect(columns).toHaveLength(ODD.length);
			expect(new Set(columns).size).toBe(1);
			expect(JSON.stringify(ran.items)).not.toMatch(/undefined|NaN|\[object/);
		},
	);

	it.each(ODD.map((record, at) => [at, record] as const))(
		'are one license in Get: %i',
		async (_, record) => {
			const ran = await against({ data: record }, { operation: 'get', licenseId: 'lic_1' });
			expect(ran.items.map(({ json }) => json)).toEqual([record]);
		},
	);

	it('are left out by a window of dates where they have none', async () => {
		const dated = { id: 'lic_dated', filedDate: '2026-07-03' };
		const ran = await against(
			{ ...list, data: [...ODD, dated] },
			{ operation: 'getAll', filters: { filedAfter: '2026-07-01' } },
		);
		expect(ran.items.map(({ json }) => json)).toEqual([dated]);
	});
});
