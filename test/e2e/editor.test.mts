import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { leadId } from '../../nodes/LicensingData/licenses/leadKeys.ts';
import { startCrm } from '../../playground/crm/server.mts';
import { testFolder } from '../../playground/folders.mts';
import {
	leadWorkflowFile,
	openEmptyWorkflow,
	runLeadWorkflow,
	tableWorkflowFile,
} from '../../playground/workflows.mts';
import { createSandbox, type License } from '../../sandbox/index.mts';
import { Editor, openBrowser, openPage } from './editor.mts';
import { isLiquor, read, setUp, tableOf } from './office.mts';
import { type Mail, openMailbox } from './outside/mailbox.mts';
import { DIVERT } from './outside/world.mts';
import { picture, picturedInDocs } from './picture.mts';
import { openStage } from './stage.mts';

/** Where n8n sends its https requests, so that the address in the pictures is one that users know. */
const SERVICE = 'https://api.example.com/v1';
/** So many days before today the register begins, so that what it lists until today looks new. */
const LISTS = 10;

const file = join(testFolder, 'leads.jsonl');
await rm(file, { force: true });
const sandbox = await createSandbox({
	records: 2000,
	hosts: [new URL(SERVICE).host],
	// One page of new filings in each county, so that the next poll finds what turns up in the middle.
	rates: { liquorADay: 5, foodADay: 0.01, groceries: 1 },
	today: Date.now() - LISTS * 86_400_000,
});
const crm = await startCrm({ file });
const mailbox = await openMailbox();
const stage = await openStage('editor', {
	NODE_OPTIONS: `--import ${DIVERT}`,
	OUTSIDE_WORLD: new URL(sandbox.baseUrl).origin,
});
const browser = await openBrowser();
const editor = await Editor.signIn(browser, stage);
const { page } = editor;
afterAll(async () => {
	for (const one of [browser, stage, mailbox, crm, sandbox]) await one.close();
});
afterEach(async ({ task }) => {
	if (task.result?.state === 'fail') await picture(page, `failed: ${task.name}`);
});

/** The new filings of all who sell alcohol in these counties. */
const liquorIn = (counties: RegExp): License[] =>
	sandbox.register
		.all({ event_type: 'new_filing' })
		.filter((license) => isLiquor(license) && counties.test(license.address?.county ?? ''));
/** Those that turn up meanwhile. */
const newIn = (counties: RegExp, meanwhile: () => void): License[] => {
	const before = new Set(liquorIn(counties).map(leadId));
	meanwhile();
	return liquorIn(counties).filter((license) => !before.has(leadId(license)));
};
const sentBy = (workflow: string) =>
	crm.book.leads.filter((lead) => lead.sentBy === workflow).map((lead) => lead.leadId);
const patiently = { timeout: 150_000 };

// The tests are one user's first steps, in order.

it('finds the trigger once for each event, and each operation, by searching for "license"', async () => {
	const { id } = await openEmptyWorkflow(stage.client, crm.leadsAddress);
	await page.goto(`${stage.client.address}/workflow/${id}`);
	await page.getByText(`New leads go to ${crm.leadsAddress}`).waitFor();
	await editor.searchNodes('license');
	await editor.openDetails('Licensing Data');
	await editor.offers.filter({ hasText: 'Get many Florida liquor' }).waitFor();
	const panel = page.getByTestId('node-creator');
	await picturedInDocs(page, 'nodes-panel', {
		parts: [panel.getByTestId('nodes-list-header'), editor.offers.last()],
	});
	await editor.offers.filter({ hasText: 'On new license filed' }).click();
});

