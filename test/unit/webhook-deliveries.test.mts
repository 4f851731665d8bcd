import type { IWebhookFunctions } from 'n8n-workflow';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LARGEST_RECORD, type License } from '../../nodes/LicensingData/licenses/license.ts';
import { eventId } from '../../nodes/LicensingData/licenses/identity.ts';
import { takenEvents } from '../../nodes/LicensingData/webhook/receive.ts';
import { license, licenses } from '../support/records.mts';
import { manualHost, SECRET, signatureOf, WebhookHost } from '../support/webhook-node.mts';

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
	])(
		'is the proof, whatever its header is called: %s, and with or without a prefix',
		async (name, signature) => {
			const headers = { 'x-service-signature': undefined, 'x-aws-signature': 'none' };
			expect(await host.deliver(body, { ...headers, [name]: signature })).toMatchObject({
				status: 200,
			});
			expect(host.licenses).toEqual([license()]);
		},
	);

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

	it('is checked with the new secret as soon as the user changes it', async () => {
		host.credentials.webhookSecret = 'whsec_next_example';
		expect(await host.deliver(body)).toMatchObject({ status: 401 });
		expect(await host.deliver(body, {}, 'whsec_next_example')).toMatchObject({ status: 200 });
	});

	it('is checked with the secret of an automatic registration, and is none without one', async () => {
		host.parameters.registration = 'automatic';
		for (const saved of [undefined, {}, { registration: { id: 'wh_1' } }]) {
			host.staticData = saved ? { 'node:Licensing Data Webhook Trigger': saved } : {};
			for (const secret of [SECRET, '', 'undefined'])
				expect(await host.deliver(body, {}, secret)).toMatchObject({ status: 401 });
		}
		const registration = { id: 'wh_1', secret: 'whsec_first_example' };
		host.staticData = { 'node:Licensing Data Webhook Trigger': { registration } };
		expect(await host.deliver(body)).toMatchObject({ status: 401 });
		expect(await host.deliver(body, {}, registration.secret)).toMatchObject({ status: 200 });
	});
});

describe('A signed body', () => {
	const padded = (size: number) => delivery(license({ note: 'x'.repeat(size) }));

	it('counts as unsigned when it is more than n8n takes', async () => {
		const headers = { 'transfer-encoding': 'chunked' };
		const answer = await host.deliver(padded(17 * 1024 * 1024), headers);
		expect(answer).toEqual({ status: 401, body: '' });
	});

	it('is accepted when its license has a hundred kilobytes and no more', async () => {
		const rest = LARGEST_RECORD - JSON.stringify(license({ note: '' })).length;
		expect(await host.deliver(padded(rest))).toMatchObject({ status: 200 });
		expect(await host.deliver(padded(rest + 1))).toMatchObject({ status: 400 });
	});

	it.each([
		['is not JSON', '<a/>'],
		['has no record', {}],
	])('is refused with no word and a line in the log when it %s', async (_, body) => {
		expect(await host.deliver(body)).toEqual({ status: 400, body: '' });
		expect(host.executions).toEqual([]);
		expect(host.logs).toEqual([
			`debug ${WHERE}A delivery was answered with 400: it holds no license`,
		]);
	});
});

