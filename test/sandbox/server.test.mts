import {
	createSandbox,
	simulatedClock,
	type License,
	type LicensePage,
	type SandboxOptions,
} from '../../sandbox/index.mts';
import { expectInterface } from '../support/interface.mts';

type Body = LicensePage & { error: { type: string; message: string } };

async function opened(options: SandboxOptions = {}) {
	const sandbox = await createSandbox({ records: 400, today: '2025-03-03', ...options });
	onTestFinished(() => sandbox.close());
	const { register, baseUrl, keys } = sandbox;
	const ask = async (path: string, key: string = keys.live) => {
		const headers = { Authorization: `Bearer ${key}` };
		const response = await fetch(baseUrl + path, { headers });
		const body = JSON.parse((await response.text()) || '{}') as Body;
		return { status: response.status, headers: response.headers, body };
	};
	const list = async (query: Record<string, string> = {}, key?: string) =>
		(await ask(`/licenses?${new URLSearchParams(query)}`, key)).body;
	return { sandbox, register, ask, list };
}

it('The sandbox answers as openapi.yaml says, with the whole register in its order', async () => {
	const { sandbox, register } = await opened();
	expect(await expectInterface(sandbox.credentials)).toEqual(register.all());
});

it('A page has 1 to 50 licenses, and begins at the position in its cursor', async () => {
	const { register, list } = await opened();
	const limits: Record<string, number> = { 500: 50, 0: 1, '-3': 1, ten: 10, '': 10 };
	for (const [limit, expected] of Object.entries(limits))
		expect([limit, (await list({ limit })).data.length]).toEqual([limit, expected]);
	const { cursor } = (await list({ limit: '50' })).pagination;
	expect(cursor).toBe(btoa(JSON.stringify({ offset: 50 })));
	expect((await list({ limit: '2', cursor: cursor! })).data).toEqual(register.all().slice(50, 52));
});

it('The list filters as the interface says, and ignores what it does not know', async () => {
	const { register, list, ask } = await opened({ records: 2000 });
	const license = register.all().find((one) => one.address?.street && one.address.county)!;
	const { address, businessName, legalName } = license;
	const joined = `${businessName!.slice(-4)} ${address!.city} ${address!.county!.slice(0, 3)}`;
	const textOf = (one: License) =>
		`${one.businessName} ${one.address?.city} ${one.address?.county}`.toLowerCase();
	const cases: Array<[query: Record<string, string>, isOne: (license: License) => boolean]> = [
		[{ county: 'palm BEACH' }, (one) => one.address?.county === 'Palm Beach'],
		[{ county: 'palm-beach' }, () => false],
		[{ license_type: 'COP' }, ({ licenseType }) => licenseType === 'COP'],
		[{ status: 'cancelled' }, ({ status }) => status === 'cancelled'],
		[{ q: joined.toUpperCase() }, (one) => textOf(one).includes(joined.toLowerCase())],
		[{ filed_after: '2026-01-01' }, () => true],
	];
	for (const [query, isOne] of cases) {
		const { data, pagination } = await list({ limit: '50', ...query });
		const expected = register.all().filter(isOne);
		expect([query, data]).toEqual([query, expected.slice(0, 50)]);
		expect(pagination.total).toBe(expected.length);
	}
	for (const part of [businessName, legalName, address!.street, address!.city]) {
		const query = new URLSearchParams({ q: part!.slice(1).toUpperCase(), limit: '100' });
		expect((await ask(`/licenses/search?${query}`)).body.data).toContainEqual(license);
	}
});

it('A test key always gets the same licenses, and a replaced key nothing', async () => {
	const [one, other] = await Promise.all([opened({ seed: 1 }), opened({ seed: 2 })]);
	other.register.advance();
	const { keys, requests } = one.sandbox;
	const body = await one.list({ limit: '50' }, keys.test);
	expect(await other.list({ limit: '50' }, keys.test)).toEqual(body);
	expect(await one.list({ limit: '50' })).not.toEqual(body);
	const { live: old } = keys;
	const fresh = keys.rotate('live');
	expect((await one.ask('/licenses', old)).status).toBe(401);
	expect(JSON.stringify(requests.entries)).not.toContain(old);
	expect((await one.ask('/licenses', fresh)).status).toBe(200);
});

it('Every answer says what is left of the rate limit; the rest waits a minute', async () => {
	const clock = simulatedClock('2026-03-03T12:00:00Z');
	const { sandbox, ask } = await opened({ clock, rateLimits: 'plan120' });
	const left = async (key?: string) => {
		const { status, headers } = await ask('/licenses?limit=1', key);
		const limits = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}`);
		return [status, ...[...limits, 'retry-after'].map((name) => headers.get(name))];
	};
	const reset = Date.parse('2026-03-03T12:01:00Z') / 1000;
	expect(await left()).toEqual([200, '120', '119', `${reset}`, null]);
	await Promise.all(Array.from({ length: 119 }, async () => await left()));
	expect(await left()).toEqual([429, '120', '0', `${reset}`, '60']);
	expect(await left(sandbox.keys.test)).toEqual([200, '60', '59', `${reset}`, null]);
	await clock.advance(60_000);
	expect(await left()).toEqual([200, '120', '119', `${reset + 60}`, null]);
});

it('Trouble meets the requests it is aimed at; over HTTP, with the token alone', async () => {
	const { sandbox, register, ask } = await opened();
	const { url, token } = sandbox.control;
	const control = async (path: string, body: object, header = token) => {
		const headers = { 'Content-Type': 'application/json', 'X-Sandbox-Token': header };
		const init = { method: 'POST', headers, body: JSON.stringify(body) };
		return (await fetch(url + path, init)).status;
	};
	expect(await control('/advance', {}, sandbox.keys.live)).toBe(403);
	expect(await control('/advance', { lists: '5' })).toBe(400);
	expect(await control('/advance', { lists: 3 })).toBe(200);
	expect(register.day).toBe('2025-03-06');
	const aim = { times: 2, after: 1, path: '/licenses/search' };
	expect(await control('/trouble', { trouble: { kind: 'error', status: 503 }, aim })).toBe(200);
	const statuses: number[] = [];
	for (const path of ['/licenses', ...Array<string>(4).fill('/licenses/search?q=a')])
		statuses.push((await ask(path)).status);
	expect(statuses).toEqual([200, 200, 503, 503, 200]);
});
