import { describe, expect, it } from 'vitest';

import { started } from './client.mts';

describe('7. Errors', () => {
	it('answers 404 not_found when no license matches the id or number', async () => {
		const { client } = await started();
		for (const idOrNumber of ['lic_unknown', 'SRX-2026-999999', 'SRX-2026-4001', '%2e%2e']) {
			const { status, body } = await client.fault(`/licenses/${idOrNumber}`);
			expect(status).toBe(404);
			expect(body.error.type).toBe('not_found');
		}
	});

	it('answers 404 with an Error body where there is nothing', async () => {
		const { client } = await started();
		for (const [path, method] of [
			['/nowhere', 'GET'],
			['/licenses', 'POST'],
		] as const) {
			const { status, body } = await client.fault(path, { method });
			expect(status).toBe(404);
			expect(body.error.type).toBe('not_found');
		}
	});

	it.each([
		['%zz', 400, 'invalid_request'],
		['x'.repeat(3000), 404, 'not_found'],
		['', 404, 'not_found'],
	])('answers an id that cannot be one with an Error body', async (id, status, type) => {
		const { client } = await started();
		const answer = await client.fault(`/licenses/${id}`);
		expect(answer.status).toBe(status);
		expect(answer.body.error.type).toBe(type);
	});

	it.each([
		['license_type', 'srx', /one of SRX, COP/],
		['event_type', 'opening', /one of new_filing, renewal/],
		['limit', '0', /from 1 to 50/],
		['limit', '51', /from 1 to 50/],
		['limit', '2.5', /from 1 to 50/],
		['limit', '5.0', /from 1 to 50/],
		['limit', '0x5', /from 1 to 50/],
		['limit', '1e1', /from 1 to 50/],
		['limit', '+5', /from 1 to 50/],
		['limit', ' 5', /from 1 to 50/],
		['limit', '', /from 1 to 50/],
		['limit', 'ten', /from 1 to 50/],
		['licenseType', 'SRX', /no parameter 'licenseType'/],
	])('answers 400 to %s=%s, and says what it takes', async (name, value, message) => {
		const { client } = await started();
		const { status, body } = await client.fault('/licenses', { query: { [name]: value } });
		expect(status).toBe(400);
		expect(body.error.type).toBe('invalid_request');
		expect(body.error.message).toMatch(message);
		expect(body.error.message).toContain(`'${name}'`);
	});

	it('answers 400 to a parameter given twice', async () => {
		const { client } = await started();
		for (const name of ['county', 'limit', 'cursor', 'event_type']) {
			const { status, body } = await client.fault(`/licenses?${name}=1&${name}=1`);
			expect(status).toBe(400);
			expect(body.error.message).toContain('given once');
		}
	});

	it.each(['key', 'position'] as const)(
		'answers 400 invalid_cursor to a %s cursor that is not its own',
		async (cursors) => {
			const { client } = await started({ cursors });
			const other = await started({ cursors: cursors === 'key' ? 'position' : 'key' });
			const filtered = await client.list({ county: 'orange', limit: 1 });
			const foreign = await other.client.list({ limit: 1 });
			const refused = [
				'nonsense',
				'',
				Buffer.from('[]').toString('base64url'),
				filtered.body.pagination.cursor!,
				foreign.body.pagination.cursor!,
			];
			for (const cursor of refused) {
				const { status, body } = await client.fault('/licenses', { query: { cursor } });
				expect([cursor, status]).toEqual([cursor, 400]);
				expect(body.error.type).toBe('invalid_cursor');
			}
		},
	);
});