describe('A license', () => {
	const plain = license({ eventType: null });
	const change = { previousStatus: 'pending', newStatus: 'active' };
	const changed = license({ eventType: 'status_change', ...change });
	const dates = { expirationDate: '2027-03-31', renewalDate: '2026-08-01' };
	const bare = { licenseNumber: 'COP-2026-001234', status: 'active', colour: 'sea\ufeffgreen' };
	const nameless = { id: 'lic_1', status: 'active' };

	it.each<[what: string, body: object, expected: object]>([
		['in data, its kind in type', { type: 'new_filing', data: plain }, license()],
		['in data, its kind in event', { event: 'new_filing', data: plain }, license()],
		['in data.license', { type: 'new_filing', data: { license: plain } }, license()],
		['with a kind that has a prefix', { type: ' license.new_filing', data: plain }, license()],
		['with a kind of its own', { type: 'renewal', data: license() }, license()],
		[
			'with a kind that the interface does not name',
			{ type: 'license.address_change', data: plain },
			license({ eventType: 'address_change' }),
		],
		[
			'with the status before and after that stand beside it',
			{ type: 'license.status_change', data: { license: plain, ...change } },
			changed,
		],
		[
			'with the status before and after in the delivery',
			{ type: 'status_change', data: plain, ...change },
			changed,
		],
		[
			'with dates that stand beside it where it has none of its own',
			{ data: { license: license(), filedDate: '1999-01-01', ...dates } },
			license(dates),
		],
		['with what the interface does not name, and without what it does', { data: bare }, bare],
		['without a number', { data: nameless }, nameless],
	])('is found %s', async (_, body, expected) => {
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
		host.mode = 'manual';
		for (const output of ['simplified', 'crmLead', 'selectedFields']) {
			Object.assign(host.parameters, { output, fields: ['newLegalName'] });
			await host.deliver({ data });
		}
		const written = {
			previousLegalName: 'Old Anchor LLC',
			newLegalName: 'Rusty Anchor Holdings LLC',
			previousAddress: '1 Elm St, Miami, 33130-4807',
			previousStatus: 'pending',
		};
		expect(host.licenses).toMatchObject([written, written, written]);
		expect(host.licenses[1]?.description).toMatch(
			/: Old Anchor LLC before, Rusty Anchor Holdings LLC now\.$/,
		);
	});

	it.each([
		['created, in ISO 8601', { created: '2026-07-03T14:30:00Z' }, '2026-07-03T14:30:00Z'],
		['timestamp, in seconds', { timestamp: 1_783_089_000 }, '2026-07-03T14:30:00.000Z'],
		['timestamp, in milliseconds', { timestamp: 1_783_089_000_000 }, '2026-07-03T14:30:00.000Z'],
		['no time that can be read', { created: 'noon', timestamp: -1 }, null],
	])('without a time has that of the delivery: %s', async (_, more, eventTimestamp) => {
		await host.deliver({ ...more, data: license({ eventTimestamp: null }) });
		const other = license({ licenseNumber: 'COP-2026-000002' });
		await host.deliver({ ...more, data: other });
		expect(host.licenses).toEqual([license({ eventTimestamp }), other]);
	});
});

describe('The filters', () => {
	it.each<[string, object, License, boolean]>([
		['an event that is not', { eventTypes: ['renewal'] }, {}, false],
		['a county that is not', { filters: { counties: ['Baker'] } }, {}, false],
		['a type that is not', { filters: { licenseTypes: ['BEV'] } }, {}, false],
		[
			'a type as a label',
			{ filters: { licenseTypes: ['COP'] } },
			{ licenseType: 'Quota Beverage (4COP)' },
			true,
		],
		['anything where nothing is chosen', { filters: {} }, { eventType: 'suspension' }, true],
	])('decide on %s', async (_, parameters, more, starts) => {
		Object.assign(host.parameters, parameters);
		expect(await host.deliver(delivery(license(more)))).toMatchObject({ status: 200 });
		expect(host.executions).toHaveLength(starts ? 1 : 0);
	});

	it.each([
		['Food Service Establishment', 1],
		['Food Service With Seating', 0],
		['Food Service, Non-Seating', 1],
	])('read a label in words: %s', async (licenseType, executions) => {
		host.parameters.filters = { licenseTypes: ['FOOD_SERVICE'] };
		await host.deliver(delivery(license({ licenseType })));
		expect(host.executions).toHaveLength(executions);
	});

	it('let a type in that nobody knows, and say so in the log only if they filter by types', async () => {
		await host.deliver(delivery(license({ licenseType: 'Juice\nStand' })));
		expect(host.logs).toEqual([]);
		host.parameters.filters = { licenseTypes: ['BEV'] };
		await host.deliver(delivery(license({ licenseType: 'Juice\nStand', licenseNumber: 'BEV-2' })));
		expect(host.logs).toEqual([
			`info ${WHERE}A delivery passed 'License Types' because its license type is not known: Juice Stand`,
		]);
		expect(host.executions).toHaveLength(2);
	});

	it('let new filings through where the user changed nothing', async () => {
		delete host.parameters.eventTypes;
		for (const eventType of ['renewal', 'new_filing', 'cancellation']) {
			await host.deliver(delivery(license({ eventType })));
		}
		expect(host.licenses).toEqual([license()]);
	});
});

