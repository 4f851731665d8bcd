import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Crm, startCrm } from '../../playground/crm/server.mts';
import { testFolder } from '../../playground/folders.mts';
import { runLeadWorkflow } from '../../playground/lead-workflow.mts';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { Editor, openBrowser, picture } from './editor.mts';
import { connectTo, openStage, type Stage } from './stage.mts';

let sandbox: Sandbox;
let crm: Crm;
let stage: Stage;
let browser: Browser;
let workflowId: string;

beforeAll(async () => {
	const file = join(testFolder, 'leads.jsonl');
	await rm(file, { force: true });
	sandbox = await createSandbox();
	crm = await startCrm({ file });
	stage = await openStage('lead-workflow');
	const credential = await connectTo(stage, {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.live,
	});
	workflowId = (await runLeadWorkflow(stage.client, credential, crm.address)).id;
	browser = await openBrowser();
});
afterAll(async () => {
	await browser?.close();
	await stage?.close();
	await crm?.close();
	await sandbox?.close();
});

it('brings each new filing of the counties and types to the CRM, and nothing else', async () => {
	const filings = sandbox.live
		.burst(150)
		.filter(
			({ address, licenseType }) =>
				/^(Miami-Dade|Broward|Palm Beach)$/.test(address?.county ?? '') &&
				/^(SRX|COP|BEV)$/.test(licenseType ?? ''),
		);
	await expect
		.poll(() => crm.book.leads.map(({ externalId }) => externalId), { timeout: 150_000 })
		.toHaveLength(filings.length);
	expect(crm.book.leads.map(({ externalId, company }) => ({ externalId, company }))).toEqual(
		expect.arrayContaining(
			filings.map(({ id, businessName }) => ({ externalId: id, company: businessName })),
		),
	);
});

it('shows the leads on the page of the CRM, and a new one as it comes', async () => {
	const page = await browser.newPage({ viewport: { width: 1200, height: 760 } });
	await page.goto(crm.address);
	for (const { company } of crm.book.leads.slice(-3)) {
		await page.getByText(company!).first().waitFor();
	}
	await page.getByText('Live', { exact: true }).waitFor();
	await picture(page, 'crm');

	await crm.book.add({ company: 'Late Night Oyster Bar', licenseType: 'COP', city: 'Tampa' });
	await page.getByRole('row').filter({ hasText: 'Late Night Oyster Bar' }).waitFor();
});

it('opens in the editor with every node known and every note readable', async () => {
	const editor = await Editor.signIn(browser, stage);
	await editor.openWorkflow(workflowId);
	expect(await editor.page.getByTestId('canvas-default-node').count()).toBe(3);
	expect(await editor.page.getByText('Install this node').count()).toBe(0);
	await editor.picture('lead-workflow');
});

it('keeps what the user changed when the playground starts again', async () => {
	const before = await stage.client.workflow(workflowId);
	const nodes = before.nodes.map((node) =>
		node.name === 'New Filing'
			? { ...node, parameters: { ...node.parameters, eventTypes: ['renewal'] } }
			: node,
	);
	await stage.client.changeWorkflow(workflowId, { nodes, connections: before.connections });
	const [credential] = await stage.client.credentials();
	const after = await runLeadWorkflow(stage.client, credential!, 'http://127.0.0.1:1');

	const parametersOf = (name: string) => after.nodes.find((node) => node.name === name)?.parameters;
	expect(after.id).toBe(workflowId);
	expect(parametersOf('New Filing')).toMatchObject({ eventTypes: ['renewal'] });
	expect(parametersOf('Create Lead in CRM')).toMatchObject({ url: 'http://127.0.0.1:1/leads' });
});
