import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';

import {
	createSandbox,
	simulatedClock,
	wallClock,
	type License,
	type LicensePage,
	type SandboxOptions,
} from '../../sandbox/index.mts';
import { listen } from '../support/loopback.mts';
import { answerFault } from '../support/openapi.mts';

type Init = RequestInit & { key?: string; headers?: Record<string, string> };
type Body = LicensePage & { error: { type: string; message: string } };

/** A small register, all of whose answers are checked against openapi.yaml unless it is told not to. */
async function opened(options: SandboxOptions = {}, isChecked = true) {
	const sandbox = await createSandbox({ records: 400, today: '2025-03-03', ...options });
	onTestFinished(() => sandbox.close());
	const { register, baseUrl, keys } = sandbox;
	const ask = async <Expected = Body,>(path: string, { key = keys.live, ...init }: Init = {}) => {
		const headers = { Authorization: `Bearer ${key}`, ...init.headers };
		const response = await fetch(baseUrl + path, { ...init, headers });
		const body = JSON.parse((await response.text()) || '{}') as Expected;
		const [pathname = ''] = path.split('?');
		const fault = answerFault(init.method ?? 'GET', pathname, response.status, body);
		if (isChecked) expect(fault).toBeUndefined();
		return { status: response.status, headers: response.headers, body };
	};
	const list = async (query: Record<string, string | number> = {}, key: string = keys.live) => {
		const search = new URLSearchParams(query as Record<string, string>);
		return (await ask(`/licenses?${search}`, { key })).body;
	};
	return { sandbox, register, ask, list };
}

const post = (body: object) => ({
	method: 'POST',
	headers: { 'Content-Type': 'application/json' },
	body: JSON.stringify(body),
});

it('Any answer that departs from openapi.yaml is noticed', async () => {
	const { register, list } = await opened({}, false);
	register.file({ id: 7, filedDate: '2025-03-03' });
	const body = await list({ limit: 50, event_type: 'new_filing' });
	expect(answerFault('GET', '/licenses', 200, body)).toMatch(/\/data\/\d+\/id must be string/);
});

it('The list counts exactly, and brings every record once, in the order of the register', async () => {
	const { register, list } = await opened();
	const read: License[] = [];
	let cursor: string | null = '';
	while (cursor !== null) {
		const { data, pagination }: LicensePage = await list({ limit: 50, cursor });
		read.push(...data);
		cursor = pagination.cursor;
		expect(pagination.total).toBe(register.all().length);
	}
	expect(read).toEqual(register.all());
});

it('A page has 1 to 50 licenses, and begins at the position in its cursor, or again if that is none', async () => {
	const { register, list } = await opened();
	const limits: Record<string, number> = { 500: 50, 0: 1, '-3': 1, ten: 10, '': 10 };
	for (const [limit, expected] of Object.entries(limits))
		expect([limit, (await list({ limit })).data.length]).toEqual([limit, expected]);
	const cursorAt = (offset: number) => btoa(JSON.stringify({ offset }));
	expect((await list({ limit: 50 })).pagination.cursor).toBe(cursorAt(50));
	const at = async (cursor: string) => (await list({ limit: 2, cursor })).data;
	expect(await at(cursorAt(50))).toEqual(register.all().slice(50, 52));
	for (const cursor of ['nonsense', cursorAt(-5), btoa('null')])
		expect([cursor, await at(cursor)]).toEqual([cursor, register.all().slice(0, 2)]);
	expect(await at(cursorAt(9999))).toEqual([]);
});

