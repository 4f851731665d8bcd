import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

import { describe, expect, it, onTestFinished } from 'vitest';

import { wallClock, type License, type StreamOptions } from '../../sandbox/index.mts';
import { listen } from '../support/loopback.mts';
import { started } from './client.mts';

interface Received {
	headers: IncomingHttpHeaders;
	body: string;
}

/** A sandbox with webhooks. */
async function open(options: StreamOptions = {}) {
	const { sandbox, client } = await started({ clock: wallClock, webhooks: true, ...options });
	const register = async (registration: object) =>
		await client.ask<{ data: { id: string; secret?: string } }>('/webhooks', {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify(registration),
		});
	return { sandbox, client, deliveries: sandbox.webhooks!.deliveries, register };
}

/** The same with an endpoint that accepts deliveries, and answers 200 unless told otherwise. */
async function subscribe(
	options: StreamOptions = {},
	selection = {},
	statusOf: (delivery: number) => number = () => 200,
) {
	const received: Received[] = [];
	const { baseUrl, close } = await listen((request, response) => {
		void text(request).then((body) => {
			received.push({ headers: request.headers, body });
			response.writeHead(statusOf(received.length)).end();
		});
	});
	onTestFinished(close);
	const opened = await open(options);
	const { body } = await opened.register({ url: `${baseUrl}/deliveries`, ...selection });
	return { ...opened, received, ...body.data };
}

const licenseIn = ({ body }: Received) => (JSON.parse(body) as { data: License }).data;

describe('4. POST /webhooks', () => {
	it('is not available unless asked, as today', async () => {
		const { client } = await started();
		const { status, body } = await client.fault('/webhooks', { method: 'POST' });
		expect([status, body.error.type]).toEqual([404, 'not_found']);
	});

	it('registers url, events, counties and license types, and shows the secret once', async () => {
		const { sandbox, register } = await open();
		const registration = {
			url: 'http://127.0.0.1:9/deliveries',
			events: ['new_filing', 'ownership_transfer'],
			counties: ['miami-dade', 'st-johns'],
			license_types: ['SRX', 'COP'],
		};
		const { status, body } = await register(registration);
		expect(status).toBe(201);
		expect(body.data).toEqual({
			...registration,
			id: expect.stringMatching(/^wh_/),
			secret: expect.stringMatching(/^whsec_/),
		});
		const { secret: _secret, ...shown } = body.data;
		expect(sandbox.webhooks?.registrations.of('live')).toEqual([shown]);
	});

	it.each([
		['an unknown event', { url: 'http://127.0.0.1:9/', events: ['opening'] }],
		['a county in capitals', { url: 'http://127.0.0.1:9/', counties: ['Miami-Dade'] }],
	])('answers 400 to a registration with %s', async (_what, registration) => {
		const { register } = await open();
		expect((await register(registration)).status).toBe(400);
	});

	it('removes a registration, after which nothing is delivered', async () => {
		const { sandbox, client, deliveries, received, id } = await subscribe();
		const remove = async (key: string) =>
			(await client.ask(`/webhooks/${id}`, { method: 'DELETE', key })).status;
		expect(await remove(sandbox.keys.test)).toBe(404);
		expect(await remove(sandbox.keys.live)).toBe(204);
		sandbox.live.insert();
		await deliveries.settled();
		expect(received).toEqual([]);
	});
});

describe('6. Events', () => {
	it('delivers what the registration selects, and nothing else', async () => {
		const { sandbox, deliveries, received } = await subscribe(
			{},
			{ events: ['new_filing'], counties: ['palm-beach', 'leon'], license_types: ['SRX'] },
		);
		const address = { county: 'Palm Beach' };
		const wanted = sandbox.live.insert({ licenseType: 'SRX', address });
		sandbox.live.insert({ licenseType: 'COP', address });
		sandbox.live.insert({ licenseType: 'SRX', address: { county: 'Broward' } });
		sandbox.live.update(wanted.id, { eventType: 'renewal' });
		await deliveries.settled();
		expect(received.map(licenseIn)).toEqual([wanted]);
	});

	it.each([
		['', 'service'],
		['sha256=', 'prefixed'],
	] as const)(
		'signs the raw body with HMAC SHA-256 in X-Service-Signature, after "%s"',
		async (signaturePrefix, signatures) => {
			const { sandbox, deliveries, received, secret } = await subscribe({ signatures });
			sandbox.live.insert({ businessName: 'Café Olé' });
			await deliveries.settled();
			const [{ headers, body }] = received as [Received];
			const digest = createHmac('sha256', secret!).update(body, 'utf8').digest('hex');
			expect(headers['x-service-signature']).toBe(signaturePrefix + digest);
			expect(body).toContain('Café Olé');
		},
	);

	it('tries again with growing waits until a delivery is accepted, or the attempts are over', async () => {
		const waits: number[] = [];
		const clock = { now: () => Date.now(), sleep: async (ms: number) => void waits.push(ms) };
		const { sandbox, deliveries, received } = await subscribe(
			{ clock, webhooks: { firstWait: 500 } },
			{},
			(delivery) => (delivery === 3 ? 200 : 503),
		);
		for (const attempts of [3, 3 + 5]) {
			sandbox.live.insert();
			await deliveries.settled();
			expect(received).toHaveLength(attempts);
		}
		expect(new Set(received.map(({ body }) => body)).size).toBe(2);
		expect(waits.slice(0, 2)).toEqual([500, 2000]);
	});

	it('names itself, its moment and the status before, or its attempt, where asked', async () => {
		const identified = await subscribe({ deliveries: 'identified', deliveredTypes: 'label' });
		const filed = identified.sandbox.live.insert({ licenseType: 'COP', status: 'pending' });
		const changed = identified.sandbox.live.update(filed.id, { status: 'active' });
		await identified.deliveries.settled();
		const [, second] = identified.received.map(({ body }) => JSON.parse(body) as object);
		expect(second).toEqual({
			id: expect.stringMatching(/^evt_/),
			type: 'license.status_change',
			created: expect.any(String),
			data: {
				license: { ...changed, licenseType: 'Quota Beverage (4COP)' },
				previousStatus: 'pending',
				newStatus: 'active',
			},
		});
		const webhooks = { firstWait: 1 };
		const options = { deliveries: 'attempted', signatures: 'named', webhooks } as const;
		const attempted = await subscribe(options, {}, (delivery) => (delivery === 1 ? 503 : 200));
		attempted.sandbox.live.insert();
		await attempted.deliveries.settled();
		const bodies = attempted.received.map(({ body }) => JSON.parse(body) as object);
		expect(bodies).toMatchObject([{ attempt: 1 }, { attempt: 2, webhookId: attempted.id }]);
		expect(attempted.received[0]?.headers).toHaveProperty('x-example-signature');
		expect(attempted.received[0]?.headers).not.toHaveProperty('x-service-signature');
	});
});
