import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { Credential } from '../../playground/client.mts';
import { logOf } from '../../playground/n8n.mts';
import { createSandbox, type License, type Sandbox } from '../../sandbox/index.mts';
import { forwarding, using } from './forwarding.mts';
import { connectTo, openStage, type Stage } from './stage.mts';

const SECRET = 'whsec_secret_example';

let sandbox: Sandbox;
let stage: Stage;
let credential: Credential;
let collector: Server;
let collected: License[] = [];
let published: string[] = [];

beforeAll(async () => {
	sandbox = await createSandbox({ records: 10, webhooks: true });
	collector = createServer((request, response) => {
		void json(request).then((license) => {
			collected.push(license as License);
			response.end('{}');
		});
	}).listen(0, '127.0.0.1');
	await once(collector, 'listening');
	stage = await openStage('webhook');
	credential = await connectTo(stage, { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live });
});
afterAll(async () => {
	await stage?.close();
	await sandbox?.close();
	collector?.close();
});
afterEach(async () => {
	for (const id of published) await stage.client.deactivate(id);
	published = [];
	collected = [];
});

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const sign = (body: string, secret = SECRET): string =>
	createHmac('sha256', secret).update(body).digest('hex');

/** Posts a delivery as the service would, signed unless the headers say something else. */
async function post(url: string, body: string, headers: Record<string, string> = {}) {
	const response = await fetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'x-service-signature': sign(body),
			...headers,
		},
		body,
	});
	return { status: response.status, body: await response.text() };
}

/** A workflow that sends what the trigger emits to the collector. */
async function createWorkflow(parameters = {}, secret?: Credential) {
	const webhookId = randomUUID();
	const trigger = {
		id: randomUUID(),
		type: 'n8n-nodes-licensing-data.licensingDataWebhookTrigger',
		webhookId,
		parameters: { eventTypes: [], output: 'raw', ...parameters },
		credentials: { ...using(credential), ...(secret && using(secret)) },
	};
	const { id } = await stage.client.createWorkflow(
		forwarding('Webhook', credential, trigger, addressOf(collector)),
	);
	return { id, path: `${webhookId}/webhook` };
}

async function publish(parameters = {}, secret?: Credential) {
	const workflow = await createWorkflow(parameters, secret);
	await stage.client.activate(workflow.id);
	published.push(workflow.id);
	return workflow;
}

/** Executions in any state: one that was cut off has started, too. */
const executionsOf = async (workflowId: string) =>
	(await stage.client.executions(workflowId)).count;

const registrations = () => sandbox.webhooks?.registrations.of('live') ?? [];
const settled = async () => await sandbox.webhooks?.deliveries.settled();
const byId = (a: License, b: License) => a.id.localeCompare(b.id);
const arrived = async (count: number) =>
	await expect.poll(() => collected.length).toBeGreaterThanOrEqual(count);

