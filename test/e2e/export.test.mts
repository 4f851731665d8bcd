import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { type Credential, N8nClient } from '../../playground/client.mts';
import { testFolder } from '../../playground/folders.mts';
import { installHost } from '../../playground/host.mts';
import { installPackage } from '../../playground/n8n.mts';
import { forgetPostgres } from '../support/queue/services.mts';
import { Queue } from '../support/queue/queue.mts';
import { createSandbox, type License, type Sandbox } from '../../sandbox/index.mts';
import { owner } from '../support/owner.mts';
import { to } from './forwarding.mts';
import { answeringWebhook, licenseNode } from './run-nodes.mts';
import { connectTo, openStage, type Stage } from './stage.mts';

type Row = Record<string, string>;

const EXPORTS = join(testFolder, 'exports');
const mayWrite = { N8N_RESTRICT_FILE_ACCESS_TO: EXPORTS };

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await createSandbox({ records: 3000 });
	await rm(EXPORTS, { recursive: true, force: true });
	await mkdir(EXPORTS, { recursive: true });
});
afterAll(async () => await sandbox?.close());

const service = () => ({ baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live });

/** A published workflow that exports, and an n8n node that writes the file to disk. */
async function exportWorkflow(client: N8nClient, credential: Credential) {
	const path = randomUUID();
	const file = join(EXPORTS, `${path}.csv`);
	const workflow = await client.createWorkflow({
		name: `Export ${path}`,
		nodes: [
			answeringWebhook(path),
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
				parameters: { operation: 'write', fileName: file, dataPropertyName: 'data', options: {} },
			},
		],
		connections: { Webhook: to('Export'), Export: to('Save File') },
		settings: { executionOrder: 'v1' },
	});
	await client.activate(workflow.id);
	return { id: workflow.id, url: `${client.address}/webhook/${path}`, file };
}

async function rowsFrom({ url, file }: { url: string; file: string }): Promise<Row[]> {
	const response = await fetch(url, { method: 'POST' });
	if (!response.ok) throw new Error(`The workflow ended with ${await response.text()}`);
	return parse(await readFile(file), { columns: true, bom: true }) as Row[];
}

function expectAll(rows: Row[]): void {
	// Names, cities and ZIP codes are written as people write them, which has tests of its own.
	const isWritten = (name: string) => /^(?:businessName|legalName|dbaName|city|zip)$/.test(name);
	const flat = ({ address, enrichment, ...license }: License) =>
		Object.entries({ ...address, ...license, phone: enrichment?.phone })
			.map(([name, value]) => [name, String(value ?? '')] as const)
			.filter(([name, value]) => !isWritten(name) && !/[Ã\u00AD]/.test(value));
	const records = new Map(sandbox.register.all().map((record) => [record.id, record]));
	expect(rows).toHaveLength(records.size);
	const expected = rows.map(({ id = '' }) => flat(records.get(id) as License));
	expect(new Set(rows.map(({ id }) => id)).size).toBe(records.size);
	expect(rows.map((row, at) => expected[at]?.map(([name = '']) => [name, row[name]]))).toEqual(
		expected,
	);
}

async function filesBelow(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
	return entries
		.filter((entry) => entry.isFile() && entry.parentPath.includes('binary_data'))
		.map(({ name }) => name);
}

describe('Where n8n keeps files on disk, as it does by itself', () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage('export', mayWrite);
	});
	afterAll(async () => await stage?.close());

	it('an export that n8n does not survive leaves nothing once its execution is deleted', async () => {
		const workflow = await exportWorkflow(stage.client, await connectTo(stage, service()));
		const stored = join(stage.folder, '.n8n');
		const before = (await filesBelow(stored)).length;
		let arrived = () => {};
		const isUnderWay = new Promise<void>((resolve) => (arrived = resolve));
		let pages = 0;
		const remove = sandbox.trouble.betweenPages(async () => {
			if (++pages < 40) return;
			arrived();
			await new Promise(() => {});
		});
		const answer = rowsFrom(workflow).catch(() => {});
		await isUnderWay;
		await stage.crash(async () => void remove());
		await answer;

		const [execution] = (await stage.client.executions(workflow.id)).results;
		expect(execution?.status).toBe('crashed');
		await stage.client.request('POST', '/rest/executions/delete', { ids: [execution?.id] });
		await expect.poll(async () => (await filesBelow(stored)).length).toBe(before);
	});
});

describe('In queue mode, where n8n keeps files in the database', () => {
	let queue: Queue;
	let client: N8nClient;
	beforeAll(async () => {
		const folder = join(testFolder, 'export-queue');
		await rm(folder, { recursive: true, force: true });
		await forgetPostgres(folder);
		await installPackage(folder, inject('tarball'));
		queue = await Queue.start({
			host: await installHost(),
			folder,
			workers: 1,
			environment: mayWrite,
		});
		client = await N8nClient.signIn(queue.main.address, owner);
	});
	afterAll(async () => await queue?.stop());

	it('Export brings one file with every license, which a worker wrote', async () => {
		const credential = await client.saveCredential('Licensing Data', 'licensingDataApi', service());
		expectAll(await rowsFrom(await exportWorkflow(client, credential)));
	});
});
