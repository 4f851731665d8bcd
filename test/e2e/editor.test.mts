import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { Editor, openBrowser } from './editor.mts';
import { openStage, type Stage } from './stage.mts';

let sandbox: Sandbox;
let stage: Stage;
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
	sandbox = await createSandbox({ records: 2000 });
	stage = await openStage('editor');
	browser = await openBrowser();
	editor = await Editor.signIn(browser, stage);
});
afterAll(async () => {
	await browser?.close();
	await stage?.close();
	await sandbox?.close();
});

afterEach(async ({ task }) => {
	if (task.result?.state === 'fail')
		await editor.picture(`failed: ${task.name.replaceAll('"', '')}`);
});

// The tests are one user's first steps, in the order in which they are taken.

it('finds the nodes by searching for "license"', async () => {
	await editor.newWorkflow();
	await editor.searchNodes('license');
	await editor.offers.filter({ hasText: 'Licensing Data Webhook Trigger' }).waitFor();
	await editor.openDetails('Licensing Data');
	for (const offer of [
		'On new Licensing Data event',
		'Get Florida liquor or food license',
		'Get many Florida liquor or food licenses',
		'Search Florida liquor or food licenses',
	]) {
		await editor.offers.filter({ hasText: offer }).waitFor();
	}
	await editor.picture('nodes-panel');
});

it('says in the credential that a wrong key was not accepted', async () => {
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'On new Licensing Data event');
	await editor.page.getByText('Connect to Licensing Data').click();
	await editor.fillCredential({ baseUrl: sandbox.baseUrl, apiKey: 'ls_test_wrong_example' });
	await editor.page.getByText('More details').click();
	await editor.page.getByText('The API key was not accepted').waitFor();
	await editor.picture('credential-wrong-key');
});

it('tests the connection successfully with the right key', async () => {
	await editor.fillCredential({ apiKey: sandbox.keys.live });
	// n8n closes the form on success and shows the result when it is opened again.
	await editor.page.getByTestId('credential-edit-button').click();
	await editor.page.getByText('Connection tested successfully').waitFor();
	await editor.picture('credential');
	await editor.closeCredential();
});

it('fetches test events of the counties that were picked from the list', async () => {
	await editor.addToCollection('Add Filter', 'Counties');
	await editor.choose('counties', 'Broward', 'Miami-Dade');
	await editor.execute();
	const newest = sandbox.live
		.records()
		.find(
			({ address, eventType }) =>
				eventType === 'new_filing' && /^(Broward|Miami-Dade)$/.test(address?.county ?? ''),
		)!;
	await editor.output.getByText(newest.licenseNumber).waitFor();
	await editor.picture('trigger');
});

it('runs Get Many and shows the licenses of the chosen county as a table', async () => {
	await editor.newWorkflow();
	await editor.addNode('license', 'Licensing Data', 'Get many Florida liquor or food licenses');
	await editor.addToCollection('Add Filter', 'County');
	await editor.choose('county', 'Broward');
	await editor.execute();
	const ofCounty = sandbox.live.records().filter(({ address }) => address?.county === 'Broward');
	for (const license of ofCounty.slice(0, 5)) {
		await editor.output.getByText(license.licenseNumber).waitFor();
	}
	expect(await editor.output.getByText('Miami-Dade').count()).toBe(0);
	await editor.picture('get-many');
});

it('says what to do when the key is no longer accepted', async () => {
	sandbox.keys.rotate('live');
	await editor.execute();
	await editor.output.getByText('The API key was not accepted').first().waitFor();
	const message = await editor.output.innerText();
	expect(message).toMatch(/check the key/i);
	expect(message).not.toContain('ls_live');
	await editor.picture('get-many-wrong-key');
});
