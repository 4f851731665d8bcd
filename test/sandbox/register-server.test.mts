import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { simulatedClock, type License } from '../../sandbox/index.mts';
import { opened, type ErrorBody } from './client.mts';

const cursorAt = (offset: number): string =>
	Buffer.from(JSON.stringify({ offset })).toString('base64');

describe('The list of a register', () => {
	it('counts exactly, and brings every record once, in the order of the register', async () => {
		const { register, client } = await opened();
		const all = await client.all();
		expect(all).toEqual(register.all());
		expect((await client.list()).body.pagination.total).toBe(all.length);
	});

	it.each([
		['500', 50],
		['50', 50],
		['0', 1],
		['-3', 1],
		['2.9', 2],
		['ten', 10],
		['', 10],
		[undefined, 10],
	])('reads a limit of %s as %s', async (limit, expected) => {
		const { client } = await opened();
		const { status, body } = await client.list({ limit });
		expect([status, body.data.length]).toEqual([200, expected]);
		expect(body.pagination.limit).toBe(expected);
	});

	it('takes a position as cursor, and begins again at one that it cannot read', async () => {
		const { register, client } = await opened();
		const all = register.all();
		const { body } = await client.list({ limit: 50 });
		expect(body.pagination.cursor).toBe(cursorAt(50));
		const idsAt = async (cursor: string) =>
			(await client.list({ limit: 2, cursor })).body.data.map(({ id }) => id);
		const idsFrom = (offset: number) => all.slice(offset, offset + 2).map(({ id }) => id);
		expect(await idsAt(cursorAt(50))).toEqual(idsFrom(50));
		for (const cursor of ['nonsense', '', cursorAt(-5), btoa('{"page":3}'), btoa('null')])
			expect([cursor, await idsAt(cursor)]).toEqual([cursor, idsFrom(0)]);
		expect(await idsAt(cursorAt(9999))).toEqual([]);
	});

	it('knows a county by its name, in any case, and finds nothing under a slug', async () => {
		const { register, client } = await opened();
		const expected = register.all().filter(({ address }) => address?.county === 'Palm Beach');
		expect(expected.length).toBeGreaterThan(5);
		for (const county of ['Palm Beach', 'palm beach', 'PALM BEACH'])
			expect(await client.all({ county })).toEqual(expected);
		for (const county of ['palm-beach', 'Palm Beach County', 'Atlantis'])
			expect(await client.all({ county })).toEqual([]);
	});

	it('looks for q in name, city and county, joined, in any case', async () => {
		const { register, client } = await opened();
		const { address, businessName } = register.all().find(({ address: at }) => at?.county)!;
		const joined = `${businessName!.slice(-4)} ${address!.city} ${address!.county!.slice(0, 3)}`;
		const textOf = (license: License) =>
			`${license.businessName} ${license.address?.city} ${license.address?.county}`.toLowerCase();
		for (const q of [joined.toUpperCase(), 'bar', 'grill miami']) {
			const expected = register.all().filter((one) => textOf(one).includes(q.toLowerCase()));
			expect([q, await client.all({ q })]).toEqual([q, expected]);
		}
		expect(await client.all({ q: joined })).not.toEqual([]);
	});

	it.each([
		['license_type', 'licenseType', 'COP'],
		['event_type', 'eventType', 'new_filing'],
		['status', 'status', 'cancelled'],
	] as const)('filters by %s', async (parameter, field, value) => {
		const { register, client } = await opened({ records: 2000 });
		const expected = register.all().filter((license) => license[field] === value);
		expect(expected).not.toEqual([]);
		expect(await client.all({ [parameter]: value })).toEqual(expected);
	});

	it('ignores what it does not know, and values that nothing has', async () => {
		const { register, client } = await opened();
		const { body } = await client.list({ filed_after: '2026-01-01', licenseType: 'COP' });
		expect(body.pagination.total).toBe(register.all().length);
		expect((await client.list({ license_type: 'WINE' })).body.data).toEqual([]);
	});

	it('may be kept for a minute by whoever stands in between', async () => {
		const { client } = await opened();
		const { headers } = await client.list();
		expect(headers.get('cache-control')).toBe('public, max-age=60');
	});

	it('finds one license by its id and by its number', async () => {
		const { register, client } = await opened();
		const license = register.all()[30]!;
		for (const name of [license.id, license.licenseNumber])
			expect((await client.get(name)).body).toEqual({ data: license });
		expect((await client.get('BEV9999999')).status).toBe(404);
	});
});

