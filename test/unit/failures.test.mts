import nock from 'nock';
import { describe, expect, it } from 'vitest';

import type { Ran } from '../support/host.mts';
import { API_KEY, answer, answerPages, service, useAnswers } from '../support/answers.mts';
import { runLicense } from '../support/license-node.mts';
import { license, page } from '../support/records.mts';

useAnswers();

const list = () => runLicense({ operation: 'getAll', options: { retries: 0 } });

/** What every failure owes its reader. */
function expectReadable({ error, stored }: Ran): void {
	expect(error?.message).toBeTruthy();
	expect(error?.description).toBeTruthy();
	expect(`${error?.message} ${error?.description}`).not.toMatch(/error|problem|failure|mistake/i);
	expect(stored).not.toContain(API_KEY);
}

describe('An answer with the status', () => {
	it.each([
		[400, 'The service did not accept the request (HTTP 400)', 'Check the filters'],
		[401, 'The API key was not accepted', 'a compromised key is rotated in the account dashboard'],
		[403, 'The API key does not allow this', 'what the plan of this key includes'],
		[404, 'Nothing was found at this address', "Check 'Base URL'"],
		[408, 'The service did not wait (HTTP 408)', 'Try again later.'],
		[418, 'The service did not accept the request (HTTP 418)', 'Check the filters'],
		[429, 'The rate limit of the plan was reached', "with more 'Retries' under 'Options'"],
		[500, 'The service could not answer (HTTP 500)', 'Try again later'],
		[501, 'The service cannot do this', 'It does not offer this operation'],
		[503, 'The service could not answer (HTTP 503)', 'with Retry On Fail in its settings'],
	])('%i says what happened and what to do', async (status, message, advice) => {
		answerPages([status, { error: { type: 'some_kind', message: 'Plain words.' } }]);
		const ran = await list();
		expect(ran.error).toMatchObject({ name: 'NodeApiError', message, httpCode: String(status) });
		expect(ran.error?.description).toContain(advice);
		expect(ran.error?.description).toContain('The service says: Plain words.');
		expectReadable(ran);
	});

	it.each([
		['get', { operation: 'get', licenseId: 'lic_1' }],
		['getAll', { operation: 'getAll' }],
		['search', { operation: 'search', query: 'bar' }],
	])('200 carries along what the service says in the place of data (%s)', async (_, parameters) => {
		answer(/./, [200, { error: { message: `Your trial has ended, ${API_KEY}.` } }]);
		const ran = await runLicense(parameters);
		expect(ran.error?.message).toBe('The answer was not what the service describes');
		expect(ran.error?.description).toContain('The service says: Your trial has ended, ');
		expectReadable(ran);
	});

	it('429 names a wait that is too long to be waited for', async () => {
		answerPages([429, {}, { 'Retry-After': '3600' }]);
		const { error } = await list();
		expect(error?.description).toMatch(/^The service asks to wait 60 minutes\./);
	});

	it.each([
		['Get', { operation: 'get', licenseId: 'lic_1' }],
		['Get Many', { operation: 'getAll' }],
		['Search', { operation: 'search', query: 'bar' }],
	])('401 is the same for %s', async (_, parameters) => {
		answer(/./, [401, {}]);
		const ran = await runLicense(parameters);
		expect(ran.error).toMatchObject({ message: 'The API key was not accepted', httpCode: '401' });
		expectReadable(ran);
	});

	it.each([301, 302, 303, 307, 308])(
		'%i is not followed, so the key stays home',
		async (status) => {
			const elsewhere = nock('https://elsewhere.example.com')
				.get(/./)
				.query(true)
				.reply(200, page([]));
			answerPages([status, '', { Location: 'https://elsewhere.example.com/v1/licenses' }]);
			const ran = await list();
			expect(ran.error).toMatchObject({
				message: 'The service has moved to another address',
				httpCode: String(status),
			});
			expectReadable(ran);
			expect(elsewhere.isDone()).toBe(false);
			nock.cleanAll();
		},
	);
});

describe("The service's own words", () => {
	it.each([
		[
			'without a type',
			{ error: { message: 'Unknown county.' } },
			'The service says: Unknown county.',
		],
		['as a bare text', { error: 'Unknown county.' }, 'The service says: Unknown county.'],
		[
			'over several lines',
			{ error: { message: 'One.\n\tTwo.\u0007' } },
			'The service says: One. Two.',
		],
	])('are carried along %s', async (_, body, words) => {
		answerPages([400, body]);
		expect((await list()).error?.description).toContain(words);
	});

	it.each([
		['no body', ''],
		['a web page', '<html><body>Bad Gateway</body></html>'],
		['a body without a message', { error: { type: 'bad_request' } }],
		['a message that is no text', { error: { message: { en: 'Bad' } } }],
		['an empty message', { error: { message: '  ' } }],
		['null', 'null'],
		['a list', []],
	])('are left out where there is %s', async (_, body) => {
		answerPages([400, body]);
		const { error } = await list();
		expect(error?.httpCode).toBe('400');
		expect(error?.description).toBe('Check the filters and values of the node.');
	});

	it('are cut where they are a lecture', async () => {
		answerPages([400, { error: { message: 'x'.repeat(5_000) } }]);
		expect((await list()).error?.description?.length).toBeLessThan(400);
	});

	it.each([
		['the key in use', `The key ${API_KEY} is unknown.`, API_KEY],
		['another live key', 'Use ls_live_abc123 instead.', 'abc123'],
		['a signing secret', 'Not whsec_abc123.', 'abc123'],
		['a key that the cut would halve', `${'x'.repeat(290)} ${API_KEY}`, 'ls_test_e'],
	])('never give away %s', async (_, message, secret) => {
		answerPages([401, { error: { message } }]);
		const ran = await list();
		expect(ran.error?.description).toContain('The service says');
		expect(ran.stored).not.toContain(secret);
	});
});

