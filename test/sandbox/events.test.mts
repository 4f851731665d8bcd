import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

import { describe, expect, it, onTestFinished } from 'vitest';

import { wallClock, type License, type SandboxOptions } from '../../sandbox/index.mts';
import { listen } from '../support/loopback.mts';
import { opened } from './client.mts';

interface Received {
	headers: IncomingHttpHeaders;
	body: string;
}

/** A sandbox with webhooks. */
async function open(options: SandboxOptions = {}) {
	const { sandbox, client } = await opened({ clock: wallClock, webhooks: true, ...options });
	const subscribeTo = async (registration: object) =>
		await client.ask<{ data: { id: string; secret?: string } }>('/webhooks', {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify(registration),
		});
	return { sandbox, client, deliveries: sandbox.webhooks!.deliveries, subscribeTo };
}

/** The same with an endpoint that accepts deliveries, and answers 200 unless told otherwise. */
async function subscribe(
	options: SandboxOptions = {},
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
	const service = await open(options);
	const { body } = await service.subscribeTo({ url: `${baseUrl}/deliveries`, ...selection });
	return { ...service, received, ...body.data };
}

const licenseIn = ({ body }: Received) => (JSON.parse(body) as { data: License }).data;

describe('4. POST /webhooks', () => {
	it('is not available unless asked, as today', async () => {
		const { client } = await opened();
		const { status, body } = await client.fault('/webhooks', { method: 'POST' });
		expect([status, body.error.type]).toEqual([404, 'not_found']);
	});

	it('registers url, events, counties and license types, and shows the secret once', async () => {
		const { sandbox, subscribeTo } = await open();
		const registration = {
			url: 'http://127.0.0.1:9/deliveries',
			events: ['new_filing', 'ownership_transfer'],
			counties: ['miami-dade', 'st-johns'],
			license_types: ['SRX', 'COP'],
		};
		const { status, body } = await subscribeTo(registration);
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
		const { subscribeTo } = await open();
		expect((await subscribeTo(registration)).status).toBe(400);
	});

	it('removes a registration, after which nothing is delivered', async () => {
		const { sandbox, client, deliveries, received, id } = await subscribe();
		const remove = async (key: string) =>
			(await client.ask(`/webhooks/${id}`, { method: 'DELETE', key })).status;
		expect(await remove(sandbox.keys.test)).toBe(404);
		expect(await remove(sandbox.keys.live)).toBe(204);
		sandbox.register.file();
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
		const wanted = sandbox.register.file({ licenseType: 'SRX', address });
		sandbox.register.file({ licenseType: 'COP', address });
		sandbox.register.file({ licenseType: 'SRX', address: { county: 'Broward' } });
		sandbox.register.change(wanted.id, { eventType: 'renewal' });
		await deliveries.settled();
		expect(received.map(licenseIn)).toEqual([wanted]);
	});

	it('signs the raw body with HMAC SHA-256 in X-Service-Signature', async () => {
		const { sandbox, deliveries, received, secret } = await subscribe();
		sandbox.register.file({ businessName: 'Café Olé' });
		await deliveries.settled();
		const [{ headers, body }] = received as [Received];
		const digest = createHmac('sha256', secret!).update(body, 'utf8').digest('hex');
		expect(headers['x-service-signature']).toBe(digest);
		expect(body).toContain('Café Olé');
	});

	it('tries again with growing waits until a delivery is accepted, or the attempts are over', async () => {
		const waits: number[] = [];
		const clock = { now: () => Date.now(), sleep: async (ms: number) => void waits.push(ms) };
		const { sandbox, deliveries, received } = await subscribe(
			{ clock, webhooks: { firstWait: 500 } },
			{},
			(delivery) => (delivery === 3 ? 200 : 503),
		);
		for (const attempts of [3, 3 + 5]) {
			sandbox.register.file();
			await deliveries.settled();
			expect(received).toHaveLength(attempts);
		}
		expect(new Set(received.map(({ body }) => body)).size).toBe(2);
		expect(waits.slice(0, 2)).toEqual([500, 2000]);
	});
});
