import type { IWebhookFunctions } from 'n8n-workflow';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { takenEvents } from '../../nodes/LicensingData/webhook/receive.ts';
import { license } from '../support/records.mts';
import { SECRET, signatureOf, WebhookHost } from '../support/webhook-node.mts';

let host: WebhookHost;
beforeEach(() => {
	host = WebhookHost.manual();
});

const WHERE = 'Workflow "Leads", node "Licensing Data Webhook Trigger": ';
const STARTED = { status: 200, body: 'Workflow was started' };

const delivery = (data: License = license()) => ({ type: data.eventType, data });

describe('A signature', () => {
	const body = JSON.stringify(delivery());
	const right = signatureOf(body);
	const wrong = signatureOf(body, 'whsec_other_example');

	it.each([
		['X-Service-Signature', `  ${right} `],
		['X-SERVICE-SIGNATURE', right.toUpperCase()],
		['X-License-Data-Webhook-Signature', `sha256=${right}`],
	])('is the proof, whatever its header is called: %s', async (name, signature) => {
		const headers = { 'x-service-signature': undefined, 'x-aws-signature': 'none' };
		// As it is copied from a page.
		host.credentials.webhookSecret = ` ${SECRET}\n`;
		expect(await host.deliver(body, { ...headers, [name]: signature })).toEqual(STARTED);
		expect(host.licenses).toEqual([license()]);
	});

	it.each([
		...[undefined, wrong, right.slice(0, 63), `${right}0`, right.replace(/^../, 'zz'), SECRET],
		...[`SHA512=${right}`, `t=1,v1=${right}`, `${wrong}, ${right}`, `${right}, ${right}`],
		...[Buffer.from(right, 'hex').toString('base64'), signatureOf(''), '', '__proto__'],
		// One bit is another.
		right.replace(/.$/, (digit) => (Number.parseInt(digit, 16) ^ 1).toString(16)),
	])('is refused with no word and a line in the log where it is %j', async (signature) => {
		const others = { 'acme-signature': right, 'x-signature-of': right };
		const answer = await host.deliver(body, { ...others, 'x-service-signature': signature });
		expect(answer).toEqual({ status: 401, body: '' });
		expect(host.licenses).toEqual([]);
		expect(host.logs).toEqual([
			`debug ${WHERE}A delivery was answered with 401: its signature is missing or does not match`,
		]);
	});

	it('is checked over the bytes as they came', async () => {
		const spaced = Buffer.from(`\ufeff${JSON.stringify(delivery(), null, 4)}`);
		expect(await host.deliver(spaced)).toEqual(STARTED);
		expect(host.licenses).toEqual([license()]);
	});

	it('is checked with the secret of the registration if none was entered', async () => {
		const secret = 'whsec_first_example';
		for (const webhookSecret of ['', ' ', undefined, null, 7, {}])
			for (const registration of [undefined, { id: 'wh_1' }, { id: 'wh_1', secret }]) {
				Object.assign(host.credentials, { webhookSecret });
				host.staticData = { 'node:Licensing Data Webhook Trigger': { registration } };
				for (const other of [SECRET, '', ' ', 'undefined', 'null', String(webhookSecret)])
					expect(await host.deliver(body, {}, other)).toMatchObject({ status: 401 });
			}
		expect(await host.deliver(body, {}, secret)).toEqual(STARTED);
		host.credentials.webhookSecret = SECRET;
		expect(await host.deliver(body, {}, secret)).toMatchObject({ status: 401 });
		expect(await host.deliver(body)).toEqual(STARTED);
	});
});

it.each([
	['is not JSON', '<a/>'],
	['has no record', {}],
	['has a record that is no license', { data: { id: 'evt_1' } }],
])('A signed body is refused with no word when it %s', async (_, body) => {
	expect(await host.deliver(body)).toEqual({ status: 400, body: '' });
	expect(host.licenses).toEqual([]);
	expect(host.logs).toEqual([
		`debug ${WHERE}A delivery was answered with 400: it holds no license`,
	]);
});

describe('A license', () => {
	const plain = license({ eventType: null });
	const timeless = license({ eventTimestamp: null });
	const noon = license({ eventTimestamp: '2026-07-03T14:30:00.000Z' });
	const [created, timestamp] = ['2026-07-03T14:30:00Z', 1_783_089_000];
	const moved = { license: plain, newStatus: 'active', filedDate: '1999-01-01' };
	const change = { eventType: 'status_change', previousStatus: 'pending' };
	const changed = license({ ...change, newStatus: 'active' });
	const nonsense = { type: 7, created: -5, timestamp: 9e15 };
	const neither = license({ eventType: null, eventTimestamp: null });

	it.each<[what: string, body: object, expected: object]>([
		['its kind in type, and its time', { type: 'new_filing', created, data: plain }, license()],
		['its kind in event', { event: ' license.New Filing', data: plain }, license()],
		[
			'a kind that nobody knows',
			{ type: 'license.odd', data: plain },
			{ ...plain, eventType: 'odd' },
		],
		['what was before and after', { type: 'status_change', ...change, data: moved }, changed],
		['the time of the delivery', { type: 'renewal', created, data: timeless }, license()],
		['that time in seconds', { created: 'noon', timestamp, data: timeless }, noon],
		['that time in milliseconds', { timestamp: timestamp * 1000, data: timeless }, noon],
		['no kind or time that makes no sense', { ...nonsense, data: neither }, neither],
	])('is found with %s', async (_, body, expected) => {
		await host.deliver(body);
		expect(host.licenses).toEqual([expected]);
	});

	it('has what was before in every form', async () => {
		const previousAddress = { street: '1 Elm St', city: 'MD MIAMI', zip: '331304807' };
		const before = { previousLegalName: 'Old Anchor Llc', previousStatus: 'pending' };
		host.mode = 'manual';
		for (const output of ['simplified', 'crmLead', 'selectedFields']) {
			Object.assign(host.parameters, { output, fields: ['newLegalName'] });
			await host.deliver({ data: { license: license(), previousAddress, ...before } });
		}
		const said = { previousLegalName: 'Old Anchor LLC', previousStatus: 'pending' };
		const address = { previousAddress: '1 Elm St, Miami, 33130-4807' };
		expect(host.licenses).toMatchObject(Array(3).fill({ ...said, ...address }));
	});
});