describe('A connection', () => {
	it.each([
		['ENOTFOUND', "The service's address does not exist", "Check 'Base URL'"],
		[
			'ECONNREFUSED',
			'Nothing answers at the address of the service',
			'whether the service is running',
		],
		['ECONNRESET', 'The connection to the service broke', '(ECONNRESET)'],
		['EAI_AGAIN', 'The connection to the service broke', '(EAI_AGAIN)'],
		['CERT_HAS_EXPIRED', "The service's certificate was not accepted", '(CERT_HAS_EXPIRED)'],
		['SELF_SIGNED_CERT_IN_CHAIN', "The service's certificate was not accepted", '(SELF_SIGNED'],
		['ERR_TLS_CERT_ALTNAME_INVALID', "The service's certificate was not accepted", 'the proxy'],
		[
			'ETIMEDOUT',
			'The service did not answer within 30 seconds',
			"with a higher 'Timeout' under 'Options'",
		],
		[
			'ECONNABORTED',
			'The service did not answer within 30 seconds',
			"with a higher 'Timeout' under 'Options'",
		],
	])('that meets %s says so in words', async (code, message, advice) => {
		const fault = Object.assign(new Error(`with ${API_KEY} inside`), { code });
		service().get('/licenses').query(true).replyWithError(fault);
		const ran = await list();
		expect(ran.error).toMatchObject({ name: 'NodeApiError', message, httpCode: null });
		expect(ran.error?.description).toContain(advice);
		expectReadable(ran);
	});

	it('that breaks without a reason says so too', async () => {
		service().get('/licenses').query(true).replyWithError(new Error('?'));
		const ran = await list();
		expect(ran.error?.message).toBe('The connection to the service broke');
		expectReadable(ran);
	});
});

describe('An answer of another shape is never an empty list', () => {
	const html = { 'Content-Type': 'text/html' };
	const { pagination } = page([]);

	it.each<[string, nock.ReplyBody, nock.ReplyHeaders | undefined, string]>([
		['a web page', '<html></html>', html, 'It was a web page, not data.'],
		['cut JSON', '{"data": [', undefined, 'It was not complete JSON.'],
		['nothing', '', undefined, 'It was empty.'],
		['blanks', '  \n', undefined, 'It was empty.'],
		['a text', '"hello"', undefined, "It held no list of licenses in 'data'."],
		['null', 'null', undefined, "It held no list of licenses in 'data'."],
		['a bare list', [], undefined, "It held no list of licenses in 'data'."],
		['no data', { pagination }, undefined, "It held no list of licenses in 'data'."],
		[
			'data that is null',
			{ data: null, pagination },
			undefined,
			"It held no list of licenses in 'data'.",
		],
		[
			'data that is one record',
			{ data: license(), pagination },
			undefined,
			"no list of licenses in 'data'.",
		],
		[
			'a list of other things',
			{ data: ['lic_1'], pagination },
			undefined,
			"no list of licenses in 'data'.",
		],
		[
			'a list with a gap',
			{ data: [license(), null], pagination },
			undefined,
			"no list of licenses in 'data'.",
		],
		['no pagination', { data: [license()] }, undefined, "It held no 'pagination'."],
		[
			'a cursor that is a number',
			{ data: [], pagination: { cursor: 7, hasMore: true } },
			undefined,
			'not a text',
		],
		[
			'more to come without a cursor',
			{ data: [], pagination: { cursor: null, hasMore: true } },
			undefined,
			'gave no cursor',
		],
		[
			'more to come with an empty cursor',
			{ data: [], pagination: { cursor: '', hasMore: true } },
			undefined,
			'gave no cursor',
		],
	])('%s', async (_, body, headers, words) => {
		answerPages([200, body, headers]);
		const ran = await list();
		expect(ran.error).toMatchObject({
			name: 'NodeApiError',
			message: 'The answer was not what the service describes',
			httpCode: null,
		});
		expect(ran.error?.description).toContain(words);
		expectReadable(ran);
	});

	it.each([
		[
			'Get',
			{ operation: 'get', licenseId: 'lic_1' },
			{ data: [license()] },
			"no license in 'data'",
		],
		['Get', { operation: 'get', licenseId: 'lic_1' }, license(), "no license in 'data'"],
		['Search', { operation: 'search', query: 'bar' }, { results: [] }, 'no list of licenses'],
		['Search', { operation: 'search', query: 'bar' }, { data: {} }, 'no list of licenses'],
	])('nor for %s', async (_, parameters, body, words) => {
		answer(/./, body);
		const ran = await runLicense(parameters);
		expect(ran.error?.description).toContain(words);
		expectReadable(ran);
	});

	it('but a byte order mark does no harm', async () => {
		answerPages([200, `\uFEFF${JSON.stringify(page([license()]))}`]);
		expect((await list()).items).toHaveLength(1);
	});
});
