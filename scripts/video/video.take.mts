import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { inject } from 'vitest';

import { repository, testFolder } from '../../playground/folders.mts';
import { logOf } from '../../playground/n8n.mts';
import { createSandbox } from '../../sandbox/index.mts';
import { Editor, openBrowser } from '../../test/e2e/editor.mts';
import { DIVERT } from '../../test/e2e/outside/world.mts';
import { record } from './screencast.mts';
import { startStage } from '../../test/e2e/stage.mts';

/** The address that the form shows; it leads to the sandbox. */
const SERVICE = 'https://api.example.com/v1';
const NEW_BAR = 'Copper Heron Raw Bar';
/** As long as a person needs to read what came. */
const LOOK = 2_500;
const MOST_SECONDS = 5 * 60;

const closing: Array<() => Promise<unknown>> = [];
afterAll(async () => {
	for (const close of closing.reverse()) await close();
});

const TERMINAL = `<body style="margin: 0; background: #16161d; color: #e6e6e6">
<pre style="font: 17px/1.6 monospace; padding: 32px; white-space: pre-wrap"></pre></body>`;

it('shows the package from its installation to a lead, in under five minutes', async () => {
	const folder = join(testFolder, 'video');
	await rm(folder, { recursive: true, force: true });
	await mkdir(join(repository, 'artifacts'), { recursive: true });
	const hosts = [new URL(SERVICE).host];
	const sandbox = await createSandbox({ records: 2000, hosts, today: Date.now() });
	closing.push(async () => await sandbox.close());
	// It makes its database at its first start, as a user's n8n has long done.
	const stage = await startStage(folder, {
		NODE_OPTIONS: `--import ${DIVERT}`,
		OUTSIDE_WORLD: new URL(sandbox.baseUrl).origin,
	});
	closing.push(async () => await stage.close());
	const browser = await openBrowser();
	closing.push(async () => await browser.close());
	const page = await browser.newPage({
		viewport: { width: 1280, height: 800 },
		colorScheme: 'light',
	});
	await page.setContent(TERMINAL);
	const type = async (line: string) =>
		await page.evaluate(`document.querySelector('pre').append(${JSON.stringify(`${line}\n`)})`);
	const video = await record(page, join(repository, 'artifacts', 'video.mp4'));
	/** When each part begins, for the person who speaks. */
	const parts: string[] = [];
	const part = (name: string) => {
		const at = Math.round(video.seconds());
		parts.push(`${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')} ${name}`);
	};

	part('Install');
	const tarball = inject('tarball');
	const command = `npm install --prefix ~/.n8n/nodes --legacy-peer-deps ./${basename(tarball)}`;
	const quietly = { npm_config_offline: 'true', npm_config_audit: 'false' };
	await stage.restart(async () => {
		await type(`$ ${command}`);
		const { stdout } = await execa(command, {
			...{ cwd: dirname(tarball), shell: true, extendEnv: false },
			env: { ...quietly, PATH: process.env.PATH, HOME: folder },
		});
		await type(`${stdout}\n\n$ n8n start`);
	});
	const [, log = ''] = (await readFile(logOf(folder), 'utf8')).split('Shutting down');
	await type([...log.matchAll(/^(?:n8n ready|Version|Editor|http).*$/gm)].join('\n'));
	await sleep(LOOK);

	part('Nodes panel');
	const editor = await Editor.signIn(browser, stage, page);
	const add = async (what: string) => {
		await editor.newWorkflow();
		await page.getByTestId('canvas-plus-button').click();
		await page.getByTestId('node-creator-search-bar').fill('license');
		await sleep(LOOK);
		await editor.openDetails('Licensing Data');
		await sleep(LOOK);
		await editor.offers.last().scrollIntoViewIfNeeded();
		await sleep(LOOK);
		await editor.offers.filter({ hasText: what }).click();
	};
	await add('Get many Florida liquor');

	part('Credential');
	await page.getByText('Connect to Licensing Data').click();
	await editor.fillCredential({ baseUrl: SERVICE, apiKey: 'ls_live_wrong_example' });
	await editor.refusedCredential('The API key was not accepted');
	await sleep(2 * LOOK);
	await editor.fillCredential({ apiKey: sandbox.keys.live });
	// n8n closes the form on success and shows the result when it is opened again.
	await page.getByTestId('credential-edit-button').click();
	await page.getByText('Connection tested successfully').waitFor();
	await sleep(LOOK);
	await editor.closeCredential();

	part('Operations');
	const [license = expect.unreachable()] = sandbox.register.all({ event_type: 'new_filing' });
	const business = String(license.businessName);
	const fill = async (name: string, value: string) =>
		await editor.parameter(name).locator('input, textarea').first().fill(value);
	const run = async (shown: string | RegExp) => {
		await editor.execute();
		await editor.output.getByText(shown).first().waitFor();
		await sleep(LOOK);
	};
	await run(business);
	await editor.select('operation', 'Count');
	await run('count');
	await editor.select('operation', 'Export');
	await run('text/csv');
	await editor.select('operation', 'Get');
	await editor.parameter('licenseId').getByTestId('rlc-input').click();
	await page.getByTestId('rlc-search').fill(business);
	const found = page.getByTestId('rlc-item').filter({ hasText: business }).first();
	await found.waitFor();
	await sleep(LOOK);
	await found.click();
	await run(business);
	await editor.select('operation', 'Match');
	await fill('businessName', business);
	await fill('zip', String(license.address?.zip));
	await run('matchReason');
	await editor.select('operation', 'Search');
	await fill('query', business.split(' ')[0]!);
	await run(/^\d+ items$/);
	await editor.closeNode();

	part('Trigger');
	await add('On new license filed');
	await run('filingKind');
	await editor.closeNode();
	await editor.publish();
	await page.getByTestId('radio-button-executions').click();
	sandbox.register.fileMany(1, { businessName: NEW_BAR, licenseType: 'COP' });
	// The first was the test.
	const executions = page.locator('[data-test-id^="execution-details-"]');
	await executions.nth(1).waitFor();
	await sleep(LOOK);
	await executions.first().click();
	await sleep(LOOK);
	await page.getByTestId('canvas-node').dblclick();
	await editor.output.getByText(NEW_BAR).first().waitFor();
	await sleep(2 * LOOK);
	const took = video.seconds();
	await video.stop();
	console.log(parts.join('\n'));
	expect(took).toBeLessThan(MOST_SECONDS);
}, 900_000);
