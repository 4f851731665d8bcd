import fc from 'fast-check';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { LIST_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import { ALL_EVENT_TYPES } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/counties.ts';
import { LICENSE_TYPES } from '../../nodes/LicensingData/licenses/licenseTypes.ts';
import { type Operation, properties } from '../../nodes/LicensingData/operations/operations.ts';
import { API_KEY } from '../support/answers.mts';
import { useService } from '../support/loopback.mts';
import { runLicense } from '../support/nodes.mts';
import { OPERATIONS, parametersFor } from '../support/operations.mts';
import { page } from '../support/records.mts';
import { anyJson, each, made, RUNS } from './inputs.mts';

const isOneOf = (choices: Array<{ value: string }>) => (given: string) =>
	choices.some(({ value }) => value === given);
const isText = (given: string) => given.length <= 200 && !/^$|\p{Cc}|\p{Cs}|\ufffd/u.test(given);

/** The parameters that the interface documents, and what it takes for each. */
const DOCUMENTED = new Map<string, (given: string) => boolean>([
	['county', isOneOf(COUNTIES)],
	['license_type', isOneOf(LICENSE_TYPES)],
	['event_type', isOneOf(ALL_EVENT_TYPES)],
	['status', isText],
	['q', isText],
	['limit', (given) => /^([1-9]|[1-4]\d|50)$/.test(given)],
]);

/** Reads an address as it was sent: URL would clean up exactly what a path must not hold. */
function isDocumented(address: string): boolean {
	const [path = '', search, ...rest] = address.split('?');
	const pairs = [...new URLSearchParams(search)];
	if (!/^\/v1\/licenses(\/search)?$/.test(path))
		return search === undefined && /^\/v1\/licenses\/(?!\.{1,2}$)[\w.!~*'()%-]+$/.test(path);
	const isWhole = path === '/v1/licenses' || pairs.some(([name]) => name === 'q');
	const isOnce = new Map(pairs).size === pairs.length;
	const areTaken = pairs.every(([name, value]) => DOCUMENTED.get(name)?.(value));
	return isWhole && isOnce && areTaken && rest.length === 0;
}

let asked: string[] = [];
const service = useService((request, response) => {
	const { method, url = '', headers } = request;
	const isRight = method === 'GET' && headers.authorization === `Bearer ${API_KEY}`;
	asked.push(isRight ? url : `${method} ${url} as ${headers.authorization}`);
	const record = { id: 'lic_1', status: 'active' };
	const isOne = /^\/v1\/licenses\/(?!search)/.test(url);
	response.end(JSON.stringify(isOne ? { data: record } : page([record])));
});

/** What means something else to a path, a header, a parser or a prototype than to a person. */
const VALUES: unknown[] = [
	...['..', '../webhooks', '..\\webhooks', '%2e%2e', 'search', 'ｓｅａｒｃｈ', 'lic_1?limit=1'],
	...['lic_1#top', 'lic_1&limit=1', '%zz', '//evil.example.com', '@evil.example.com', '*', ','],
	...['lic\r\nX-Evil: 1', 'lic\u0000', '\ud800', '\u2028', '\u200b', '__proto__', 'NaN', '1e309'],
	...['x'.repeat(201), '/'.repeat(20_000), ' '.repeat(100_000), '2026-'.repeat(10_000)],
	...['2026-02-30', '2026-07-01', 'Miami-Dade', 'COP', 'new_filing', 'Tampa', '33602', '7'],
	...['{{ 7*7 }}', 'İ', null, true, -1, 0.5, 51, 1e21, [[]], [null], ['a', 'b']],
	...[{ value: '../x' }, { length: 1 }, { toString: null, valueOf: null }, { then: 1 }],
];

const NO_LIMIT = "'Limit' is not a whole number above zero";
it.each<[operation: Operation, parameters: IDataObject, message: string]>([
	['getAll', { limit: 0 }, NO_LIMIT],
	['getAll', { limit: 1.5 }, NO_LIMIT],
	['getAll', { limit: '={{ "many" }}' }, NO_LIMIT],
	['getAll', { limit: '={{ null }}' }, NO_LIMIT],
	['search', { limit: 51 }, "'Limit' is not a whole number from 1 to 50"],
	['search', { query: '={{ $json.missing }}' }, "'Query' is empty"],
	['search', { query: '3PS' }, "'Query' looks for names, and 3PS is a kind of license"],
	['match', { minimumScore: 80 }, "'Minimum Score' is not a number from 0 to 1"],
	['match', { includeInput: 'perhaps' }, "'Include Input' is neither true nor false"],
	['match', { candidates: 0 }, "'Candidates' is not a whole number from 1 to 10"],
	['match', { noMatch: 'drop' }, "'When Nothing Matches' has a value that this node does not know"],
])('Before a request, %s refuses %j', async (operation, parameters, message) => {
	asked = [];
	const given = { ...parametersFor(operation), returnAll: false, adjustMatching: true };
	const { credentials } = service;
	const { error } = await runLicense({ ...given, ...parameters }, { credentials });
	expect(error).toMatchObject({ name: 'NodeOperationError', message });
	expect(asked).toEqual([]);
});

type Around = (value: unknown) => object;

/** The parameters that people fill in, those in collections among them, and each with a value in its place. */
function leavesOf({ name, displayName, ...more }: INodeProperties): Array<[string, Around]> {
	const { type, noDataExpression, options = [] } = more;
	// A short timeout is valid, and nobody knows what comes before it is over.
	if (type === 'hidden' || noDataExpression || name === 'timeout') return [];
	if (type === 'collection')
		return (options as INodeProperties[]).flatMap(leavesOf).map(([label, around]) => {
			const beside = name === 'filters' ? { cities: 'Tampa' } : { retries: 0 };
			return [label, (value) => ({ [name]: { ...beside, ...around(value) } })];
		});
	if (type === 'fixedCollection')
		return ['center', 'radius'].map((inner) => [
			displayName,
			(value) => ({ [name]: { area: { center: '33602', radius: 25, [inner]: value } } }),
		]);
	if (type === 'resourceLocator')
		return [[displayName, (value) => ({ [name]: { __rl: true, mode: 'id', value } })]];
	return [[displayName, (value) => ({ [name]: value })]];
}

/** With these, every parameter is shown. */
const SHOWN = { adjustMatching: true, columns: 'selectedFields', output: 'selectedFields' };

const PLACES = OPERATIONS.flatMap((operation) =>
	properties
		.filter(({ displayOptions }) => {
			const operations = displayOptions?.show?.operation;
			// What several operations have is read by one function.
			return operations ? operations[0] === operation : operation === 'getAll';
		})
		.flatMap(leavesOf)
		.map(([label, around]) => {
			const given = { ...parametersFor(operation, SHOWN), returnAll: false, fields: ['id'] };
			return [label, operation, (value: unknown) => ({ ...given, ...around(value) })] as const;
		}),
);

/** What the service calls a filter, by the label of its parameter. */
const SENT_AS = new Map(LIST_FILTERS.map(({ fields, query }) => [fields[0].displayName, query]));

const holdsNothing = (value: unknown): boolean =>
	[value]
		.flat(9)
		.every((one) => one === null || (typeof one === 'string' && !/[\p{L}\p{N}]/u.test(one)));

it.for(PLACES)("'%s' of %s is right, or refused by name", async ([label, , around]) => {
	const attempt = fc.asyncProperty(anyJson, async (value) => {
		asked = [];
		const { error } = await runLicense(around('={{ $json.value }}') as IDataObject, {
			credentials: service.credentials,
			items: [{ value }] as IDataObject[],
		});
		expect(asked.filter((address) => !isDocumented(address))).toEqual([]);
		if (error) {
			// The message about an unknown city names the city.
			const isNamed = error.message.includes(`'${label}'`);
			expect(isNamed || /^No Florida city is called/.test(error.message)).toBe(true);
			expect(error.message.length).toBeLessThan(250);
			expect(error.description).toMatch(/^\w.*\.$/s);
			expect(asked).toEqual([]);
		} else if (SENT_AS.get(label) && asked.length > 0 && !holdsNothing(value))
			expect(asked.every((address) => address.includes(`${SENT_AS.get(label)}=`))).toBe(true);
		expect(({} as Record<string, unknown>).county).toBeUndefined();
	});
	await fc.assert(attempt, made(Math.ceil(RUNS / 10), each(VALUES)));
});
