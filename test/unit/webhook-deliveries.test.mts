import { EventEmitter } from 'node:events';
import { request } from 'node:http';

import type { IWebhookFunctions } from 'n8n-workflow';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { eventId } from '../../nodes/LicensingData/license/event.ts';
import type { License } from '../../nodes/LicensingData/license/license.ts';
import { claim } from '../../nodes/LicensingData/webhook/claims.ts';
import { license, licenses } from '../support/records.mts';
import { SECRET, signatureOf, WebhookHost } from '../support/webhook-node.mts';

let host: WebhookHost;

beforeEach(async () => {
	host = new WebhookHost({
		parameters: { registration: 'manual', eventTypes: [], output: 'raw' },
		credentials: { webhookSecret: SECRET },
	});
	await host.listen();
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

	it('is accepted whatever the case of its header', async () => {
		const headers = { 'x-service-signature': undefined, 'X-SERVICE-SIGNATURE': digest };
		expect(await host.deliver(body, headers)).toMatchObject({ status: 200 });
	});

	it('is refused with no word and a line in the log when it is missing', async () => {
		const answer = await host.deliver(body, { 'x-service-signature': undefined });
		expect(answer).toEqual({ status: 401, body: '' });
		expect(host.executions).toEqual([]);
		expect(host.logs).toEqual([
			'debug A delivery was answered with 401: its signature is missing or does not match',
		]);
	});

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

	it(
		'is refused with 413 when it announces more than a megabyte, before any of it has come',
		{ timeout: 60_000 },
		async () => {
			const status = await new Promise((resolve, reject) => {
				const headers = { 'content-length': '1000001' };
				const announced = request(host.url, { method: 'POST', headers }, ({ statusCode }) => {
					resolve(statusCode);
					announced.destroy();
				});
				announced.on('error', reject);
				announced.flushHeaders();
			});
			expect(status).toBe(413);
		},
	);

	it.each([1_000_000, 17 * 1024 * 1024])(
		'is refused with 413 when %i bytes come unannounced',
		async (size) => {
			const headers = { 'transfer-encoding': 'chunked' };
			expect(await host.deliver(padded(size), headers)).toEqual({ status: 413, body: '' });
			expect(host.executions).toEqual([]);
		},
	);

	it('is accepted when it is large and below a megabyte', async () => {
		expect(await host.deliver(padded(900_000))).toMatchObject({ status: 200 });
	});
});

describe('A license', () => {
	const plain = license({ eventType: null });

	it.each([
		['in data, its kind in type', { type: 'new_filing', data: plain }],
		['in data, its kind in event', { event: 'new_filing', data: plain }],
		['in data.license', { type: 'new_filing', data: { license: plain } }],
		['with a kind that has a prefix', { type: 'license.new_filing', data: plain }],
		['with a kind in other letters', { event: 'License.New-Filing', data: plain }],
		['with a kind of its own', { type: 'renewal', data: license() }],
		['with a kind of its own alone', { data: license() }],
	])('is found %s', async (_, body) => {
		await host.deliver(body);
		expect(host.licenses).toEqual([license()]);
	});

	it('keeps a kind that the interface does not name', async () => {
		await host.deliver({ type: 'license.suspension', data: plain });
		expect(host.licenses).toEqual([license({ eventType: 'suspension' })]);
	});

	it('keeps fields that the interface does not name, and may lack those that it does', async () => {
		const bare = { licenseNumber: 'COP-2026-001234', colour: 'green' };
		await host.deliver({ data: bare });
		expect(host.licenses).toEqual([bare]);
	});

	it.each([
		['simplified', { county: 'Hillsborough', businessName: 'The Rusty Anchor' }],
		['crmLead', { externalId: 'lic_8f3k2m', company: 'The Rusty Anchor' }],
		['selectedFields', { id: 'lic_8f3k2m', city: 'Tampa' }],
	])('comes out in the form %s', async (output, expected) => {
		Object.assign(host.parameters, { output, fields: ['city'] });
		await host.deliver(delivery());
		expect(host.licenses).toEqual([expect.objectContaining(expected)]);
	});
});

