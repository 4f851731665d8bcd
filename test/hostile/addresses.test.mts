import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { toConnection } from '../../nodes/LicensingData/service/connection.ts';
import { pollerOf, runLicense, testCredential } from '../support/nodes.mts';
import { made, RUNS } from './runs.mts';

const LIVE_KEY = 'ls_live_example';
const TEST_KEY = 'ls_test_example';

const credential = new LicensingDataApi();

/** The key that goes with a request to this address, whichever node makes it. */
async function sentTo(url: string, apiKey: string): Promise<unknown> {
	try {
		const { headers } = await credential.authenticate({ apiKey }, { url });
		return headers?.Authorization;
	} catch (error) {
		expect(String(error), JSON.stringify(url)).toMatch(/^(?:Failure: |TypeError: Invalid URL)/);
		return undefined;
	}
}

/** Where the nodes go, or undefined where they refuse to go. */
function used(baseUrl: string, apiKey: string): URL | undefined {
	try {
		return new URL(toConnection({ baseUrl, apiKey }).baseUrl);
	} catch (error) {
		expect(String(error), JSON.stringify(baseUrl)).toMatch(/^Failure: /);
		return undefined;
	}
}

/** Only this machine, or only the holder of the certificate, can read what is sent there. */
const isPrivate = ({ protocol, hostname }: URL): boolean =>
	protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

async function expectPrivacy(baseUrl: string): Promise<void> {
	const shown = JSON.stringify(baseUrl).slice(0, 120);
	const nodes = used(baseUrl, LIVE_KEY);
	if (nodes) {
		expect(isPrivate(nodes), `nodes would send a live key to ${shown}`).toBe(true);
		expect(await sentTo(`${nodes.href}/licenses`, LIVE_KEY), shown).toBe(`Bearer ${LIVE_KEY}`);
		expect(`${nodes.username}${nodes.password}${nodes.search}${nodes.hash}`, shown).toBe('');
		expect(nodes.pathname, shown).not.toMatch(/^\/?$/);
	}
	// What HTTP Request gets as its URL is sent as it is.
	if ((await sentTo(baseUrl, LIVE_KEY)) !== undefined) {
		expect(isPrivate(new URL(baseUrl)), `HTTP Request would send it to ${shown}`).toBe(true);
	}
	const test = used(baseUrl, TEST_KEY);
	if (test) expect(await sentTo(test.href, TEST_KEY)).toBe(`Bearer ${TEST_KEY}`);
}

const PRIVATE = [
	...['HTTPS://API.EXAMPLE.COM/v1', 'https://api.example.com:8443/x/v2/', 'https://1/v1'],
	...['http://LocalHost:1/v1', ' http://localhost/v1 ', 'http://localhost', 'http://localhost/'],
	...['http://127.255.0.9:80/v1', 'http://[::1]:8080/v1', 'https://[2001:db8::1]/v1'],
	...['https://xn--e1afmkfd.example/v1', 'https://пример.example/v1'],
];

const ODD = [
	...['http://api.example.com/v1', 'http://192.168.0.1/v1', 'http://169.254.169.254/v1'],
	...['http://localhost@evil.example.com/v1', 'http://localhost:80@evil.example.com/v1'],
	...['http://127.0.0.1.evil.example.com/v1', 'http://localhost.evil.example.com/v1'],
	...['http://localhost./v1', 'http://evil.example.com#@localhost/v1'],
	...['http://evil.example.com?@localhost/v1', 'http://evil.example.com\\@localhost/v1'],
	...['http://localhost\\@evil.example.com/v1', 'http:\\\\localhost\\v1', 'http:/localhost/v1'],
	...['http:localhost/v1', 'http:///localhost/v1', 'https://http://evil.example.com/v1'],
	...['ht\ttp://evil.example.com/v1', 'http://loc\nalhost/v1', 'http://localhost/\t/v1'],
	...['\u0000http://localhost/v1', '\ufeffhttp://evil.example.com/v1', 'http://2130706433/v1'],
	...['http://0x7f.1/v1', 'http://0177.0.0.1/v1', 'http://127.1/v1', 'http://0.0.0.0/v1'],
	...['http://[::]/v1', 'http://[0:0:0:0:0:0:0:1]/v1', 'http://[::ffff:127.0.0.1]/v1'],
	...['http://[::1].evil.example.com/v1', 'http://①②⑦.0.0.1/v1', 'http://ⓛocalhost/v1'],
	...['http://loc%61lhost/v1', 'http://localhost%2f@evil.example.com/v1', 'http://localhost:-1/v1'],
	...['https://user:secret@api.example.com/v1', 'https://api.example.com/v1?x=/v1'],
	...['https://api.example.com/../v1', 'file:///etc/v1', 'javascript:alert(1)/v1'],
	...['//api.example.com/v1', '', 'https://', '[object Object]'],
	...['https://api.example.com/v1\r\nX-Evil: 1', 'http://localhost/v1\nhttp://evil.example.com/v1'],
	...['https://\ud800.example.com/v1', `${'/'.repeat(200_000)}x`, ' '.repeat(200_000)],
	`https://${'x'.repeat(1_000_000)}/v1`,
];

