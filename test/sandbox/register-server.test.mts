import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
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

	it('has 10 licenses on a page unless asked, and 1 to 50', async () => {
		const { client } = await opened();
		const limits = { 500: 50, 50: 50, 0: 1, '-3': 1, '2.9': 2, ten: 10, '': 10 };
		for (const [limit, expected] of [...Object.entries(limits), [undefined, 10] as const]) {
			const { status, body } = await client.list({ limit });
			const { data, pagination } = body;
			expect([limit, status, data.length]).toEqual([limit, 200, expected]);
			expect(pagination.limit).toBe(expected);
		}
	});

	it('takes a position as cursor, and begins again at one that it cannot read', async () => {
		const { register, client } = await opened();
		const { body } = await client.list({ limit: 50 });
		expect(body.pagination.cursor).toBe(cursorAt(50));
		const at = async (cursor: string) => (await client.list({ limit: 2, cursor })).body.data;
		const from = (offset: number) => register.all().slice(offset, offset + 2);
		expect(await at(cursorAt(50))).toEqual(from(50));
		for (const cursor of ['nonsense', '', cursorAt(-5), btoa('{"page":3}'), btoa('null')])
			expect([cursor, await at(cursor)]).toEqual([cursor, from(0)]);
		expect(await at(cursorAt(9999))).toEqual([]);
	});

	it('filters by county in any case, type, event and status, and finds nothing where nothing has that', async () => {
		const { register, client } = await opened({ records: 2000 });
		for (const [query, isOne] of [
			[{ county: 'palm BEACH' }, ({ address }: License) => address?.county === 'Palm Beach'],
			[{ license_type: 'COP' }, ({ licenseType }: License) => licenseType === 'COP'],
			[{ event_type: 'new_filing' }, ({ eventType }: License) => eventType === 'new_filing'],
			[{ status: 'cancelled' }, ({ status }: License) => status === 'cancelled'],
			[{ filed_after: '2026-01-01', licenseType: 'COP' }, () => true],
		] as const) {
			const expected = register.all().filter(isOne);
			expect(expected).not.toEqual([]);
			expect(await client.all(query)).toEqual(expected);
		}
		for (const query of [{ county: 'palm-beach' }, { license_type: 'WINE' }])
			expect(await client.all(query)).toEqual([]);
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

	it('finds one license by its id and by its number', async () => {
		const { register, client } = await opened();
		const license = register.all()[30]!;
		for (const name of [license.id, license.licenseNumber])
			expect((await client.get(name)).body).toEqual({ data: license });
		expect((await client.get('BEV9999999')).status).toBe(404);
	});

	it('is searched for a part of any name, city, county or street, and needs a text', async () => {
		const { register, client } = await opened();
		const license = register.all().find((one) => one.address?.street && one.legalName)!;
		const { businessName, legalName, address } = license;
		for (const part of [businessName, legalName, address!.street, address!.city]) {
			const query = { q: part!.slice(1).toUpperCase(), limit: 100, county: address!.county! };
			const { body } = await client.ask<{ data: License[] }>('/licenses/search', { query });
			expect(body.data).toContainEqual(license);
			expect(new Set(body.data.map((one) => one.address?.county)).size).toBe(1);
		}
		const { status, body } = await client.fault('/licenses/search');
		expect([status, body.error.type]).toEqual([400, 'invalid_request']);
	});
});