describe('The search of a register', () => {
	type Found = { data: License[]; query: string; count: number };

	it('looks for a part of any name, city, county or street, and has no pages', async () => {
		const { register, client } = await opened();
		const [license] = register
			.all()
			.filter(({ address, legalName }) => address?.street && legalName);
		const { businessName, legalName, address } = license!;
		for (const part of [businessName, legalName, address!.street, address!.city]) {
			const query = { q: part!.slice(1).toUpperCase(), limit: 100 };
			const { body } = await client.ask<Found>('/licenses/search', { query });
			expect(Object.keys(body)).toEqual(['data', 'query', 'count']);
			expect(body.data).toContainEqual(license);
			expect([body.query, body.count]).toEqual([query.q, body.data.length]);
		}
	});

	it('brings 25 licenses unless asked, and 100 at most, and can be kept to a county', async () => {
		const { client } = await opened({ records: 3000 });
		const found = async (query: Record<string, string | number>) =>
			(await client.ask<Found>('/licenses/search', { query: { q: 'a', ...query } })).body.data;
		expect(await found({})).toHaveLength(25);
		expect(await found({ limit: 500 })).toHaveLength(100);
		const inLee = await found({ county: 'lee' });
		expect(new Set(inLee.map(({ address }) => address?.county))).toEqual(new Set(['Lee']));
	});

	it('needs a text', async () => {
		const { client } = await opened();
		const { status, body } = await client.fault('/licenses/search');
		expect([status, body.error.type]).toEqual([400, 'invalid_request']);
	});
});

describe('The keys of a register', () => {
	it('gives a test key the same licenses every time, whatever a live key reads', async () => {
		const [one, other] = await Promise.all([opened({ seed: 1 }), opened({ seed: 2 })]);
		other.register.advance();
		const { body } = await one.client.list({ limit: 50 }, one.sandbox.keys.test);
		expect((await other.client.list({ limit: 50 }, other.sandbox.keys.test)).body).toEqual(body);
		expect((await one.client.list({ limit: 50 })).body).not.toEqual(body);
	});

	it.each([
		['no key', undefined],
		['a wrong key', 'Bearer ls_live_wrong'],
	])('refuses %s with 401 and WWW-Authenticate', async (_what, authorization) => {
		const { sandbox } = await opened();
		const headers = new Headers(authorization === undefined ? {} : { authorization });
		const response = await fetch(`${sandbox.baseUrl}/licenses`, { headers });
		expect(response.status).toBe(401);
		expect(response.headers.get('www-authenticate')).toBe('Bearer');
		expect(((await response.json()) as ErrorBody).error.type).toBe('unauthorized');
	});
});

