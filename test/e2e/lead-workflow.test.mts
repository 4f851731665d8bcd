import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leadId } from '../../nodes/LicensingData/licenses/identity.ts';
import { type Crm, startCrm } from '../../playground/crm/server.mts';
import {
	leadWorkflowFile,
	openEmptyWorkflow,
	runLeadWorkflow,
	tableWorkflowFile,
} from '../../playground/workflows.mts';
import { testFolder } from '../../playground/folders.mts';
import type { Workflow } from '../../playground/client.mts';
import { createSandbox, Register, type Sandbox } from '../../sandbox/index.mts';
import { Editor, openBrowser } from './editor.mts';
import { to, using } from './forwarding.mts';
import { read } from './office.mts';
import { Mailbox } from './outside/mailbox.mts';
import { picture, picturedInDocs } from './picture.mts';
import { connectTo, openStage, type Stage } from './stage.mts';

const DAY = 86_400_000;
/** So many days before today the register begins, so that what it lists until today looks new. */
const LISTS = 10;

let sandbox: Sandbox;
let crm: Crm;
let stage: Stage;
let browser: Browser;
let workflowId: string;

beforeAll(async () => {
	const file = join(testFolder, 'leads.jsonl');
	await rm(file, { force: true });
	// One page of new filings in each county, so that the next poll finds what turns up in the middle.
	const rates = { liquorADay: 5, foodADay: 0.01, groceries: 1 };
	const records = 2000;
	sandbox = await createSandbox({ records, rates, today: Date.now() - LISTS * DAY });
	crm = await startCrm({ file });
	stage = await openStage('lead-workflow');
	const credential = await connectTo(stage, {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.live,
	});
	workflowId = (await runLeadWorkflow(stage.client, credential, crm.leadsAddress)).id;
	await runLeadWorkflow(stage.client, credential, crm.leadsAddress, undefined, tableWorkflowFile);
	browser = await openBrowser();
});
afterAll(async () => {
	await browser?.close();
	await stage?.close();
	await crm?.close();
	await sandbox?.close();
});