it('The list filters by county in any case, type, event, status and text, and ignores what it does not know', async () => {
	const { register, list } = await opened({ records: 2000 });
	const { address, businessName } = register.all().find(({ address: at }) => at?.county)!;
	const joined = `${businessName!.slice(-4)} ${address!.city} ${address!.county!.slice(0, 3)}`;
	const textOf = (one: License) =>
		`${one.businessName} ${one.address?.city} ${one.address?.county}`.toLowerCase();
	const cases: Array<[query: Record<string, string>, isOne: (license: License) => boolean]> = [
		[{ county: 'palm BEACH' }, (one) => one.address?.county === 'Palm Beach'],
		[{ license_type: 'COP' }, ({ licenseType }) => licenseType === 'COP'],
		[{ event_type: 'new_filing' }, ({ eventType }) => eventType === 'new_filing'],
		[{ status: 'cancelled' }, ({ status }) => status === 'cancelled'],
		[{ q: joined.toUpperCase() }, (one) => textOf(one).includes(joined.toLowerCase())],
		[{ filed_after: '2026-01-01' }, () => true],
	];
	for (const [query, isOne] of cases) {
		const { data, pagination } = await list({ limit: 50, ...query });
		const expected = register.all().filter(isOne);
		expect([query, data]).toEqual([query, expected.slice(0, 50)]);
		expect(pagination.total).toBe(expected.length);
	}
	expect((await list({ county: 'palm-beach' })).data).toEqual([]);
});

it('One license is found by its id, its number, and a part of any name, city or street', async () => {
	const { register, ask } = await opened();
	const license = register.all().find((one) => one.address?.street && one.legalName)!;
	for (const name of [license.id, license.licenseNumber])
		expect((await ask(`/licenses/${name}`)).body).toEqual({ data: license });
	expect((await ask('/licenses/BEV9999999')).status).toBe(404);
	const { businessName, legalName, address } = license;
	for (const part of [businessName, legalName, address!.street, address!.city]) {
		const query = new URLSearchParams({ q: part!.slice(1).toUpperCase(), limit: '100' });
		expect((await ask(`/licenses/search?${query}`)).body.data).toContainEqual(license);
	}
	const { status, body } = await ask('/licenses/search');
	expect([status, body.error.type]).toEqual([400, 'invalid_request']);
});

it('A test key gets the same licenses every time, and no key but the current ones gets anything', async () => {
	const [one, other] = await Promise.all([opened({ seed: 1 }), opened({ seed: 2 })]);
	other.register.advance();
	const { keys, requests } = one.sandbox;
	const body = await one.list({ limit: 50 }, keys.test);
	expect(await other.list({ limit: 50 }, keys.test)).toEqual(body);
	expect(await one.list({ limit: 50 })).not.toEqual(body);
	const { live: old } = keys;
	const fresh = keys.rotate('live');
	for (const path of ['/licenses', '/licenses/search', '/licenses/lic_any']) {
		const answer = await one.ask(path, { key: old });
		expect([path, answer.status, answer.body.error.type]).toEqual([path, 401, 'unauthorized']);
		expect(JSON.stringify([answer, requests.entries])).not.toContain(old);
	}
	expect((await one.list({ limit: 2 }, fresh)).data).toHaveLength(2);
	expect((await fetch(new URL('/%761/licenses', one.sandbox.baseUrl))).status).toBe(401);
});

it('The sandbox does not answer under a name that leads to this machine from elsewhere', async () => {
	const { sandbox } = await opened();
	const asked = request(sandbox.baseUrl, { headers: { host: 'evil.example' } }).end();
	const [answer] = (await once(asked, 'response')) as [IncomingMessage];
	expect(answer.statusCode).toBe(403);
	answer.destroy();
});

