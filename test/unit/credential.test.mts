import nock from 'nock';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingDataWebhookApi } from '../../credentials/LicensingDataWebhookApi.credentials.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { LicensingDataTrigger } from '../../nodes/LicensingData/LicensingDataTrigger.node.ts';
import { LicensingDataWebhookTrigger } from '../../nodes/LicensingData/LicensingDataWebhookTrigger.node.ts';
import { toConnection } from '../../nodes/LicensingData/service/credential.ts';
import { API_KEY, BASE_URL, CREDENTIALS, useAnswers } from '../support/answers.mts';
import { evaluated } from '../support/host.mts';
import { readText } from '../support/manifest.mts';
import { runLicense, testCredential } from '../support/nodes.mts';
import { licenses, page } from '../support/records.mts';

useAnswers();

const LIVE_KEY = 'ls_live_example';
const OWN_KEY = 'ls_own_0123456789';

it.each([
	['  https://api.example.com/v1/  ', 'https://api.example.com/v1'],
	['https://api.example.com', 'https://api.example.com/v1'],
	['https://api.example.com:8443/licensing/v2', 'https://api.example.com:8443/licensing/v2'],
	['https://api.example.com/v1/licenses', 'https://api.example.com/v1'],
	['https://user:secret@api.example.com/v1?key=1', 'https://api.example.com/v1'],
	['https://api.example.com/api/licenses/lic_1', 'https://api.example.com/api'],
	// This machine, to which a live key may go over plain http.
	['http://localhost:8080', 'http://localhost:8080/v1'],
	['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1'],
	['http://[::1]:8080', 'http://[::1]:8080/v1'],
])("The base URL '%s' is understood as %s", (entered, baseUrl) => {
	const copied = { baseUrl: entered, apiKey: `  ${LIVE_KEY}\n` };
	expect(toConnection(copied)).toEqual({ baseUrl, apiKey: LIVE_KEY });
});

it.each(['  https://api.example.com/v1/  ', 'https://api.example.com'])(
	"The declarative test in docs/review.md asks the same address as the nodes for '%s'",
	(entered) => {
		const [, expression = ''] = /baseURL:\s+'(=\{\{.+\}\})'/.exec(readText('docs/review.md')) ?? [];
		const text = expression.replaceAll('\\\\', '\\');
		const $credentials = { baseUrl: entered };
		const found = evaluated(new LicensingData(), {}, text, { $credentials });
		expect(found).toBe('https://api.example.com/v1');
	},
);

it.each([
	...['127.0.0.1:4020', '[::1]:4020', 'host.docker.internal:4020', 'florida:4020'],
	...['10.0.0.7', '172.16.0.1', '172.31.255.1', '192.168.1.20:4020', '[fd12:3456::1]'],
])("The key of one's own service goes over plain http to %s", (host) => {
	const connection = { baseUrl: `http://${host}/v1`, apiKey: OWN_KEY };
	expect(toConnection(connection)).toEqual(connection);
});

it.each([
	...['api.example.com', '8.8.8.8', '172.15.0.1', '172.32.0.1', '192.169.0.1', '110.0.0.1'],
	...['169.254.169.254', 'florida.', '10.0.0.7.example.com', 'x.host.docker.internal'],
	...['[2001:db8::fd12]', '[fe80::1]', '[::ffff:10.0.0.7]', '167772167.example'],
])("The key of one's own service does not go over plain http to %s", (host) => {
	expect(() => toConnection({ baseUrl: `http://${host}/v1`, apiKey: OWN_KEY })).toThrow(
		'This key is not sent over plain http to another network',
	);
});

const NO_KEY = 'The API key does not look like a key';
const HOLDS_KEY = "'Base URL' holds an API key";

it.each([
	['  ', API_KEY, "'Base URL' is empty"],
	['api/v1', API_KEY, "'Base URL' is not a web address"],
	[`${BASE_URL}?key=ls_live_abcdefgh`, API_KEY, HOLDS_KEY],
	[`${BASE_URL}/${API_KEY}`, API_KEY, HOLDS_KEY],
	['https://ls_live_abcdefgh.example.com/v1', API_KEY, HOLDS_KEY],
	['http://api.example.com/v1', LIVE_KEY, 'A live key is not sent over plain http'],
	['http://florida:4020', LIVE_KEY, 'A live key is not sent over plain http'],
	[BASE_URL, '  ', 'The API key is missing'],
	[BASE_URL, 'ls_test_exa mple', NO_KEY],
	[BASE_URL, 'example_of_a_long_key', NO_KEY],
	[BASE_URL, 'ls_test_a', NO_KEY],
])("'%s' with '%s' is refused before a request, and by Test", async (baseUrl, apiKey, message) => {
	const credentials = { baseUrl, apiKey };
	const { error, stored } = await runLicense({ operation: 'getAll' }, { credentials });
	expect(error).toMatchObject({ name: 'NodeOperationError', message });
	expect(error?.description).toContain('Licensing Data credential');
	if (apiKey === API_KEY) expect(stored).not.toContain(API_KEY);
	const said = expect.stringContaining(`${message}. `);
	expect(await testCredential(credentials)).toEqual({ status: 'Error', message: said });
});

describe("The credential's Test", () => {
	const answered = () => nock('https://api.example.com').get('/v1/licenses').query({ limit: 1 });

	it.each([
		['the License node', new LicensingData(), new LicensingDataApi()],
		['the trigger', new LicensingDataTrigger(), new LicensingDataApi()],
		['the webhook trigger', new LicensingDataWebhookTrigger(), new LicensingDataWebhookApi()],
	])('is found by n8n at %s, and says what a test key is', async (_, nodeType, credentialType) => {
		nock('https://api.example.com', { reqheaders: { authorization: `Bearer ${API_KEY}` } })
			.get('/v1/licenses')
			.query({ limit: 1 })
			.reply(200, page(licenses(1), 'next'));
		const message =
			'Connection successful. This is a test key: it usually returns the same made-up licenses each time.';
		const verdict = await testCredential(CREDENTIALS, { nodeType, credentialType });
		expect(verdict).toEqual({ status: 'OK', message });
	});

	it('says nothing of test keys to the holder of a live one', async () => {
		answered().reply(200, page([]));
		const verdict = await testCredential({ baseUrl: 'https://api.example.com', apiKey: LIVE_KEY });
		expect(verdict).toEqual({ status: 'OK', message: 'Connection successful!' });
	});

	it.each<[number, nock.Body, string]>([
		[401, {}, 'The API key was not accepted. Copy the key from the account dashboard'],
		[503, {}, 'The service could not answer (HTTP 503). '],
		[404, '', ' n8n tried https://api.example.com/v1/licenses.'],
		[301, '', 'The service redirects to https://elsewhere.example.com/. To protect the API key'],
		[200, '<html></html>', ' n8n tried https://api.example.com/v1/licenses.'],
		[200, { data: [{ id: 'lic_1', status: 'active' }] }, 'cannot tell whether there are more'],
	])('tells HTTP %i with %j in the words of the nodes', async (status, body, message) => {
		answered().reply(status, body, { Location: 'https://elsewhere.example.com' });
		const baseUrl = 'https://user:secret@api.example.com?x=1';
		const verdict = await testCredential({ baseUrl, apiKey: API_KEY });
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
});
