import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { N8nClient } from '../../playground/client.mts';
import { testFolder } from '../../playground/folders.mts';
import { installHost } from '../../playground/host.mts';
import { installPackage } from '../../playground/n8n.mts';
import { type ProcessName, Queue } from '../../playground/queue.mts';
import { forgetPostgres } from '../../playground/queue-services.mts';
import { createSandbox, type StreamSandbox } from '../../sandbox/index.mts';
import { deliverSixty, SECRET } from './delivery.mts';
import { forwarding } from './forwarding.mts';
import { owner } from './stage.mts';

let sandbox: StreamSandbox;
let queue: Queue;

beforeAll(async () => {
	sandbox = await createSandbox({ kind: 'stream', records: 10 });
	const folder = join(testFolder, 'webhook-processes');
	await rm(folder, { recursive: true, force: true });
	await forgetPostgres(folder);
	await installPackage(folder, inject('tarball'));
	queue = await Queue.start({ host: await installHost(), folder, workers: 1 });
}, 600_000);
afterAll(async () => {
	await queue?.stop();
	await sandbox?.close();
});

/** Both answer deliveries: the main process, and one that does nothing else. */
const receivers: ProcessName[] = ['main', 'webhook'];

async function executions(workflowId: string): Promise<number> {
	const client = await N8nClient.signIn(queue.main.address, owner);
	return (await client.executions(workflowId)).count;
}

it(
	'starts nothing for what another process took, nor after both were killed',
	{ timeout: 900_000 },
	async () => {
		const client = await N8nClient.signIn(queue.main.address, owner);
		const credential = await client.saveCredential('With secret', 'licensingDataApi', {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.keys.live,
			webhookSecret: SECRET,
		});
		const webhookId = randomUUID();
		const trigger = {
			id: randomUUID(),
			type: 'n8n-nodes-licensing-data.licensingDataWebhookTrigger',
			webhookId,
			parameters: { eventTypes: [], output: 'raw', registration: 'manual' },
		};
		const { id } = await client.createWorkflow(
			forwarding('Webhook', credential, trigger, sandbox.baseUrl),
		);
		await client.activate(id);

		// The processes take turns. Of several deliveries at one moment, n8n may save one over the other.
		const urlOf = (first: number) => (delivery: number) => {
			const name = receivers[(delivery + first) % 2]!;
			return `${queue.processes.get(name)?.address}/webhook/${webhookId}/webhook`;
		};
		const accepted = Array(60).fill(200) as number[];
		const deliver = async (first: number) =>
			await deliverSixty(urlOf(first), sandbox.live.records(), 1);
		expect(await deliver(0)).toEqual(accepted);
		expect(await deliver(1)).toEqual(accepted);
		expect(await executions(id)).toBe(60);

		for (const name of receivers) await queue.processes.get(name)?.kill();
		for (const name of receivers) await queue.startProcess(name);
		expect(await deliver(1)).toEqual(accepted);
		expect(await executions(id)).toBe(60);
	},
);
