import { describe, expect, it } from 'vitest';

import type {
	License,
	LicensePage,
	LoggedEvent,
	StreamSandbox,
	SeenRequest,
} from '../../sandbox/index.mts';
import { started, type ErrorBody } from './client.mts';

const controlOf =
	({ control }: StreamSandbox) =>
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
		const { sandbox, client } = await started();
		for (const token of ['', 'wrong', sandbox.keys.live]) {
			const response = await fetch(`${sandbox.control.url}/live/burst`, {
				method: 'POST',
				headers: { 'X-Sandbox-Token': token, 'Content-Type': 'application/json' },
				body: '{"count":5}',
			});
			expect(response.status).toBe(403);
		}
		expect((await client.list()).body.pagination.total).toBe(300);
	});

	it('plans trouble, shows the requests that met it without keys, and forgets both', async () => {
		const { sandbox, client } = await started();
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

	it.each<[string, string, object | undefined, string]>([
		['POST', '/trouble', { trouble: { kind: 'hang' }, aims: {} }, "takes no 'aims'"],
		['POST', '/between-pages', { insert: 1, times: 0 }, "'times' must be >= 1"],
		['POST', '/live/burst', { count: '5' }, "'count' must be integer"],
		['GET', '/events?after=x', undefined, "'after' must match"],
	])('refuses %s %s with %j, and changes nothing', async (method, path, body, message) => {
		const { sandbox } = await started();
		const fault = await controlOf(sandbox)<ErrorBody>(method, path, body, 400);
		expect(fault.error.message).toContain(message);
		expect(sandbox.trouble.pending).toBe(0);
		expect(sandbox.live.events).toEqual([]);
	});

	it('inserts, updates and removes, brings bursts and late filings, and lets time pass', async () => {
		const { sandbox, client } = await started({ rate: 1 });
		const control = controlOf(sandbox);
		type One = { data: License };
		const record = { businessName: 'Planted Diner' };
		const inserted = await control<One>('POST', '/live/insert', { record });
		expect(inserted.data.businessName).toBe('Planted Diner');
		const { id } = inserted.data;
		const updated = await control<One>('POST', '/live/update', {
			id,
			record: { status: 'active' },
		});
		expect((await client.get(id)).body.data).toEqual(updated.data);
		await control('POST', '/live/remove', { id });
		expect((await client.get(id)).status).toBe(404);
		await control('POST', '/live/burst', { count: 30 });
		expect((await client.list()).body.pagination.total).toBe(330);
		const late = await control<One>('POST', '/live/late', { hours: 3 });
		expect(late.data.eventTimestamp).toBe('2026-09-24T09:00:00Z');
		const before = sandbox.live.events.length;
		await control('POST', '/live/advance', { milliseconds: 3_600_000 });
		expect(sandbox.live.events.length).toBeGreaterThan(before);
		const { data } = await control<{ data: LoggedEvent[] }>('GET', `/events?after=${before}`);
		expect(data).toEqual(sandbox.live.events.slice(before));
	});

	it('moves the feed between two page reads, as often as asked', async () => {
		const { sandbox, client } = await started();
		await controlOf(sandbox)('POST', '/between-pages', { insert: 2, remove: 1, times: 1 });
		let cursor: string | undefined;
		for (const total of [300, 301, 301]) {
			const { pagination }: LicensePage = (await client.list({ cursor })).body;
			expect(pagination.total).toBe(total);
			cursor = pagination.cursor!;
		}
	});
});
