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
		['is the digest alone', digest],
		['has sha256= before it', `sha256=${digest}`],
		['is written in capitals', digest.toUpperCase()],
		['has space around it', `  ${digest} `],
	])('is accepted when it %s', async (_, signature) => {
		expect(await host.deliver(body, { 'x-service-signature': signature })).toMatchObject({
			status: 200,
		});
		expect(host.licenses).toEqual([license()]);
	});

	it.each([
		['X-SERVICE-SIGNATURE', digest],
		['X-Acme-Signature', digest],
		['X-License-Data-Webhook-Signature', `sha256=${digest}`],
	])('is the proof, whatever its header is called: %s', async (name, signature) => {
		const headers = {
			'x-service-signature': undefined,
			'x-aws-signature': 'none',
			[name]: signature,
		};
		expect(await host.deliver(body, headers)).toMatchObject({ status: 200 });
	});

	it.each([
		['is missing', undefined],
		['is of another secret', signatureOf(body, 'whsec_other_example')],
	])('is refused with no word and a line in the log when it %s', async (_, signature) => {
		const answer = await host.deliver(body, { 'x-service-signature': signature });
		expect(answer).toEqual({ status: 401, body: '' });
		expect(host.executions).toEqual([]);
		expect(host.logs).toEqual([
			`debug ${WHERE}A delivery was answered with 401: its signature is missing or does not match`,
		]);
	});

	it.each(['signature', 'acme-signature', 'x-signature-of-acme'])(
		'is not looked for in a header of another shape: %s',
		async (name) => {
			const headers = { 'x-service-signature': undefined, [name]: digest };
			expect(await host.deliver(body, headers)).toMatchObject({ status: 401 });
		},
	);

	it('is checked over the bytes as they came, whatever type they claim to be', async () => {
		const spaced = JSON.stringify(delivery(), null, 4);
		const odd = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(spaced)]);
		for (const type of ['application/xml', 'multipart/form-data; boundary=x', undefined]) {
			expect(await host.deliver(odd, { 'content-type': type })).toMatchObject({ status: 200 });
		}
		expect(host.licenses).toEqual([license()]);
	});

	it('is checked with the new secret as soon as the user changes it', async () => {
		host.credentials.webhookSecret = 'whsec_next_example';
		expect(await host.deliver(body)).toMatchObject({ status: 401 });
		expect(await host.deliver(body, {}, 'whsec_next_example')).toMatchObject({ status: 200 });
	});
});