describe('The filters', () => {
	it.each<[string, object, License, boolean]>([
		['an event that is not', { eventTypes: ['renewal'] }, {}, false],
		['an event that is not, if the user changed nothing', {}, { eventType: 'renewal' }, false],
		['a county that is not', { filters: { counties: ['Baker'] } }, {}, false],
		['a type that is not', { filters: { licenseTypes: ['BEV'] } }, {}, false],
		['a type as a label', { filters: { licenseTypes: ['COP'] } }, { licenseType: '4 COP' }, true],
	])('decide on %s chosen', async (_, parameters, more, starts) => {
		host.parameters = { ...parameters };
		expect(await host.deliver(delivery(license(more)))).toEqual(STARTED);
		expect(host.licenses).toHaveLength(starts ? 1 : 0);
	});

	it('let a type in that nobody knows, and say so in the log', async () => {
		const licenseType = `Juice\nStand ${String(host.credentials.apiKey)}`;
		await host.deliver(delivery(license({ licenseType })));
		expect(host.logs).toEqual([]);
		host.parameters.filters = { licenseTypes: ['BEV'] };
		await host.deliver(delivery(license({ licenseType, licenseNumber: 'BEV-2' })));
		expect(host.logs).toEqual([
			`info ${WHERE}A delivery passed 'License Types' because its license type is not known: Juice Stand [hidden API key]`,
		]);
		expect(host.licenses).toHaveLength(2);
	});
});

describe('An event', () => {
	it('starts the workflow once, however often and in whatever words it comes', async () => {
		const data = license();
		const events = [data, license({ licenseNumber: 'COP-2' }), license({ eventType: 'renewal' })];
		const again = [
			...[...events.map(delivery), `\ufeff ${JSON.stringify(delivery())}\n`],
			{ data, type: 'new_filing', id: 'evt_2', created: 1 },
			{ event: 'new_filing', data: { license: { ...data, status: 'other' } } },
		];
		for (const one of again) expect(await host.deliver(one)).toEqual(STARTED);
		await Promise.all(again.map(async (one) => await host.deliver(one)));
		expect(host.licenses).toEqual(events);
	});

	it('comes again when n8n could not start its execution, and then no more', async () => {
		host.start = async () => await Promise.reject(new Error('The database is away'));
		expect(await host.deliver(delivery())).toMatchObject({ status: 500 });
		host.start = async () => {};
		expect(await host.deliver(delivery())).toEqual(STARTED);
		// A process that knows what n8n saved.
		const other = WebhookHost.manual();
		other.staticData = host.staticData;
		expect(await other.deliver(delivery())).toEqual(STARTED);
		expect([host.licenses, other.licenses]).toEqual([[license()], []]);
	});

	/** What a process of n8n knows of the node at this address. */
	const eventsAt = (address: string, saved: object) => {
		const context = { getNodeWebhookUrl: () => address, getWorkflowStaticData: () => saved };
		return takenEvents(context as unknown as IWebhookFunctions);
	};
	const numbered = (number: number) => license({ licenseNumber: `COP-${number}` });

	it('is remembered and saved with a thousand others, in eight kilobytes', () => {
		const saved = {};
		for (let number = 0; number <= 1_000; number++) eventsAt('node', saved).add(numbered(number));
		expect(JSON.stringify(saved).length).toBeLessThan(8_192);
		const { has } = eventsAt('another', saved);
		expect([0, 1, 1_000].map((number) => has(numbered(number)))).toEqual([false, true, true]);
	});

	it('is saved with another that came at the same time', () => {
		const [first, second] = [{}, {}];
		eventsAt('process 1', first).add(numbered(1));
		// n8n gave this one a copy of what was saved before.
		eventsAt('process 1', second).add(numbered(2));
		const { has } = eventsAt('process 2', second);
		expect([1, 2].map((number) => has(numbered(number)))).toEqual([true, true]);
	});

	it('is shown each time to a user who listens, and to the live workflow', async () => {
		for (const mode of ['manual', 'webhook', 'manual'] as const) {
			host.mode = mode;
			await host.deliver(delivery());
		}
		expect(host.licenses).toHaveLength(3);
	});
});
