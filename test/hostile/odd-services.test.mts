import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Operation } from '../../nodes/LicensingData/operations/operations.ts';
import { API_KEY } from '../support/answers.mts';
import { useService } from '../support/loopback.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { parametersFor } from '../support/operations.mts';
import { license, licenses, page } from '../support/records.mts';
import { sleepOnClock } from '../support/waits.mts';

interface Sent {
	status?: number;
	headers?: Record<string, string>;
	/** Bytes are sent as they are, everything else as JSON. */
	body?: unknown;
	/** Called with Get Many unless another operation is named. */
	by?: Operation;
}

/** One service that is not quite as the interface describes it, and part of what its user reads below the message. */
type Row = [what: string, sent: Sent, details: string];
const odd = (message: string, rows: Row[]) =>
	rows.map(([what, sent, details]) => ({ what, message, details, ...sent }));

const at = (status: number, message: string, details: string, sent: Sent = {}) =>
	odd(message, [[`HTTP ${status}`, { status, ...sent }, details]]);

const HIDDEN = '[hidden API key]';
const REFUSED = 'The service did not accept the request (HTTP 422)';
const BUSY = 'The service could not answer (HTTP 503)';
/** What a user reads once the service has been waited for as long as a node waits. */
const LIMITED = 'The rate limit of the plan is too low for this';
const NO_ADDRESS = 'The service has no such web address (HTTP 404)';

const STATUSES = [
	...at(400, 'The service did not accept the request (HTTP 400)', 'The service gave no reason.'),
	...at(401, 'The API key was not accepted', 'Copy the key from the account dashboard'),
	...at(403, 'The API key does not allow this', 'what the plan of this key includes'),
	...at(404, NO_ADDRESS, "This is about the address, not your filters. Check 'Base URL'"),
	...at(404, "No license matches 'lic_1'", "Check the value of 'License'", { by: 'get' }),
	...at(407, 'The proxy asks for a user name and a password', 'HTTPS_PROXY=http://user:password@'),
	...at(408, 'The service could not answer (HTTP 408)', 'Run the workflow again in a minute'),
	...at(429, LIMITED, 'and the service does not say how long to wait.'),
	...at(429, LIMITED, 'asks to wait 60 minutes. Ask for less', {
		headers: { 'retry-after': '3600' },
	}),
	...at(500, 'The service could not answer (HTTP 500)', 'not with your workflow'),
	...at(503, BUSY, "again in a minute. For short outages, turn on 'Retry On Fail'"),
	...at(503, BUSY, 'in 3 minutes, as the service asks. If', { headers: { 'retry-after': '180' } }),
];

const NOT_FOLLOWED = 'To protect the API key, the redirect was not followed.';
const to = (location: string): Sent => ({ status: 302, headers: { location } });
const REDIRECTS = [
	...odd('The service redirects to https://new.example.com:8443/v1', [
		['an address with a query', to('https://new.example.com:8443/v1?key=1'), NOT_FOLLOWED],
	]),
	...odd('The service redirects to another address', [['nowhere', { status: 307 }, NOT_FOLLOWED]]),
	...odd(`The service redirects to ${HIDDEN}`, [
		['a host named by the key', to(`https://${API_KEY}.example.com/`), NOT_FOLLOWED],
	]),
];

const refusal = (error: unknown) => ({ status: 422, body: { error } });
const said = (what: string, error: object, words: string): Row => [
	what,
	refusal(error),
	`The service says: "${words}" If that is about your plan, trial, payment or credit, check the account dashboard.`,
];
const WORDS = odd(REFUSED, [
	said('a message', { type: 'invalid', message: 'No such county.' }, 'No such county.'),
	said('a parameter', { message: 'is unknown', param: 'county' }, 'county: is unknown.'),
	said('a code alone', { code: 'bad_request', message: ' ' }, 'bad_request.'),
	said(
		'marks',
		{ message: 'One.\n\tTwo.\u0007 \u202e<b>Three</b>' },
		'One. Two. &lt;b&gt;Three&lt;/b&gt;.',
	),
	said('the key', { message: `Key ${API_KEY} is unknown` }, `Key ${HIDDEN} is unknown.`),
	said('others', { message: 'ls_live_abc123 or whsec_abc123' }, `${HIDDEN} or ${HIDDEN}.`),
	said(
		'a lecture',
		{ message: `First ${'word '.repeat(5_000)}` },
		`First ${'word '.repeat(57)}word…`,
	),
	['nothing', refusal({ message: 7 }), 'The service gave no reason. Check the filters and values'],
]);

/** By what its support finds the request: at the end of whatever is shown. */
const ID = "ask the service's support. Request ID for the service's support:";
const IDS = odd(BUSY, [
	['in a header', { status: 503, headers: { 'x-request-id': 'req_1' } }, `${ID} "req_1".`],
	[
		'in the body',
		{ status: 503, body: { requestId: 'a"b\u202e\n<i>c' } },
		`${ID} "a'b &lt;i&gt;c".`,
	],
	['like the key', { status: 503, body: { requestId: API_KEY } }, `${ID} ${HIDDEN}`],
]);

const NO_JSON = 'The answer is not JSON, or is cut off or not in UTF-8.';
const WEB_PAGE = 'The answer is a web page instead of JSON. If your own network asks for a login';
const NO_LIST = "In the answer, 'data' should be a list of licenses, but is not.";
const NO_NAME = "but has neither an 'id' nor a 'licenseNumber'.";
const NOBODY_KNOWS = 'This node cannot tell whether there are more licenses';
const NO_MARKER = 'There are more licenses, but the marker for the next page (cursor) is missing.';
const NO_TEXT =
	'(cursor) is not plain text, is longer than 8000 characters, or contains the API key.';

