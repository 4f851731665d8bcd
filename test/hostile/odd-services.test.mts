import type { Operation } from '../../nodes/LicensingData/operations/operations.ts';
import { API_KEY } from '../support/answers.mts';
import type { Answer } from '../support/list-service.mts';
import { useService } from '../support/loopback.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { parametersFor } from '../support/operations.mts';
import { license, licenses, page } from '../support/records.mts';
import { skipWaits } from '../support/waits.mts';

/** One service that is not quite as the interface describes it, and what its user reads. */
interface OddService extends Answer {
	what: string;
	message: string;
	/** Part of the text below the message. */
	details: string;
	/** Called with Get Many unless another operation is named. */
	by?: Operation;
}
type More = Partial<OddService>;

const at = (status: number, message: string, details: string, sent: More = {}): OddService => ({
	...{ what: `HTTP ${status}`, status, message, details, ...sent },
});
const busy = (details: string, sent: More): OddService =>
	at(503, 'The service could not answer (HTTP 503)', details, sent);
/** A plan whose limit is waited for as long as a node waits. */
const limited = (details: string, headers = {}): OddService =>
	at(429, 'The rate limit of the plan is too low for this', details, { headers });
const leads = (location: string, message: string): OddService =>
	at(302, message, 'the redirect was not followed.', { headers: { location } });
/** Why the service refused. */
const says = (error: object, words: string): OddService => {
	const details = `The service says: "${words}" If that is about your plan, trial, payment or credit`;
	return at(422, 'The service did not accept the request (HTTP 422)', details, { body: { error } });
};
const sends = (what: string, body: unknown, details: string, sent: More = {}): OddService => ({
	...{ what, message: 'The service sent an answer this node cannot read', details, body, ...sent },
});

const HIDDEN = '[hidden API key]';
/** By what its support finds the request: at the end of whatever is shown. */
const ID = "ask the service's support. Request ID for the service's support:";
const NO_JSON = 'The answer is not JSON, or is cut off or not in UTF-8.';
const WEB_PAGE = 'The answer is a web page instead of JSON. If your own network asks for a login';
const NO_LIST = "In the answer, 'data' should be a list of licenses, but is not.";
const NO_NAME = "should be a license, but has neither an 'id' nor a 'licenseNumber'.";
const NOTHING_ELSE = '(lic_1) should be a license, but has no name, type, status or address.';
/** As an interface of another kind would write it: every documented field would come out empty. */
const IN_ATTRIBUTES = { id: 'lic_1', type: 'x', attributes: license() };
const NOBODY_KNOWS = 'This node cannot tell whether there are more licenses';
const NO_TEXT = 'is not plain text, is longer than 8000 characters, or contains the API key.';

const bytes = (text: string, code: BufferEncoding = 'utf8') => Buffer.from(text, code);
const listOf = (...data: unknown[]) => ({ ...page([]), data });
const paged = (data: unknown[], pagination: unknown) => ({ data, pagination });
const deep = (levels: number) => '['.repeat(levels) + 1 + ']'.repeat(levels);
const long = 'x'.repeat(301);
const large = license({ note: 'x'.repeat(100_000) });
const accented = bytes(JSON.stringify(page([license({ dbaName: 'Café' })])), 'latin1');