it('says in the credential that a wrong key fails, and the right one works', async () => {
	await page.getByText('Connect to Licensing Data').click();
	await editor.fillCredential({ baseUrl: SERVICE, apiKey: 'ls_live_wrong_example' });
	await editor.refusedCredential('The API key was not accepted');
	await editor.fillCredential({ apiKey: sandbox.keys.live });
	// n8n closes the form on success and shows the result when it is opened again.
	await page.getByTestId('credential-edit-button').click();
	await page.getByText('Connection tested successfully').waitFor();
	await picturedInDocs(page, 'credential', {
		parts: [page.getByTestId('editCredential-modal')],
	});
	await editor.closeCredential();
});

it('fetches test events of the counties and license types that were picked, as leads', async () => {
	await editor.addToCollection('Add Filter', 'Counties');
	await editor.choose('counties', 'Broward', 'Miami-Dade');
	await editor.addToCollection('Add Filter', 'License Types');
	await editor.choose('licenseTypes', 'All Liquor');
	await editor.select('output', 'CRM Lead');
	await editor.select('mode', 'Every Hour');
	await editor.execute();
	const newest = liquorIn(/^(Broward|Miami-Dade)$/).map(({ licenseNumber }) => licenseNumber);
	const shown = editor.output.getByText(new RegExp(`^(?:${newest.slice(0, 5).join('|')})$`));
	await shown.first().waitFor();
	await editor.output.getByText('Schema', { exact: true }).click();
	// Tall enough for every field of a lead.
	await page.setViewportSize({ width: 1400, height: 1060 });
	await picturedInDocs(page, 'trigger', {
		parts: [page.getByTestId('node-parameters'), editor.output],
		changing: '[data-test-id="run-data-schema-item-value"]',
	});
	await page.setViewportSize({ width: 1280, height: 940 });
	// The tests have no hour.
	await editor.select('mode', 'Every Minute');
	await editor.closeNode();
});

it('sends each new filing to the CRM that a line was drawn to, once published', async () => {
	await editor.connect('Licensing Data Trigger', 'Send Lead');
	const published = await editor.publish();
	expect(published).toContain('One execution may bring several events');
	expect(published).toContain('With a test key, usually nothing new appears');

	const filings = newIn(/^(Broward|Miami-Dade)$/, () => void sandbox.register.fileMany(60));
	expect(filings.length).toBeGreaterThan(0);
	const came = () => sentBy('Build Your Own').sort();
	await expect.poll(came, patiently).toEqual(filings.map(leadId).sort());
	for (const { id } of await stage.client.workflows()) await stage.client.deactivate(id);
});

it('gets each new filing of the filters from the ready-made workflow, nothing else', async () => {
	const [credential = expect.unreachable()] = await stage.client.credentials();
	for (const file of [leadWorkflowFile, tableWorkflowFile])
		await runLeadWorkflow(stage.client, credential, crm.leadsAddress, undefined, file);
	const counties = /^(Miami-Dade|Broward|Palm Beach)$/;
	const filings = newIn(counties, () => sandbox.register.advance(LISTS));
	const wanted = filings.filter(({ address }) => address?.street).map(leadId);
	expect(wanted.length).toBeGreaterThan(7);
	const came = () => sentBy('New Liquor License to CRM').sort();
	await expect.poll(came, patiently).toEqual(wanted.sort());
});

it("sees leads on the playground's page, each as it comes", async () => {
	const page = await openPage(browser, 1200, 760);
	await page.goto(crm.address);
	await page.getByText(crm.book.leads.at(-1)!.company!).first().waitFor();
	await page.getByText('Live', { exact: true }).waitFor();
	await picturedInDocs(page, 'crm', {
		parts: [page.locator('header'), page.getByRole('row').nth(7)],
		changing: 'tbody, .figure b',
	});
	await page.close();
});

