import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { started, type ErrorBody } from './client.mts';

const paths = ['/licenses', '/licenses/search', '/licenses/lic_any', '/webhooks', '/nowhere'];

describe('5. Authentication', () => {
	it.each(paths)('refuses %s without a key', async (path) => {
		const { sandbox } = await started();
		const response = await fetch(sandbox.baseUrl + path);
		expect(response.status).toBe(401);
		const { error } = (await response.json()) as ErrorBody;
		expect(error).toEqual({ type: 'unauthorized', message: expect.stringContaining('Bearer') });
	});

	it.each([
		['no scheme', 'ls_live_example'],
		['no key', 'Bearer '],
		['an unknown key', 'Bearer ls_live_unknown'],
	])('refuses an Authorization header with %s', async (_what, Authorization) => {
		const { client } = await started();
		const { status, body } = await client.fault('/licenses', { headers: { Authorization } });
		expect(status).toBe(401);
		expect(body.error.type).toBe('unauthorized');
	});

	it('answers a test key with the same records in every sandbox, and a live key from the living dataset', async () => {
		const { sandbox, client } = await started({ seed: 2, records: 50 });
		const filed = sandbox.live.insert();
		expect(sandbox.keys.live).toMatch(/^ls_live_/);
		expect((await client.list({ limit: 1 })).body.data).toEqual([filed]);

		expect(sandbox.keys.test).toMatch(/^ls_test_/);
		const records = await client.all({}, sandbox.keys.test);
		expect(records).toHaveLength(500);
		// The dataset is part of the promise: change it deliberately, and this digest with it.
		const digest = createHash('sha256').update(JSON.stringify(records)).digest('hex');
		expect(digest.slice(0, 16)).toBe('485b573a0ce072a2');
	});

	it('refuses a key that has been rotated, and accepts the new one', async () => {
		const { sandbox, client } = await started();
		const old: string = sandbox.keys.live;
		const fresh = sandbox.keys.rotate('live');
		expect((await client.list({}, old)).status).toBe(401);
		expect((await client.list({}, fresh)).status).toBe(200);
	});

	it('writes the key into neither an answer nor its request log', async () => {
		const { sandbox, client } = await started();
		const key = 'ls_live_secret_example';
		const answers = await Promise.all(paths.map((path) => client.fault(path, { key })));
		const written = JSON.stringify([answers, sandbox.requests.entries]);
		expect(sandbox.requests.count).toBe(paths.length);
		expect(written).not.toContain(key);
	});
});
