import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { nameAsWritten } from '../../nodes/LicensingData/output/flat.ts';
import { type Crm, startCrm } from '../../playground/crm/server.mts';
import { repository, testFolder } from '../../playground/folders.mts';
import { leadWorkflowFile } from '../../playground/workflows.mts';
import { createSandbox, type License, type Sandbox } from '../../sandbox/index.mts';
import { Editor, openBrowser } from './editor.mts';
import { picturedInDocs } from './picture.mts';
import { openStage, type Stage } from './stage.mts';

/** Where n8n sends its https requests, so that the address in the pictures is one that users know. */
const SERVICE = 'https://api.example.com/v1';
const LIQUOR = ['APS', 'BEV', 'BOTTLE_CLUB', 'COP', 'MANUFACTURER', 'SRX', 'TEMP_PERMIT'];
/** What the fetched licenses say. */
const VALUES = '[data-test-id="run-data-schema-item-value"]';

let sandbox: Sandbox;
let crm: Crm;
let stage: Stage;
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
	const file = join(testFolder, 'editor-leads.jsonl');
	await rm(file, { force: true });
	sandbox = await createSandbox({
		records: 2000,
		hosts: [new URL(SERVICE).host],
		rates: { liquorADay: 6 },
	});
	crm = await startCrm({ file });
	const divert = join(repository, 'test', 'e2e', 'outside', 'divert.mts');
	stage = await openStage('editor', {
		NODE_OPTIONS: `--import ${divert}`,
		OUTSIDE_WORLD: new URL(sandbox.baseUrl).origin,
	});
	browser = await openBrowser();
	editor = await Editor.signIn(browser, stage);
});
afterAll(async () => {
	await browser?.close();
	await stage?.close();
	await crm?.close();
	await sandbox?.close();
});

afterEach(async ({ task }) => {
	if (task.result?.state === 'fail')
		await editor.picture(`failed: ${task.name.replaceAll('"', '')}`);
});

const isWatched = ({ address, eventType, licenseType }: License) =>
	eventType === 'new_filing' &&
	/^(Broward|Miami-Dade)$/.test(address?.county ?? '') &&
	LIQUOR.includes(licenseType ?? '');

// The tests are one user's first steps, in order.

it('finds the trigger once for each event, and each operation, by searching for "license"', async () => {
	await editor.newWorkflow();
	await editor.searchNodes('license');
	await editor.openDetails('Licensing Data');
	await editor.offers.filter({ hasText: 'Get many Florida liquor' }).waitFor();
	const panel = editor.page.getByTestId('node-creator');
	await picturedInDocs(editor.page, 'nodes-panel', {
		parts: [
			panel.getByTestId('nodes-list-header'),
			panel.getByTestId('node-creator-category-item').last(),
		],
	});
});

it('says in the credential that a mistyped host cannot be reached', async () => {
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'On new license filed');
	await editor.page.getByText('Connect to Licensing Data').click();
	await editor.fillCredential({
		baseUrl: 'http://api.exmaple.invalid/v1',
		apiKey: sandbox.keys.test,
	});
	await editor.page
		.getByTestId('credentials-config-container-test-error')
		.or(editor.page.getByText('Couldn’t connect with these settings'))
		.first()
		.waitFor();
	await editor.picture('credential-wrong-host');
});

it('says in the credential that a wrong key was not accepted', async () => {
	await editor.fillCredential({ baseUrl: SERVICE, apiKey: 'ls_live_wrong_example' });
	await editor.refusedCredential('The API key was not accepted');
	await editor.picture('credential-wrong-key');
	await editor.fillCredential({ apiKey: 'leads' });
	await editor.refusedCredential('The API key does not look like a key');
});

it('tests the connection successfully with the right key', async () => {
	await editor.fillCredential({ apiKey: sandbox.keys.live });
	// n8n closes the form on success and shows the result when it is opened again.
	await editor.page.getByTestId('credential-edit-button').click();
	await editor.page.getByText('Connection tested successfully').waitFor();
	await picturedInDocs(editor.page, 'credential', {
		parts: [editor.page.getByTestId('editCredential-modal')],
	});
	await editor.closeCredential();
});

