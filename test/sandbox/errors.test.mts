import { describe, expect, it } from 'vitest';

import { started } from './client.mts';

describe('7. Errors', () => {
	it('answers 404 not_found where there is no such license, or nothing at all', async () => {
		const { client } = await started();
		const paths = ['/licenses/lic_unknown', '/licenses/SRX-2026-999999', '/nowhere'];
		for (const path of paths) {
			const { status, body } = await client.fault(path);
			expect([path, status]).toEqual([path, 404]);
			expect(body.error.type).toBe('not_found');
		}
	});

	it.each([
		['license_type', 'srx', /one of SRX, COP/],
		['limit', '51', /from 1 to 50/],
		['licenseType', 'SRX', /no parameter 'licenseType'/],
	])('answers 400 to %s=%s, and says what it takes', async (name, value, message) => {
		const { client } = await started();
		const { status, body } = await client.fault('/licenses', { query: { [name]: value } });
		expect(status).toBe(400);
		expect(body.error.type).toBe('invalid_request');
		expect(body.error.message).toMatch(message);
		expect(body.error.message).toContain(`'${name}'`);
	});

	it.each(['key', 'position'] as const)(
		'answers 400 invalid_cursor to a %s cursor that is not its own',
		async (cursors) => {
			const { client } = await started({ cursors });
			const filtered = await client.list({ county: 'orange', limit: 1 });
			for (const cursor of ['nonsense', '', filtered.body.pagination.cursor!]) {
				const { status, body } = await client.fault('/licenses', { query: { cursor } });
				expect([cursor, status]).toEqual([cursor, 400]);
				expect(body.error.type).toBe('invalid_cursor');
			}
		},
	);
});
