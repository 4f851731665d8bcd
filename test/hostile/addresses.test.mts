import fc from 'fast-check';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { toConnection } from '../../nodes/LicensingData/service/credential.ts';
import { each, made, RUNS } from './inputs.mts';

const LIVE_KEY = 'ls_live_example';
const TEST_KEY = 'ls_test_example';

/** Undefined where it is refused, in words. */
async function orRefused<T>(attempt: () => T | Promise<T>): Promise<T | undefined> {
	try {
		return await attempt();
	} catch (error) {
		expect(String(error)).toMatch(/^(?:Failure: |TypeError: Invalid URL)/);
		return undefined;
	}
}

/** The key that goes with a request to this address, whichever node makes it. */
const sentTo = async (url: string, apiKey: string) =>
	await orRefused(async () => {
		const { headers } = await new LicensingDataApi().authenticate({ apiKey }, { url });
		return headers?.Authorization;
	});

/** Where the nodes go. */
const used = async (baseUrl: unknown, apiKey: string) =>
	await orRefused(() => new URL(toConnection({ baseUrl: baseUrl as string, apiKey }).baseUrl));

/** Only this machine, or only the holder of the certificate, can read what is sent there. */
const isPrivate = ({ protocol, hostname }: URL): boolean =>
	protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

const HOSTILE: unknown[] = [
	...['http://localhost:80@evil.example.com/v1', 'http://127.0.0.1.evil.example.com/v1'],
	...['http://evil.example.com#@localhost/v1', 'http://localhost\\@evil.example.com/v1'],
	...['http://0.0.0.0/v1', 'http://localhost./v1', 'http://ⓛocalhost/v1', 'https://'],
	...['http://loc\nalhost/v1', '\ufeffhttp://evil.example.com/v1', 'http:localhost/v1'],
	...['https://user:secret@api.example.com/v1?x=/v1#x', 'https://api.example.com/../v1'],
	...['https://api.example.com/v1\r\nX-Evil: 1', `https://${'x'.repeat(1_000_000)}/v1`],
	...[`${'/'.repeat(200_000)}x`, ' '.repeat(200_000), undefined, 7, {}, ['https://x/v1']],
];

const one = (...choices: string[]) => fc.constantFrom(...choices);
const anyText = fc.string({ unit: 'binary', maxLength: 12 });
const anyAddress: fc.Arbitrary<unknown> = fc
	.tuple(
		one('', '', '', ' ', '\n', '\u0000', '\ufeff'),
		one('http://', 'https://', 'HTTP://', 'http:/', 'https:\\\\', 'http:', '//', 'ftp://'),
		one('', '', '', 'localhost@', 'localhost:80@', 'u:p@', '@', '127.0.0.1\\@'),
		fc.oneof(
			one('localhost', '127.0.0.1', '[::1]', 'evil.example.com', '127.0.0.1.evil.example.com'),
			one('localhost.', '0x7f.1', '127.1', '2130706433', '①27.0.0.1'),
			...[fc.ipV4(), fc.ipV6().map((ip) => `[${ip}]`), fc.domain(), anyText],
		),
		fc.oneof(one('/v1', '/v1/', '', ':80/v1', ':/v1', '/v1?x', '\\v1', '/../v1'), anyText),
	)
	.map((parts) => parts.join(''));

it('A live key goes nowhere in the open, whatever an address is made of', async () => {
	const isKept = fc.asyncProperty(anyAddress, async (baseUrl) => {
		const nodes = await used(baseUrl, LIVE_KEY);
		if (nodes) {
			expect(isPrivate(nodes)).toBe(true);
			expect(await sentTo(`${nodes.href}/licenses`, LIVE_KEY)).toBe(`Bearer ${LIVE_KEY}`);
			expect(`${nodes.username}${nodes.password}${nodes.search}${nodes.hash}`).toBe('');
			expect(nodes.pathname).not.toMatch(/^\/?$/);
		}
		// What HTTP Request gets as its URL is sent as it is.
		if ((await sentTo(String(baseUrl), LIVE_KEY)) !== undefined)
			expect(isPrivate(new URL(String(baseUrl)))).toBe(true);
		const test = await used(baseUrl, TEST_KEY);
		if (test) expect(await sentTo(test.href, TEST_KEY)).toBe(`Bearer ${TEST_KEY}`);
	});
	await fc.assert(isKept, made(RUNS * 20, each(HOSTILE)));
});
