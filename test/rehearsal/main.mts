/** A release, rehearsed: what a user does with the package, from its installation on, and what n8n then does. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import type { Node, Workflow } from '../../playground/client.mts';
import { leadWorkflowFile, withAddress } from '../../playground/workflows.mts';
import { type Crm, startCrm } from '../../playground/crm/server.mts';
import { workspace } from '../../playground/folders.mts';
import { type Host, installHost } from '../../playground/host.mts';
import { whole } from '../../playground/options.mts';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { Editor, openBrowser } from '../e2e/editor.mts';
import { using } from '../e2e/forwarding.mts';
import { picture, picturedInDocs } from '../e2e/picture.mts';
import { everyTenSeconds, schedulers } from '../e2e/schedulers.mts';
import { connectTo } from '../e2e/stage.mts';
import { House } from './house.mts';
import { COUNTY, Leads, waitFor } from './leads.mts';
import { installOlder } from './older.mts';
import { openRegistry, type Registry } from './registry.mts';

const usage = `Usage: npm run rehearse -- [options]

  --older <n>    n8n so many minor versions before the pinned one (0, 1 and 4, unless given; may be repeated)
  --mode <name>  memory, durable (both, unless given; may be repeated)
  --help         show this`;

const NODE = 'New Filing';
const TITLE = 'Licensing Data Trigger';
const modes = {
	memory: schedulers.memory,
	// Newer versions publish like this by default; 2.37 to 2.39 have durable cursors only with it.
	durable: { ...schedulers.durable, N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true' },
};
type Mode = keyof typeof modes;

let failures = 0;

class Rehearsal {
	private house!: House;
	private leads!: Leads;
	private id = '';
	private browser: Browser | undefined;

	constructor(
		private readonly host: Host,
		private readonly mode: Mode,
		private readonly registry: Registry,
		private readonly sandbox: Sandbox,
		private readonly crm: Crm,
	) {}

	/** The editor's buttons are those of today's n8n; all that goes beyond an update is tried there alone. */
	async run(isToday: boolean): Promise<void> {
		this.house = await this.openHouse('house');
		try {
			if (isToday) this.browser = await openBrowser();
			await this.install();
			await this.publishFile();
			await this.update();
			if (!isToday) return;
			await this.remove();
			await this.duplicate();
			const file = await this.renameWhileDown();
			await this.house.stop();
			await this.moveTo(await this.openHouse('fresh'), file);
		} finally {
			await this.browser?.close();
			await this.house.stop();
		}
	}

	private async openHouse(name: string): Promise<House> {
		// What n8n asks its maker and the public registry gets no answer.
		const environment = { PATH: this.registry.path, HTTPS_PROXY: 'http://127.0.0.1:9' };
		return await House.open(this.host, join(folder, name), {
			...modes[this.mode],
			...environment,
		});
	}

	private async install(): Promise<void> {
		await this.house.install(this.registry.first);
		report('install', (await this.title()) === TITLE, `${await this.listed()}, without a restart`);
	}

	private async publishFile(): Promise<void> {
		const original = JSON.parse(await readFile(leadWorkflowFile, 'utf8')) as Workflow;
		const nodes = original.nodes.map((node) => ({
			...withAddress(this.crm.leadsAddress, node),
			// The latest HTTP Request that the older versions have.
			typeVersion: Math.min(node.typeVersion, 4.2),
		}));
		Object.assign(nodes.find(({ name }) => name === NODE)!.parameters, {
			pollTimes: everyTenSeconds,
			filters: { counties: [COUNTY] },
			options: { maxItems: 500 },
		});
		const workflow = { ...original, nodes };
		const file = join(folder, 'workflow.json');
		await writeFile(file, JSON.stringify(workflow));

		this.leads = new Leads(this.sandbox, this.crm, original.name);
		if (this.browser) await this.byHand(file);
		else {
			const credential = await connectTo(this.house.stage, this.sandbox.credentials);
			this.id = (await this.house.client.createWorkflow(workflow)).id;
			await this.changeTrigger({ credentials: using(credential) });
			await this.publish();
		}
		await this.polls(2);
		const how = this.browser ? 'by hand in the editor' : "through the editor's own interface";
		report('publish', ...(await this.goesOn()), `credential and import ${how}`);
	}

	private async byHand(file: string): Promise<void> {
		const editor = await Editor.signIn(this.browser!, this.house.stage);
		await editor.newWorkflow();
		await editor.importFile(file, ['Import', 'From file']);
		await editor.openNode(NODE);
		await editor.page.getByText('Connect to Licensing Data').click();
		await editor.fillCredential(this.sandbox.credentials);
		await editor.page.getByTestId('credential-edit-button').waitFor();
		await editor.closeNode();
		await editor.publish();
		this.id = (await this.house.client.workflows())[0]!.id;
		await editor.page.close();
	}

	private async updateByHand(): Promise<void> {
		const { page } = await Editor.signIn(this.browser!, this.house.stage);
		await page.goto(`${this.house.client.address}/settings/community-nodes`);
		await page.getByRole('button', { name: 'Update', exact: true }).click();
		await page.getByRole('button', { name: 'Confirm update' }).click();
		await page.getByText(`v${this.registry.later}`, { exact: true }).waitFor();
		await page.getByText('Update node package').waitFor({ state: 'hidden' });
		await page.setViewportSize({ width: 1280, height: 300 });
		if (process.env.PICTURES === 'new')
			await picturedInDocs(page, 'community-nodes', { parts: [page.locator('body')] });
		else await picture(page, 'community-nodes');
		await page.close();
	}

	private async update(): Promise<void> {
		const before = await this.trigger();
		if (this.browser) await this.updateByHand();
		else await this.house.update(this.registry.later);
		const isLater = (await this.title()) === `${TITLE} ${this.registry.later}`;
		const [isWell, seen] = await this.goesOn();
		const isPolling = (await this.house.log()).includes(`Polled by version ${this.registry.later}`);
		const which = `version ${isPolling ? this.registry.later : this.registry.first} polls`;
		report('update', isWell && isLater, await this.listed(), `before a restart, ${which}`, seen);
		await this.house.restart();
		report('restart', ...(await this.goesOn()));
		report(
			'parameters',
			isDeepStrictEqual(await this.trigger(), before) && this.isCrmLead(),
			'as they were; one renamed for a new version of the node keeps its old name in this workflow, and counts',
		);
	}

	private async remove(): Promise<void> {
		const trigger = await this.trigger();
		const logged = (await this.house.log()).length;
		await this.house.uninstall();
		await this.house.restart();
		const filed = this.leads.nextDay();
		await sleep(30_000);
		const editor = await Editor.signIn(this.browser!, this.house.stage);
		await editor.openWorkflow(this.id);
		const node = editor.page.getByTestId('canvas-node').filter({ hasText: NODE }).first();
		const shown = (await node.innerText()).replace(/\s+/g, ' ');
		await editor.picture('package-removed');
		await editor.page.close();
		const { active } = await this.house.client.workflow(this.id);
		const isKept = isDeepStrictEqual(await this.trigger(), trigger);
		const log = (await this.house.log()).slice(logged);
		const word = log.split('\n').find((line) => line.includes('Unrecognized node type'));
		report(
			'remove',
			(await this.title()) === undefined && this.leads.missing.length === filed && active && isKept,
			`${filed} filings wait, the workflow is as it was and counts as published`,
			`n8n's log: ${word ?? 'nothing'}`,
			`the node in the editor: ${shown}`,
		);
		await this.house.install(this.registry.later);
		await this.house.restart();
		const { requests } = this.sandbox;
		const before = requests.count;
		await sleep(30_000);
		const isIdle = requests.count === before;
		await this.house.client.deactivate(this.id);
		await this.publish();
		const [isWell, seen] = await this.goesOn();
		report(
			'install again',
			isIdle && isWell,
			isIdle ? 'restarted, the workflow does not run' : 'restarted, the workflow runs by itself',
			`unpublished and published again: ${seen}`,
		);
	}

	private async duplicate(): Promise<void> {
		const { name, nodes, connections, settings } = await this.house.client.workflow(this.id);
		const copy = { name: `${name} copy`, nodes, connections, settings };
		const { id } = await this.house.client.createWorkflow(copy);
		const leads = new Leads(this.sandbox, this.crm, copy.name);
		await this.publish(id);
		await this.polls(2);
		const both = await this.goesOn();
		leads.look();
		await waitFor(() => leads.missing.length === 0);
		report(
			'duplicate',
			both[0] && leads.isExact,
			`starts quietly, then both bring ${leads.came.length} filings`,
		);
		await this.house.client.deactivate(id);
	}

	private async renameWhileDown(): Promise<string> {
		const file = join(folder, 'exported.json');
		const renamed = join(folder, 'renamed.json');
		await this.house.stop();
		await this.house.command('export:workflow', `--id=${this.id}`, `--output=${file}`);
		const text = await readFile(file, 'utf8');
		await writeFile(renamed, text.replaceAll(`"${NODE}"`, '"Renamed"'));
		await this.house.command('import:workflow', `--input=${renamed}`);
		const filed = this.leads.nextDay();
		await this.house.start();
		const { active } = await this.house.client.workflow(this.id);
		if (!active) await this.publish();
		await this.polls(2);
		const lost = this.leads.missing.length;
		const isAsWritten = lost === (this.mode === 'memory' ? filed : 0);
		this.countAnew();
		const [isWell, seen] = await this.goesOn();
		report(
			'renamed while n8n was down',
			isAsWritten && isWell,
			`imported as ${active ? 'published' : 'not published'}; of ${filed} filings meanwhile, ${lost} did not come`,
			seen,
		);
		return file;
	}

	private async moveTo(house: House, file: string): Promise<void> {
		this.house = house;
		await house.install(this.registry.later);
		await house.stop();
		await house.command('import:workflow', `--input=${file}`);
		await house.start();
		const refusal = await this.publish().then(
			() => 'published',
			(error: Error) => error.message,
		);
		const filed = this.leads.nextDay();
		await this.changeTrigger({
			credentials: using(await connectTo(house.stage, this.sandbox.credentials)),
		});
		await this.publish();
		await this.polls(2);
		const lost = this.leads.missing.length;
		this.countAnew();
		const [isWell, seen] = await this.goesOn();
		report(
			'moved to a fresh n8n',
			// Durable cursors are no part of an export.
			isWell && refusal.includes('Credential') && lost === (this.mode === 'memory' ? 0 : filed),
			refusal,
			`with a credential: of ${filed} filings meanwhile, ${lost} did not come; ${seen}`,
		);
	}

	/** What was filed up to now does not count any more, whether it came or not. */
	private countAnew(): void {
		this.leads = new Leads(this.sandbox, this.crm, this.leads.workflow);
	}

	/** Whether each filing of another day comes, and nothing that is no filing. */
	private async goesOn(): Promise<[isWell: boolean, seen: string]> {
		const { leads } = this;
		const filed = leads.nextDay();
		await waitFor(() => leads.missing.length === 0);
		await this.polls(1);
		const { missing } = leads;
		const repeats = leads.newRepeats();
		// In n8n's default mode, a new process repeats what was emitted within the last five minutes.
		const isWell = leads.isExact && (this.mode === 'memory' || repeats === 0);
		return [isWell, `${filed} filed, ${missing.length} lost, ${repeats} came again`];
	}

	private async polls(times: number): Promise<void> {
		const { requests } = this.sandbox;
		for (let poll = 0; poll < times; poll++) {
			const before = requests.count;
			if (!(await waitFor(() => requests.count > before))) throw new Error('n8n does not poll');
			await sleep(3000);
		}
	}

	/** Older versions cannot say when a workflow is published. */
	private async publish(id = this.id): Promise<void> {
		const { client } = this.house;
		if (this.browser) return await client.activate(id);
		const { versionId } = await client.workflow(id);
		await client.request('POST', `/rest/workflows/${id}/activate`, { versionId });
	}

	private async trigger(): Promise<Node> {
		const { nodes } = await this.house.client.workflow(this.id);
		return nodes.find(({ name }) => [NODE, 'Renamed'].includes(name))!;
	}

	private async changeTrigger(change: Partial<Node>): Promise<void> {
		const { nodes, connections } = await this.house.client.workflow(this.id);
		const changed = nodes.map((node) => (node.name === NODE ? { ...node, ...change } : node));
		await this.house.client.changeWorkflow(this.id, { nodes: changed, connections });
	}

	private isCrmLead(): boolean {
		return this.leads.came.at(-1)?.company !== undefined;
	}

	/** What the nodes panel calls the trigger. */
	private async title(): Promise<string | undefined> {
		const types = await this.house.client.nodeTypes();
		return types.find(({ name }) => name.endsWith('.licensingDataTrigger'))?.displayName;
	}

	private async listed(): Promise<string> {
		const [one] = await this.house.packages();
		const offer = one?.updateAvailable ? `, update to ${one.updateAvailable} offered` : '';
		return `listed with version ${one?.installedVersion}${offer}`;
	}
}

