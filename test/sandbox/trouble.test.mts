import { describe, expect, it } from 'vitest';

import {
	simulatedClock,
	type License,
	type Sandbox,
	type SeenRequest,
} from '../../sandbox/index.mts';
import { opened, type ErrorBody } from './client.mts';

const controlOf =
	({ control }: Sandbox, token = control.token) =>
	async <Body,>(method: string, path: string, body?: object, status = 200): Promise<Body> => {
		const response = await fetch(control.url + path, {
			method,
			headers: {
				'X-Sandbox-Token': token,
				...(body && { 'Content-Type': 'application/json' }),
			},
			...(body && { body: JSON.stringify(body) }),
		});
		expect([path, response.status]).toEqual([path, status]);
		return (await response.json()) as Body;
	};

describe('Trouble on command', () => {
	it('meets as many requests, after as many others, as it is aimed at', async () => {
		const { sandbox, client } = await opened({}, false);
		const aim = { times: 2, after: 1, path: '/licenses/search' };
		sandbox.trouble.next({ kind: 'error', status: 503 }, aim);
		sandbox.trouble.next({ kind: 'error' }, { where: ({ query }) => query.county === 'leon' });
		const statuses: number[] = [];
		for (const path of [...Array<string>(4).fill('/licenses/search?q=a'), '/licenses'])
			statuses.push((await client.ask(path)).status);
		expect(statuses).toEqual([200, 503, 503, 200, 200]);
		expect((await client.list({ county: 'leon' })).status).toBe(500);
	});

	it('holds an answer up for as long as asked', async () => {
		const clock = simulatedClock('2026-09-24T12:00:00Z');
		const { sandbox, client } = await opened({ clock }, false);
		sandbox.trouble.next({ kind: 'delay', milliseconds: 60_000 });
		let isAnswered = false;
		const answer = client.list().finally(() => (isAnswered = true));
		await expect.poll(() => sandbox.trouble.pending).toBe(0);
		await clock.advance(59_999);
		expect(isAnswered).toBe(false);
		await clock.advance(1);
		expect((await answer).status).toBe(200);
	});
});

describe('The control over HTTP', () => {
	it('answers nobody without its token', async () => {
		const { sandbox, register } = await opened();
		for (const token of ['', 'wrong', sandbox.keys.live])
			await controlOf(sandbox, token)('POST', '/advance', {}, 403);
		expect(register.day).toBe('2025-03-03');
	});

	it('plans trouble, shows the requests that met it without keys, and forgets both', async () => {
		const { sandbox, client } = await opened({}, false);
		const control = controlOf(sandbox);
		const aim = { times: 2, path: '/licenses' };
		const trouble = { kind: 'error', status: 503 };
		expect(await control('POST', '/trouble', { trouble, aim })).toEqual({ pending: 2 });
		expect((await client.list({ county: 'leon' })).status).toBe(503);
		expect(await control('DELETE', '/trouble')).toEqual({ pending: 0 });
		const log = await control<{ count: number; data: SeenRequest[] }>('GET', '/requests');
		const data = [{ path: '/licenses', query: { county: 'leon' }, status: 503 }];
		expect(log).toMatchObject({ count: 1, data });
		expect(JSON.stringify(log)).not.toContain(sandbox.keys.live);
		await control('DELETE', '/requests');
		expect(sandbox.requests.count).toBe(0);
	});

	it('lists more now, and files licenses, but does nothing that it does not understand', async () => {
		const { sandbox, register } = await opened();
		const control = controlOf(sandbox);
		const fault = await control<ErrorBody>('POST', '/advance', { lists: '5' }, 400);
		expect(fault.error.message).toContain('lists must be integer');
		const after = { day: '2025-03-06', isToday: false };
		expect(await control('POST', '/advance', { lists: 3 })).toEqual(after);
		expect(register.day).toBe('2025-03-06');
		const record = { businessName: 'Planted Diner' };
		const { data } = await control<{ data: License }>('POST', '/file', { record });
		expect(register.get(data.id)).toMatchObject(record);
	});
});