describe('Hostile addresses', () => {
	it.for(PRIVATE)('%j is one that a live key may go to', async (baseUrl) => {
		expect(used(baseUrl, LIVE_KEY)).toBeDefined();
		await expectPrivacy(baseUrl);
	});

	it.for(ODD)('%j takes a live key nowhere in the open', async (baseUrl) => {
		await expectPrivacy(baseUrl);
	});

	it('take a live key nowhere in the open, whatever they are made of', async () => {
		const anyText = fc.string({ unit: 'binary', maxLength: 12 });
		const one = (...choices: string[]) => fc.constantFrom(...choices);
		const space = one('', '', '', ' ', '\n', '\u0000', '\ufeff');
		const address = fc.tuple(
			space,
			one(...['http://', 'https://', 'HTTP://', 'http:/', 'https:\\\\', 'http:', '//'], 'ftp://'),
			one('', '', '', 'localhost@', 'localhost:80@', 'u:p@', '@', '127.0.0.1\\@'),
			fc.oneof(
				one('localhost', 'LOCALHOST', '127.0.0.1', '[::1]', 'evil.example.com', 'localhost.'),
				one('127.0.0.1.evil.example.com', '0x7f.1', '127.1', '2130706433', '①27.0.0.1'),
				fc.ipV4(),
				fc.ipV6().map((ip) => `[${ip}]`),
				fc.domain(),
				anyText,
			),
			fc.oneof(
				one('/v1', '/v1/', '', '/', ':80/v1', ':/v1', ':443', '/v1?x', '/v1#x', '\\v1', '/../v1'),
				anyText,
			),
			space,
		);
		await fc.assert(
			fc.asyncProperty(address, async (parts) => await expectPrivacy(parts.join(''))),
			made(RUNS * 5),
		);
	});

	it.for([
		['https://api.example.com/v1', 'http://evil.example.com/v1'],
		['http://evil.example.com/v1', '/licenses'],
	])('take a live key nowhere in the open, in two parts: %j', async ([baseURL, url]) => {
		const request = { baseURL, url: url! };
		const sent = credential.authenticate({ apiKey: LIVE_KEY }, request);
		await expect(sent).rejects.toThrow('A live key is not sent over plain http');
	});

	it.for([undefined, null, 7, true, {}, [], ['https://x/v1'], { href: 'https://x/v1' }])(
		'that are no text, such as %j, are refused by name',
		(baseUrl) => {
			const entered = { baseUrl: baseUrl as string, apiKey: TEST_KEY };
			expect(() => toConnection(entered)).toThrow("'Base URL'");
		},
	);
});

describe("n8n's protection against requests to private addresses", () => {
	const WORDS = 'n8n does not allow requests to the address of the service';
	// n8n-core brings its own copies of the packages that hold its settings.
	const bring = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
	const { Container } = bring('@n8n/di') as { Container: { get<T>(of: unknown): T } };
	const { SsrfProtectionConfig } = bring('@n8n/config') as { SsrfProtectionConfig: unknown };
	const protection = Container.get<{ enabled: boolean }>(SsrfProtectionConfig);
	beforeEach(() => {
		protection.enabled = true;
	});
	afterEach(() => {
		protection.enabled = false;
	});

	it.each(['http://127.0.0.1:9/v1', 'http://localhost:9/v1', 'https://10.1.2.3/v1'])(
		'is named where it refuses %s, with the setting that allows it',
		async (baseUrl) => {
			const credentials = { baseUrl, apiKey: TEST_KEY };
			const { error } = await runLicense({ operation: 'getAll', limit: 1 }, { credentials });
			expect(error).toMatchObject({ name: 'NodeApiError', message: WORDS });
			expect(error?.description).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
			expect(await testCredential(credentials)).toMatchObject({
				status: 'Error',
				message: expect.stringContaining(WORDS),
			});
			await expect(pollerOf(credentials).activate()).rejects.toThrow(WORDS);
		},
	);
});
