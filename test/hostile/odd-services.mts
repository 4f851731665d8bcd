import type { Operation } from '../../nodes/LicensingData/operations/operations.ts';
import { API_KEY } from '../support/answers.mts';
import { license, licenses, page } from '../support/records.mts';

export interface Sent {
	status?: number;
	headers?: Record<string, string>;
	/** Bytes are sent as they are, everything else as JSON. */
	body?: unknown;
	/** Called with Get Many unless another operation is named. */
	by?: Operation;
}

/** One service that is not quite as the interface describes it, and what its user then reads. */
export interface OddService extends Sent {
	what: string;
	message: string;
	/** Part of the text below the message. */
	details: string;
}

type Row = [what: string, sent: Sent, details: string];
const odd = (message: string, rows: Row[]): OddService[] =>
	rows.map(([what, sent, details]) => ({ what, message, details, ...sent }));

const CHECK_BASE_URL = "Check 'Base URL' in the Licensing Data credential";
const CHECK_FILTERS = 'The service gave no reason. Check the filters and values of this node';
const REFUSED = 'The service did not accept the request (HTTP 422)';
const BUSY = 'The service could not answer (HTTP 503)';
/** What a user reads once the service has been waited for as long as a node waits. */
const LIMITED = 'The rate limit of the plan is too low for this';

type Status = [status: number, message: string, details: string, by?: Operation];
const STATUSES = (
	[
		[400, 'The service did not accept the request (HTTP 400)', CHECK_FILTERS],
		[401, 'The API key was not accepted', 'Copy the key from the account dashboard'],
		[403, 'The API key does not allow this', 'what the plan of this key includes'],
		[
			404,
			'The service has no such web address (HTTP 404)',
			`This is about the address, not your filters. ${CHECK_BASE_URL}`,
		],
		[
			407,
			'The proxy asks for a user name and a password',
			'HTTPS_PROXY=http://user:password@host:port',
		],
		[408, 'The service could not answer (HTTP 408)', 'Run the workflow again in a minute'],
		[
			429,
			LIMITED,
			"up to an hour in all. The plan's rate limit is reached, and the service does not say how long to wait.",
		],
		[500, 'The service could not answer (HTTP 500)', 'not with your workflow'],
		[503, BUSY, "again in a minute. For short outages, turn on 'Retry On Fail'"],
		[404, "No license matches 'lic_1'", "Check the value of 'License'", 'get'],
	] as Status[]
).flatMap(([status, message, details, by = 'getAll']) =>
	odd(message, [[`HTTP ${status} to ${by}`, { status, by }, details]]),
);

const asksToWait = (status: number, wait: string, details: string): Row => [
	`HTTP ${status} and Retry-After ${wait}`,
	{ status, headers: { 'retry-after': wait } },
	details,
];
const WAITS = [
	...odd(LIMITED, [
		asksToWait(429, '3600', 'the service asks to wait 60 minutes. Ask for less'),
		asksToWait(429, '5', 'up to an hour in all'),
		asksToWait(429, 'Fri, 31 Dec 9999 23:59:59 GMT', 'up to an hour in all'),
	]),
	...odd(BUSY, [
		asksToWait(503, '180', 'in 3 minutes, as the service asks. If'),
		asksToWait(503, '9'.repeat(30), 'again in a minute.'),
	]),
];

const HIDDEN = '[hidden API key]';
const REDIRECTS = (
	[
		[301, 'https://new.example.com/v1/licenses', 'https://new.example.com/v1/licenses'],
		[308, 'https://new.example.com:8443/v1?key=1', 'https://new.example.com:8443/v1'],
		[307, undefined, 'another address'],
		[302, `https://${API_KEY}.example.com/`, HIDDEN],
		[302, `/${encodeURIComponent(API_KEY)}`, HIDDEN],
	] as Array<[status: number, location: string | undefined, shown: string]>
).flatMap(([status, location, shown]) => {
	const sent = { status, ...(location && { headers: { location } }) };
	const details = 'To protect the API key, the redirect was not followed.';
	return odd(`The service redirects to ${shown}`, [
		[`HTTP ${status} to ${location}`, sent, details],
	]);
});

