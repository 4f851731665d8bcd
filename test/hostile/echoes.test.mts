import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { redactorFor } from '../../nodes/LicensingData/service/connection.ts';
import { report } from '../../probe/report.mts';
import { survey } from '../../probe/survey.mts';
import { pollerOf, runLicense, testCredential } from '../support/nodes.mts';
import { listen, useService } from '../support/loopback.mts';
import { licenses, page } from '../support/records.mts';
import { WebhookHost } from '../support/webhook-node.mts';
import { made, RUNS } from './runs.mts';

interface Sent {
	status?: number;
	headers?: Record<string, string>;
	body: unknown;
}

let send: () => Sent;
/** Every address that was requested, which any proxy along the way would log. */
let addresses: string[];
const service = useService((request, response) => {
	addresses.push(request.url ?? '');
	const { status = 200, headers, body } = send();
	response.writeHead(status, headers).end(JSON.stringify(body));
});
beforeEach(() => {
	addresses = [];
});

const hex = (text: string) => Buffer.from(text).toString('hex');
const everyByte = (text: string) => hex(text).replace(/../g, '%$&');
const withoutPrefix = (key: string) => key.replace(/^ls_(live|test)_/, '');

/** The ways in which a service could write a key so that a reader could recover it. */
const FORMS: Record<string, (key: string) => string> = {
	plain: (key) => key,
	'upper case': (key) => key.toUpperCase(),
	'without its prefix': withoutPrefix,
	'with a name': (key) => `Bearer:${key}`,
	'twice in a row': (key) => `${key}${key}`,
	'in brackets': (key) => `<${key}>"${key}"`,
	'URL-encoded': (key) => `key=${encodeURIComponent(key)}&x=1`,
	'every byte URL-encoded': everyByte,
};

/** Nothing that came out may contain a piece of what was sent that is long enough to matter. */
function expectNothingOf(form: string, ...cameOut: unknown[]): void {
	const text = cameOut
		.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
		.join('\n');
	for (let at = 0; at + 10 <= form.length; at++) {
		expect(text).not.toContain(form.slice(at, at + 10));
	}
}

const credentialsWith = (apiKey: string) => ({ baseUrl: service.baseUrl, apiKey });
const getMany = async (apiKey: string) =>
	await runLicense(
		{ operation: 'getAll', returnAll: true, options: { retries: 0 } },
		{ credentials: credentialsWith(apiKey) },
	);

/** Contains every kind of character that some encoding writes differently. */
const KEY = 'ls_live_q7+Zt/Vb==9_xK-w4%Rm~e2';

describe.each(Object.entries(FORMS))('A key that comes back: %s', (_, write) => {
	const form = write(KEY);

	const refused = (status: number, body: object): Sent => ({ status, body });
	const location = `https://${encodeURIComponent(form)}.example.com/`;

	it.each<[string, Sent]>([
		['in a message', refused(401, { error: { message: `Not ${form} today` } })],
		['behind a long message', refused(400, { message: `${'x '.repeat(130)}${form}` })],
		['in a good answer', { body: { success: false, message: form } }],
		['as the name of a field', { body: { [form]: 1 } }],
		['as the name of a record', { body: { data: [{ [form]: 1 }], pagination: {} } }],
		['as the name of a page', { body: { data: licenses(50), pagination: { [`next${form}`]: 1 } } }],
		['as the host of a redirect', { status: 302, headers: { location }, body: '' }],
		['as the cursor', { body: page(licenses(50), form) }],
	])('stands in no error, no execution and no address: %s', async (_place, sent) => {
		send = () => sent;
		const { error, stored } = await getMany(KEY);
		expect(error?.message).toBeTruthy();
		const verdict = await testCredential(credentialsWith(KEY));
		expect(verdict.status).toBe('Error');
		expectNothingOf(form, error?.message, error?.description, stored, verdict, addresses);
	});

	it.each<[string, () => unknown]>([
		['as the cursor', () => page(licenses(50, 2), form)],
		['as the name of a record beside a license', () => page([...licenses(1), { [form]: 1 }])],
		[
			'as the type of so many that they are held back',
			() => page(licenses(600, 2).map((one) => ({ ...one, licenseType: form }))),
		],
	])('stands in no memory and no log of the trigger: %s', async (_place, body) => {
		const poller = pollerOf(credentialsWith(KEY));
		send = () => ({ body: page(licenses(1)) });
		await poller.activate();
		send = () => ({ body: body() });
		const outcome = await poller.poll().catch((error: Error) => error.message);
		poller.restart();
		const said = [...poller.warnings, ...poller.notes, ...poller.shown];
		expectNothingOf(form, outcome, poller.saved, said, addresses);
		expect(said).not.toEqual([]);
	});

	it.each<[string, object, RegExp]>([
		['as the ID', { id: form, secret: form }, /answer this node cannot read$/],
		['as the secret', { id: 'wh_1', secret: form }, /^There is no usable signing secret/],
	])('stands in no registration of the webhook trigger: %s', async (_place, body, words) => {
		const host = new WebhookHost({ credentials: credentialsWith(KEY) });
		await host.listen();
		send = () => ({ body });
		const refused = await host.activate().catch((error: Error) => error.message);
		await host.deactivate();
		await host.close();
		expect(refused).toMatch(words);
		expectNothingOf(form, refused, host.staticData, host.logs, addresses);
	});
});