it('fetches test events of the counties and license types that were picked, as leads', async () => {
	await editor.addToCollection('Add Filter', 'Counties');
	await editor.choose('counties', 'Broward', 'Miami-Dade');
	await editor.addToCollection('Add Filter', 'License Types');
	await editor.choose('licenseTypes', 'All Liquor');
	await editor.select('output', 'CRM Lead');
	const newest = sandbox.register.all({ event_type: 'new_filing' }).filter(isWatched).slice(0, 5);
	await editor.execute();
	const numbers = newest.map(({ licenseNumber }) => licenseNumber).join('|');
	await editor.output
		.getByText(new RegExp(`^(?:${numbers})$`))
		.first()
		.waitFor();
	await editor.output.getByText('Schema', { exact: true }).click();
	// Tall enough for every field of a lead.
	await editor.page.setViewportSize({ width: 1400, height: 1060 });
	await picturedInDocs(editor.page, 'trigger', {
		parts: [editor.page.getByTestId('node-parameters'), editor.output],
		changing: VALUES,
	});
	await editor.page.setViewportSize({ width: 1280, height: 940 });
	await editor.closeNode();
});

it('sends each new filing to the CRM that was added behind the trigger, once published', async () => {
	await editor.addNextNode('HTTP Request');
	await editor.select('method', 'POST');
	await editor.fill('url', `${crm.address}/leads`);
	await editor.parameter('sendBody').click();
	await editor.select('specifyBody', 'Using JSON');
	await editor.typeExpression('jsonBody', 'JSON.stringify($json)');
	await editor.closeNode();
	expect(await editor.page.getByTestId('canvas-node').first().innerText()).toContain('new_filing');
	const published = await editor.publish();
	expect(published).toContain('One execution may bring several events');
	expect(published).toContain('With a test key, usually nothing new appears');

	const filings = Array.from({ length: 60 }, (_, number) =>
		sandbox.register.file({ businessName: `Harbor Lantern ${number}` }),
	).filter(isWatched);
	expect(filings.length).toBeGreaterThan(0);
	const companies = () => crm.book.leads.map(({ company }) => String(company)).sort();
	await expect
		.poll(companies, { timeout: 150_000 })
		.toEqual(filings.map(({ businessName }) => String(nameAsWritten(businessName))).sort());

	const page = await browser.newPage();
	await page.goto(crm.address);
	await page
		.getByRole('row')
		.filter({ hasText: String(nameAsWritten(filings[0]!.businessName)) })
		.first()
		.waitFor();
	await page.close();
});

it('says gently that no license fits yet, and what to do', async () => {
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'On new license filed');
	await editor.addToCollection('Add Filter', 'Free Text');
	await editor.fill('query', 'a name that no business has');
	await editor.execute();
	await editor.page.getByText('No Licensing Data data found').first().waitFor();
	await editor.output
		.getByText("match 'Events' and 'Filters'. With a test key, they are usually made up.")
		.waitFor();
	expect(await editor.page.getByText('Problem in node').count()).toBe(0);
});

it('refuses a misspelled city in a test and when publishing, and says which one was meant', async () => {
	const refused = "No Florida city is called 'Miamy'. Did you mean Miami?";
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'On new license filed');
	await editor.addToCollection('Add Filter', 'Cities');
	await editor.fill('cities', 'Tampa, Miamy');
	await editor.execute();
	await editor.output.getByText(refused).first().waitFor();
	await editor.picture('misspelled-city');
	await editor.closeNode();
	await editor.page.getByTestId('workflow-open-publish-modal-button').click();
	await editor.page.getByTestId('workflow-publish-button').click();
	await editor.page.getByText(refused).first().waitFor();
});

it('opens the fields of an area at once, refuses an empty one, and takes a city', async () => {
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'Get many Florida liquor or food licenses');
	await editor.addToCollection('Add Filter', 'Near');
	await editor.execute();
	await editor.output.getByText("'Center' of 'Near' is empty").first().waitFor();
	await editor.fill('center', 'Tamper');
	await editor.execute();
	await editor.output.getByText('is not a place in Florida: Tamper').first().waitFor();
	await editor.fill('center', 'Tampa');
	await editor.execute();
	await editor.output.getByText('distanceMiles').first().waitFor();
});

it('shows each license type that was picked in full, with the cross that removes it', async () => {
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'On new license filed');
	await editor.addToCollection('Add Filter', 'License Types');
	await editor.parameter('licenseTypes').click();
	const options = editor.page.getByRole('option').filter({ visible: true });
	await options.first().waitFor();
	for (const option of await options.all()) await option.click();
	await editor.page.getByText('Parameters', { exact: true }).click();
	const picked = await editor.page.evaluate<Array<[label: string, isWhole: boolean]>>(
		`[...document.querySelectorAll('[data-test-id="parameter-input-licenseTypes"] .el-tag')].map((tag) => {
			const { right, top, height } = tag.querySelector('.el-tag__close').getBoundingClientRect();
			return [tag.innerText, tag.contains(document.elementFromPoint(right - 1, top + height / 2))];
		})`,
	);
	expect(picked.length).toBeGreaterThan(LIQUOR.length);
	expect(picked.filter(([, isWhole]) => !isWhole)).toEqual([]);
});