const bytes = (text: string, encoding?: BufferEncoding): Sent => ({
	body: Buffer.from(text, encoding),
});
const listOf = (...data: unknown[]): Sent => ({ body: { ...page([]), data } });
const paged = (data: unknown[], pagination: unknown): Sent => ({ body: { data, pagination } });
const large = license({ note: 'x'.repeat(100_000) });
const UNREADABLE = odd('The service sent an answer this node cannot read', [
	['nothing', bytes(''), NO_JSON],
	['a web page', { ...bytes('<p>Hi</p>'), headers: { 'content-type': 'text/html' } }, WEB_PAGE],
	['one that is called JSON', bytes('<!DOCTYPE html><p>Sign in</p>'), WEB_PAGE],
	['Latin-1', bytes(JSON.stringify(page([license({ dbaName: 'Café' })])), 'latin1'), NO_JSON],
	['a bare list', { body: [license()] }, NO_LIST],
	['a refusal that calls itself an answer', { body: { success: false, message: 'No.' } }, NO_LIST],
	['results of a search', { by: 'search', body: { results: [] } }, NO_LIST],
	['a gap', listOf(license(), null), 'Record 2 of 2 should be a license, but is not an object.'],
	['a record without a name', listOf({ id: ' ' }), `Record 1 of 1 should be a license, ${NO_NAME}`],
	['a large record', listOf(large), 'should be a license, but is larger than 100 KB'],
	['no record', { by: 'get', body: { data: {} } }, `'data' should be a license, ${NO_NAME}`],
	['pagination as a text', paged(licenses(1), 'next'), `${NOBODY_KNOWS}: 'pagination' is not an `],
	['a full page and nothing else', { body: { data: licenses(50) } }, `${NOBODY_KNOWS}.`],
	['a cursor of another name', paged(licenses(50), { nextCursor: 'b' }), `${NOBODY_KNOWS}.`],
	['a full page of its own size', paged(licenses(25), { limit: 25 }), `${NOBODY_KNOWS}.`],
	['positions', paged(licenses(50), { offset: 0, total: 60, has_more: true }), NO_MARKER],
	['an empty list of many', paged([], { total: 300 }), 'announces 300 licenses, but sent none.'],
	...[7, 'x'.repeat(8_001), API_KEY].map((cursor): Row => {
		return [`the cursor ${String(cursor).slice(0, 9)}`, paged([], { cursor }), NO_TEXT];
	}),
]);

let requests = 0;
/** What is answered, by the cursor in the request. */
let answers: (cursor: string | null) => Sent;
const service = useService((request, response) => {
	requests++;
	const { searchParams } = new URL(request.url ?? '', 'http://service.example.com');
	const { status = 200, headers, body = {} } = answers(searchParams.get('cursor'));
	response
		.writeHead(status, { 'content-type': 'application/json', ...headers })
		.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
});

// A service that asks to wait is waited for, up to an hour.
beforeEach(() => sleepOnClock({ time: Date.parse('2026-09-24T12:00:00Z') }));
afterEach(() => vi.restoreAllMocks());

const run = async (operation: Operation = 'getAll') =>
	await runLicense(parametersFor(operation, { options: { retries: 0, timeout: 60_000 } }), {
		credentials: service.credentials,
	});

describe.each([
	['answers', STATUSES],
	['redirects to', REDIRECTS],
	['says', WORDS],
	['has an ID', IDS],
	['sends', UNREADABLE],
])('Where a service %s', (_, services) => {
	it.each(services)('$what, its user reads why', async ({ by, message, details, ...sent }) => {
		answers = () => sent;
		const { items, error, stored } = await run(by);
		expect(items).toEqual([]);
		expect(error?.message).toBe(message);
		expect(error?.description).toContain(details);
		for (const words of ['as the service asks', 'Request ID'])
			expect(error?.description?.includes(words)).toBe(details.includes(words));
		expect(error?.httpCode).toBe(sent.status === undefined ? null : String(sent.status));
		const own = `${error?.message} ${error?.description?.replace(/^The service says: ".*?" /, '')}`;
		expect(own).not.toMatch(/error|problem|failure|mistake|undefined|\[object/i);
		expect(stored).not.toContain(API_KEY);
	});
});

const three = page(licenses(3));
const text = JSON.stringify(three);
const full = licenses(50);
const last = licenses(2, 51);

describe('A service that is odd', () => {
	it.each<[what: string, sent: Sent]>([
		['with a byte order mark and space', bytes(`\ufeff\r\n\t ${text} \n`)],
		['with unknown fields', { body: { ...three, meta: {}, error: null } }],
		['with a prototype to set', bytes(`{"__proto__":{"polluted":1},${text.slice(1)}`)],
		...[-1, 1e308, '7', {}, null].map((odd): [string, Sent] => [
			`whose total and hasMore are ${JSON.stringify(odd)}`,
			paged(three.data, { cursor: null, hasMore: odd, total: odd, limit: odd }),
		]),
	])('is understood nevertheless, with a page %s', async (_, sent) => {
		answers = () => sent;
		requests = 0;
		const ran = await run();
		expect(ran.error).toBeUndefined();
		expect(ids(ran)).toEqual(['lic_1', 'lic_2', 'lic_3']);
		expect(requests).toBe(1);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it.each([
		['beside data', { next_cursor: 'second' }, { next_cursor: null }],
		[
			'in pagination',
			{ pagination: { next_cursor: 'second', has_more: true } },
			{ pagination: { next_cursor: null, has_more: false } },
		],
	])('is read to its end by next_cursor %s', async (_, first, second) => {
		answers = (cursor) => ({
			body: cursor === 'second' ? { data: last, ...second } : { data: full, ...first },
		});
		expect(ids(await run())).toHaveLength(52);
	});
});
