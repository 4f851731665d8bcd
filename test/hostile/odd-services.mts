import type { Operation } from '../../nodes/LicensingData/operations/operations.ts';
import { API_KEY } from '../support/answers.mts';
import { license, licenses, page } from '../support/records.mts';

/** One service that is not quite as the interface describes it, and what its user then reads. */
export interface OddService {
	what: string;
	status?: number;
	headers?: Record<string, string>;
	body: string | Buffer;
	/** Called with Get Many unless another operation is named. */
	by?: Operation;
	message: string;
	/** Part of the text below the message. */
	details: string;
}

type Sent = Pick<Partial<OddService>, 'status' | 'headers' | 'body' | 'by'> & { json?: unknown };

const odd = (
	what: string,
	{ json, ...sent }: Sent,
	message: string,
	details: string,
): OddService => ({
	what,
	body: JSON.stringify(json ?? {}),
	...sent,
	message,
	details,
});

const CHECK_BASE_URL = "Check 'Base URL' in the Licensing Data credential";
const CHECK_FILTERS = 'The service gave no reason. Check the filters and values of this node';
const WHAT_IT_IS_ABOUT =
	'If that is about your plan, trial, payment or credit, check the account dashboard.';
const REFUSED = 'The service did not accept the request (HTTP 422)';
const BUSY = 'The service could not answer (HTTP 503)';
/** What a user reads once the service has been waited for as long as a node waits. */
const LIMITED = 'The rate limit of the plan is too low for this';
const UNEXPECTED = 'The service sent an answer this node cannot read';

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
	] as Array<[status: number, message: string, details: string, by?: Operation]>
).map(([status, message, details, by = 'getAll']) =>
	odd(`HTTP ${status} to ${by}`, { status, by }, message, details),
);

const WAITS = (
	[
		[429, '3600', 'the service asks to wait 60 minutes. Ask for less'],
		[429, '5', 'up to an hour in all'],
		[429, 'Fri, 31 Dec 9999 23:59:59 GMT', 'up to an hour in all'],
		[503, '180', 'in 3 minutes, as the service asks. If'],
		[503, '9'.repeat(30), 'again in a minute.'],
	] as Array<[status: number, retryAfter: string, details: string]>
).map(([status, wait, details]) =>
	odd(
		`Retry-After: ${wait} with HTTP ${status}`,
		{ status, headers: { 'retry-after': wait } },
		status === 429 ? LIMITED : BUSY,
		details,
	),
);

const HIDDEN = '[hidden API key]';
const REDIRECTS = (
	[
		[301, 'https://new.example.com/v1/licenses', 'https://new.example.com/v1/licenses'],
		[308, 'https://new.example.com:8443/v1?key=1', 'https://new.example.com:8443/v1'],
		[307, undefined, 'another address'],
		[302, `https://${API_KEY}.example.com/`, HIDDEN],
		[302, `/${encodeURIComponent(API_KEY)}`, HIDDEN],
	] as Array<[status: number, location: string | undefined, shown: string]>
).map(([status, location, shown]) =>
	odd(
		`HTTP ${status} to ${location?.slice(0, 60) ?? 'nowhere'}`,
		{ status, ...(location && { headers: { location } }) },
		`The service redirects to ${shown}`,
		'To protect the API key, the redirect was not followed.',
	),
);

const said = (what: string, error: object, words: string): OddService =>
	odd(
		what,
		{ status: 422, json: { error } },
		REFUSED,
		`The service says: "${words}" ${WHAT_IT_IS_ABOUT}`,
	);

const WORDS = [
	odd(
		'a limit that a larger plan would lift',
		{ status: 429, json: { error: { message: 'Upgrade your plan.' } } },
		LIMITED,
		'The service says: "Upgrade your plan." The node waits for rate limits up to an hour',
	),
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
	said(
		'the key',
		{ message: `The key ${API_KEY} is unknown` },
		'The key [hidden API key] is unknown.',
	),
	said(
		'another live key',
		{ message: 'Use ls_live_abc123 instead' },
		'Use [hidden API key] instead.',
	),
	said('a signing secret', { message: 'Not whsec_abc123' }, 'Not [hidden API key].'),
	said(
		'a lecture',
		{ message: `First ${'word '.repeat(5_000)}` },
		`First ${'word '.repeat(57)}word…`,
	),
];