it('Every answer says what is left of the rate limit, and what is too much is refused for a minute', async () => {
	const clock = simulatedClock('2026-03-03T12:00:00Z');
	const { sandbox, ask } = await opened({ clock, rateLimits: 'plan120' });
	const left = async (key?: string) => {
		const { status, headers } = await ask('/licenses?limit=1', key === undefined ? {} : { key });
		const names = [
			'x-ratelimit-limit',
			'x-ratelimit-remaining',
			'x-ratelimit-reset',
			'retry-after',
		];
		return [status, ...names.map((name) => headers.get(name))];
	};
	const reset = Date.parse('2026-03-03T12:01:00Z') / 1000;
	expect(await left()).toEqual([200, '120', '119', `${reset}`, null]);
	for (let count = 0; count < 119; count++) await left();
	expect(await left()).toEqual([429, '120', '0', `${reset}`, '60']);
	expect(await left(sandbox.keys.test)).toEqual([200, '60', '59', `${reset}`, null]);
	await clock.advance(60_000);
	expect(await left()).toEqual([200, '120', '119', `${reset + 60}`, null]);
});

it('Webhooks, once on, deliver what a registration selects, signed over the raw body, until it is removed', async () => {
	const received: Array<{ signature: unknown; body: string }> = [];
	const { baseUrl, close } = await listen((request, response) => {
		void text(request).then((body) => {
			received.push({ signature: request.headers['x-service-signature'], body });
			response.end();
		});
	});
	onTestFinished(close);
	const off = await opened();
	expect((await off.ask('/webhooks', { method: 'POST' })).status).toBe(404);
	const { sandbox, register, ask } = await opened({ clock: wallClock, webhooks: true });
	const selection = { events: ['new_filing'], counties: ['palm-beach'], license_types: ['SRX'] };
	const wrong = { url: baseUrl, counties: ['Miami-Dade'] };
	expect((await ask('/webhooks', post(wrong))).status).toBe(400);
	const { status, body } = await ask<{ data: { id: string; secret: string } }>(
		'/webhooks',
		post({ url: baseUrl, ...selection }),
	);
	expect(status).toBe(201);

	const record = {
		businessName: 'Café Olé',
		licenseType: 'SRX',
		address: { county: 'Palm Beach' },
	};
	const wanted = register.file(record);
	register.file({ ...record, licenseType: 'COP' });
	register.file({ ...record, address: { county: 'Broward' } });
	register.change(wanted.id, { eventType: 'renewal' });
	await sandbox.webhooks!.deliveries.settled();
	const [delivery, ...others] = received;
	expect([JSON.parse(delivery!.body), others]).toEqual([{ type: 'new_filing', data: wanted }, []]);
	const digest = createHmac('sha256', body.data.secret).update(delivery!.body).digest('hex');
	expect(delivery!.signature).toBe(digest);

	expect((await ask(`/webhooks/${body.data.id}`, { method: 'DELETE' })).status).toBe(204);
	register.file(record);
	await sandbox.webhooks!.deliveries.settled();
	expect(received).toHaveLength(1);
});

it('Trouble meets the requests it is aimed at, also when it is planned over HTTP, with the token alone', async () => {
	const { sandbox, register, ask } = await opened({}, false);
	const { url, token } = sandbox.control;
	const control = async (path: string, body: object, header = token) => {
		const { headers, ...init } = post(body);
		const own = { ...headers, 'X-Sandbox-Token': header };
		return (await fetch(url + path, { ...init, headers: own })).status;
	};
	expect(await control('/advance', {}, sandbox.keys.live)).toBe(403);
	expect(await control('/advance', { lists: '5' })).toBe(400);
	expect(await control('/advance', { lists: 3 })).toBe(200);
	expect(register.day).toBe('2025-03-06');
	const aim = { times: 2, after: 1, path: '/licenses/search' };
	expect(await control('/trouble', { trouble: { kind: 'error', status: 503 }, aim })).toBe(200);
	sandbox.trouble.next({ kind: 'error' }, { where: ({ query }) => query.county === 'leon' });
	const statuses: number[] = [];
	for (const path of ['/licenses', ...Array<string>(4).fill('/licenses/search?q=a')])
		statuses.push((await ask(path)).status);
	expect(statuses).toEqual([200, 200, 503, 503, 200]);
	expect((await ask('/licenses?county=leon')).status).toBe(500);
});
