import { describe, expect, it } from 'vitest';

import type { License, Listing, Sandbox, SeenRequest } from '../../sandbox/index.mts';
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
		const { sandbox, client } = await opened();
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

	it.each<[string, string, object | undefined, number, string]>([
		['POST', '/trouble', { trouble: { kind: 'error' }, aims: {} }, 400, "takes no 'aims'"],
		['POST', '/advance', { days: '5' }, 400, "'days' must be number"],
		['POST', '/advance', { weeks: 1 }, 400, "takes no 'weeks'"],
		['POST', '/sample', { windows: { bars: 5 } }, 400, "takes no 'bars'"],
		['GET', '/listings?after=x', undefined, 400, "'after' must match"],
		['POST', '/change', { id: 'lic_unknown', record: {} }, 404, 'no license'],
	])('refuses %s %s with %j, and changes nothing', async (method, path, body, status, message) => {
		const { sandbox, register } = await opened();
		const fault = await controlOf(sandbox)<ErrorBody>(method, path, body, status);
		expect(fault.error.message).toContain(message);
		expect(sandbox.trouble.pending).toBe(0);
		expect(register.day).toBe('2025-03-03');
	});

	it('moves the clock, files and changes licenses, and shows what has become visible', async () => {
		const { sandbox, register } = await opened();
		const control = controlOf(sandbox);
		type One = { data: License };
		expect(await control('POST', '/advance', { days: 3 })).toMatchObject({ day: '2025-03-06' });
		expect(register.day).toBe('2025-03-06');
		const record = { businessName: 'Planted Diner' };
		const { id } = (await control<One>('POST', '/file', { record })).data;
		expect(register.get(id)?.businessName).toBe('Planted Diner');
		const changed = await control<One>('POST', '/change', { id, record: { status: 'suspended' } });
		expect(register.get(id)).toEqual(changed.data);
		const { data } = await control<{ data: Listing[] }>('GET', '/listings?after=0');
		expect(data).toEqual(register.listings);
		expect(data.at(-1)?.license).toEqual(changed.data);
	});

	it('makes the list a sample, and leaves out a source', async () => {
		const { sandbox, register } = await opened();
		const control = controlOf(sandbox);
		await control('POST', '/sample', { windows: { liquor: 5 } });
		expect(register.all()).toHaveLength(5);
		await control('POST', '/sample', {});
		await control('POST', '/leave-out', { what: 'liquor' });
		const hasLiquor = () =>
			register.all().some(({ licenseNumber }) => licenseNumber.startsWith('BEV'));
		expect(hasLiquor()).toBe(true);
		await control('POST', '/advance', {});
		expect(hasLiquor()).toBe(false);
		expect(await control('GET', '/register')).toMatchObject({
			day: '2025-03-04',
			hasCaughtUp: false,
		});
	});
});