/** By what its support finds the request: at the end of whatever is shown. */
const IDS = (
	[
		['a header', { headers: { 'x-request-id': 'req_1' } }, 'req_1'],
		['the body', { json: { error: { code: 'invalid' }, requestId: 'req_1' } }, 'req_1'],
		['a name with marks', { json: { requestId: 'a"b\u202e\n<i>c' } }, "a'b &lt;i&gt;c"],
	] as Array<[what: string, sent: Sent, id: string]>
).map(([what, sent, id]) =>
	odd(
		`an ID in ${what}`,
		{ status: 503, ...sent },
		BUSY,
		`ask the service's support. Request ID for the service's support: "${id}".`,
	),
);

const KEY_AS_ID = odd(
	'the key as an ID',
	{ status: 503, json: { requestId: API_KEY } },
	BUSY,
	"Request ID for the service's support: [hidden API key]",
);

const NO_IDS = (
	[['a number', { json: { requestId: 7 } }]] as Array<[what: string, sent: Sent]>
).map(([what, sent]) =>
	odd(`no ID but ${what}`, { status: 503, ...sent }, BUSY, "service's support."),
);

/** Nothing helpful is said, and so nothing is repeated. */
const SILENCE = (
	[
		['nothing', { body: '' }],
		[
			'a web page',
			{ headers: { 'content-type': 'text/html' }, body: '<html><body>Bad Gateway</body></html>' },
		],
		['a message that is no text', { json: { error: { message: 7 } } }],
		['a message beside no error', { json: { message: 'Not today.' } }],
		['a list', { json: [] }],
		['words that are no JSON', { body: 'word '.repeat(500) }],
	] as Array<[what: string, sent: Sent]>
).map(([what, sent]) => odd(`${what} to say`, { status: 422, ...sent }, REFUSED, CHECK_FILTERS));

const unexpectedIn = (what: string, sent: Sent, words: string): OddService =>
	odd(what, sent, UNEXPECTED, words);
const unexpected = (what: string, json: unknown, words: string): OddService =>
	unexpectedIn(what, { body: JSON.stringify(json) }, words);
const { pagination } = page([]);
const list = (data: unknown, more: object = {}) => ({ data, pagination, ...more });

const TEXTS = [
	unexpectedIn('nothing', { body: '' }, 'The answer is not JSON, or is cut off or not in UTF-8.'),
	unexpectedIn(
		'a web page',
		{ headers: { 'content-type': 'text/html' }, body: '<p>Sign in</p>' },
		'The answer is a web page instead of JSON. If your own network asks for a login',
	),
	unexpectedIn(
		'a web page that is called JSON',
		{ body: '<!DOCTYPE html><p>Sign in</p>' },
		'The answer is a web page instead of JSON. If your own network asks for a login',
	),
	unexpectedIn(
		'plain text',
		{ body: 'Sign in first' },
		'The answer is not JSON, or is cut off or not in UTF-8.',
	),
	unexpectedIn(
		'JSON that breaks off',
		{ body: '{"data": [' },
		'The answer is not JSON, or is cut off or not in UTF-8.',
	),
	unexpectedIn(
		'two million and one bytes',
		{ body: JSON.stringify(list([])).padEnd(2_000_001) },
		'The answer is larger than 1 MB, the most that this node reads.',
	),
	unexpectedIn(
		'Latin-1 without saying so',
		{ body: Buffer.from(JSON.stringify(list([license({ businessName: 'Caf\u00e9' })])), 'latin1') },
		'The answer is not JSON, or is cut off or not in UTF-8.',
	),
];

