import nock from 'nock';
import { describe, expect, it } from 'vitest';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { LicensingDataTrigger } from '../../nodes/LicensingData/LicensingDataTrigger.node.ts';
import { LicensingDataWebhookTrigger } from '../../nodes/LicensingData/LicensingDataWebhookTrigger.node.ts';
import { toConnection } from '../../nodes/LicensingData/service/connection.ts';
import { API_KEY, BASE_URL, CREDENTIALS, useAnswers } from '../support/answers.mts';
import { runLicense, testCredential } from '../support/nodes.mts';
import { licenses, page } from '../support/records.mts';

useAnswers();

const LIVE_KEY = 'ls_live_example';

describe('Base URL', () => {
	const getMany = (baseUrl: string) =>
		runLicense({ operation: 'getAll' }, { credentials: { baseUrl, apiKey: API_KEY } });

	it.each([
		['  https://api.example.com/v1/  ', '/v1/licenses'],
		['https://api.example.com', '/v1/licenses'],
		['https://api.example.com:8443/licensing/v2', '/licensing/v2/licenses'],
		['https://api.example.com/v1/licenses', '/v1/licenses'],
		['https://user:secret@api.example.com/v1?key=1', '/v1/licenses'],
		['https://api.example.com/x/v2.1/webhooks', '/x/v2.1/licenses'],
		['https://api.example.com/api', '/api/licenses'],
		['https://api.example.com/licenses', '/v1/licenses'],
		['https://api.example.com/api/licenses/lic_1', '/api/licenses'],
		['https://api.example.com/licenses/v2', '/licenses/v2/licenses'],
	])("'%s' is understood", async (baseUrl, path) => {
		nock(new URL(baseUrl.trim()).origin)
			.get(path)
			.query(true)
			.reply(200, page(licenses(1)));
		expect((await getMany(baseUrl)).items).toHaveLength(1);
	});

	it.each([
		['  ', "'Base URL' is empty"],
		...['api/v1', 'api.example.com/v1', 'localhost:8080'].map((given) => [
			given,
			"'Base URL' is not a web address",
		]),
		...['/ls_live_abcdefgh/v1', '/v1?key=ls_live_abcdefgh', `/${API_KEY}`].map((rest) => [
			`https://api.example.com${rest}`,
			"'Base URL' holds an API key",
		]),
		['https://ls_live_abcdefgh.example.com/v1', "'Base URL' holds an API key"],
	])("'%s' is refused before a request", async (baseUrl, message) => {
		const { error, stored } = await getMany(baseUrl);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
		expect(error?.description).toBeTruthy();
		expect(stored).not.toContain(API_KEY);
	});

	it.each([
		['http://localhost:8080', 'http://localhost:8080/v1'],
		['http://LocalHost', 'http://localhost/v1'],
		['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1'],
		['http://[::1]:8080', 'http://[::1]:8080/v1'],
	])("'%s' is this machine, to which a live key may go over plain http", (entered, baseUrl) => {
		expect(toConnection({ baseUrl: entered, apiKey: LIVE_KEY }).baseUrl).toBe(baseUrl);
	});
});

describe('API Key', () => {
	const getMany = (apiKey: string) =>
		runLicense({ operation: 'getAll' }, { credentials: { baseUrl: BASE_URL, apiKey } });

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
		...['ls_test_exa mple', 'ls_test_exämple', 'example_of_a_long_key', 'ls_test_a'].map(
			(apiKey) => [apiKey, 'The API key does not look like a key'],
		),
	])("'%s' is refused before a request", async (apiKey, message) => {
		const { error } = await getMany(apiKey);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
		expect(error?.description).toContain("'API Key' of the Licensing Data credential");
	});
});

describe("The credential's Test", () => {
	const answered = () => nock('https://api.example.com').get('/v1/licenses').query({ limit: 1 });

	it.each([
		['the License node', new LicensingData()],
		['the trigger', new LicensingDataTrigger()],
		['the webhook trigger', new LicensingDataWebhookTrigger()],
	])('is found by n8n at %s', async (_, nodeType) => {
		nock('https://api.example.com', { reqheaders: { authorization: `Bearer ${API_KEY}` } })
			.get('/v1/licenses')
			.query({ limit: 1 })
			.reply(200, page(licenses(1), 'next'));
		expect(await testCredential(CREDENTIALS, { nodeType })).toEqual({
			status: 'OK',
			message:
				'Connection successful. This is a test key: it usually returns the same made-up licenses each time.',
		});
	});

	it('says nothing of test keys to the holder of a live one', async () => {
		answered().reply(200, page([]));
		const verdict = await testCredential({ baseUrl: 'https://api.example.com', apiKey: LIVE_KEY });
		expect(verdict).toEqual({ status: 'OK', message: 'Connection successful!' });
	});

	it.each<[number, nock.Body, string]>([
		[401, {}, 'The API key was not accepted. Copy the key from the account dashboard'],
		[503, {}, 'The service could not answer (HTTP 503). '],
		[301, '', 'The service redirects to https://elsewhere.example.com/. To protect the API key'],
		[200, { data: [{ id: 'lic_1', status: 'active' }] }, 'cannot tell whether there are more'],
	])('tells HTTP %i in the words of the nodes', async (status, body, message) => {
		answered().reply(status, body, { Location: 'https://elsewhere.example.com' });
		const verdict = await testCredential(CREDENTIALS);
		expect(verdict).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
	});

	it.each([
		['ENOTFOUND', "The service's address does not exist. Check 'Base URL'"],
		['ETIMEDOUT', 'The service did not answer within 10 seconds. '],
	])('says %s in words, and not what n8n knows of the request', async (code, message) => {
		answered().replyWithError(Object.assign(new Error(API_KEY), { code }));
		const verdict = await testCredential(CREDENTIALS);
		expect(verdict).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
		expect(JSON.stringify(verdict)).not.toContain(API_KEY);
	});

	it.each([
		['a 404', 404, ''],
		['a web page', 200, '<html></html>'],
	])('says which address it tried if that answers with %s', async (_, status, body) => {
		nock('https://api.example.com').get('/docs/licenses').query(true).reply(status, body);
		const baseUrl = 'https://user:secret@api.example.com/docs?x=1';
		const verdict = await testCredential({ baseUrl, apiKey: API_KEY });
		expect(verdict.message).toContain(' n8n tried https://api.example.com/docs/licenses.');
	});

	it.each([
		['', API_KEY, "'Base URL' is empty. "],
		[`https://api.example.com/${API_KEY}`, API_KEY, "'Base URL' holds an API key. "],
		['https://api.example.com/v1', '', 'The API key is missing. '],
		['http://api.example.com/v1', LIVE_KEY, 'A live key is not sent over plain http. '],
	])("asks nobody about '%s' with the key '%s'", async (baseUrl, apiKey, message) => {
		const verdict = await testCredential({ baseUrl, apiKey });
		expect(verdict).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
	});
});
