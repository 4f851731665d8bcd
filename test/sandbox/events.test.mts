import { createHmac } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { wallClock, type Clock, type DeliveryOptions, type License } from '../../sandbox/index.mts';
import { started } from './client.mts';
import { receiver } from './receiver.mts';

interface Webhook {
	id: string;
	url: string;
	events: string[];
	counties: string[];
	license_types: string[];
	secret?: string;
}

const json = { 'Content-Type': 'application/json' };

async function withWebhooks(webhooks: boolean | DeliveryOptions = true, clock: Clock = wallClock) {
	const { sandbox, client } = await started({ clock, webhooks });
	return {
		sandbox,
		client,
		deliveries: sandbox.webhooks!.deliveries,
		register: async (registration: object, key: string = sandbox.keys.live) => {
			const body = JSON.stringify(registration);
			const answer = await client.ask<{ data: Webhook }>('/webhooks', {
				method: 'POST',
				headers: json,
				body,
				key,
			});
			return { status: answer.status, ...answer.body };
		},
	};
}

describe('4. POST /webhooks', () => {
	it('is not available unless asked, as today', async () => {
		const { client } = await started();
		for (const method of ['POST', 'GET']) {
			const { status, body } = await client.fault('/webhooks', { method });
			expect(status).toBe(404);
			expect(body.error).toEqual({
				type: 'not_found',
				message: 'Webhooks are planned and not yet available.',
			});
		}
	});

	it('registers url, events, counties and license types, and shows the secret once', async () => {
		const { client, register } = await withWebhooks();
		const registration = {
			url: 'http://127.0.0.1:9/deliveries',
			events: ['new_filing', 'ownership_transfer'],
			counties: ['miami-dade', 'st-johns'],
			license_types: ['SRX', 'COP'],
		};
		const { status, data } = await register(registration);
		expect(status).toBe(201);
		expect(data).toEqual({
			...registration,
			id: expect.stringMatching(/^wh_/),
			secret: expect.stringMatching(/^whsec_/),
		});
		const { secret: _secret, ...shown } = data;
		expect((await client.ask('/webhooks')).body).toEqual({ data: [shown] });
	});

	it.each([
		['no url', {}],
		['a url that is none', { url: 'nowhere' }],
		['a url that is not http', { url: 'ftp://files.example/in' }],
		['an unknown event', { url: 'http://127.0.0.1:9/', events: ['opening'] }],
		['an unknown license type', { url: 'http://127.0.0.1:9/', license_types: ['srx'] }],
		['a county in capitals', { url: 'http://127.0.0.1:9/', counties: ['Miami-Dade'] }],
		['a county of elsewhere', { url: 'http://127.0.0.1:9/', counties: ['kings'] }],
		['an unknown field', { url: 'http://127.0.0.1:9/', county: 'leon' }],
	])('answers 400 to a registration with %s', async (_what, registration) => {
		const { client, register } = await withWebhooks();
		expect((await register(registration)).status).toBe(400);
		expect((await client.ask('/webhooks')).body).toEqual({ data: [] });
	});

	it('answers 400 to a body that is not JSON', async () => {
		const { client } = await withWebhooks();
		const { status, body } = await client.fault('/webhooks', {
			method: 'POST',
			headers: json,
			body: '{"url":',
		});
		expect(status).toBe(400);
		expect(body.error.type).toBe('invalid_request');
	});

	it('removes a registration, after which nothing is delivered', async () => {
		const { sandbox, client, deliveries, register } = await withWebhooks();
		const { url, received } = await receiver();
		const { data } = await register({ url });
		const removal = await client.ask(`/webhooks/${data.id}`, { method: 'DELETE' });
		expect(removal.status).toBe(204);
		sandbox.live.insert();
		await deliveries.settled();
		expect(received).toEqual([]);
		const again = await client.fault(`/webhooks/${data.id}`, { method: 'DELETE' });
		expect(again.status).toBe(404);
	});

	it("keeps the two keys' registrations apart", async () => {
		const { sandbox, client, register } = await withWebhooks();
		const { data } = await register({ url: 'http://127.0.0.1:9/' }, sandbox.keys.test);
		expect((await client.ask('/webhooks')).body).toEqual({ data: [] });
		const foreign = await client.ask(`/webhooks/${data.id}`, { method: 'DELETE' });
		expect(foreign.status).toBe(404);
	});
});

