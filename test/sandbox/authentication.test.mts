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