/** What an n8n process knows. What each remembers, it remembers by the node's address. */
function eventsAt(address: string, saved: object) {
	const context = { getNodeWebhookUrl: () => address, getWorkflowStaticData: () => saved };
	return takenEvents(context as unknown as IWebhookFunctions);
}

/** Events are told apart by their licenses' numbers. */
const numbered = (count: number): License[] =>
	licenses(count).map((one, at) => ({ ...one, licenseNumber: `COP-${at + 1}` }));

const AWAY = async () => await Promise.reject(new Error('The database is away'));

describe('An event', () => {
	it('is another one when its identity is, as for the other triggers', async () => {
		const events = [
			license(),
			license({ licenseNumber: 'COP-2' }),
			license({ eventType: 'renewal', eventTimestamp: null }),
		];
		for (const id of ['evt_1', 'evt_2']) {
			for (const data of events) await host.deliver({ id, data });
		}
		expect(host.licenses).toEqual(events);
		expect(new Set(events.map(eventId)).size).toBe(events.length);
	});

	it('comes again when n8n could not start its execution', async () => {
		host.start = AWAY;
		expect(await host.deliver(delivery())).toMatchObject({ status: 500 });
		host.start = async () => {};
		expect(await host.deliver(delivery())).toMatchObject({ status: 200 });
		expect(host.licenses).toEqual([license()]);
	});

	it.each([
		['starts one execution when its sender hangs up', async () => {}, 1],
		['comes again when its sender hangs up and n8n cannot start its execution', AWAY, 2],
	])('%s', async (_, start, attempts) => {
		let started = 0;
		const hungUp = new Promise<void>((resolve) => {
			host.start = async () => {
				started++;
				await host.hangUp();
				resolve();
				await start();
			};
		});
		await expect(host.deliver(delivery())).rejects.toThrow();
		await hungUp;
		host.start = async () => void started++;
		await host.deliver(delivery());
		expect(started).toBe(attempts);
		expect(host.licenses).toEqual([license()]);
	});

	it('is remembered and saved with a thousand others, in eight kilobytes', () => {
		const events = numbered(1_001);
		const saved = {};
		for (const event of events) eventsAt('thousand', saved).add(event);
		expect(JSON.stringify(saved).length).toBeLessThan(8_192);
		for (const node of ['thousand', 'another']) {
			const known = events.slice(0, 2).map((event) => eventsAt(node, saved).has(event));
			expect(known).toEqual([false, true]);
		}
	});

	it('is known to every process that n8n runs', () => {
		const [first, second] = numbered(2) as [License, License];
		const saved = {};
		eventsAt('beside 1', saved).add(first);
		eventsAt('beside 2', saved).add(second);
		expect(eventsAt('beside 1', saved).has(second)).toBe(true);
		expect(eventsAt('beside 3', saved).has(first)).toBe(true);
	});

	it('is saved with another that came at the same time, when each has a copy of what was saved', () => {
		const [first, second] = numbered(2) as [License, License];
		const last = {};
		eventsAt('at once', {}).add(first);
		eventsAt('at once', last).add(second);
		expect(eventsAt('later', last).has(first)).toBe(true);
	});

	it('starts nothing in a process that knows what n8n saved', async () => {
		host.staticData = { global: { note: 'of another node' } };
		await host.deliver(delivery());
		expect(host.staticData).toMatchObject({ global: { note: 'of another node' } });
		const other = await manualHost();
		other.staticData = host.staticData;
		expect(await other.deliver(delivery())).toMatchObject({ status: 200 });
		other.close();
		expect([host.executions.length, other.executions.length]).toEqual([1, 0]);
	});

	it('is shown each time to a user who listens for a test event, and still comes to the live workflow', async () => {
		for (const mode of ['manual', 'manual', 'webhook'] as const) {
			host.mode = mode;
			await host.deliver(delivery());
		}
		expect(host.executions).toHaveLength(3);
	});
});

it('keeps secrets and bodies out of the log and the executions', async () => {
	await host.deliver(delivery());
	await host.deliver(delivery(), {}, 'whsec_other_example');
	await host.deliver('{}');
	expect(JSON.stringify([host.logs, host.executions])).not.toMatch(/whsec_/);
	expect(host.logs.join()).not.toContain('Rusty Anchor');
});