/** The first rows of a table, as a note says that a user opens it. */
async function pictureTable(name: string, inDocs: string, rows: number) {
	const { path = '' } = await tableOf(stage.client, name);
	await page.setViewportSize({ width: 1404, height: 760 });
	await page.goto(`${stage.client.address}/home/workflows`);
	await page.getByText('Data tables', { exact: true }).click();
	await page.getByText(name, { exact: true }).click();
	await page.waitForURL(`**${path.replace('/rest', '').replace('data-tables', 'datatables')}`);
	const last = page.locator('.ag-row').nth(rows - 1);
	await last.waitFor();
	const parts = [page.locator('.ag-header'), last];
	await picturedInDocs(page, inDocs, { parts, changing: '.ag-row' });
	await page.setViewportSize({ width: 1280, height: 940 });
}

it('sees in a table of n8n which of the leads are new licenses', async () => {
	const kinds = { newLicense: 'New license', newHolder: 'New holder', null: 'Not known' };
	const expected = crm.book.leads
		.filter((lead) => lead.sentBy === 'New Liquor License to CRM')
		.map((lead) => `${lead.leadId} ${kinds[String(lead.filingKind) as keyof typeof kinds]}`);
	// The workflow makes its table with the first leads.
	const found = async () =>
		(await (await tableOf(stage.client, 'New Leads')).rows()).map(
			(row) => `${row.lead_id} ${row.filing_kind}`,
		);
	await expect.poll(found, patiently).toEqual(expect.arrayContaining(expected));
	await pictureTable('New Leads', 'leads-table', 12);
});

it('fills a table of its own columns automatically, as the recipe says', async () => {
	const service = { baseUrl: SERVICE, apiKey: sandbox.keys.live };
	await stage.client.saveCredential('Licensing Data account', 'licensingDataApi', service);
	await editor.openWorkflow(await imported('table-of-your-own.json'));
	await page.getByTestId('execute-workflow-button').click();
	await page.getByText('Workflow executed successfully').first().waitFor();
	await page.setViewportSize({ width: 1400, height: 1060 });
	await editor.openNode('Save Row');
	// n8n remembers which view was chosen last.
	await editor.output.getByText('Table', { exact: true }).click();
	const loading = `[...document.querySelectorAll('input')].some((one) => /^Loading/.test(one.value || one.placeholder))`;
	await expect.poll(async () => await page.evaluate(loading)).toBe(false);
	await picturedInDocs(page, 'own-table', {
		parts: [page.getByTestId('node-parameters'), editor.output],
		changing: '[data-test-id="output-panel"] td, [data-test-id^="parameter-expression-preview"]',
	});
	await editor.closeNode();
	await page.setViewportSize({ width: 1280, height: 940 });
});

/** A ready-made workflow with what its notes ask for, but the file's own CRM: no picture shows this machine. */
async function imported(file: string, changes = {}): Promise<string> {
	const workflow = await read(file);
	workflow.name += ', for a picture';
	return (await setUp(stage.client, workflow, changes)).id;
}

it('sees a ready-made workflow in the editor with every note readable', async () => {
	await editor.openWorkflow(await imported('new-liquor-license-to-crm.json'));
	const parts = await page.locator('.vue-flow__node').all();
	await picturedInDocs(page, 'lead-workflow', { parts });
});

/** Executes a workflow from its schedule. */
async function mailed(id: string): Promise<Mail> {
	const { length } = mailbox.mails;
	const triggerToStartFrom = { name: 'Every Morning' };
	await stage.client.request('POST', `/rest/workflows/${id}/run`, { triggerToStartFrom });
	await expect.poll(() => mailbox.mails.length).toBe(length + 1);
	return mailbox.mails[length] ?? expect.unreachable();
}

async function pictureOf({ subject, body, html }: Mail, name: string, changing: string) {
	const page = await openPage(browser, 430, 1200);
	const style = 'display: inline-block; padding: 0 16px 12px; font: 15px/1.45 sans-serif';
	const text = html ?? `<p style="white-space: pre-line">${body.trim()}</p>`;
	await page.setContent(
		`<div style="${style}"><h1 style="font-size: 20px">${subject}</h1>${text}</div>`,
	);
	await picturedInDocs(page, name, { parts: [page.locator('body > div')], changing });
	await page.close();
}

