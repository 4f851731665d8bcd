import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, it } from 'vitest';

import { API_KEY } from '../support/answers.mts';
import { runCompiled } from '../support/compiled.mts';
import { listen, type Loopback } from '../support/loopback.mts';

/** Legal, as the interface does not say what is required, but nothing that anyone would expect. */
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

const list = {
	data: ODD,
	pagination: { cursor: null, hasMore: false, total: 3, limit: 500, page: 1 },
};

async function getMany(parameters: IDataObject) {
	service = await listen((_, response) => {
		response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
		response.end(JSON.stringify(list));
	});
	const credentials = { baseUrl: service.baseUrl, apiKey: API_KEY };
	return await runCompiled(credentials, { operation: 'getAll', ...parameters });
}

describe('Odd but legal answers', () => {
	it('pass through untouched', async () => {
		const ran = await getMany({ returnAll: true });
		expect(ran.error).toBeUndefined();
		expect(ran.items.map(({ json }) => json)).toEqual(ODD);
	});

	it.each(['simplified', 'crmLead', 'selectedFields'])(
		'come out as %s with the same columns each',
		async (output) => {
			const ran = await getMany({ output });
			expect(ran.error).toBeUndefined();
			const columns = ran.items.map(({ json }) => Object.keys(json).join());
			expect(columns).toHaveLength(ODD.length);
			expect(new Set(columns).size).toBe(1);
			expect(JSON.stringify(ran.items)).not.toMatch(/undefined|NaN|\[object/);
		},
	);
});
