import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Crm, startCrm } from '../../playground/crm/server.mts';
import { openEmptyWorkflow } from '../../playground/empty-workflow.mts';
import { testFolder } from '../../playground/folders.mts';
import type { Workflow } from '../../playground/client.mts';
import { leadWorkflowFile, runLeadWorkflow } from '../../playground/lead-workflow.mts';
import { counties } from '../../sandbox/dataset/florida.mts';
import { createSandbox, type License, type StreamSandbox } from '../../sandbox/index.mts';
import { Editor, openBrowser } from './editor.mts';
import { to, using } from './forwarding.mts';
import { picture, picturedInDocs } from './picture.mts';
import { connectTo, openStage, type Stage } from './stage.mts';

let sandbox: StreamSandbox;
let crm: Crm;
let stage: Stage;
let browser: Browser;
let workflowId: string;

beforeAll(async () => {
	const file = join(testFolder, 'leads.jsonl');
	await rm(file, { force: true });
	sandbox = await createSandbox({ kind: 'stream' });
	crm = await startCrm({ file });
	stage = await openStage('lead-workflow');
	const credential = await connectTo(stage, {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.live,
	});
	workflowId = (await runLeadWorkflow(stage.client, credential, crm.leadsAddress)).id;
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
				/^(APS|BEV|COP|SRX)$/.test(licenseType ?? ''),
		);
	await expect
		.poll(() => crm.book.leads.map(({ externalId }) => externalId), { timeout: 150_000 })
		.toHaveLength(filings.length);
	expect(crm.book.leads.map(({ externalId, company }) => ({ externalId, company }))).toEqual(
		expect.arrayContaining(
			filings.map(({ id, businessName }) => ({ externalId: id, company: businessName })),
		),
	);
	expect(new Set(crm.book.leads.map(({ sentBy }) => sentBy))).toEqual(
		new Set(['New Liquor License to CRM']),
	);
});

it('shows the leads on the page of the CRM, and a new one as it comes', async () => {
	const page = await browser.newPage({
		viewport: { width: 1200, height: 760 },
		deviceScaleFactor: 2,
		colorScheme: 'light',
	});
	await page.goto(crm.address);
	for (const { company } of crm.book.leads.slice(-3)) {
		await page.getByText(company!).first().waitFor();
	}
	await page.getByText('Live', { exact: true }).waitFor();
	await picturedInDocs(page, 'crm', {
		parts: [page.locator('header'), page.getByRole('row').nth(7)],
		changing: 'tbody, .figure b',
	});

	await crm.book.add({ company: 'Late Night Oyster Bar', licenseType: 'COP', city: 'Tampa' });
	await page.getByRole('row').filter({ hasText: 'Late Night Oyster Bar' }).waitFor();
});

it('shows the leads on a phone without anything wider than the screen', async () => {
	const page = await browser.newPage({ viewport: { width: 400, height: 760 } });
	await page.goto(crm.address);
	await page.getByText('Late Night Oyster Bar').waitFor();
	const width = await page.evaluate<number>(
		`Math.max(
			document.documentElement.scrollWidth,
			...[...document.querySelectorAll('main *')].map((part) => part.getBoundingClientRect().right),
		)`,
	);
	expect(width).toBeLessThanOrEqual(400);
	await picture(page, 'crm-phone');
	await page.close();
});

it('opens in the editor with every node known and every note readable', async () => {
	const editor = await Editor.signIn(browser, stage);
	await editor.openWorkflow(workflowId);
	expect(await editor.page.getByTestId('canvas-default-node').count()).toBe(1);
	expect(await editor.page.getByText('Install this node').count()).toBe(0);

	// Another import, with a credential but the file's own CRM: the picture shows no address of this machine.
	const original = JSON.parse(await readFile(leadWorkflowFile, 'utf8')) as Workflow;
	const [credential = expect.unreachable()] = await stage.client.credentials();
	const nodes = original.nodes.map((node) =>
		node.type.startsWith('n8n-nodes-licensing-data.')
			? { ...node, credentials: using(credential) }
			: node,
	);
	const imported = await stage.client.createWorkflow({ ...original, name: 'For a picture', nodes });
	await editor.openWorkflow(imported.id);
	const parts = await editor.page.locator('.vue-flow__node').all();
	await picturedInDocs(editor.page, 'lead-workflow', { parts });
});