it('is told each morning whether all came, and sees what became of each', async () => {
	const { client } = stage;
	const smtp = { name: 'Mail', type: 'smtp', data: mailbox.credentials };
	await client.request('POST', '/rest/credentials', smtp);
	const leads = (await client.workflows()).find(({ name }) => name === 'New Liquor License to CRM');
	const { id = expect.unreachable() } = leads ?? {};
	const leaveOut = await tableOf(client, 'Leave Out');
	await leaveOut.insert([{ name: 'Coral Chain', reason: 'chain' }]);
	const address = { street: '500 Main St', city: 'Miami', county: 'Miami-Dade', zip: '33101' };
	sandbox.register.file({ businessName: 'Coral Chain', licenseType: 'APS', address });
	await client.deactivate(id);
	await client.activate(id);
	const delivered = await tableOf(client, 'Delivered');
	const outcomes = async () => (await delivered.rows()).map(({ outcome }) => outcome);
	await expect.poll(outcomes, patiently).toContain('left out');

	const { nodes } = await client.workflow(id);
	const { filters } = nodes.find(({ name }) => name === 'New Filing')?.parameters ?? {};
	const check = await imported('nightly-check.json', {
		Territory: { filters: { ...(filters as object), eventTypes: ['new_filing'] } },
		'Send Missing': { workflowId: { __rl: true, mode: 'list', value: id } },
	});
	expect((await mailed(check)).subject).toMatch(/^Nightly check: first run, /);
	const mail = await mailed(check);
	const parts = /\d+ listed, \d+ delivered, 1 left out, (?:\d+ known, )?0 missing/;
	expect(mail.subject).toMatch(new RegExp(`^Nightly check: ${parts.source}$`));
	expect(mail.body).toMatch(new RegExp(`^${parts.source}\\. Newest filing: \\w+ \\d+\\.`));
	await pictureOf(mail, 'nightly-email', 'h1, p');

	// The latest of this workflow.
	await delivered.remove('workflow', 'neq', id);
	await delivered.remove('outcome', 'eq', 'known');
	const latest = (await delivered.rows()).map((row) => Number(row.id)).sort((a, b) => b - a);
	await delivered.remove('id', 'lt', latest[7]);
	await pictureTable('Delivered', 'delivered-table', 8);
});

it('is mailed new licenses first, then new holders, and then what nobody knows', async () => {
	const startFrom = new Date(Date.now() - 1000).toISOString();
	for (const [businessName, zip, licenseNumber, phone] of [
		['The Rusty Anchor', '32801', 'BEV5800101'],
		['Mangrove Jack Tavern', '32601', '10001'],
		['Copper Heron Raw Bar', '33602', 'BEV3999001', '813-555-0148'],
	] as const)
		sandbox.register.file({
			...{ businessName, licenseNumber, licenseType: 'COP' },
			enrichment: phone ? { phone } : null,
			eventTimestamp: new Date().toISOString(),
			address: { street: '500 Main St', city: 'Town', county: null, state: 'FL', zip },
		});
	const id = await imported('new-filings-to-daily-email.json', {
		'New Filing': { options: { startFrom } },
	});
	await stage.client.activate(id);
	const isDone = async () => (await stage.client.executions(id)).results[0]?.status;
	await expect.poll(isDone).toBe('success');
	await stage.client.deactivate(id);
	const mail = await mailed(id);
	expect(mail.subject).toBe('Liquor licenses: 1 new, 1 in new hands, 1 unclear which');
	const names = [...mail.body.matchAll(/1\.8">(.+?)<\/b>/g)].map(([, name]) => name);
	expect(names).toEqual(['Copper Heron Raw Bar', 'The Rusty Anchor', 'Mangrove Jack Tavern']);
	await pictureOf(mail, 'daily-email', 'td p');
});