describe('With manual registration', () => {
	let manual: Credential;

	beforeAll(async () => {
		manual = await stage.client.saveCredential('With secret', 'licensingDataWebhookApi', {
			webhookSecret: SECRET,
		});
	});

	const live = (path: string) => `${stage.client.address}/webhook/${path}`;

	it('starts nothing for what is forged, replayed, cut off, too large or no license', async () => {
		const { id, path } = await publish({ registration: 'manual' }, manual);
		const url = live(path);
		const [license] = sandbox.register.all() as [License];
		const body = JSON.stringify({ type: license.eventType, data: license });
		const half = body.slice(0, body.length / 2);
		const large = JSON.stringify({ data: { ...license, note: 'x'.repeat(1_000_000) } });

		expect((await post(url, body)).status).toBe(200);
		expect((await post(url, body)).status).toBe(200);
		const unsigned = { 'x-service-signature': '' };
		const empty = (status: number) => ({ status, body: '' });
		expect(await post(url, body, unsigned)).toEqual(empty(401));
		expect(await post(url, body, { 'x-service-signature': sign(body, 'whsec_other') })).toEqual(
			empty(401),
		);
		for (const type of ['application/json', 'application/xml', 'multipart/form-data']) {
			expect(await post(url, half, { ...unsigned, 'content-type': type })).toEqual(empty(401));
		}
		expect(await post(url, half)).toEqual(empty(400));
		expect(await post(url, '<a/>', { 'content-type': 'application/xml' })).toEqual(empty(400));
		expect(await post(url, large)).toEqual(empty(400));

		// Last of all, so that whatever else was started has had its time.
		const last = { ...license, id: 'lic_last', licenseNumber: 'BEV9999901' };
		expect((await post(url, JSON.stringify({ data: last }))).status).toBe(200);
		await expect.poll(() => collected).toContainEqual(last);
		await expect.poll(async () => await executionsOf(id)).toBe(2);
		expect([...collected].sort(byId)).toEqual([license, last].sort(byId));
	});

	it('listens for a test event at the test URL', async () => {
		const { id, path } = await createWorkflow({ registration: 'manual' }, manual);
		const answer = await stage.client.request('POST', `/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: 'Trigger' },
		});
		expect(answer).toEqual({ waitingForWebhook: true });
		const [license] = sandbox.register.all() as [License];
		const body = JSON.stringify({ data: license });
		const url = live(path).replace('/webhook/', '/webhook-test/');
		expect((await post(url, body, { 'x-service-signature': '' })).status).toBe(401);
		expect((await post(url, body)).status).toBe(200);
		await arrived(1);
		expect(collected).toEqual([license]);
		expect((await post(url, body)).status).toBe(404);
	});

	it(
		'starts nothing for sixty events that came before n8n was killed',
		{ timeout: 900_000 },
		async () => {
			const { id, path } = await publish({ registration: 'manual' }, manual);
			const deliver = async (id: string | number) => {
				const number = `BEV9${id}`;
				const data = { ...sandbox.register.all()[0], id: `lic_${id}`, licenseNumber: number };
				expect((await post(live(path), JSON.stringify({ data }))).status).toBe(200);
			};
			// Five of them at the same moment.
			const deliverSixty = async () => {
				for (let next = 0; next < 60; next += 5)
					await Promise.all([0, 1, 2, 3, 4].map(async (more) => await deliver(next + more)));
			};
			await deliverSixty();
			// The moment after the last answer is the worst one.
			await stage.crash();
			await deliverSixty();
			await deliver('crash');
			await expect.poll(() => collected.some((one) => one.id === 'lic_crash')).toBe(true);
			// n8n counts an execution once it has ended.
			await expect.poll(async () => await executionsOf(id)).toBe(61);
		},
	);
});

describe('The registration at the service', () => {
	it('comes and goes with the workflow, each time with another secret', async () => {
		const { id } = await publish();
		const [first] = registrations();
		await stage.client.deactivate(id);
		await expect.poll(registrations).toEqual([]);

		await stage.client.activate(id);
		expect(registrations()).toHaveLength(1);
		expect(registrations()[0]?.id).not.toBe(first?.id);
		const event = sandbox.register.file();
		await settled();
		await arrived(1);
		expect(collected).toEqual([event]);

		await stage.client.deactivate(id);
		await expect.poll(registrations).toEqual([]);
	});

	it('goes with the test event that the user listens for', async () => {
		const { id } = await createWorkflow();
		await stage.client.request('POST', `/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: 'Trigger' },
		});
		expect(registrations()).toMatchObject([{ url: expect.stringContaining('/webhook-test/') }]);
		await stage.client.request('DELETE', `/rest/test-webhook/${id}`);
		await expect.poll(registrations).toEqual([]);
	});
});

it('leaves no secret and no key in the log of n8n', async () => {
	const log = await readFile(logOf(stage.folder), 'utf8');
	expect(log).toContain('Editor is now accessible');
	expect(log).not.toMatch(/whsec_|ls_live_|ls_test_/);
});