describe('A signed body', () => {
	const padded = (size: number) => delivery(license({ note: 'x'.repeat(size) }));

	it('counts as unsigned when it is more than n8n takes', async () => {
		const headers = { 'transfer-encoding': 'chunked' };
		expect(await host.deliver(padded(17 * 1024 * 1024), headers)).toEqual({
			status: 401,
			body: '',
		});
		expect(host.executions).toEqual([]);
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

	it.each([
		['in data, its kind in type', { type: 'new_filing', data: plain }],
		['in data, its kind in event', { event: 'new_filing', data: plain }],
		['in data.license', { type: 'new_filing', data: { license: plain } }],
		['with a kind that has a prefix', { type: ' license.new_filing', data: plain }],
		['with a kind of its own', { type: 'renewal', data: license() }],
		['with a kind of its own alone', { data: license() }],
	])('is found %s', async (_, body) => {
		await host.deliver(body);
		expect(host.licenses).toEqual([license()]);
	});

	it('keeps a kind that the interface does not name', async () => {
		await host.deliver({ type: 'license.address_change', data: plain });
		expect(host.licenses).toEqual([license({ eventType: 'address_change' })]);
	});

	const change = { previousStatus: 'pending', newStatus: 'active' };

	it.each([
		['in data', { type: 'license.status_change', data: { license: plain, ...change } }],
		['in the delivery', { type: 'status_change', data: plain, ...change }],
	])('keeps the status before and after that stand beside it %s', async (_, body) => {
		await host.deliver(body);
		expect(host.licenses).toEqual([license({ eventType: 'status_change', ...change })]);
	});

	it('has what was before in every form, and in the description of a lead', async () => {
		const said = {
			previousLegalName: 'Old Anchor Llc',
			newLegalName: 'Rusty Anchor Holdings LLC',
			previousAddress: { street: '1 Elm St', city: 'MD MIAMI', zip: '331304807' },
			previousStatus: 'pending',
		};
		const transfer = (time: string) =>
			license({ eventType: 'ownership_transfer', eventTimestamp: time });
		const forms = ['simplified', 'crmLead', 'selectedFields'];
		for (const [at, output] of forms.entries()) {
			Object.assign(host.parameters, { output, fields: ['newLegalName'] });
			await host.deliver({ data: { license: transfer(`2026-07-0${at + 4}T00:00:00Z`), ...said } });
		}
		const written = {
			previousLegalName: 'Old Anchor LLC',
			newLegalName: 'Rusty Anchor Holdings LLC',
			previousAddress: '1 Elm St, Miami, 33130-4807',
			previousStatus: 'pending',
		};
		expect(host.licenses).toMatchObject([written, written, written]);
		expect(host.licenses[1]?.description).toMatch(
			/ on 2026-07-05: Old Anchor LLC before, Rusty Anchor Holdings LLC now\.$/,
		);
	});

	it('takes dates that stand beside it where it has none of its own', async () => {
		const dates = {
			expirationDate: '2027-03-31',
			filedDate: '1999-01-01',
			renewalDate: '2026-08-01',
		};
		await host.deliver({ data: { license: license(), ...dates } });
		expect(host.licenses).toEqual([
			license({ expirationDate: '2027-03-31', renewalDate: '2026-08-01' }),
		]);
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

	it('is renewed twice if it was delivered a year apart, though it has no time', async () => {
		const data = license({ eventType: 'renewal', eventTimestamp: null });
		for (const created of ['2026-03-31T00:00:00Z', '2027-03-31T00:00:00Z', '2027-03-31T00:00:00Z'])
			await host.deliver({ created, data });
		expect(host.executions).toHaveLength(2);
	});

	it('keeps what the interface does not name, and may lack what it does', async () => {
		const bare = [
			{ licenseNumber: 'COP-2026-001234', status: 'active', colour: 'sea\ufeffgreen' },
			{ id: 'lic_1', status: 'active' },
			{ ...license(), id: 7 },
		];
		for (const data of bare) await host.deliver({ data });
		expect(host.licenses).toEqual(bare);
	});
});

describe('The filters', () => {
	it.each<[string, object, License, boolean]>([
		['an event that is not', { eventTypes: ['renewal'] }, {}, false],
		['a county that is not', { filters: { counties: ['Baker'] } }, {}, false],
		['a type that is not', { filters: { licenseTypes: ['BEV'] } }, {}, false],
		[
			'a type as a label with its code',
			{ filters: { licenseTypes: ['COP'] } },
			{ licenseType: 'Quota Beverage (4COP)' },
			true,
		],
		[
			'a type as a label in words',
			{ filters: { licenseTypes: ['FOOD_SERVICE'] } },
			{ licenseType: 'Food Service Establishment' },
			true,
		],
		[
			'a label that says more',
			{ filters: { licenseTypes: ['FOOD_SERVICE'] } },
			{ licenseType: 'Food Service With Seating' },
			false,
		],
		[
			'a label that says what it is not',
			{ filters: { licenseTypes: ['FOOD_SERVICE'] } },
			{ licenseType: 'Food Service, Non-Seating' },
			true,
		],
		[
			'a type that nobody knows',
			{ filters: { licenseTypes: ['BEV'] } },
			{ licenseType: 'Juice' },
			true,
		],
		['anything where nothing is chosen', { filters: {} }, { eventType: 'suspension' }, true],
	])('decide on %s', async (_, parameters, more, starts) => {
		Object.assign(host.parameters, parameters);
		expect(await host.deliver(delivery(license(more)))).toMatchObject({ status: 200 });
		expect(host.executions).toHaveLength(starts ? 1 : 0);
	});

	it('say in the log that a type that nobody knows has passed, and only if they filter by types', async () => {
		await host.deliver(delivery(license({ licenseType: 'Juice\nStand' })));
		expect(host.logs).toEqual([]);
		host.parameters.filters = { licenseTypes: ['BEV'], counties: ['Baker'] };
		await host.deliver(delivery(license({ licenseType: 'Juice\nStand' })));
		expect(host.logs).toEqual([
			`info ${WHERE}'License Types' let a delivery in because its type is not known: Juice Stand`,
		]);
		expect(host.executions).toHaveLength(1);
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
function eventsAt(address: string, saved: object = {}) {
	const context = { getNodeWebhookUrl: () => address, getWorkflowStaticData: () => saved };
	return takenEvents(context as unknown as IWebhookFunctions);
}

/** Events are told apart by their licenses' numbers. */
const numbered = (count: number): License[] =>
	licenses(count).map((one, at) => ({ ...one, licenseNumber: `COP-${at + 1}` }));

describe('An event', () => {
	it('is another one when its identity is, as for the other triggers', async () => {
		const events = [
			license(),
			license({ licenseNumber: 'COP-2' }),
			license({ eventType: 'renewal' }),
		];
		for (const event of [...events, ...events]) await host.deliver(delivery(event));
		expect(host.licenses).toEqual(events);
		expect(new Set(events.map(eventId)).size).toBe(events.length);
	});

	it.each([
		['with a date', license()],
		['without a date', license({ eventType: 'renewal', eventTimestamp: null })],
	])('%s is the same in two deliveries', async (_, data) => {
		for (const id of ['evt_1', 'evt_2']) await host.deliver({ id, data });
		expect(host.executions).toHaveLength(1);
	});

	it('comes again when n8n could not start its execution', async () => {
		host.start = async () => await Promise.reject(new Error('The database is away'));
		expect(await host.deliver(delivery())).toMatchObject({ status: 500 });
		host.start = async () => {};
		expect(await host.deliver(delivery())).toMatchObject({ status: 200 });
		expect(host.licenses).toEqual([license()]);
	});

	it.each([
		['starts one execution when its sender hangs up', async () => {}, 1],
		[
			'comes again when its sender hangs up and n8n cannot start its execution',
			async () => await Promise.reject(new Error('The database is away')),
			2,
		],
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

	it('is known to another process that n8n runs beside the first', () => {
		const [first, second] = numbered(2) as [License, License];
		const saved = {};
		eventsAt('beside 1', saved).add(first);
		eventsAt('beside 2', saved).add(second);
		expect(eventsAt('beside 1', saved).has(second)).toBe(true);
		expect(eventsAt('beside 3', saved).has(first)).toBe(true);
	});

	it('starts nothing in a process that knows what n8n saved, also when all came at once', async () => {
		const events = numbered(20);
		host.staticData = { global: { note: 'of another node' } };
		let allCame = () => {};
		const together = new Promise<void>((resolve) => (allCame = resolve));
		let started = 0;
		host.start = async () => {
			if (++started === events.length) allCame();
			await together;
		};
		await Promise.all(events.map(async (data) => await host.deliver({ data })));
		const { parameters, credentials, staticData } = host;
		const other = new WebhookHost({ parameters, credentials });
		other.staticData = staticData;
		await other.listen();
		for (const data of events) await other.deliver({ data });
		other.close();
		expect(host.executions).toHaveLength(20);
		expect(other.executions).toEqual([]);
		expect(staticData).toMatchObject({ global: { note: 'of another node' } });
	});
});

describe('A registration', () => {
	const savedWith = (secret?: string) => ({
		'node:Licensing Data Webhook Trigger': { registration: { id: 'wh_1', secret } },
	});

	beforeEach(() => {
		host.parameters.registration = 'automatic';
	});

	it.each([{}, savedWith()])('without a secret lets nothing through', async (staticData) => {
		host.staticData = staticData;
		for (const secret of [SECRET, '', 'undefined'])
			expect(await host.deliver(delivery(), {}, secret)).toMatchObject({ status: 401 });
	});

	it('counts from when it is saved', async () => {
		host.staticData = savedWith('whsec_first_example');
		expect((await host.deliver(delivery(), {}, 'whsec_other_example')).status).toBe(401);
		expect((await host.deliver(delivery(), {}, 'whsec_first_example')).status).toBe(200);
	});
});

describe('Listening for a test event', () => {
	it('shows an event that was shown before, and takes nothing from the live workflow', async () => {
		host.mode = 'manual';
		await host.deliver(delivery());
		await host.deliver(delivery());
		host.mode = 'webhook';
		await host.deliver(delivery());
		expect(host.executions).toHaveLength(3);
	});
});

it('keeps secrets and bodies out of the log and the executions', async () => {
	await host.deliver(delivery());
	await host.deliver(delivery(), {}, 'whsec_other_example');
	await host.deliver('{}');
	const seen = JSON.stringify([host.logs, host.executions]);
	expect(seen).not.toMatch(/whsec_/);
	expect(host.logs.join()).not.toContain('Rusty Anchor');
});

it('says which parameter an expression filled with something else', async () => {
	host.parameters.filters = { counties: ['Cook'] };
	await host.deliver(delivery());
	expect(host.logs).toEqual([
		expect.stringContaining("'Counties' has a value that is not in its list: Cook"),
	]);
});