it('imports a ready-made workflow by the clicks that the documentation names, with the credential', async () => {
	const text = await readFile(join(repository, 'docs', 'workflows.md'), 'utf8');
	const menus = [...text.matchAll(/choose \*\*(Import → .+?)\*\*/g)].map(([, menu = '']) =>
		menu.split(' → '),
	);
	const [fromFile = [], fromUrl = []] = menus;
	const file = await readFile(leadWorkflowFile);
	const host = createServer((_, response) => void response.end(file)).listen(0, '127.0.0.1');
	await once(host, 'listening');
	const { port } = host.address() as AddressInfo;
	const imports = [
		async () => await editor.importFile(leadWorkflowFile, fromFile),
		async () => await editor.importUrl(`http://127.0.0.1:${port}/lead.json`, fromUrl),
	];
	for (const importWorkflow of imports) {
		await editor.newWorkflow();
		await importWorkflow();
		await editor.page.getByTestId('canvas-node').filter({ hasText: 'New Filing' }).waitFor();
		// In the words of n8n; docs/workflows.md counts on it.
		await editor.page.getByText('Credentials auto-added').first().waitFor();
	}
	host.close();
});

it('lets a model fill in the filters whose stars were clicked', async () => {
	const credentials = await stage.client.credentials();
	const [{ id, name, type } = expect.unreachable()] = credentials;
	const parameters = { resource: 'license', operation: 'getAll' };
	const tool = {
		name: 'Find Licenses',
		type: 'n8n-nodes-licensing-data.licensingDataTool',
		typeVersion: 1,
		credentials: { [type]: { id, name } },
	};
	const agent = { name: 'AI Agent', type: '@n8n/n8n-nodes-langchain.agent', typeVersion: 2.2 };
	const workflow = await stage.client.createWorkflow({
		name: 'Agent',
		nodes: [
			{ ...agent, position: [0, 0], parameters: {} },
			{ ...tool, position: [0, 200], parameters },
		],
		connections: { [tool.name]: { ai_tool: [[{ node: agent.name, type: 'ai_tool', index: 0 }]] } },
	});
	await editor.openWorkflow(workflow.id);
	await editor.openNode(tool.name);
	for (const filter of ['Counties', 'Filed On or After', 'Free Text', 'License Types']) {
		await editor.addToCollection('Add Filter', filter);
		await editor.letModelFillIn(filter);
	}
	expect(await editor.page.getByText('Defined automatically by the model').count()).toBe(4);
	await editor.picture('agent-tool');
});

it("takes dates that are typed as their fields show them, which n8n's own field would drop otherwise", async () => {
	const typeAsShown = async (parameter: string) => {
		const input = editor.parameter(parameter).locator('input').first();
		const shown = (await input.getAttribute('placeholder'))?.replace('e.g. ', '') ?? '';
		await input.fill(shown);
		await input.press('Enter');
		await editor.page.getByText('Parameters', { exact: true }).click();
		expect(shown).toMatch(/^\d/);
		expect(await input.inputValue()).toBe(shown);
	};
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'Get many Florida liquor or food licenses');
	await editor.addToCollection('Add Filter', 'Filed On or After');
	await typeAsShown('filedAfter');
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'On new license filed');
	await editor.addToCollection('Add Option', 'Start From');
	await typeAsShown('startFrom');
});

it('runs Get Many and shows the licenses of the chosen county as a table', async () => {
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'Get many Florida liquor or food licenses');
	await editor.addToCollection('Add Filter', 'Counties');
	await editor.choose('counties', 'Broward');
	await editor.execute();
	await editor.output.getByText('Table', { exact: true }).click();
	for (const license of sandbox.register.all({ county: 'Broward' }).slice(0, 5)) {
		await editor.output.getByText(license.businessName!).first().waitFor();
	}
	expect(await editor.output.getByText('Miami-Dade').count()).toBe(0);
});

it('says what to do when the key is no longer accepted', async () => {
	sandbox.keys.rotate('live');
	await editor.execute();
	await editor.output.getByText('The API key was not accepted').first().waitFor();
	const message = await editor.output.innerText();
	expect(message).toMatch(/copy the key/i);
	expect(message).not.toContain('ls_live');
	await editor.picture('get-many-wrong-key');
});