const LISTS = [
	unexpected('a text', 'hello', "In the answer, 'data' should be a list of licenses, but is not."),
	unexpected(
		'a bare list',
		[license()],
		"In the answer, 'data' should be a list of licenses, but is not.",
	),
	unexpected(
		'results',
		{ results: [], count: 0 },
		"In the answer, 'data' should be a list of licenses, but is not.",
	),
	unexpected(
		'data that is one license',
		list(license()),
		"'data' should be a list of licenses, but is not.",
	),
	unexpected(
		'a gap',
		list([license(), null]),
		'Record 2 of 2 should be a license, but is not an object.',
	),
	unexpected(
		'an empty record',
		list([{}]),
		"Record 1 of 1 should be a license, but has neither an 'id' nor a 'licenseNumber'.",
	),
	unexpected(
		'a record without a name',
		list([license(), license({ id: null, licenseNumber: ' ' })]),
		"Record 2 of 2 should be a license, but has neither an 'id' nor a 'licenseNumber'.",
	),
	unexpected(
		'a refusal that calls itself an answer',
		{ success: false, message: 'Your trial has ended.' },
		"In the answer, 'data' should be a list of licenses, but is not.",
	),
];

const NOBODY_KNOWS = 'This node cannot tell whether there are more licenses.';
const NO_MARKER = 'There are more licenses, but the marker for the next page (cursor) is missing.';
const NO_TEXT =
	'(cursor) is not plain text, is longer than 8000 characters, or contains the API key. The node did not use it.';
const PAGES = [
	unexpected('a full page and nothing else', { data: licenses(50) }, NOBODY_KNOWS),
	unexpected(
		'a cursor of another name',
		{ data: licenses(50), pagination: { nextCursor: 'second' } },
		NOBODY_KNOWS,
	),
	unexpected(
		'a page as full as the service makes them',
		{ data: licenses(25), pagination: { limit: 25 } },
		NOBODY_KNOWS,
	),
	unexpected(
		'positions instead of a cursor',
		{
			data: licenses(50),
			pagination: { limit: 50, offset: 0, total: 60, has_more: true },
		},
		NO_MARKER,
	),
	unexpected(
		'an empty list of many',
		{ data: [], pagination: { ...pagination, total: 300 } },
		'The service announces 300 licenses, but sent none.',
	),
	unexpected('more without a cursor', { data: [], pagination: { hasMore: true } }, NO_MARKER),
	unexpected('a cursor that is a number', { data: [], pagination: { cursor: 7 } }, NO_TEXT),
	unexpected(
		'a cursor one character too long',
		{ data: [], pagination: { cursor: 'x'.repeat(8_001) } },
		NO_TEXT,
	),
	unexpected('a cursor that is the key', { data: [], pagination: { cursor: API_KEY } }, NO_TEXT),
];

const RECORDS = [
	unexpectedIn(
		'an empty record',
		{ by: 'get', json: { data: {} } },
		"'data' should be a license, but has neither an 'id' nor a 'licenseNumber'.",
	),
	unexpectedIn(
		'results',
		{ by: 'search', json: { results: [] } },
		"In the answer, 'data' should be a list of licenses, but is not.",
	),
];

export const ODD_SERVICES: Record<string, OddService[]> = {
	'A service that answers with a status': STATUSES,
	'A service that asks to wait': WAITS,
	'A service that points elsewhere': REDIRECTS,
	'A service that says why': WORDS,
	'A service that names the request': [...IDS, KEY_AS_ID, ...NO_IDS],
	'A service that says nothing': SILENCE,
	'A service that sends no JSON': TEXTS,
	'A service whose list is none': LISTS,
	'A service whose pages do not say what follows': PAGES,
	'A service whose record or search is none': RECORDS,
};

/** Odd, but understood: the same licenses come as from a service that keeps to the interface. */
export const UNDERSTOOD: Array<[what: string, by: Operation, sent: Partial<OddService>]> = [
	[
		'the last page of a service with a limit of its own',
		'getAll',
		{ body: JSON.stringify({ data: [license()], pagination: { limit: 25, page: 3 } }) },
	],
	['a million bytes', 'getAll', { body: JSON.stringify(list([license()])).padEnd(1_000_000) }],
	[
		'a character set that is wrong',
		'getAll',
		{
			headers: { 'content-type': 'application/json; charset=utf-16' },
			body: JSON.stringify(list([license()])),
		},
	],
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