/** One line for each step. What departs from the documents ends the run with an error. */
function report(step: string, isAsWritten: boolean, ...seen: string[]): void {
	if (!isAsWritten) failures++;
	console.log(`${isAsWritten ? '  ok    ' : '  NOT SO'} ${step}: ${seen.join('; ')}`);
}

const { values } = parseArgs({
	options: {
		older: { type: 'string', multiple: true, default: ['0', '1', '4'] },
		mode: { type: 'string', multiple: true, default: Object.keys(modes) },
		help: { type: 'boolean', default: false },
	},
});
if (values.help || !values.mode.every((mode) => mode in modes)) {
	console.log(usage);
	process.exit(values.help ? 0 : 1);
}
const folder = join(workspace, 'rehearsal', [...values.older, ...values.mode].join('-'));
await mkdir(folder, { recursive: true });
const registry = await openRegistry(join(folder, 'registry'));
for (const older of values.older.map((one) => whole('--older', one))) {
	const host = older === 0 ? await installHost() : await installOlder(older);
	for (const mode of values.mode as Mode[]) {
		console.log(`n8n ${older === 0 ? 'as pinned' : `${older} minor versions older`}, ${mode}`);
		const file = join(folder, 'leads.jsonl');
		await rm(file, { force: true });
		const crm = await startCrm({ file });
		// A county's list of a page or two: the trigger may take as many minutes as a list has pages.
		const sandbox = await createSandbox({ rates: { liquorADay: 8, foodADay: 3 } });
		try {
			await new Rehearsal(host, mode, registry, sandbox, crm).run(older === 0);
		} catch (error) {
			const { message, cause } = error as Error;
			report('stopped', false, cause === undefined ? message : `${message}: ${String(cause)}`);
		}
		await crm.close();
		await sandbox.close();
	}
}
console.log(failures === 0 ? 'All as written' : `${failures} not as written`);
process.exitCode = failures === 0 ? 0 : 1;
