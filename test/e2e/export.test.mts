import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

import { N8nClient } from '../../playground/client.mts';
import { testFolder } from '../../playground/folders.mts';
import { installHost } from '../../playground/host.mts';
import { installPackage } from '../../playground/n8n.mts';
import { forgetPostgres } from '../support/queue/services.mts';
import { Queue } from '../support/queue/queue.mts';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { owner } from '../support/owner.mts';
import { to } from './forwarding.mts';
import { answeringWebhook, licenseNode } from './run-nodes.mts';

const EXPORTS = join(testFolder, 'exports');

let sandbox: Sandbox;
let queue: Queue;
beforeAll(async () => {
	sandbox = await createSandbox({ records: 3000 });
	const folder = join(testFolder, 'export');
	for (const empty of [EXPORTS, folder]) await rm(empty, { recursive: true, force: true });
	await mkdir(EXPORTS, { recursive: true });
	await forgetPostgres(folder);
	await installPackage(folder, inject('tarball'));
	queue = await Queue.start({
		host: await installHost(),
		folder,
		workers: 1,
		environment: { N8N_RESTRICT_FILE_ACCESS_TO: EXPORTS },
	});
});
afterAll(async () => {
	await queue?.stop();
	await sandbox?.close();
});

it('In queue mode, Export brings one file with every license, which a worker wrote', async () => {
	const client = await N8nClient.signIn(queue.main.address, owner);
	const credential = await client.saveCredential('Licensing Data', 'licensingDataApi', {
		...sandbox.credentials,
	});
	const fileName = join(EXPORTS, 'licenses.csv');
	const { id } = await client.createWorkflow({
		name: 'Export',
		nodes: [
			answeringWebhook('export'),
			{
				name: 'Export',
				position: [200, 0],
				...licenseNode(credential, { operation: 'export', format: 'csv', columns: 'all' }),
			},
			{
				name: 'Save File',
				type: 'n8n-nodes-base.readWriteFile',
				typeVersion: 1.1,
				position: [400, 0],
				parameters: { operation: 'write', fileName, dataPropertyName: 'data', options: {} },
			},
		],
		connections: { Webhook: to('Export'), Export: to('Save File') },
	});
	await client.activate(id);
	const response = await fetch(`${client.address}/webhook/export`, { method: 'POST' });
	expect(await response.text()).toContain('licenses.csv');
	expect(response.status).toBe(200);

	const rows = parse(await readFile(fileName), { columns: true, bom: true }) as Array<
		Record<string, string>
	>;
	const keys = (all: Array<{ id?: string; licenseNumber?: string | null }>) =>
		all.map(({ id, licenseNumber }) => `${id} ${licenseNumber}`).sort();
	expect(keys(rows)).toEqual(keys(sandbox.register.all()));
});
