import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { useService } from '../support/loopback.mts';
import { runLicense } from '../support/nodes.mts';
import { choicesOf, OPERATIONS, parametersFor } from '../support/operations.mts';
import { page } from '../support/records.mts';
import { anyJson, anyLicense, made } from './inputs.mts';

let give: (url: URL) => string;
const service = useService((request, response) =>
	response.end(give(new URL(request.url ?? '', 'http://service.example.com'))),
);

const BEFORE = Object.getOwnPropertyNames(Object.prototype).join();
afterEach(() => expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(BEFORE));

const run = (parameters: IDataObject) =>
	runLicense(
		{ options: { retries: 0, timeout: 60_000 }, ...parameters },
		{ credentials: service.credentials },
	);

const NOT_UNDERSTOOD =
	/^The service (sent an answer this node cannot read|did not accept the request)$|^The service's list never ends$/;

it.for(OPERATIONS)('An answer may be any JSON at all, for %s', async (operation) => {
	const shape = fc.oneof(
		anyJson,
		fc.record({ data: anyJson, pagination: anyJson }, { requiredKeys: ['data'] }),
		fc.record({
			data: fc.array(anyJson),
			pagination: fc.dictionary(fc.constantFrom('cursor', 'hasMore', 'total'), anyJson),
		}),
	);
	const isToldInWords = fc.asyncProperty(shape, async (body) => {
		give = ({ searchParams }) => JSON.stringify(searchParams.has('cursor') ? page([]) : body);
		const { error } = await run(parametersFor(operation));
		if (error) expect(error.message).toMatch(NOT_UNDERSTOOD);
	});
	await fc.assert(isToldInWords, made());
});

it.for(choicesOf('output'))('A license may have anything in any field: %s', async (output) => {
	const fields = ['id', 'address', 'constructor', 'toString', 'businessName', 'lat'];
	const data = fc.array(anyLicense, { maxLength: 60 });
	const filters = fc.constantFrom({}, { filedAfter: '2026-01-01' });
	const areItems = fc.asyncProperty(data, filters, async (sent, given) => {
		give = () => JSON.stringify(page(sent));
		const parameters = { returnAll: true, output, fields, filters: given };
		const { items, error } = await run({ operation: 'getAll', ...parameters });
		expect(error?.message).toBeUndefined();
		expect(items.length).toBeLessThanOrEqual(sent.length);
		const columns = items.map(({ json }) => Object.keys(json).join());
		if (output !== 'raw') expect(new Set(columns).size).toBeLessThanOrEqual(1);
		for (const slip of ['undefined', 'NaN', '[object'])
			if (!JSON.stringify(sent).includes(slip)) expect(JSON.stringify(items)).not.toContain(slip);
		for (const { json } of items) {
			expect(Object.hasOwn(json, '__proto__')).toBe(false);
			expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
		}
	});
	await fc.assert(areItems, made());
});
