import { describe, expect, it } from 'vitest';

import type { License, Sandbox, SeenRequest } from '../../sandbox/index.mts';
import { opened, type ErrorBody } from './client.mts';

const controlOf =
	({ control }: Sandbox) =>
	async <Body,>(method: string, path: string, body?: object, status = 200): Promise<Body> => {
		const response = await fetch(control.url + path, {
			method,
			headers: {
				'X-Sandbox-Token': control.token,
				...(body ? { 'Content-Type': 'application/json' } : {}),
			},
			...(body ? { body: JSON.stringify(body) } : {}),
		});
		expect([path, response.status]).toEqual([path, status]);
		return (await response.json()) as Body;
	};

describe('The control over HTTP', () => {
	it('answers nobody without its token', async () => {
		const { sandbox, register } = await opened();
		for (const token of ['', 'wrong', sandbox.keys.live]) {
			const response = await fetch(`${sandbox.control.url}/advance`, {
				method: 'POST',
				headers: { 'X-Sandbox-Token': token, 'Content-Type': 'application/json' },
				body: '{}',
			});
			expect(response.status).toBe(403);
		}
		expect(register.day).toBe('2025-03-03');
	});

	it('plans trouble, shows the requests that met it without keys, and forgets both', async () => {
		const { sandbox, client } = await opened({}, false);
		const control = controlOf(sandbox);
		const aim = { times: 2, path: '/licenses' };
		const trouble = { kind: 'error', status: 503 };
		expect(await control('POST', '/trouble', { trouble, aim })).toEqual({ pending: 2 });
		expect((await client.list({ county: 'leon' })).status).toBe(503);
		expect(await control('GET', '/trouble')).toEqual({ pending: 1 });
		expect(await control('DELETE', '/trouble')).toEqual({ pending: 0 });
		const log = await control<{ count: number; data: SeenRequest[] }>('GET', '/requests');
		expect(log).toMatchObject({
			count: 1,
			data: [{ path: '/licenses', query: { county: 'leon' }, status: 503 }],
		});
		expect(JSON.stringify(log)).not.toContain(sandbox.keys.live);
		await control('DELETE', '/requests');
		expect(sandbox.requests.count).toBe(0);
	});

	it.each<[string, object, string]>([
		['/trouble', { trouble: { kind: 'error' }, aims: {} }, 'must NOT have additional properties'],
		['/trouble', { trouble: { kind: 'error' }, aim: { path: '/v1/licenses' } }, 'path must match'],
		['/trouble', { trouble: { kind: 'earthquake' } }, 'kind must be equal to one of'],
		['/advance', { lists: '5' }, 'lists must be integer'],
	])('refuses %s with %j, and changes nothing', async (path, body, message) => {
		const { sandbox, register } = await opened();
		const fault = await controlOf(sandbox)<ErrorBody>('POST', path, body, 400);
		expect(fault.error.message).toContain(message);
		expect(sandbox.trouble.pending).toBe(0);
		expect(register.day).toBe('2025-03-03');
	});

	it('lists more now, and files licenses', async () => {
		const { sandbox, register } = await opened();
		const control = controlOf(sandbox);
		const after = { day: '2025-03-06', isToday: false };
		expect(await control('POST', '/advance', { lists: 3 })).toEqual(after);
		expect(register.day).toBe('2025-03-06');
		const record = { businessName: 'Planted Diner' };
		const { data } = await control<{ data: License }>('POST', '/file', { record });
		expect(data.businessName).toBe('Planted Diner');
		expect(register.get(data.id)).toEqual(data);
	});
});