describe('The filters', () => {
	const address = (county: string) => ({ ...license().address, county });

	it.each<[string, object, License, boolean]>([
		['an event that is chosen', { eventTypes: ['renewal'] }, { eventType: 'renewal' }, true],
		[
			'an event in other letters',
			{ eventTypes: ['new_filing'] },
			{ eventType: 'NEW_FILING' },
			true,
		],
		['an event that is not', { eventTypes: ['renewal'] }, {}, false],
		['no event', { eventTypes: ['renewal'] }, { eventType: null }, false],
		['a county that is chosen', { filters: { counties: ['Hillsborough'] } }, {}, true],
		[
			'a county in another spelling',
			{ filters: { counties: ['Miami-Dade', 'Baker'] } },
			{ address: address('MIAMI-DADE COUNTY') },
			true,
		],
		['a county that is not', { filters: { counties: ['Baker'] } }, {}, false],
		['no address', { filters: { counties: ['Baker'] } }, { address: null }, false],
		['a type that is chosen', { filters: { licenseTypes: ['COP', 'BEV'] } }, {}, true],
		['a type that is not', { filters: { licenseTypes: ['BEV'] } }, {}, false],
		['anything where nothing is chosen', { filters: {} }, { eventType: 'suspension' }, true],
	])('decide on %s', async (_, parameters, more, starts) => {
		Object.assign(host.parameters, parameters);
		expect(await host.deliver(delivery(license(more)))).toMatchObject({ status: 200 });
		expect(host.executions).toHaveLength(starts ? 1 : 0);
	});

	it('let new filings through where the user changed nothing', async () => {
		delete host.parameters.eventTypes;
		for (const eventType of ['renewal', 'new_filing', 'cancellation']) {
			await host.deliver(delivery(license({ eventType })));
		}
		expect(host.licenses).toEqual([license()]);
	});
});

describe('An event', () => {
	it('is another one when its identity is, as for the other triggers', async () => {
		const events = [license(), license({ id: 'lic_other' }), license({ eventType: 'renewal' })];
		for (const event of [...events, ...events]) await host.deliver(delivery(event));
		expect(host.licenses).toEqual(events);
		expect(new Set(events.map(eventId)).size).toBe(events.length);
	});

	it('is emitted by each workflow that hears of it', async () => {
		const { parameters, credentials } = host;
		const other = new WebhookHost({ parameters, credentials });
		await other.listen();
		await host.deliver(delivery());
		await other.deliver(delivery());
		other.close();
		expect([host.licenses, other.licenses]).toEqual([[license()], [license()]]);
	});

	it('comes again when n8n could not start its execution', async () => {
		host.start = async () => await Promise.reject(new Error('The database is away'));
		expect(await host.deliver(delivery())).toMatchObject({ status: 500 });
		host.start = async () => {};
		expect(await host.deliver(delivery())).toMatchObject({ status: 200 });
		expect(host.licenses).toEqual([license()]);
	});

	it('is asked for again while it is unknown whether n8n can start its execution', async () => {
		let fail = (_: Error): void => {};
		const starting = new Promise<void>((resolve) => {
			host.start = async () =>
				await new Promise((_, reject) => {
					fail = reject;
					resolve();
				});
		});
		const first = host.deliver(delivery());
		await starting;
		expect(await host.deliver(delivery())).toEqual({ status: 503, body: '' });
		fail(new Error('The database is away'));
		expect(await first).toMatchObject({ status: 500 });
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

	it('is remembered for ten thousand others', () => {
		const [first, second, ...others] = licenses(10_001) as [License, License, ...License[]];
		const take = (event: License) => {
			const answer = Object.assign(new EventEmitter(), { statusCode: 200, writableEnded: true });
			const { state } = claim(
				{
					getNodeWebhookUrl: () => 'https://n8n.example.com/webhook/many',
					getWorkflowStaticData: () => ({}),
					getResponseObject: () => answer,
				} as unknown as IWebhookFunctions,
				event,
			);
			answer.emit('close');
			return state;
		};
		for (const event of [first, second, ...others.slice(1)]) take(event);
		expect(take(first)).toBe('taken');
		expect(take(others[0]!)).toBe('new');
		expect(take(first)).toBe('new');
		expect(take(others.at(-1)!)).toBe('taken');
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
