import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runLicense } from '../support/nodes.mts';
import { useService } from '../support/loopback.mts';
import { choicesOf, OPERATIONS, parametersFor } from '../support/operations.mts';
import { licenses, page } from '../support/records.mts';
import { anyJson, anyLicense, NO_ANSWERS } from './bodies.mts';
import { made } from './runs.mts';

let requests = 0;
/** What the service answers, in turn or by request. */
let give: (url: URL) => string;
const service = useService((request, response) => {
	requests++;
	response.end(give(new URL(request.url ?? '', 'http://service.example.com')));
});
beforeEach(() => void (requests = 0));

const BEFORE = Object.getOwnPropertyNames(Object.prototype).join();
afterEach(() => expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(BEFORE));

const run = (parameters: IDataObject) =>
	runLicense(
		{ options: { retries: 0, timeout: 60_000 }, ...parameters },
		{ credentials: service.credentials },
	);

const NOT_UNDERSTOOD =
	/^The service (sent an answer this node cannot read|did not accept the request)$|^The service's list never ends$/;

function expectPlainWords({ items, error, stored }: Awaited<ReturnType<typeof run>>): void {
	expect(items).toEqual([]);
	expect(error?.message).toMatch(NOT_UNDERSTOOD);
	expect(error?.description).toBeTruthy();
	expect(stored.length).toBeLessThan(20_000);
}

describe('Hostile answers', () => {
	it.for(NO_ANSWERS)('of %s bring nothing but words', async ([, body]) => {
		give = () => body;
		for (const operation of OPERATIONS) expectPlainWords(await run(parametersFor(operation)));
	});

	it.for(OPERATIONS)('may be any JSON at all, for %s', async (operation) => {
		const shape = fc.oneof(
			anyJson,
			fc.record({ data: anyJson, pagination: anyJson }, { requiredKeys: ['data'] }),
			fc.record({
				data: fc.array(anyJson),
				pagination: fc.dictionary(fc.constantFrom('cursor', 'hasMore', 'total'), anyJson),
			}),
		);
		await fc.assert(
			fc.asyncProperty(shape, async (body) => {
				give = ({ searchParams }) => JSON.stringify(searchParams.has('cursor') ? page([]) : body);
				const { error } = await run(parametersFor(operation));
				if (error) expect(error.message).toMatch(NOT_UNDERSTOOD);
			}),
			made(),
		);
	});

	it.for(choicesOf('output'))('may hold licenses of anything in any field: %s', async (output) => {
		const fields = ['id', 'address', 'constructor', 'toString', 'businessName', 'lat'];
		const data = fc.array(anyLicense, { maxLength: 60 });
		const filters = fc.constantFrom({}, { filedAfter: '2026-01-01' });
		await fc.assert(
			fc.asyncProperty(data, filters, async (sent, given) => {
				const pagination = { cursor: null, hasMore: false, total: sent.length };
				give = () => JSON.stringify({ data: sent, pagination });
				const parameters = { returnAll: true, output, fields, filters: given };
				const { items, error } = await run({ operation: 'getAll', ...parameters });
				expect(error?.message).toBeUndefined();
				expect(items.length).toBeLessThanOrEqual(sent.length);
				const columns = items.map(({ json }) => Object.keys(json).join());
				if (output !== 'raw') expect(new Set(columns).size).toBeLessThanOrEqual(1);
				for (const slip of ['undefined', 'NaN', '[object'])
					if (!JSON.stringify(sent).includes(slip))
						expect(JSON.stringify(items)).not.toContain(slip);
				for (const { json } of items) {
					expect(Object.hasOwn(json, '__proto__')).toBe(false);
					expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
				}
			}),
			made(),
		);
	});
});

describe('Lists without end', () => {
	const more = (count: number) => ({ cursor: `c${count}`, hasMore: true, total: 120 });

	it.for<[string, answer: (count: number) => unknown, most: number]>([
		['the same page under ever new cursors', (count) => page(licenses(50), `c${count}`), 211],
		['empty pages under ever new cursors', (count) => page([], `c${count}`), 100],
		['the same cursor', (count) => page(licenses(50, count * 50), 'same'), 211],
		[
			'ever new licenses, more than the list is long',
			(count) => ({ data: licenses(50, count * 50), pagination: more(count) }),
			225,
		],
		['two pages in turn', (count) => page(licenses(50, (count % 2) * 50), `c${count % 2}`), 4],
	])('end, and bring nothing: %s', async ([, answer, most]) => {
		give = () => JSON.stringify(answer(requests));
		expectPlainWords(await run({ operation: 'getAll', returnAll: true }));
		expect(requests).toBeLessThanOrEqual(most);
	});
});