const refusal = (error: object) => ({ status: 422, body: { error } });
const said = (what: string, error: object, words: string): Row => [
	what,
	refusal(error),
	`The service says: "${words}" If that is about your plan, trial, payment or credit, check the account dashboard.`,
];
const WORDS = [
	...odd(LIMITED, [
		[
			'a limit that a larger plan would lift',
			{ ...refusal({ message: 'Upgrade your plan.' }), status: 429 },
			'The service says: "Upgrade your plan." The node waits for rate limits up to an hour',
		],
	]),
	...odd(REFUSED, [
		said('a message', { type: 'invalid', message: 'No such county.' }, 'No such county.'),
		said(
			'a code and a parameter',
			{ code: 'invalid', message: 'is unknown', param: 'county' },
			'county: is unknown.',
		),
		said('a code alone', { code: 'bad_request', message: ' ' }, 'bad_request.'),
		said('lines and bells', { message: 'One.\n\tTwo.\u0007' }, 'One. Two.'),
		said('letters that turn the text round', { message: 'abc\u202edef' }, 'abc def.'),
		said('markup', { message: '<b>Denied</b>' }, '&lt;b&gt;Denied&lt;/b&gt;.'),
		said('the key', { message: `Key ${API_KEY} is unknown` }, `Key ${HIDDEN} is unknown.`),
		said('another live key', { message: 'Use ls_live_abc123' }, `Use ${HIDDEN}.`),
		said('a signing secret', { message: 'Not whsec_abc123' }, `Not ${HIDDEN}.`),
		said(
			'a lecture',
			{ message: `First ${'word '.repeat(5_000)}` },
			`First ${'word '.repeat(57)}word…`,
		),
	]),
];

/** By what its support finds the request: at the end of whatever is shown. */
const named = (what: string, sent: Sent, id: string): Row => [
	`an ID in ${what}`,
	{ status: 503, ...sent },
	`ask the service's support. Request ID for the service's support: ${id}`,
];
const IDS = odd(BUSY, [
	named('a header', { headers: { 'x-request-id': 'req_1' } }, '"req_1".'),
	named('the body', { body: { error: { code: 'invalid' }, requestId: 'req_1' } }, '"req_1".'),
	named('a name with marks', { body: { requestId: 'a"b\u202e\n<i>c' } }, `"a'b &lt;i&gt;c".`),
	named('the form of the key', { body: { requestId: API_KEY } }, HIDDEN),
	['no ID but a number', { status: 503, body: { requestId: 7 } }, "service's support."],
]);

/** Nothing helpful is said, and so nothing is repeated. */
const SILENCE = odd(
	REFUSED,
	[Buffer.from(''), { error: { message: 7 } }, { message: 'Not today.' }, []].map(
		(body): Row => [`${JSON.stringify(body)} to say`, { status: 422, body }, CHECK_FILTERS],
	),
);

const { pagination } = page([]);
const list = (data: unknown) => ({ data, pagination });
const NO_JSON = 'The answer is not JSON, or is cut off or not in UTF-8.';
const WEB_PAGE = 'The answer is a web page instead of JSON. If your own network asks for a login';
const NO_LIST = "In the answer, 'data' should be a list of licenses, but is not.";
const NO_NAME = "but has neither an 'id' nor a 'licenseNumber'.";
const NOBODY_KNOWS = 'This node cannot tell whether there are more licenses.';
const NO_MARKER = 'There are more licenses, but the marker for the next page (cursor) is missing.';
const NO_TEXT =
	'(cursor) is not plain text, is longer than 8000 characters, or contains the API key. The node did not use it.';

