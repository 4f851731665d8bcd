import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { logOf } from '../../playground/n8n.mts';
import { forwarding, TRIGGER } from './forwarding.mts';
import { openScene } from './stage.mts';

const SECRET = 'whsec_secret_example';

const scene = await openScene('webhook', { records: 10, webhooks: true });
const { stage, sandbox } = scene;
afterAll(async () => await scene.close());

const registrations = () => sandbox.webhooks?.registrations.of('live') ?? [];
const arrived = () => scene.crm.book.leads.map(({ id }) => String(id));

/** A workflow that passes on what the trigger emits. */
async function createWorkflow(webhookSecret = '') {
	const access = { ...sandbox.credentials, webhookSecret };
	const name = webhookSecret ? 'By hand' : 'By the node';
	const credential = await stage.client.saveCredential(name, 'licensingDataWebhookApi', access);
	const webhookId = randomUUID();
	const trigger = {
		...{ id: randomUUID(), webhookId },
		type: 'n8n-nodes-licensing-data.licensingDataWebhookTrigger',
		parameters: { eventTypes: [], output: 'raw' },
	};
	const workflow = forwarding(name, credential, trigger, scene.crm.leadsAddress);
	const { id } = await stage.client.createWorkflow(workflow);
	return { id, path: `/webhook/${webhookId}/webhook` };
}

it('starts one execution for each signed event, even if it comes again after a crash', async () => {
	const { id, path } = await createWorkflow(SECRET);
	await stage.client.activate(id);
	expect(registrations()).toEqual([]);
	const post = async (body: string, signedWith = SECRET) => {
		const signature = createHmac('sha256', signedWith).update(body).digest('hex');
		const url = `${stage.client.address}${path}`;
		const headers = { 'content-type': 'application/json', 'x-service-signature': signature };
		const response = await fetch(url, { method: 'POST', headers, body });
		return [response.status, await response.text()];
	};
	const bodyOf = (event: string) =>
		JSON.stringify({
			data: { ...sandbox.register.all()[0], id: event, licenseNumber: `BEV9${event}` },
		});
	const deliver = async (event: string) => expect((await post(bodyOf(event)))[0]).toBe(200);
	const EVENTS = ['1', '2', '3', '4', '5'];

	expect(await post(bodyOf('forged'), 'whsec_other_example')).toEqual([401, '']);
	expect(await post(bodyOf('cut off').slice(0, 50))).toEqual([400, '']);
	// At the same moment; and the moment after the last answer is the worst one for a crash.
	await Promise.all(EVENTS.map(deliver));
	await stage.crash();
	await Promise.all(EVENTS.map(deliver));
	await deliver('last');
	await expect.poll(arrived).toContain('last');
	// n8n counts an execution once it has ended. One that was cut off has started, too.
	const executions = async () => (await stage.client.executions(id)).count;
	await expect.poll(executions).toBe(EVENTS.length + 1);
	await stage.client.deactivate(id);
});

it('is registered while it is published, and while a user listens for a test event', async () => {
	const { id } = await createWorkflow();
	await stage.client.activate(id);
	expect(registrations()).toHaveLength(1);
	const published = sandbox.register.file();
	await expect.poll(arrived).toContain(published.id);
	await stage.client.deactivate(id);
	await expect.poll(registrations).toEqual([]);

	await stage.client.request('POST', `/rest/workflows/${id}/run`, {
		triggerToStartFrom: { name: TRIGGER },
	});
	expect(registrations()).toMatchObject([{ url: expect.stringContaining('/webhook-test/') }]);
	const tested = sandbox.register.file();
	await expect.poll(arrived).toContain(tested.id);
	await expect.poll(registrations).toEqual([]);
});

it('leaves no secret and no key in the log of n8n', async () => {
	const log = await readFile(logOf(stage.folder), 'utf8');
	expect(log).toContain('Editor is now accessible');
	expect(log).not.toMatch(/whsec_|ls_live_|ls_test_/);
});
