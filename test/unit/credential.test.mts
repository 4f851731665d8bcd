import nock from 'nock';
import { describe, expect, it } from 'vitest';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { API_KEY, useAnswers } from '../support/answers.mts';
import { testCredential } from '../support/credential-test.mts';
import { runLicense } from '../support/license-node.mts';
import { licenses, page } from '../support/records.mts';

useAnswers();

const LIVE_KEY = 'ls_live_example';

describe('Base URL', () => {
	const getMany = (baseUrl: string, apiKey = API_KEY) =>
		runLicense(
			{ operation: 'getAll', options: { retries: 0 } },
			{ credentials: { baseUrl, apiKey } },
		);

	it.each([
		['https://api.example.com/v1', 'https://api.example.com', '/v1/licenses'],
		['https://api.example.com/v1/', 'https://api.example.com', '/v1/licenses'],
		['https://api.example.com/v1///', 'https://api.example.com', '/v1/licenses'],
		['  https://api.example.com/v1  ', 'https://api.example.com', '/v1/licenses'],
		['https://api.example.com', 'https://api.example.com', '/v1/licenses'],
		['https://api.example.com/', 'https://api.example.com', '/v1/licenses'],
		['HTTPS://API.EXAMPLE.COM/v1', 'https://api.example.com', '/v1/licenses'],
		[
			'https://api.example.com:8443/licensing/v2',
			'https://api.example.com:8443',
			'/licensing/v2/licenses',
		],
		['http://service.example.com/v1', 'http://service.example.com', '/v1/licenses'],
	])("'%s' is understood", async (baseUrl, origin, path) => {
		nock(origin)
			.get(path)
			.query(true)
			.reply(200, page(licenses(1)));
		expect((await getMany(baseUrl)).items).toHaveLength(1);
	});

	it.each([
		['  ', "'Base URL' is empty"],
		['api.example.com/v1', "'Base URL' is not a web address"],
		['ftp://api.example.com/v1', "'Base URL' is not a web address"],
		['https://', "'Base URL' is not a web address"],
		['https://api.example.com/v1?key=1', "'Base URL' holds more than an address"],
		['https://api.example.com/v1#top', "'Base URL' holds more than an address"],
		['https://user:secret@api.example.com/v1', "'Base URL' holds more than an address"],
		['https://api.example.com/licenses', "'Base URL' does not end in a version"],
		['https://api.example.com/v1/licenses', "'Base URL' does not end in a version"],
	])("'%s' is refused before a request", async (baseUrl, message) => {
		const { error, stored } = await getMany(baseUrl);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
		expect(error?.description).toBeTruthy();
		expect(stored).not.toContain(API_KEY);
	});

	it.each([
		'http://api.example.com/v1',
		'http://192.168.0.7/v1',
		'http://localhost.example.com/v1',
		'http://127.0.0.1.example.com/v1',
		'HTTP://API.EXAMPLE.COM',
	])('a live key is not sent to %s', async (baseUrl) => {
		const { error, stored } = await getMany(baseUrl, LIVE_KEY);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: 'A live key is not sent over plain http',
		});
		expect(error?.description).toContain('https://');
		expect(stored).not.toContain(LIVE_KEY);
	});

	it.each([
		'http://localhost:9999/v1',
		'http://LOCALHOST:9999/v1',
		'http://127.0.0.1:9999/v1',
		'http://127.9.9.9:9999/v1',
		'http://[::1]:9999/v1',
		'https://api.example.com/v1',
	])('a live key is sent to %s', async (baseUrl) => {
		nock(new URL(baseUrl).origin, { reqheaders: { authorization: `Bearer ${LIVE_KEY}` } })
			.get('/v1/licenses')
			.query(true)
			.reply(200, page(licenses(1)));
		expect((await getMany(baseUrl, LIVE_KEY)).items).toHaveLength(1);
	});
});

