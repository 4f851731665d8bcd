import { getEventListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { useService } from '../support/loopback.mts';
import { runLicense } from '../support/nodes.mts';
import { license } from '../support/records.mts';

let [asked, underWay, mostUnderWay] = [[] as string[], 0, 0];
/** The status with which a request is answered, or none: then it is hung up on. */
let statusOf: (asked: string, number: number) => number | undefined;
beforeEach(() => {
	[asked, underWay, mostUnderWay] = [[], 0, 0];
	statusOf = () => 200;
});

/** Each asked for its own license, by its ID or in the list by its name. */
async function answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
	const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
	const name = searchParams.get('q') ?? pathname.split('/').pop();
	const number = asked.push(String(name));
	mostUnderWay = Math.max(mostUnderWay, ++underWay);
	// Answers overtake each other.
	await new Promise((resolve) => setTimeout(resolve, 10 + 7 * (number % 3)));
	underWay--;
	const status = statusOf(String(name), number);
	if (status === undefined) return void response.destroy();
	const one = license({ id: name, businessName: name });
	const data = pathname.endsWith('/licenses') || pathname.endsWith('/search') ? [one] : one;
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify({ data, pagination: { cursor: null, hasMore: false } }));
}
const service = useService((request, response) => void answer(request, response));

const NAMES = Array.from({ length: 40 }, (_, at) => `lic_${at}`);
const VALUE = '={{ $json.name }}';
const BY_NAME = { licenseId: VALUE, businessName: VALUE, query: VALUE, city: 'Tampa' };

const run = async (operation: string, parameters: IDataObject = {}, continueOnFail = true) =>
	await runLicense(
		{ operation, ...BY_NAME, options: { retries: 0 }, ...parameters },
		{ credentials: service.credentials, continueOnFail, items: NAMES.map((name) => ({ name })) },
	);

const outcomeOf = ({ items }: Awaited<ReturnType<typeof run>>) =>
	items.map(({ json, pairedItem }) => [json.id ?? json.error, pairedItem]);
const inOrder = (of: (name: string, item: number) => unknown) =>
	NAMES.map((name, item) => [of(name, item), { item }]);

const LISTS = { filters: { query: VALUE } };

it.each<[operation: string, parameters: IDataObject, least: number, most: number]>([
	['get', {}, 3, 8],
	['match', {}, 3, 8],
	['search', {}, 3, 8],
	['getAll', LISTS, 1, 1],
])(
	'Of many items, %s asks for several at once, but reads one list after another',
	async (operation, parameters, least, most) => {
		expect(outcomeOf(await run(operation, parameters))).toEqual(inOrder((name) => name));
		expect(mostUnderWay).toBeGreaterThanOrEqual(least);
		expect(mostUnderWay).toBeLessThanOrEqual(most);
	},
);

describe('With On Error: Continue', () => {
	it.each<[status: number | undefined, words: string, most: number]>([
		[401, 'The API key was not accepted', 2],
		[403, 'The API key does not allow this', 2],
		[503, 'The service could not answer (HTTP 503)', 4],
		[undefined, 'The connection to the service broke', 4],
	])('after an outage (%s) no further item is asked for', async (status, words, most) => {
		statusOf = () => status;
		const ran = await run('get');
		expect(outcomeOf(ran)).toEqual(inOrder((_, item) => `${words} [item ${item}]`));
		expect(asked.length).toBeLessThanOrEqual(most);
		expect(ran.hints).toEqual([expect.stringContaining('was not asked for the items that follow')]);
	});

	it('an item that has nothing to ask does not hide an outage', async () => {
		statusOf = () => 503;
		await run('match', { businessName: `={{ $itemIndex % 2 ? '' : $json.name }}` });
		expect(asked.length).toBeLessThan(10);
	});

	it.each<[what: string, statusOf: (number: number) => number, operation: string, failed: number]>([
		['HTTP 404 about one item', (number) => (number > 3 ? 200 : 404), 'get', 3],
		['HTTP 422 about one item', (number) => (number > 3 ? 200 : 422), 'get', 3],
		['two failures and then an answer', (number) => (number % 3 ? 503 : 200), 'getAll', 27],
	])('%s is no outage, and all others are asked for', async (_, answered, operation, failed) => {
		statusOf = (_, number) => answered(number);
		const ran = await run(operation, LISTS);
		expect(ran.items.filter(({ json }) => json.error)).toHaveLength(failed);
		expect(asked).toHaveLength(NAMES.length);
	});
});

it('A loop that runs the node many times in one execution leaves nothing listening', async () => {
	const { signal } = new AbortController();
	const nodeType = new LicensingData();
	const { execute } = nodeType;
	nodeType.execute = async function (this: IExecuteFunctions) {
		return await execute.call(Object.assign(this, { getExecutionCancelSignal: () => signal }));
	};
	const { credentials } = service;
	await runLicense({ operation: 'get', licenseId: 'lic_1' }, { nodeType, credentials });
	expect(asked).toEqual(['lic_1']);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

// Requests that are under way then may arrive later, so this comes last.
it('Of many items, the first that fails ends the run, with few more requests', async () => {
	statusOf = (name) => (name === 'lic_3' || name === 'lic_5' ? 404 : 200);
	const { error } = await run('get', {}, false);
	expect(error?.message).toBe("No license matches 'lic_3' [item 3]");
	expect(asked.length).toBeLessThan(15);
});