describe('6. Events', () => {
	it('delivers every event of the living dataset with type and data', async () => {
		const { sandbox, deliveries, register } = await withWebhooks();
		const { url, received } = await receiver();
		await register({ url });
		const filed = sandbox.live.insert();
		const renewed = sandbox.live.update(filed.id);
		await deliveries.settled();
		expect(received.map(({ body }) => JSON.parse(body))).toEqual([
			{ type: 'new_filing', data: filed },
			{ type: 'renewal', data: renewed },
		]);
	});

	it('delivers what the registration selects, and nothing else', async () => {
		const { sandbox, deliveries, register } = await withWebhooks();
		const { url, received } = await receiver();
		await register({
			url,
			events: ['new_filing', 'ownership_transfer'],
			counties: ['palm-beach', 'leon'],
			license_types: ['SRX'],
		});
		const address = { county: 'Palm Beach' };
		const wanted = sandbox.live.insert({ licenseType: 'SRX', address });
		sandbox.live.insert({ licenseType: 'COP', address });
		sandbox.live.insert({ licenseType: 'SRX', address: { county: 'Broward' } });
		sandbox.live.update(wanted.id, { eventType: 'renewal' });
		await deliveries.settled();
		expect(received.map(({ body }) => (JSON.parse(body) as { data: License }).data)).toEqual([
			wanted,
		]);
	});

	it.each(['', 'sha256='] as const)(
		'signs the raw body with HMAC SHA-256 in X-Service-Signature, after "%s"',
		async (signaturePrefix) => {
			const { sandbox, deliveries, register } = await withWebhooks({ signaturePrefix });
			const { url, received } = await receiver();
			const { data } = await register({ url });
			sandbox.live.insert({ businessName: 'Café Olé' });
			await deliveries.settled();
			const [{ headers, body }] = received as [(typeof received)[0]];
			const digest = createHmac('sha256', data.secret!).update(body, 'utf8').digest('hex');
			expect(headers['x-service-signature']).toBe(signaturePrefix + digest);
			expect(body).toContain('Café Olé');
		},
	);

	it('tries again with growing waits until a delivery is accepted', async () => {
		const waits: number[] = [];
		const clock = { now: () => Date.now(), sleep: async (ms: number) => void waits.push(ms) };
		const { sandbox, deliveries, register } = await withWebhooks({ firstWait: 500 }, clock);
		const { url, received } = await receiver((delivery) => (delivery < 3 ? 503 : 200));
		await register({ url });
		sandbox.live.insert();
		await deliveries.settled();
		expect(deliveries.attempts.map(({ attempt, status }) => [attempt, status])).toEqual([
			[1, 503],
			[2, 503],
			[3, 200],
		]);
		expect(new Set(received.map(({ body }) => body)).size).toBe(1);
		expect(waits).toEqual([500, 2000]);
	});

	it('gives up after the attempts it has', async () => {
		const { sandbox, deliveries, register } = await withWebhooks({ attempts: 2, firstWait: 1 });
		const { url, received } = await receiver(() => 500);
		await register({ url });
		sandbox.live.insert();
		await deliveries.settled();
		expect(received).toHaveLength(2);
	});

	it('delivers at least once: a second time where asked', async () => {
		const { sandbox, deliveries, register } = await withWebhooks({ duplicates: 1 });
		const { url, received } = await receiver();
		await register({ url });
		sandbox.live.insert();
		await deliveries.settled();
		expect(received).toHaveLength(2);
		expect(received[0]!.body).toBe(received[1]!.body);
		expect(deliveries.attempts.map(({ isDuplicate }) => isDuplicate)).toEqual([false, true]);
	});

	it.each([
		['in order', 0],
		['out of order', 40],
	])('delivers %s where asked', async (_what, shuffleWithin) => {
		const { sandbox, deliveries, register } = await withWebhooks({ shuffleWithin });
		const { url, received } = await receiver();
		await register({ url });
		const filed = sandbox.live.burst(12).map(({ id }) => id);
		await deliveries.settled();
		const order = received.map(({ body }) => (JSON.parse(body) as { data: License }).data.id);
		expect([...order].sort()).toEqual([...filed].sort());
		if (shuffleWithin === 0) expect(order).toEqual(filed);
		else expect(order).not.toEqual(filed);
	});

	it.each([
		[{ kindIn: 'event' }, (license: License) => ({ event: 'new_filing', data: license })],
		[
			{ kindPrefix: 'license.' },
			(license: License) => ({ type: 'license.new_filing', data: license }),
		],
		[{ nested: true }, (license: License) => ({ type: 'new_filing', data: { license } })],
	] as const)(
		'takes the other payload shapes that the words allow: %j',
		async (shape, expected) => {
			const { sandbox, deliveries, register } = await withWebhooks({ shape });
			const { url, received } = await receiver();
			await register({ url });
			const filed = sandbox.live.insert();
			await deliveries.settled();
			expect(JSON.parse(received[0]!.body)).toEqual(expected(filed));
		},
	);

	it('delivers what arrives by itself, with nobody looking at the list', async () => {
		const { url, received } = await receiver();
		const { sandbox, client } = await started({ clock: wallClock, webhooks: true, rate: 6000 });
		await client.ask('/webhooks', { method: 'POST', headers: json, body: JSON.stringify({ url }) });
		await expect.poll(() => received.length).toBeGreaterThan(0);
		const { id } = (JSON.parse(received[0]!.body) as { data: License }).data;
		expect(sandbox.live.events.map((event) => event.id)).toContain(id);
	});
});