const ODD_SERVICES = [
	at(400, 'The service did not accept the request (HTTP 400)', 'The service gave no reason.'),
	at(401, 'The API key was not accepted', 'Copy the key from the account dashboard'),
	at(403, 'The API key does not allow this', 'what the plan of this key includes'),
	at(404, 'The service has no such web address (HTTP 404)', "not your filters. Check 'Base URL'"),
	at(404, "No license matches 'lic_1'", "Check the value of 'License'", { by: 'get' }),
	at(407, 'The proxy asks for a user name and a password', 'HTTPS_PROXY=http://user:password@'),
	at(500, 'The service could not answer (HTTP 500)', 'not with your workflow'),
	limited('and the service does not say how long to wait.'),
	limited('asks to wait 60 minutes. Ask for less', { 'retry-after': '3600' }),
	busy("again in a minute. For short outages, turn on 'Retry On Fail'", {}),
	busy('in 3 minutes, as the service asks. If', { headers: { 'retry-after': '180' } }),
	busy(`${ID} "req_1".`, { headers: { 'x-request-id': 'req_1' } }),
	busy(`${ID} "a'b &lt;i&gt;c".`, { body: { requestId: 'a"b\u202e\n<i>c' } }),
	busy(`${ID} ${HIDDEN}`, { body: { requestId: API_KEY } }),
	leads('https://a.example?k=1', 'The service redirects to https://a.example/'),
	leads('', 'The service redirects to another address'),
	leads(`https://${API_KEY}.example/`, `The service redirects to ${HIDDEN}`),

	says({ type: 'invalid', message: 'No such county.' }, 'No such county.'),
	says({ message: 'is unknown', param: 'county' }, 'county: is unknown.'),
	says({ code: 'bad_request', message: ' ' }, 'bad_request.'),
	says({ message: 'One.\n\tTwo.\u0007 \u202e<b>3</b>' }, 'One. Two. &lt;b&gt;3&lt;/b&gt;.'),
	says({ message: `Not ${API_KEY} or whsec_abc123` }, `Not ${HIDDEN} or ${HIDDEN}.`),
	says({ message: `First ${'word '.repeat(5_000)}` }, `First ${'word '.repeat(57)}word…`),

	sends('nothing', bytes(''), NO_JSON),
	sends('a web page', bytes('<p>'), WEB_PAGE, { headers: { 'content-type': 'text/html' } }),
	sends('a web page called JSON', bytes('<!DOCTYPE html><p>Sign in</p>'), WEB_PAGE),
	sends('Latin-1', accented, NO_JSON),
	sends('a refusal as an answer', { success: false, message: 'No.' }, NO_LIST),
	sends('a gap', listOf(license(), null), 'Record 2 of 2 should be a license, but is not '),
	sends('a record without a name', listOf({ id: ' ' }), `Record 1 of 1 ${NO_NAME}`),
	sends('attributes', listOf(license(), IN_ATTRIBUTES), `Record 2 of 2 ${NOTHING_ELSE}`),
	sends('nulls', listOf({ id: 'lic_1', status: ' ', address: { lat: null } }), NOTHING_ELSE),
	sends('snake case', listOf({ license_number: 'COP-1', status: 'active' }), NO_NAME),
	sends('attributes of one', { data: IN_ATTRIBUTES }, "'data' should be", { by: 'get' }),
	sends('attributes in a search', { data: [IN_ATTRIBUTES] }, NOTHING_ELSE, { by: 'search' }),
	sends('a text to a search', { data: 'none' }, NO_LIST, { by: 'search' }),
	sends('a large record', listOf(large), 'should be a license, but is larger than 100 KB'),
	sends('a long ID', listOf({ id: long, status: 'active' }), `Record 1 of 1 ${NO_NAME}`),
	sends('a megabyte of objects', paged(Array(330_000).fill({}), {}), 'more than 20,000 values'),
	sends('lists in each other', bytes(deep(100_000)), 'is nested more than 50 levels deep'),
	sends('a deep license', bytes(`{"data":[{"id":"1","x":${deep(2_000)}}]}`), 'more than 50 levels'),
	sends('data in a prototype', bytes('{"__proto__":{"data":[],"pagination":{}}}'), NO_LIST),
	sends('no record', { data: {} }, `'data' ${NO_NAME}`, { by: 'get' }),
	sends('pagination as a text', paged(licenses(1), 'next'), `${NOBODY_KNOWS}: 'pagination'`),
	sends('a full page and nothing else', { data: licenses(50) }, `${NOBODY_KNOWS}.`),
	sends('a full page of 25', paged(licenses(25), { limit: 25 }), `${NOBODY_KNOWS}.`),
	sends('positions', paged(licenses(50), { offset: 0, has_more: true }), '(cursor) is missing.'),
	sends('an empty list of many', paged([], { total: 300 }), '300 licenses, but sent none.'),
	sends('a number as the cursor', paged([], { cursor: 7 }), NO_TEXT),
	sends('a long cursor', paged([], { cursor: 'x'.repeat(8_001) }), NO_TEXT),
	sends('the key as the cursor', paged([], { cursor: API_KEY }), NO_TEXT),
];

let requests = 0;
/** What is answered, by the cursor in the request: bytes as they are, everything else as JSON. */
let answers: (cursor: string | null) => Answer;
const service = useService((request, response) => {
	requests++;
	const { searchParams } = new URL(request.url ?? '', 'http://service.example.com');
	const { status = 200, headers, body = {} } = answers(searchParams.get('cursor'));
	response
		.writeHead(status, { 'content-type': 'application/json', ...headers })
		.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
});

// A service that asks to wait is waited for, up to an hour.
beforeEach(() => void skipWaits());

const run = async (operation: Operation = 'getAll') =>
	await runLicense(parametersFor(operation, { options: { retries: 0, timeout: 60_000 } }), {
		credentials: service.credentials,
	});

it.each(ODD_SERVICES)(
	'The user of a service reads why: $what, $details',
	async ({ by, message, details, ...sent }) => {
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
	},
);

const three = page(licenses(3));
const text = JSON.stringify(three);

it.each<[what: string, body: unknown]>([
	['a byte order mark and space', bytes(`\ufeff\r\n\t ${text} \n`)],
	['unknown fields', { ...three, meta: {}, error: null }],
	['a prototype to set', bytes(`{"__proto__":{"polluted":1},${text.slice(1)}`)],
	...[-1, 1e308, '7', {}, null].map((odd): [string, unknown] => [
		`${JSON.stringify(odd)} as total and hasMore`,
		paged(three.data, { cursor: null, hasMore: odd, total: odd, limit: odd }),
	]),
])('A page with %s is understood nevertheless', async (_, body) => {
	answers = () => ({ body });
	requests = 0;
	const ran = await run();
	expect(ran.error).toBeUndefined();
	expect(ids(ran)).toEqual(['lic_1', 'lic_2', 'lic_3']);
	expect(requests).toBe(1);
	expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it.each([
	['beside data', (next_cursor: string | null) => ({ next_cursor })],
	['in pagination', (next_cursor: string | null) => ({ pagination: { next_cursor } })],
])('A list is read to its end by next_cursor %s', async (_, pointing) => {
	answers = (cursor) => ({
		body: cursor
			? { data: licenses(2, 51), ...pointing(null) }
			: { data: licenses(50), ...pointing('second') },
	});
	expect(ids(await run())).toHaveLength(52);
});