describe('API Key', () => {
	const getMany = (apiKey: string) =>
		runLicense(
			{ operation: 'getAll' },
			{ credentials: { baseUrl: 'https://api.example.com/v1', apiKey } },
		);

	it('goes into the Authorization header and nowhere else', async () => {
		let sent: { url: string; headers: Record<string, unknown> } | undefined;
		nock('https://api.example.com')
			.get('/v1/licenses')
			.query(true)
			.reply(function (url) {
				sent = { url, headers: this.req.headers };
				return [200, page(licenses(1))];
			});
		const { stored } = await getMany(`  ${API_KEY}\n`);
		const { authorization, ...others } = sent?.headers ?? {};
		expect([authorization].flat()).toEqual([`Bearer ${API_KEY}`]);
		expect(JSON.stringify([sent?.url, others])).not.toContain(API_KEY);
		expect(stored).not.toContain(API_KEY);
	});

	it.each([
		['  ', 'The API key is missing'],
		['ls_test_exa mple', 'The API key has characters that no key has'],
		['ls_test_exa\r\nmple', 'The API key has characters that no key has'],
		['ls_test_exämple', 'The API key has characters that no key has'],
	])("'%s' is refused before a request", async (apiKey, message) => {
		const { error } = await getMany(apiKey);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
		expect(error?.description).toContain("'API Key' of the Licensing Data credential");
	});
});

describe("The credential's Test", () => {
	const test = (baseUrl: string, apiKey = API_KEY) =>
		testCredential(new LicensingDataApi(), { baseUrl, apiKey });
	const service = (origin = 'https://api.example.com', authorization = `Bearer ${API_KEY}`) =>
		nock(origin, { reqheaders: { authorization } }).get('/v1/licenses').query({ limit: 1 });

	it.each([
		'https://api.example.com/v1',
		'https://api.example.com/v1/',
		'https://api.example.com',
		' https://api.example.com/ ',
	])("accepts '%s'", async (baseUrl) => {
		service().reply(200, page(licenses(1)));
		expect(await test(baseUrl)).toEqual({ status: 'OK', message: 'Connection successful!' });
	});

	it('accepts a service that holds no license yet', async () => {
		service().reply(200, page([]));
		expect(await test('https://api.example.com/v1')).toMatchObject({ status: 'OK' });
	});

	it.each([
		['a wrong key', 401, {}, 'The API key was not accepted. Check the key'],
		['a key without the right', 403, {}, 'does not allow this'],
		['a rate limit', 429, {}, 'Wait a minute and test again'],
		['a busy service', 503, {}, 'The service could not answer (HTTP 503)'],
		['a wrong address', 404, {}, "This address does not have the service. Check 'Base URL'"],
		['an address that has moved', 301, '', 'This address only points to another one.'],
		['a web page', 200, '<html></html>', 'This address answers, but it is not the service.'],
		['another service', 200, { ok: true }, 'This address answers, but it is not the service.'],
	])('tells %s', async (_, status, body, message) => {
		// After 401, n8n asks once more.
		service()
			.times(status === 401 ? 2 : 1)
			.reply(status, body, { Location: 'https://elsewhere.example.com' });
		const verdict = await test('https://api.example.com/v1');
		expect(verdict.status).toBe('Error');
		expect(verdict.message).toContain(message);
	});

	it('tells an address that does not exist', async () => {
		service().replyWithError(Object.assign(new Error('?'), { code: 'ENOTFOUND' }));
		expect(await test('https://api.example.com/v1')).toEqual({
			status: 'Error',
			message: 'ENOTFOUND',
		});
	});

	it.each(['http://api.example.com/v1', 'http://localhost:80@api.example.com/v1'])(
		'withholds a live key from %s, and says why',
		async (baseUrl) => {
			let sent: unknown;
			nock('http://api.example.com')
				.get('/v1/licenses')
				.query(true)
				.times(2)
				.reply(function () {
					sent = this.req.headers;
					return [401, {}];
				});
			const { status, message } = await test(baseUrl, LIVE_KEY);
			expect(status).toBe('Error');
			expect(message).toContain('a live key is only sent to an address that starts with https://');
			expect(JSON.stringify(sent)).not.toContain(LIVE_KEY);
		},
	);

	it.each([
		['http://localhost:9999', LIVE_KEY],
		['http://127.0.0.1:9999', LIVE_KEY],
		['http://[::1]:9999', LIVE_KEY],
		['http://service.example.com', API_KEY],
	])('sends to %s the key that may go there', async (origin, apiKey) => {
		service(origin, `Bearer ${apiKey}`).reply(200, page([]));
		expect(await test(`${origin}/v1`, apiKey)).toMatchObject({ status: 'OK' });
	});
});
