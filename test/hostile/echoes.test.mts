import fc from 'fast-check';

import type { Answer } from '../support/list-service.mts';
import { useService } from '../support/loopback.mts';
import { pollerOf, runLicense, testCredential } from '../support/nodes.mts';
import { licenses, page } from '../support/records.mts';
import { each, made, RUNS } from './inputs.mts';

let send: () => Answer;
/** Every request but for its key, which goes into one header. Any proxy along the way would log the address. */
let requests: unknown[];
const service = useService((request, response) => {
	const { authorization, ...others } = request.headers;
	requests.push([request.url, others, authorization?.replace(/^Bearer \S+$/, '')]);
	const { status = 200, headers, body } = send();
	response.writeHead(status, headers).end(JSON.stringify(body));
});
beforeEach(() => void (requests = []));

const credentialsWith = (apiKey: string) => ({ baseUrl: service.baseUrl, apiKey });

/** The ways in which a service could write a key so that a reader could recover it. */
const FORMS = [
	(key: string) => key,
	(key: string) => key.toUpperCase(),
	(key: string) => key.replace(/^ls_(live|test|own)_/, ''),
	(key: string) => `<${key}>"Bearer:${key}${key}"`,
	(key: string) => key.replace(/^.{14}/, '$&\u200B\u034F\uFE0F\u00AD\u0001'),
	(key: string) => Buffer.from(key).toString('hex').replace(/../g, '%$&'),
];

/** Contains every kind of character that some encoding writes differently. */
const KEY = 'ls_live_q7+Zt/Vb==9_xK-w4%Rm~e2';
const character = fc.constantFrom(...'abcXYZ019-_+/=%$&.~!*'.split(''));
const anyKey = fc
	.tuple(
		fc.constantFrom('ls_live_', 'ls_test_', 'ls_own_'),
		fc.string({ unit: character, minLength: 12, maxLength: 40 }),
	)
	.map((parts) => parts.join(''));
const anyForm = fc.tuple(anyKey, fc.constantFrom(...FORMS));
const EXAMPLES = FORMS.map((write): [string, typeof write] => [KEY, write]);

/** Nothing that comes out may contain a piece of what was sent that is long enough to matter. */
async function expectHidden(comeOut: (form: string, key: string) => Promise<unknown[]>) {
	const isHidden = fc.asyncProperty(anyForm, async ([key, write]) => {
		requests = [];
		const form = write(key);
		const text = JSON.stringify([await comeOut(form, key), requests]);
		const sent = JSON.stringify(form);
		for (let at = 1; at + 10 < sent.length; at++)
			expect(text).not.toContain(sent.slice(at, at + 10));
	});
	await fc.assert(isHidden, made(Math.ceil(RUNS / 10), each(EXAMPLES)));
}

const leadingTo = (form: string) => ({
	location: `https://${encodeURIComponent(form)}.example.com/`,
});

it.each<[string, (form: string) => Answer]>([
	['in a message', (form) => ({ status: 401, body: { error: { message: `Not ${form}` } } })],
	['as the name of a record', (form) => ({ body: { data: [{ [form]: 1 }], pagination: {} } })],
	['as the host of a redirect', (form) => ({ status: 302, headers: leadingTo(form), body: '' })],
	['as the cursor', (form) => ({ body: page(licenses(50), form) })],
])('A key that comes back %s is in no error, execution or address', async (_, sent) => {
	await expectHidden(async (form, key) => {
		send = () => sent(form);
		const credentials = credentialsWith(key);
		const parameters = { operation: 'getAll', returnAll: true, options: { retries: 0 } };
		const { error, stored } = await runLicense(parameters, { credentials });
		expect(error?.message).toBeTruthy();
		const verdict = await testCredential(credentials);
		expect(verdict.status).toBe('Error');
		return [error?.message, error?.description, stored, verdict];
	});
});

/** A published trigger, and what it says about a list. */
async function said(key: string, body: unknown) {
	const poller = pollerOf(credentialsWith(key));
	send = () => ({ body: page(licenses(1)) });
	await poller.activate();
	send = () => ({ body });
	const outcome = await poller.poll().catch((error: Error) => error.message);
	poller.restart();
	const { warnings, notes, shown, saved } = poller;
	return { outcome, saved, warnings, said: [...warnings, ...notes, ...shown] };
}

const typed = (type: string) => licenses(600, 2).map((one) => ({ ...one, licenseType: type }));

it.each<[string, (form: string) => unknown]>([
	['as the cursor', (form) => page(licenses(50, 2), form)],
	['as the ID of what is left out', (form) => page([...licenses(1), { id: form }])],
	['as the type of too many', (form) => page(typed(form))],
])('A key that comes back %s is in no memory or log of the trigger', async (_, body) => {
	await expectHidden(async (form, key) => {
		const all = await said(key, body(form));
		expect(all.said).not.toEqual([]);
		return [all];
	});
});

it('A hint that the editor shows has no markup, and no key in entities', async () => {
	const entities = [...KEY].map((letter) => `&#${letter.codePointAt(0)};`).join('');
	const address = { zip: '33602', street: '100 Bay St' };
	const businessName = `${KEY}${entities}<a href="https://evil.example.com">Pay</a>`;
	send = () => ({ body: page([{ id: '1', businessName, address }]) });
	const parameters = { operation: 'match', businessName: `${'<b>'.repeat(60)} Bar`, ...address };
	const { hints } = await runLicense(parameters, { credentials: credentialsWith(KEY) });
	expect(hints).toEqual([expect.stringContaining('&lt;b&gt;')]);
	expect(hints[0]).not.toMatch(/<|&#/);
	expect(hints[0]).not.toContain('q7+Zt');
});