describe('A key of any characters', () => {
	const character = fc.constantFrom(...'abcXYZ019-_+/=%$&.~!*'.split(''));
	const prefix = fc.constantFrom('ls_live_', 'ls_test_');
	const anyKey = fc
		.tuple(prefix, fc.string({ unit: character, minLength: 12, maxLength: 40 }))
		.map((parts) => parts.join(''));

	it('comes back in no error and no execution, in whatever form it is sent', async () => {
		await fc.assert(
			fc.asyncProperty(anyKey, fc.constantFrom(...Object.values(FORMS)), async (apiKey, write) => {
				const form = write(apiKey);
				send = () => ({ status: 401, body: { error: { message: `See ${form}` } } });
				const { error, stored } = await getMany(apiKey);
				expect(error?.message).toBe('The API key was not accepted');
				expect(stored).not.toContain(JSON.stringify(form).slice(1, -1));
				expect(stored).not.toContain(withoutPrefix(apiKey));
			}),
			made(RUNS * 3),
		);
	});
});

describe('The probe', () => {
	it('prints the key nowhere, wherever the service repeats it', async () => {
		const key = 'ls_live_0123456789abcdef';
		const repeated = { [key]: key, error: { type: key, message: key } };
		const { baseUrl, close } = await listen((_, response) => {
			const names = 'id licenseNumber licenseType status eventType eventTimestamp'.split(' ');
			const record = Object.fromEntries(names.map((name) => [name, key]));
			const data = Array.from({ length: 3 }, () => ({ ...record, ...repeated }));
			response.setHeader('x-ratelimit-scope', key);
			response.end(JSON.stringify({ data, ...repeated, pagination: { cursor: key } }));
		});
		onTestFinished(close);
		let now = 0;
		const sleep = async (milliseconds: number) => void (now += milliseconds);
		const seen = await survey({ baseUrl, apiKey: key, sleep, now: () => now });
		expect(report(seen, String)).toContain(key);
		expect(report(seen, redactorFor(key).redact)).not.toContain('0123456789abcdef');
	});
});

describe('What the editor shows as HTML', () => {
	const entities = [...KEY].map((letter) => `&#${letter.codePointAt(0)};`).join('');
	/** As a browser shows it. */
	const rendered = (html: string) =>
		html.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

	it('is no key that was written in entities', async () => {
		send = () => ({ status: 422, body: { error: { message: `Not ${entities}` } } });
		const { error } = await getMany(KEY);
		expect(error?.description).toContain('&amp;#108;');
		expectNothingOf(KEY, rendered(error?.description ?? ''));
	});

	it('is a hint of at most 1,000 characters, with no markup and no key', async () => {
		const businessName = `${KEY}${entities}<a href="https://evil.example.com">Pay</a>`;
		const found = { businessName, address: { zip: '33602', street: '100 Bay St' } };
		send = () => ({ body: page([{ id: '1', ...found }]) });
		const parameters = {
			...{ operation: 'match', businessName: `${'<b>'.repeat(60)} Bar` },
			...found.address,
		};
		const { hints } = await runLicense(parameters, { credentials: credentialsWith(KEY) });
		expect(hints).toHaveLength(1);
		expect(hints[0]).toContain('&lt;b&gt;');
		expect(hints[0]?.length).toBeLessThanOrEqual(1000);
		expect(hints[0]).not.toMatch(/<|&#/);
		expectNothingOf(KEY, rendered(hints[0] ?? ''));
	});
});