it('has a workflow to build in, whose first node finds its credential, and which sends to the page', async () => {
	const { id } = await openEmptyWorkflow(stage.client, crm.leadsAddress);
	expect((await openEmptyWorkflow(stage.client, crm.leadsAddress)).id).toBe(id);
	const editor = await Editor.signIn(browser, stage);
	await editor.page.goto(`${stage.client.address}/workflow/${id}`);
	await editor.page.getByRole('heading', { name: 'Build your own' }).waitFor();
	await editor.page.getByTestId('node-creator-plus-button').waitFor();
	await editor.page.getByText(`New leads go to ${crm.leadsAddress}`).waitFor();
	await editor.picture('empty-workflow');
	await editor.page.getByTestId('node-creator-plus-button').click();
	await editor.page.getByTestId('node-creator-search-bar').fill('license');
	await editor.openDetails('Licensing Data');
	await editor.offers.filter({ hasText: 'Get many' }).click();
	await editor.execute();
	await editor.output.getByText(sandbox.live.records()[0]!.businessName!).first().waitFor();

	await editor.fill('limit', '1');
	await editor.select('output', 'CRM Lead');
	await editor.closeNode();
	await editor.connect('Get many', 'Send Lead');
	await editor.openNode('Send Lead');
	await editor.execute();
	await expect.poll(() => crm.book.leads.at(-1)?.sentBy).toBe('Build Your Own');

	const [lead = expect.unreachable()] = crm.book.leads.slice(-1);
	await crm.book.add(lead, 'To HubSpot');
	const page = await browser.newPage();
	await page.goto(crm.address);
	const row = page.getByRole('row').filter({ hasText: 'Build Your Own, To HubSpot' });
	const times = crm.book.leads.filter(({ eventId }) => eventId === lead.eventId).length;
	expect(await row.locator('b').innerText()).toBe(`${lead.company}${times}×`);
	await picture(page, 'sent-by-two');
	await page.close();
});

it('brings a day of Florida to the page, as far as it lies in the circle drawn in the editor', async () => {
	const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString();
	for (let filing = 400; filing > 0; filing--) sandbox.live.late((20 * filing) / 400);
	const day = sandbox.live
		.records()
		.filter(
			({ eventTimestamp, eventType }) =>
				eventType === 'new_filing' && (eventTimestamp ?? '') >= hours(21),
		);
	expect(day.length).toBeGreaterThanOrEqual(400);

	const file = join(testFolder, 'leads-of-a-day.jsonl');
	await rm(file, { force: true });
	const crmOfDay = await startCrm({ file });
	onTestFinished(crmOfDay.close);
	const [credential = expect.unreachable()] = await stage.client.credentials();
	const workflow = await stage.client.createWorkflow({
		name: 'A day in Florida',
		nodes: [
			{
				name: 'New Filing',
				type: 'n8n-nodes-licensing-data.licensingDataTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: { output: 'crmLead', options: { startFrom: hours(21) } },
				credentials: using(credential),
			},
			{
				name: 'Create Lead',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.5,
				position: [300, 0],
				parameters: {
					method: 'POST',
					url: `${crmOfDay.address}/leads`,
					sendBody: true,
					specifyBody: 'json',
					jsonBody: '={{ JSON.stringify($json) }}',
				},
			},
		],
		connections: { 'New Filing': to('Create Lead') },
	});
	const editor = await Editor.signIn(browser, stage);
	await editor.openWorkflow(workflow.id);
	await editor.openNode('New Filing');
	await editor.addToCollection('Add Filter', 'Near');
	await editor.fill('center', '33101');
	await editor.fill('radius', '25');
	await editor.picture('near-33101');
	await editor.closeNode();
	await editor.publish();

	// Without coordinates, its city counts. At this size the earth is flat to within a thousandth.
	const centers = new Map(
		counties.flatMap(({ cities }) => cities.map(([, lat, lng, zip]) => [zip, { lat, lng }])),
	);
	const miles = ({ address }: License) => {
		const { lat, lng } = address?.lat ? address : (centers.get(address?.zip ?? '') ?? {});
		return Math.hypot(
			(Number(lat) - 25.779) * 69.1,
			(Number(lng) + 80.198) * 69.1 * Math.cos((25.9 * Math.PI) / 180),
		);
	};
	const inside = day.filter((license) => miles(license) < 25);
	expect(inside.length).toBeGreaterThan(20);
	expect(inside.length).toBeLessThan(day.length / 2);
	// On the border, it could be either.
	expect(day.filter((license) => Math.abs(miles(license) - 25) < 0.2)).toEqual([]);
	const page = await browser.newPage();
	await page.goto(crmOfDay.address);
	await page.getByText('Live', { exact: true }).waitFor();
	await expect.poll(async () => await page.title()).toBe(`Leads (${inside.length})`);
	const shown = await page.locator('tbody b').allInnerTexts();
	expect(shown.sort()).toEqual(inside.map(({ businessName }) => String(businessName)).sort());
	await page.close();
	await stage.client.deactivate(workflow.id);
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
	const after = await runLeadWorkflow(stage.client, credential!, 'http://127.0.0.1:1/leads');

	const parametersOf = (name: string) => after.nodes.find((node) => node.name === name)?.parameters;
	expect(after.id).toBe(workflowId);
	expect(parametersOf('New Filing')).toMatchObject({ eventTypes: ['renewal'] });
	expect(parametersOf('Create Lead in CRM')).toMatchObject({
		url: expect.stringMatching(/^=http:\/\/127\.0\.0\.1:1\/leads\?/),
	});

	const { id } = await openEmptyWorkflow(stage.client, 'http://127.0.0.1:1/leads');
	const { nodes: own, connections } = await stage.client.workflow(id);
	const ofOwn = (name: string) => own.find((node) => node.name === name)?.parameters;
	expect(ofOwn('Note')?.content).toContain('New leads go to http://127.0.0.1:1/leads');
	expect(ofOwn('Send Lead')?.url).toContain('http://127.0.0.1:1/leads?');
	expect(Object.values(connections)).toContainEqual(to('Send Lead'));
});