describe('The keys of a register', () => {
	const paths = ['/licenses', '/licenses/search', '/licenses/lic_any', '/webhooks', '/nowhere'];

	it('are a test key, which gets the same licenses every time, and a live one', async () => {
		const [one, other] = await Promise.all([opened({ seed: 1 }), opened({ seed: 2 })]);
		other.register.advance();
		const { body } = await one.client.list({ limit: 50 }, one.sandbox.keys.test);
		expect((await other.client.list({ limit: 50 }, other.sandbox.keys.test)).body).toEqual(body);
		expect((await one.client.list({ limit: 50 })).body).not.toEqual(body);
	});

	it.each(paths)('are needed for %s', async (path) => {
		const { sandbox } = await opened();
		const response = await fetch(sandbox.baseUrl + path);
		expect(response.status).toBe(401);
		const { error } = (await response.json()) as ErrorBody;
		expect(error).toEqual({ type: 'unauthorized', message: expect.stringContaining('Bearer') });
	});

	it('are refused once rotated, and stand in neither an answer nor the log of requests', async () => {
		const { sandbox, client } = await opened();
		const old: string = sandbox.keys.live;
		const fresh = sandbox.keys.rotate('live');
		const answers = await Promise.all(paths.map((path) => client.fault(path, { key: old })));
		expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 401));
		expect(sandbox.requests.count).toBe(paths.length);
		expect(JSON.stringify([answers, sandbox.requests.entries])).not.toContain(old);
		expect((await client.list({}, fresh)).status).toBe(200);
	});

	it.each([
		['evil.example', 403],
		['127.0.0.1.evil.example', 403],
		['LOCALHOST:4010', 200],
		['license-service.example', 200],
	])('count under names of this machine alone: %s gets %i', async (host, status) => {
		const { sandbox } = await opened({ hosts: ['license-service.example'] });
		const headers = { host, authorization: `Bearer ${sandbox.keys.live}` };
		const asked = request(`${sandbox.baseUrl}/licenses`, { headers }).end();
		const [answer] = (await once(asked, 'response')) as [IncomingMessage];
		expect(answer.statusCode).toBe(status);
		answer.destroy();
	});
});

describe('The rate limits of a register', () => {
	const start = '2026-03-03T12:00:00Z';

	it('say in every answer what is left, and refuse with Retry-After 60 what is too much', async () => {
		const clock = simulatedClock(start);
		const { sandbox, client } = await opened({ clock, rateLimits: 'plan120' });
		const left = async (key?: string) => {
			const { status, headers } = await client.list({ limit: 1 }, key);
			const names = ['limit', 'remaining', 'reset'];
			return [status, ...names.map((name) => Number(headers.get(`x-ratelimit-${name}`)))];
		};
		const reset = Date.parse(start) / 1000 + 60;
		expect(await left()).toEqual([200, 120, 119, reset]);
		for (let count = 0; count < 119; count++) await left();
		expect(await left()).toEqual([429, 120, 0, reset]);
		const refused = await client.fault('/licenses');
		expect(refused.headers.get('retry-after')).toBe('60');
		expect(refused.body.error.type).toBe('rate_limited');
		expect(await left(sandbox.keys.test)).toEqual([200, 60, 59, reset]);
		await clock.advance(60_000);
		expect(await left()).toEqual([200, 120, 119, reset + 60]);
	});

	it('are counted by each of several servers, so that the numbers jump', async () => {
		const clock = simulatedClock(start);
		const { client } = await opened({ clock, rateLimits: 'plan60', servers: 2 });
		const left: number[] = [];
		const statuses: number[] = [];
		for (let count = 0; count < 140; count++) {
			const { status, headers } = await client.list({ limit: 1 });
			statuses.push(status);
			left.push(Number(headers.get('x-ratelimit-remaining')));
		}
		expect(left.some((remaining, at) => remaining > (left[at - 1] ?? 60))).toBe(true);
		expect(statuses.filter((status) => status === 200)).toHaveLength(120);
		expect(statuses.slice(statuses.indexOf(429))).toContain(200);
	});
});

it('A register goes on where it was when it is started again, with a list for each day since', async () => {
	const stateFile = join(tmpdir(), `register-${process.pid}.json`);
	onTestFinished(() => rm(stateFile, { force: true }));
	const monday = { stateFile, today: undefined, clock: simulatedClock('2026-03-02T12:00:00Z') };
	const one = await opened(monday);
	one.register.advance(5);
	const list = one.register.all();
	const other = await opened(monday);
	expect([other.register.day, other.register.all()]).toEqual(['2026-03-02', list]);
	const thursday = { ...monday, clock: simulatedClock('2026-03-05T12:00:00Z') };
	const later = await opened(thursday);
	expect(later.register.day).toBe('2026-03-05');
	const known = new Set(list.map(({ id }) => id));
	expect(later.register.all().filter(({ id }) => known.has(id))).toHaveLength(list.length);
	expect((await opened({ ...thursday, seed: 2 })).register.history).toEqual([]);
});
