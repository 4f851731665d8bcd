import type { IWebhookFunctions } from 'n8n-workflow';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { takenEvents } from '../../nodes/LicensingData/webhook/receive.ts';
import { license } from '../support/records.mts';
import { manualHost, SECRET, signatureOf, type WebhookHost } from '../support/webhook-node.mts';

let host: WebhookHost;

const WHERE = 'Workflow "Leads", node "Licensing Data Webhook Trigger": ';

beforeEach(async () => {
	host = await manualHost();
});
afterEach(() => host.close());

const delivery = (data: License = license()) => ({ type: data.eventType, data });

describe('A signature', () => {
	const body = JSON.stringify(delivery());
	const digest = signatureOf(body);

	it.each([
		['X-Service-Signature', `  ${digest} `],
		['X-SERVICE-SIGNATURE', digest.toUpperCase()],
		['X-License-Data-Webhook-Signature', `sha256=${digest}`],
	])('is the proof, whatever its header is called: %s', async (name, signature) => {
		const headers = { 'x-service-signature': undefined, 'x-aws-signature': 'none' };
		// As it is copied from a page.
		host.credentials.webhookSecret = ` ${SECRET}\n`;
		const answer = await host.deliver(body, { ...headers, [name]: signature });
		expect(answer).toMatchObject({ status: 200 });
		expect(host.licenses).toEqual([license()]);
	});

	it.each([
		['is missing', {}],
		['is of another secret', { 'x-service-signature': signatureOf(body, 'whsec_other_example') }],
		['stands in a header of another shape', { 'acme-signature': digest, 'x-signature-of': digest }],
	])('is refused with no word and a line in the log when it %s', async (_, headers) => {
		const answer = await host.deliver(body, { 'x-service-signature': undefined, ...headers });
		expect(answer).toEqual({ status: 401, body: '' });
		expect(host.executions).toEqual([]);
		expect(host.logs).toEqual([
			`debug ${WHERE}A delivery was answered with 401: its signature is missing or does not match`,
		]);
	});

	it('is checked over the bytes as they came, whatever type they claim to be', async () => {
		const spaced = Buffer.from(`\ufeff${JSON.stringify(delivery(), null, 4)}`);
		for (const type of ['application/xml', 'multipart/form-data; boundary=x', undefined]) {
			expect(await host.deliver(spaced, { 'content-type': type })).toMatchObject({ status: 200 });
		}
		expect(host.licenses).toEqual([license()]);
	});

	it('is checked with the secret of the registration if none was entered', async () => {
		host.credentials.webhookSecret = '';
		const secret = 'whsec_first_example';
		for (const registration of [undefined, { id: 'wh_1' }, { id: 'wh_1', secret }]) {
			host.staticData = { 'node:Licensing Data Webhook Trigger': { registration } };
			for (const other of [SECRET, '', 'undefined'])
				expect(await host.deliver(body, {}, other)).toMatchObject({ status: 401 });
		}
		expect(await host.deliver(body, {}, secret)).toMatchObject({ status: 200 });
		host.credentials.webhookSecret = SECRET;
		expect(await host.deliver(body, {}, secret)).toMatchObject({ status: 401 });
		expect(await host.deliver(body)).toMatchObject({ status: 200 });
	});
});

it.each([
	['is not JSON', '<a/>'],
	['has no record', {}],
	['has a record that is no license', { data: { id: 'evt_1' } }],
])('A signed body is refused with no word when it %s', async (_, body) => {
	expect(await host.deliver(body)).toEqual({ status: 400, body: '' });
	expect(host.executions).toEqual([]);
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

	it('has what was before in every form, and in the description of a lead', async () => {
		const data = {
			license: license({ eventType: 'ownership_transfer' }),
			previousLegalName: 'Old Anchor Llc',
			newLegalName: 'Rusty Anchor Holdings LLC',
			previousAddress: { street: '1 Elm St', city: 'MD MIAMI', zip: '331304807' },
			previousStatus: 'pending',
		};
		const { newLegalName, previousStatus } = data;
		const previousAddress = '1 Elm St, Miami, 33130-4807';
		const before = { previousLegalName: 'Old Anchor LLC', previousAddress, previousStatus };
		host.mode = 'manual';
		for (const output of ['simplified', 'crmLead', 'selectedFields']) {
			Object.assign(host.parameters, { output, fields: ['newLegalName'] });
			await host.deliver({ data });
		}
		expect(host.licenses).toMatchObject(Array(3).fill({ ...before, newLegalName }));
		const said = ': Old Anchor LLC before, Rusty Anchor Holdings LLC now.';
		expect(host.licenses[1]?.description).toContain(said);
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
		expect(await host.deliver(delivery(license(more)))).toMatchObject({ status: 200 });
		expect(host.executions).toHaveLength(starts ? 1 : 0);
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
		expect(host.executions).toHaveLength(2);
	});
});

describe('An event', () => {
	it('is another one when its identity is, as for the other triggers', async () => {
		const events = [
			license(),
			license({ licenseNumber: 'COP-2' }),
			license({ eventType: 'renewal' }),
		];
		for (const id of ['evt_1', 'evt_2'])
			for (const data of events) await host.deliver({ id, data });
		expect(host.licenses).toEqual(events);
	});

	it('comes again when n8n could not start its execution', async () => {
		host.start = async () => await Promise.reject(new Error('The database is away'));
		expect(await host.deliver(delivery())).toMatchObject({ status: 500 });
		host.start = async () => {};
		expect(await host.deliver(delivery())).toMatchObject({ status: 200 });
		expect(host.licenses).toEqual([license()]);
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

	it('starts nothing in a process that knows what n8n saved', async () => {
		await host.deliver(delivery());
		const other = await manualHost();
		other.staticData = host.staticData;
		expect(await other.deliver(delivery())).toMatchObject({ status: 200 });
		other.close();
		expect([host.executions.length, other.executions.length]).toEqual([1, 0]);
	});

	it('is shown each time to a user who listens, and to the live workflow', async () => {
		for (const mode of ['manual', 'webhook', 'manual'] as const) {
			host.mode = mode;
			await host.deliver(delivery());
		}
		expect(host.executions).toHaveLength(3);
	});
});
