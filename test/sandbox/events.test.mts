import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

import { describe, expect, it, onTestFinished } from 'vitest';

import { wallClock, type License } from '../../sandbox/index.mts';
import { listen } from '../support/loopback.mts';
import { opened } from './client.mts';

interface Received {
	headers: IncomingHttpHeaders;
	body: string;
}

/** A sandbox with webhooks, and an endpoint that accepts deliveries. */
async function subscribe(selection = {}) {
	const received: Received[] = [];
	const { baseUrl, close } = await listen((request, response) => {
		void text(request).then((body) => {
			received.push({ headers: request.headers, body });
			response.end();
		});
	});
	onTestFinished(close);
	const { sandbox, client } = await opened({ clock: wallClock, webhooks: true });
	const registration = { url: `${baseUrl}/deliveries`, ...selection };
	const { status, body } = await client.ask<{ data: { id: string; secret?: string } }>(
		'/webhooks',
		{
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify(registration),
		},
	);
	const { register, keys, webhooks } = sandbox;
	return { ...webhooks!, ...{ register, keys, client, received, registration, status, body } };
}

describe('4. POST /webhooks', () => {
	it('is not available unless asked, as today', async () => {
		const { client } = await opened();
		const { status, body } = await client.fault('/webhooks', { method: 'POST' });
		expect([status, body.error.type]).toEqual([404, 'not_found']);
	});

	it('registers url, events, counties and license types, and shows the secret once', async () => {
		const { status, body, registration, registrations } = await subscribe({
			events: ['new_filing', 'ownership_transfer'],
			counties: ['miami-dade', 'st-johns'],
			license_types: ['SRX', 'COP'],
		});
		expect(status).toBe(201);
		const id = expect.stringMatching(/^wh_/);
		const secret = expect.stringMatching(/^whsec_/);
		expect(body.data).toEqual({ ...registration, id, secret });
		expect(registrations.of('live')).toEqual([{ ...registration, id }]);
	});

	it.each([{ events: ['opening'] }, { counties: ['Miami-Dade'] }])(
		'answers 400 to a registration for %j',
		async (selection) => expect((await subscribe(selection)).status).toBe(400),
	);

	it('removes a registration, after which nothing is delivered', async () => {
		const { register, keys, client, deliveries, received, body } = await subscribe();
		const remove = async (key: string) =>
			(await client.ask(`/webhooks/${body.data.id}`, { method: 'DELETE', key })).status;
		expect(await remove(keys.test)).toBe(404);
		expect(await remove(keys.live)).toBe(204);
		register.file();
		await deliveries.settled();
		expect(received).toEqual([]);
	});
});

describe('6. Events', () => {
	it('delivers what the registration selects, signed over the raw body, and nothing else', async () => {
		const selection = { events: ['new_filing'], counties: ['palm-beach'], license_types: ['SRX'] };
		const { register, deliveries, received, body } = await subscribe(selection);
		const record = {
			businessName: 'Café Olé',
			licenseType: 'SRX',
			address: { county: 'Palm Beach' },
		};
		const wanted = register.file(record);
		register.file({ ...record, licenseType: 'COP' });
		register.file({ ...record, address: { county: 'Broward' } });
		register.change(wanted.id, { eventType: 'renewal' });
		await deliveries.settled();
		expect(received.map((one) => (JSON.parse(one.body) as { data: License }).data)).toEqual([
			wanted,
		]);
		const [{ headers, body: sent }] = received as [Received];
		const digest = createHmac('sha256', body.data.secret!).update(sent, 'utf8').digest('hex');
		expect(headers['x-service-signature']).toBe(digest);
	});
});
