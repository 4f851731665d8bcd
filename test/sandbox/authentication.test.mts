import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

import { describe, expect, it } from 'vitest';

import { opened, type ErrorBody } from './client.mts';

const paths = ['/licenses', '/licenses/search', '/licenses/lic_any', '/webhooks', '/nowhere'];

describe('5. Authentication', () => {
	it.each(paths)('refuses %s without a key', async (path) => {
		const { sandbox } = await opened();
		const response = await fetch(sandbox.baseUrl + path);
		expect(response.status).toBe(401);
		const { error } = (await response.json()) as ErrorBody;
		expect(error).toEqual({ type: 'unauthorized', message: expect.stringContaining('Bearer') });
	});

	it.each([
		['evil.example', 403],
		['127.0.0.1.evil.example', 403],
		['localhost', 200],
		['LOCALHOST:4010', 200],
		['[::1]:4010', 200],
		['license-service.example', 200],
	])('answers to names of this machine alone: %s gets %i', async (host, status) => {
		const { sandbox } = await opened({ hosts: ['license-service.example'] });
		const { credentials } = sandbox;
		const headers = { host, authorization: `Bearer ${credentials.apiKey}` };
		const asked = request(`${credentials.baseUrl}/licenses`, { headers }).end();
		const [answer] = (await once(asked, 'response')) as [IncomingMessage];
		expect(answer.statusCode).toBe(status);
		answer.destroy();
	});

	it('refuses a key that has been rotated, and accepts the new one', async () => {
		const { sandbox, client } = await opened();
		const old: string = sandbox.keys.live;
		const fresh = sandbox.keys.rotate('live');
		expect((await client.list({}, old)).status).toBe(401);
		expect((await client.list({}, fresh)).status).toBe(200);
	});

	it('writes the key into neither an answer nor its request log', async () => {
		const { sandbox, client } = await opened();
		const key = 'ls_live_secret_example';
		const answers = await Promise.all(paths.map((path) => client.fault(path, { key })));
		const written = JSON.stringify([answers, sandbox.requests.entries]);
		expect(sandbox.requests.count).toBe(paths.length);
		expect(written).not.toContain(key);
	});
});