it('brings each new filing of the counties and types to the CRM, and nothing else', async () => {
	const filed = () => sandbox.register.all({ event_type: 'new_filing' });
	const before = new Set(filed().map(({ id }) => id));
	sandbox.register.advance(LISTS);
	const filings = filed().filter(
		({ id, address, licenseType }) =>
			!before.has(id) &&
			/^(Miami-Dade|Broward|Palm Beach)$/.test(address?.county ?? '') &&
			!/^(FOOD_SERVICE|SEATING|MOBILE_FOOD)$/.test(licenseType ?? '') &&
			address?.street,
	);
	expect(filings.length).toBeGreaterThan(7);
	await expect
		.poll(() => crm.book.leads.map((lead) => lead.leadId), { timeout: 150_000 })
		.toHaveLength(filings.length);
	expect(crm.book.leads.map((lead) => lead.leadId)).toEqual(
		expect.arrayContaining(filings.map(leadId)),
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
	const of = (kind: string) => crm.book.leads.filter((lead) => lead.filingKind === kind).length;
	expect(await page.locator('td', { hasText: 'New license' }).count()).toBe(of('newLicense'));
	expect(await page.locator('td', { hasText: 'New holder' }).count()).toBe(of('newHolder'));
	expect(await page.locator('#new').innerText()).toBe(String(of('newLicense')));
	await picturedInDocs(page, 'crm', {
		parts: [page.locator('header'), page.getByRole('row').nth(7)],
		changing: 'tbody, .figure b',
	});

	await crm.book.add({ company: 'Late Night Oyster Bar', licenseType: 'COP', city: 'Tampa' });
	await page.getByRole('row').filter({ hasText: 'Late Night Oyster Bar' }).waitFor();
});

it('opens the whole lead of a row, by mouse and by key, and runs nothing that stands in it', async () => {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	await page.goto(crm.address);
	const company = '<img src=x onerror="document.title = 1">';
	const markup = { company, website: 'javascript:alert(1)', '<b>field</b>': '</dd><i>text</i>' };
	const lead = { ...markup, phone: null, url: 'https://example.com/a', eventId: 'hostile' };
	await crm.book.add(lead, 'New Liquor License to CRM');
	const row = page.getByRole('row').filter({ hasText: company });
	await row.locator('.place').click();
	const fields = row.locator('dl > div');
	await fields.first().waitFor();
	expect(await fields.allTextContents()).toEqual(
		[...Object.entries(lead), ['(sent by)', 'New Liquor License to CRM']].map(
			([name, value]) => `${name}${value ?? '–'}`,
		),
	);
	expect(await row.locator('img, i, dl b').count()).toBe(0);
	const hrefs = await row.locator('a').evaluateAll((links) => links.map(String));
	expect(hrefs).toEqual([lead.url]);
	await row.locator('a').click({ trial: true });
	const sender = await row.locator('.right small').boundingBox();
	expect(sender?.height).toBeLessThan(24);

	// It comes again, and others come: what somebody reads stays open.
	await crm.book.add(lead, 'To HubSpot');
	await crm.book.add({ company: 'Last Call Oyster Bar' });
	await page.getByText('Last Call Oyster Bar').waitFor();
	await fields.first().waitFor();
	expect(await page.locator('details[open]').count()).toBe(1);
	await row.locator('summary').focus();
	await page.keyboard.press('Enter');
	await fields.first().waitFor({ state: 'hidden' });
	await page.close();
});

it('says after a press of Add licenses that leads come within a minute', async () => {
	const register = new Register({ records: 100 });
	const own = await startCrm({ file: join(testFolder, 'more-leads.jsonl'), register });
	let lists = 0;
	register.onRefresh(() => lists++);
	const page = await browser.newPage();
	await page.goto(own.address);
	await page.getByText('Add licenses').click();
	await page.getByText('Added: leads come within a minute').waitFor();
	expect(lists).toBe(1);
	await page.close();
	await own.close();
});

it('shows in a table of n8n which of the same leads are new licenses', async () => {
	const { client } = stage;
	const { id } = await client.request<{ id: string }>('GET', '/rest/projects/personal');
	const tables = `/rest/projects/${id}/data-tables`;
	type Found = { data: Array<Record<string, string>> };
	let table: string | undefined;
	// The workflow makes its table with the first leads.
	await expect
		.poll(async () => {
			const { data } = await client.request<Found>('GET', tables);
			table = data.find(({ name }) => name === 'Leads')?.id;
			return table;
		})
		.toBeDefined();
	const path = `${tables}/${table}/rows?take=1000`;
	const rows = async () => await client.request<Found>('GET', path);
	const kinds = { newLicense: 'New license', newHolder: 'New holder', null: 'Not known' };
	const expected = crm.book.leads
		.filter((lead) => lead.leadId)
		.map((lead) => `${lead.leadId} ${kinds[String(lead.filingKind) as keyof typeof kinds]}`);
	await expect
		.poll(async () => (await rows()).data.map((row) => `${row.lead_id} ${row.filing_kind}`).sort())
		.toEqual(expected.sort());

	const { page } = await Editor.signIn(browser, stage);
	await page.setViewportSize({ width: 1404, height: 760 });
	// As the workflow's note says it.
	await page.goto(`${client.address}/home/workflows`);
	await page.getByText('Data tables', { exact: true }).click();
	await page.getByText('Leads', { exact: true }).click();
	await page.waitForURL(`**/projects/${id}/datatables/${table}`);
	const row = page.locator('.ag-row');
	await row.nth(11).waitFor();
	await picturedInDocs(page, 'leads-table', {
		parts: [page.locator('.ag-header'), row.nth(11)],
		changing: '.ag-row',
	});
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
	await editor.output.getByText(sandbox.register.all({})[0]!.businessName!).first().waitFor();

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

it('mails new licenses, new holders and what nobody knows under headings of their own', async () => {
	const since = new Date(Date.now() - 1000).toISOString();
	for (const [businessName, city, zip, licenseNumber] of [
		['Copper Heron Raw Bar', 'Tampa', '33602', 'BEV3999001'],
		['The Rusty Anchor', 'Orlando', '32801', 'BEV5800101'],
		['Velvet Pelican Diner', 'Winter Park', '32789', 'BEV5899002'],
		['Mangrove Jack Tavern', 'Gainesville', '32601', '10001'],
	])
		sandbox.register.file({
			...{ businessName, licenseNumber, licenseType: 'COP' },
			eventTimestamp: new Date().toISOString(),
			address: { street: '500 Main St', city, county: null, state: 'FL', zip },
		});
	const mailbox = await Mailbox.open();
	const server = { host: '127.0.0.1', port: mailbox.port, secure: false, disableStartTls: true };
	const mail = { name: 'Mail', type: 'smtp', data: server };
	await stage.client.request('POST', '/rest/credentials', mail);
	const credentials = await stage.client.credentials();
	const original = await read('new-filings-to-daily-email.json');
	const nodes = original.nodes.map((node) => {
		const type = node.type.endsWith('.emailSend') ? 'smtp' : 'licensingDataApi';
		const credential = credentials.find((one) => one.type === type)!;
		const options = { ...(node.parameters.options as object), startFrom: since };
		const parameters =
			node.name === 'New Filing' ? { ...node.parameters, options } : node.parameters;
		return { ...node, parameters, credentials: using(credential) };
	});
	const { id } = await stage.client.createWorkflow({ ...original, nodes });
	await stage.client.activate(id);
	await expect.poll(() => mailbox.mails.length).toBe(1);
	await stage.client.deactivate(id);
	mailbox.close();

	const [{ subject, body } = expect.unreachable()] = mailbox.mails;
	expect(subject).toBe('Liquor licenses: 2 new, 1 in new hands, 1 unclear which');
	const sections = Object.fromEntries(
		body.split('<h2>').flatMap((part) => {
			const [heading = '', lines] = part.split('</h2>');
			const names = [...(lines ?? '').matchAll(/<b>(.+?)<\/b>/g)].map(([, name]) => name);
			return lines === undefined ? [] : [[heading, names.sort()]];
		}),
	);
	expect(sections).toEqual({
		'New Licenses (2)': ['Copper Heron Raw Bar', 'Velvet Pelican Diner'],
		'New Holders (1)': ['The Rusty Anchor'],
		'Unclear Which (1)': ['Mangrove Jack Tavern'],
	});
	const page = await browser.newPage({
		viewport: { width: 720, height: 760 },
		deviceScaleFactor: 2,
	});
	const style = 'display: inline-block; padding: 0 28px 12px; font: 15px/1.45 sans-serif';
	await page.setContent(
		`<div style="${style}"><h1 style="font-size: 22px">${subject}</h1>${body}</div>`,
	);
	await picturedInDocs(page, 'daily-email', {
		parts: [page.locator('body > div')],
		changing: 'li',
	});
	await page.close();
});
