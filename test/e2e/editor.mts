import { existsSync } from 'node:fs';
import { type Browser, type Locator, type Page, chromium, selectors } from 'playwright-core';
import { installFromDebian } from '../support/debian.mts';
import { owner, type Stage } from './stage.mts';

selectors.setTestIdAttribute('data-test-id');

/** Chromium asks its maker's servers for various things; none of it belongs in a test. */
const quietly =
	'--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** Waiting for something on the page says more than waiting for it to load, which takes seconds longer. */
const DO_NOT_WAIT = { waitUntil: 'commit' } as const;

const usualPlaces = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of a Chromium. If there is none, Debian's is installed where that is possible. */
export async function findBrowser(): Promise<string> {
	const found = usualPlaces.find((path) => existsSync(path));
	if (found) return found;
	const otherwise = 'The browser tests need Chromium or Chrome; install it and run them again.';
	await installFromDebian(['chromium'], otherwise);
	return await findBrowser();
}

export async function openBrowser(): Promise<Browser> {
	return await chromium.launch({ executablePath: await findBrowser(), args: quietly.split(' ') });
}

/** Sharp on today's screens, and light whatever the machine prefers. */
export const openPage = async (browser: Browser, width: number, height: number): Promise<Page> =>
	await browser.newPage({
		viewport: { width, height },
		deviceScaleFactor: 2,
		colorScheme: 'light',
	});

/** n8n's editor, in the words of someone who uses it. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly address: string,
	) {}

	/** In a page of its own, unless given. */
	static async signIn(browser: Browser, stage: Stage, given?: Page): Promise<Editor> {
		const page = given ?? (await openPage(browser, 1280, 940));
		page.setDefaultTimeout(120_000);
		await page.goto(`${stage.client.address}/signin`, DO_NOT_WAIT);
		await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
		await page.locator('input[name="password"]').fill(owner.password);
		await page.getByRole('button', { name: 'Sign in' }).click();
		await page.waitForURL(/\/home/);
		return new Editor(page, stage.client.address);
	}

	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.address}/workflow/new`, DO_NOT_WAIT);
		await this.page.getByTestId('canvas-plus-button').waitFor();
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.address}/workflow/${id}`, DO_NOT_WAIT);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Types into the nodes panel; what it offers is in `offers`. */
	async searchNodes(text: string): Promise<void> {
		await this.page.getByTestId('node-creator-plus-button').click();
		await this.page.getByTestId('node-creator-search-bar').fill(text);
	}

	get offers() {
		return this.page.getByTestId('item-iterator-item');
	}

	/** A node's triggers and actions; the panel collapses the actions where a trigger is wanted. */
	async openDetails(node: string): Promise<void> {
		await this.offers.filter({ hasText: node }).first().click();
		await this.page.getByText(/^Actions \(/).click();
	}

	async openNode(name: string): Promise<void> {
		await this.page.getByTestId('canvas-node').filter({ hasText: name }).dblclick();
		await this.page.getByTestId('ndv').waitFor();
	}

	/** Draws a line from one node to another. */
	async connect(from: string, to: string): Promise<void> {
		const handle = (side: string, node: string) =>
			this.page.locator(`[data-test-id="canvas-node-${side}-handle"][data-node-name*="${node}"]`);
		await this.page.getByTestId('zoom-to-fit').click();
		await handle('output', from).first().dragTo(handle('input', to).first());
	}

	async closeNode(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.page.getByTestId('ndv').waitFor({ state: 'hidden' });
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
			await this.pick({ has: this.page.getByText(entry, { exact: true }) });
		}
		// A multi-select list stays open; a click next to it closes it.
		await this.page.getByText('Parameters', { exact: true }).click();
	}

	async select(parameter: string, entry: string): Promise<void> {
		await this.parameter(parameter).click();
		await this.pick({ hasText: new RegExp(`^\\s*${entry}`) });
	}

	private async pick(wanted: { has: Locator } | { hasText: RegExp }): Promise<void> {
		const options = this.page.getByRole('option').filter({ visible: true });
		await options.filter(wanted).first().click();
	}

	/** Returns what n8n then says about the trigger. */
	async publish(): Promise<string> {
		await this.page.getByTestId('workflow-open-publish-modal-button').click();
		await this.page.getByTestId('workflow-publish-button').click();
		const message = this.page.locator('.el-dialog').filter({ hasText: 'Workflow published' });
		const text = await message.innerText();
		await message.getByRole('button', { name: 'Got it' }).click();
		return text;
	}

	async closeCredential(): Promise<void> {
		const dialog = this.page.getByTestId('editCredential-modal');
		await dialog.getByLabel('Close this dialog').click();
		await dialog.waitFor({ state: 'hidden' });
	}

	async fillCredential(fields: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(fields))
			await this.parameter(name).locator('input').fill(value);
		// n8n ignores a click while it still saves what was there before.
		const tested = this.page.waitForRequest(/\/rest\/credentials\/test$/);
		do await this.page.getByTestId('credential-save-button').click();
		while (!(await Promise.race([tested, this.page.waitForTimeout(2_000)])));
	}

	/** n8n says only that something is wrong, until somebody asks for details. */
	async refusedCredential(message: string): Promise<void> {
		const details = this.page.getByText('More details');
		const shown = this.page.getByText(message).first();
		await shown.or(details).first().waitFor();
		if (await details.isVisible()) await details.click();
		await shown.waitFor();
	}

	async execute(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
	}

	/** The panel next to the parameters, with the rows or the error of the last run. */
	get output() {
		return this.page.getByTestId('output-panel');
	}
}
