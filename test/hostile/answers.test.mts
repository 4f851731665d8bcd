import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ids, runLicense } from '../support/nodes.mts';
import { useService } from '../support/loopback.mts';
import { choicesOf, OPERATIONS, parametersFor } from '../support/operations.mts';
import { licenses, page } from '../support/records.mts';
import { anyJson, anyLicense, NO_ANSWERS, NO_PAGES, WHOLE_PAGES } from './bodies.mts';
import { IS_LONG_RUN, made } from './runs.mts';

interface Given {
	status?: number;
	type?: string;
	body: string | Buffer;
}

let requests: string[] = [];
/** What the service answers, in turn or by request. */
let give: (url: URL) => Given;

const service = useService((request, response) => {
	requests.push(request.url ?? '');
	const {
		status = 200,
		type = 'application/json',
		body,
	} = give(new URL(request.url ?? '', 'http://service.example.com'));
	response.writeHead(status, { ...(type !== '' && { 'content-type': type }) }).end(body);
});
beforeEach(() => {
	requests = [];
});

const BEFORE = Object.getOwnPropertyNames(Object.prototype).join();
afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
	expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(BEFORE);
	expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

const run = (parameters: IDataObject, more: IDataObject = {}) =>
	runLicense(
		{ options: { retries: 0, timeout: 60_000 }, ...parameters, ...more },
		{ credentials: service.credentials },
	);

const json = (value: unknown): Given => ({ body: JSON.stringify(value) });

const NOT_UNDERSTOOD =
	/^The service (sent an answer this node cannot read|did not accept the request)$|^The service's list never ends$/;

function expectPlainWords({ error, stored }: Awaited<ReturnType<typeof run>>, hint = ''): void {
	expect(error?.message, hint).toMatch(NOT_UNDERSTOOD);
	expect(error?.description, hint).toBeTruthy();
	expect(stored.length, hint).toBeLessThan(20_000);
}

describe('Hostile answers', () => {
	it.for(NO_ANSWERS)('of %s bring nothing but words', async ([, body]) => {
		give = () => ({ body });
		const operations = IS_LONG_RUN || body.length < 1_000_000 ? OPERATIONS : ['get' as const];
		for (const operation of operations) {
			const ran = await run(parametersFor(operation));
			expect(ran.items, operation).toEqual([]);
			expectPlainWords(ran, operation);
		}
	});

	it.for(NO_PAGES)('of a page with %s bring nothing but words', async ([, body]) => {
		give = () => ({ body });
		const ran = await run({ operation: 'getAll', returnAll: true });
		expect(ran.items).toEqual([]);
		expectPlainWords(ran);
		expect(requests).toHaveLength(1);
	});

	it.for(WHOLE_PAGES)('of a page %s bring its licenses, each once', async ([, body]) => {
		give = () => ({ body });
		const ran = await run({ operation: 'getAll', returnAll: true });
		expect(ids(ran)).toEqual(['lic_1', 'lic_2', 'lic_3']);
		expect(requests).toHaveLength(1);
	});

	it.for(OPERATIONS)('may be any JSON at all, for %s', async (operation) => {
		const shape = fc.oneof(
			anyJson,
			fc.record({ data: anyJson }),
			fc.record({ data: anyJson, pagination: anyJson }),
			fc.record({
				data: fc.array(anyJson),
				pagination: fc.dictionary(fc.constantFrom('cursor', 'hasMore', 'total'), anyJson),
			}),
		);
		await fc.assert(
			fc.asyncProperty(shape, async (body) => {
				give = ({ searchParams }) => (searchParams.has('cursor') ? json(page([])) : json(body));
				const { error } = await run(parametersFor(operation));
				if (error) expect(error.message).toMatch(NOT_UNDERSTOOD);
			}),
			made(),
		);
	});

	it('may be any bytes at all: a page is whole, or it is none', async () => {
		const good = Buffer.from(JSON.stringify(page(licenses(3))));
		const damage = fc.tuple(fc.nat(good.length - 1), fc.nat(20), fc.uint8Array({ maxLength: 20 }));
		await fc.assert(
			fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
				let body: Buffer = good;
				for (const [at, gone, come] of damages) {
					body = Buffer.concat([body.subarray(0, at), come, body.subarray(at + gone)]);
				}
				give = () => ({ body });
				const ran = await run({ operation: 'getAll' });
				if (ran.error) return expectPlainWords(ran);
				const { data } = JSON.parse(body.toString().replace(/^\ufeff/, '')) as {
					data: IDataObject[];
				};
				expect(ran.items.length).toBeLessThanOrEqual(data.length);
				for (const { json: item } of ran.items) expect(data).toContainEqual(item);
			}),
			made(),
		);
	});

	it.for(choicesOf('output'))(
		'may hold licenses with anything in any field: %s',
		async (output) => {
			const fields = ['id', 'address', 'constructor', 'toString', 'businessName', 'lat'];
			const filters = [{}, { filedAfter: '2026-01-01' }];
			await fc.assert(
				fc.asyncProperty(
					fc.array(anyLicense, { maxLength: 60 }),
					fc.constantFrom(...filters),
					async (data, filter) => {
						give = () =>
							json({ data, pagination: { cursor: null, hasMore: false, total: data.length } });
						const ran = await run(
							{ operation: 'getAll', returnAll: true },
							{ output, fields, filters: filter },
						);
						expect(ran.error?.message).toBeUndefined();
						expect(ran.items.length).toBeLessThanOrEqual(data.length);
						const columns = ran.items.map(({ json: item }) => Object.keys(item).join());
						if (output !== 'raw') expect(new Set(columns).size).toBeLessThanOrEqual(1);
						const [sent, came] = [JSON.stringify(data), JSON.stringify(ran.items)];
						for (const slip of ['undefined', 'NaN', '[object']) {
							if (!sent.includes(slip)) expect(came).not.toContain(slip);
						}
						for (const { json: item } of ran.items) {
							expect(Object.hasOwn(item, '__proto__')).toBe(false);
							expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
						}
					},
				),
				made(),
			);
		},
	);
});

describe('Lists without end', () => {
	const endless: Array<[string, (n: number) => unknown, requests: number]> = [
		['the same page under ever new cursors', (n) => page(licenses(50), `c${n}`), 211],
		['empty pages under ever new cursors', (n) => page([], `c${n}`), 100],
		['the same cursor', (n) => page(licenses(50, n * 50), 'same'), 211],
		['two cursors in turn', (n) => page(licenses(50, n * 50), `c${n % 2}`), 211],
		[
			'ever new licenses, more than the list is long',
			(n) => ({
				data: licenses(50, n * 50),
				pagination: { cursor: `c${n}`, hasMore: true, total: 120 },
			}),
			225,
		],
		['two pages in turn', (n) => page(licenses(50, (n % 2) * 50), `c${n % 2}`), 4],
	];

	it.for(endless)('end, and bring nothing: %s', async ([, answer, most]) => {
		give = () => json(answer(requests.length));
		const ran = await run({ operation: 'getAll', returnAll: true });
		expect(ran.items).toEqual([]);
		expectPlainWords(ran);
		expect(requests.length).toBeLessThanOrEqual(most);
	});
});