describe('The rate limits of a register', () => {
	const start = '2026-03-03T12:00:00Z';

	it('says in every answer what is left, and refuses with Retry-After 60 what is too much', async () => {
		const clock = simulatedClock(start);
		const { sandbox, client } = await opened({ clock, rateLimits: 'plan120' });
		const left = async (key?: string) => {
			const { status, headers } = await client.list({ limit: 1 }, key);
			const names = ['limit', 'remaining', 'reset'];
			return [status, ...names.map((name) => Number(headers.get(`x-ratelimit-${name}`)))];
		};
		const reset = Date.parse(start) / 1000 + 60;
		expect(await left()).toEqual([200, 120, 119, reset]);
		for (let request = 0; request < 119; request++) await left();
		expect(await left()).toEqual([429, 120, 0, reset]);
		const refused = await client.fault('/licenses');
		expect(refused.headers.get('retry-after')).toBe('60');
		expect(refused.body.error.type).toBe('rate_limited');
		expect(await left(sandbox.keys.test)).toEqual([200, 60, 59, reset]);
		await clock.advance(60_000);
		expect(await left()).toEqual([200, 120, 119, reset + 60]);
	});

	it.each([
		['plan60', 60],
		['plan120', 120],
		['plan600', 600],
		['plan3000', 3000],
	] as const)('gives a live key the limit of its plan: %s', async (rateLimits, limit) => {
		const { sandbox, client } = await opened({ rateLimits });
		const limitOf = async (key: string) =>
			(await client.list({}, key)).headers.get('x-ratelimit-limit');
		expect(await limitOf(sandbox.keys.live)).toBe(String(limit));
		expect(await limitOf(sandbox.keys.test)).toBe('60');
	});

	it('is counted by each of several servers, so that the numbers jump', async () => {
		const clock = simulatedClock(start);
		const { client } = await opened({ clock, rateLimits: 'plan60', servers: 2 });
		const left: number[] = [];
		const statuses: number[] = [];
		for (let request = 0; request < 140; request++) {
			const { status, headers } = await client.list({ limit: 1 });
			statuses.push(status);
			left.push(Number(headers.get('x-ratelimit-remaining')));
		}
		expect(left.some((remaining, request) => remaining > (left[request - 1] ?? 60))).toBe(true);
		expect(statuses.filter((status) => status === 200)).toHaveLength(120);
		const firstRefused = statuses.indexOf(429);
		expect(statuses.slice(firstRefused)).toContain(200);
	});
});

describe('A register in the sandbox', () => {
	it('delivers what is newly listed, and what happens to a license, and no grocery again', async () => {
		const { sandbox, register, client } = await opened({ webhooks: true, records: 108_000 });
		const url = 'http://127.0.0.1:9/';
		await client.ask('/webhooks', {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify({ url, events: ['new_filing', 'address_change'] }),
		});
		register.advance(2);
		await expect
			.poll(() => sandbox.webhooks!.deliveries.attempts.length)
			.toBe(
				register.listings.filter(({ license }) =>
					['new_filing', 'address_change'].includes(license.eventType!),
				).length,
			);
		const delivered = sandbox.webhooks!.deliveries.attempts.map(
			({ body }) => (JSON.parse(body) as { data: License }).data,
		);
		expect(delivered.length).toBeGreaterThan(20);
		expect(delivered.some(({ licenseNumber }) => /^\d/.test(licenseNumber))).toBe(false);
		expect(delivered.every(({ id }) => register.get(id))).toBe(true);
	});

	it('goes on where it was when it is started again, with a list for each day since', async () => {
		const stateFile = join(tmpdir(), `register-${process.pid}.json`);
		onTestFinished(() => rm(stateFile, { force: true }));
		const monday = { stateFile, today: undefined, clock: simulatedClock('2026-03-02T12:00:00Z') };
		const one = await opened(monday);
		one.register.advance(5);
		const list = one.register.all();
		const other = await opened(monday);
		expect(other.register.day).toBe('2026-03-02');
		expect(other.register.all()).toEqual(list);
		const thursday = { ...monday, clock: simulatedClock('2026-03-05T12:00:00Z') };
		const later = await opened(thursday);
		expect(later.register.day).toBe('2026-03-05');
		const known = new Set(list.map(({ id }) => id));
		expect(later.register.all().filter(({ id }) => known.has(id))).toHaveLength(list.length);
		expect((await opened({ ...thursday, seed: 2 })).register.history).toEqual([]);
	});
});
