import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type Page, chromium, selectors } from 'playwright-core';
import { findBrowser } from '../../playground/browser.mts';
import { repository } from '../../playground/folders.mts';
import { owner, type Stage } from './stage.mts';

selectors.setTestIdAttribute('data-test-id');

/** Chromium asks its maker's servers for this and that; none of it belongs to a test. */
const quietly = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

export async function openBrowser(): Promise<Browser> {
	return await chromium.launch({ executablePath: await findBrowser(), args: quietly });
}

/** n8n's editor, in the words of somebody who uses it. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly address: string,
	) {}

	static async signIn(browser: Browser, stage: Stage): Promise<Editor> {
		const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
		page.setDefaultTimeout(120_000);
		await page.goto(`${stage.client.address}/signin`);
		await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
		await page.locator('input[name="password"]').fill(owner.password);
		await page.getByRole('button', { name: 'Sign in' }).click();
		await page.waitForURL(/\/home/);
		return new Editor(page, stage.client.address);
	}

	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.address}/workflow/new`);
		await this.page.getByTestId('canvas-plus-button').waitFor();
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.address}/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Types into the nodes panel; what it offers is in `offers`. */
	async searchNodes(text: string): Promise<void> {
		await this.page.getByTestId('canvas-plus-button').click();
		await this.page.getByTestId('node-creator-search-bar').fill(text);
	}

	get offers() {
		return this.page.getByTestId('item-iterator-item');
	}

	/** A node's triggers and actions; the panel folds the actions up where a trigger is wanted. */
	async openDetails(node: string): Promise<void> {
		await this.offers.filter({ hasText: node }).first().click();
		await this.page.getByText(/^Actions \(/).click();
	}

	async addNode(search: string, node: string, action: string): Promise<void> {
		await this.searchNodes(search);
		await this.openDetails(node);
		await this.offers.filter({ hasText: action }).click();
		await this.page.getByTestId('ndv').waitFor();
	}

	async openNode(name: string): Promise<void> {
		await this.page.getByTestId('canvas-node').filter({ hasText: name }).dblclick();
		await this.page.getByTestId('ndv').waitFor();
	}

	parameter(name: string) {
		return this.page.getByTestId(`parameter-input-${name}`);
	}

	/** Adds an entry to a collection, such as one of the filters. */
	async addToCollection(button: string, option: string): Promise<void> {
		const add = this.page.getByTestId('collection-parameter-add');
		await add.filter({ has: this.page.getByPlaceholder(button) }).click();
		await this.page.getByTestId('collection-parameter-option').filter({ hasText: option }).click();
	}

	/** Picks from a drop-down list, typing to find the entry as one does in a long list. */
	async choose(parameter: string, ...entries: string[]): Promise<void> {
		await this.parameter(parameter).click();
		for (const entry of entries) {
			await this.parameter(parameter).locator('input').first().fill(entry);
			const options = this.page.getByRole('option').filter({ visible: true });
			await options.filter({ hasText: new RegExp(`^\\s*${entry}\\s*$`) }).click();
		}
		// A list of several stays open; a click beside it closes it.
		await this.page.getByText('Parameters', { exact: true }).click();
	}

	async closeCredential(): Promise<void> {
		const dialog = this.page.getByTestId('editCredential-modal');
		await dialog.getByLabel('Close this dialog').click();
		await dialog.waitFor({ state: 'hidden' });
	}

	async fillCredential(fields: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(fields)) {
			await this.parameter(name).locator('input').fill(value);
		}
		await this.page.getByTestId('credential-save-button').click();
	}

	async execute(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
	}

	/** The panel beside the parameters, with the rows or the error of the last run. */
	get output() {
		return this.page.getByTestId('output-panel');
	}

	async picture(name: string): Promise<void> {
		await picture(this.page, name);
	}
}

export async function picture(page: Page, name: string): Promise<void> {
	const folder = join(repository, 'artifacts');
	await mkdir(folder, { recursive: true });
	await page.screenshot({
		path: join(folder, `${name}.png`),
		animations: 'disabled',
		// Messages and n8n's checklist come and go, and cover what a picture is to show.
		style: '.el-notification, [data-reka-popper-content-wrapper] { visibility: hidden; }',
	});
}