const html = { 'content-type': 'text/html' };
const latin1 = Buffer.from(
	JSON.stringify(list([license({ businessName: 'Caf\u00e9' })])),
	'latin1',
);
const another = (cursor: unknown) => ({ data: [], pagination: { cursor } });
const UNREADABLE = odd('The service sent an answer this node cannot read', [
	['nothing', { body: Buffer.from('') }, NO_JSON],
	['a web page', { headers: html, body: Buffer.from('<p>Sign in</p>') }, WEB_PAGE],
	['one that is called JSON', { body: Buffer.from('<!DOCTYPE html><p>Sign in</p>') }, WEB_PAGE],
	['JSON that breaks off', { body: Buffer.from('{"data": [') }, NO_JSON],
	['Latin-1 without saying so', { body: latin1 }, NO_JSON],
	['a text', { body: 'hello' }, NO_LIST],
	['a bare list', { body: [license()] }, NO_LIST],
	['data that is one license', { body: list(license()) }, NO_LIST],
	['a refusal that calls itself an answer', { body: { success: false, message: 'No.' } }, NO_LIST],
	['results of a search', { by: 'search', body: { results: [] } }, NO_LIST],
	['a gap', { body: list([license(), null]) }, 'Record 2 of 2 should be a license, but is not an '],
	['an empty record', { body: list([{}]) }, `Record 1 of 1 should be a license, ${NO_NAME}`],
	[
		'a record without a name',
		{ body: list([license(), license({ id: null, licenseNumber: ' ' })]) },
		`Record 2 of 2 should be a license, ${NO_NAME}`,
	],
	['no record', { by: 'get', body: { data: {} } }, `'data' should be a license, ${NO_NAME}`],
	[
		'pagination as a text',
		{ body: { data: licenses(1), pagination: 'next' } },
		"whether there are more licenses: 'pagination' is not an object.",
	],
	['a full page and nothing else', { body: { data: licenses(50) } }, NOBODY_KNOWS],
	[
		'a cursor of another name',
		{ body: { data: licenses(50), pagination: { nextCursor: 'second' } } },
		NOBODY_KNOWS,
	],
	[
		'a page as full as the service makes them',
		{ body: { data: licenses(25), pagination: { limit: 25 } } },
		NOBODY_KNOWS,
	],
	[
		'positions instead of a cursor',
		{ body: { data: licenses(50), pagination: { offset: 0, total: 60, has_more: true } } },
		NO_MARKER,
	],
	['more without a cursor', { body: { data: [], pagination: { hasMore: true } } }, NO_MARKER],
	[
		'an empty list of many',
		{ body: { data: [], pagination: { ...pagination, total: 300 } } },
		'The service announces 300 licenses, but sent none.',
	],
	...[7, true, {}, ['x'], 'x'.repeat(8_001), API_KEY].map((cursor): Row => {
		const shown = JSON.stringify(cursor).slice(0, 20);
		return [`the cursor ${shown}`, { body: another(cursor) }, NO_TEXT];
	}),
]);

export const ODD_SERVICES: Record<string, OddService[]> = {
	'A service that answers with a status': STATUSES,
	'A service that asks to wait': WAITS,
	'A service that points elsewhere': REDIRECTS,
	'A service that says why': WORDS,
	'A service that names the request': IDS,
	'A service that says nothing': SILENCE,
	'A service that sends what is no list, no record or no page': UNREADABLE,
};

const three = licenses(3);
const text = JSON.stringify(page(three));
/** Odd, but understood: their three licenses come, each once. */
export const UNDERSTOOD: Array<[what: string, sent: Sent]> = [
	['with a byte order mark and space', { body: Buffer.from(`\ufeff\r\n\t ${text} \n`) }],
	['with unknown fields', { body: { ...page(three), meta: {}, error: null } }],
	[
		'with a prototype to set',
		{ body: Buffer.from(`{"__proto__":{"polluted":1},${text.slice(1)}`) },
	],
	['with every record twice', { body: page([...three, ...three]) }],
	['with a limit of its own', { body: { data: three, pagination: { limit: 25, page: 3 } } }],
	['of a million bytes', { body: Buffer.from(text.padEnd(1_000_000)) }],
	[
		'in a wrong character set',
		{ headers: { 'content-type': 'x; charset=utf-16' }, body: page(three) },
	],
	[
		'with a license of 90,000 letters',
		{ body: page(three.map((one) => ({ ...one, legalName: 'x'.repeat(90_000) }))) },
	],
	...[-1, 0, 1e9, 1e308, 1.5, null, '7', true, {}, [], undefined].map((total): [string, Sent] => [
		`with the total ${JSON.stringify(total)}`,
		{ body: { data: three, pagination: { ...pagination, total, limit: total } } },
	]),
	...[null, 'yes', 0, [], undefined].map((hasMore): [string, Sent] => [
		`with hasMore ${JSON.stringify(hasMore)}`,
		{ body: { data: three, pagination: { ...pagination, hasMore } } },
	]),
];

/** The pages of a list, each a full one of fifty but for the last. */
const full = licenses(50);
const last = licenses(2, 51);
export const OTHER_PAGES: Array<[what: string, first: object, second: object, count: number]> = [
	[
		'next_cursor beside data, null at the end',
		{ data: full, next_cursor: 'second' },
		{ data: last, next_cursor: null },
		52,
	],
	['next_cursor that is null on a full page', { data: full, next_cursor: null }, {}, 50],
	[
		'next_cursor and has_more in pagination',
		{ data: full, pagination: { next_cursor: 'second', has_more: true, total: 52 } },
		{ data: last, pagination: { next_cursor: null, has_more: false, total: 52 } },
		52,
	],
];
