import { generateKeyPairSync } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { N8nClient, Node, SavedWorkflow, Workflow } from '../../playground/client.mts';
import { repository } from '../../playground/folders.mts';
import {
	createSandbox,
	type License,
	type Sandbox,
	type SandboxOptions,
} from '../../sandbox/index.mts';
import type { LicensePatch } from '../../sandbox/register/patch.mts';
import { using } from './forwarding.mts';
import { type Mail, type Mailbox, openMailbox } from './outside/mailbox.mts';
import { openWorld, type OutsideWorld } from './outside/world.mts';
import { openStage, type Stage } from './stage.mts';

const WORKFLOWS = join(repository, 'workflows');

export const files = (await readdir(WORKFLOWS)).filter((name) => name.endsWith('.json'));

export const read = async (file: string) =>
	JSON.parse(await readFile(join(WORKFLOWS, file), 'utf8')) as Workflow;

/** As n8n counts days here: by the calendar of its own time zone, where not every day has 24 hours. */
export function dayOf(days: number): string {
	const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' }).format();
	return new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
}

export const isLiquor = ({ licenseType }: License) =>
	!/^(?:FOOD_SERVICE|SEATING|MOBILE_FOOD)$/.test(licenseType ?? '');

/** A register knows whole days alone, and tests tell what came since when. */
const thisMoment = () => new Date().toISOString().replace(/\.\d+Z/, 'Z');

export type Row = Record<string, unknown>;
type Changes = Record<string, Row>;

/** What the triggers of a workflow are told and asked. */
interface Given {
	/** Newer filings are sent. */
	since: string;
	/** What an MCP client asks for. */
	words: string;
	/** What a workflow failed with. */
	failure?: object;
}
type Start = (
	office: Office,
	workflow: SavedWorkflow,
	given: Given & { file: string; name: string },
) => Promise<SavedWorkflow | void>;

const atOnce: Start = async (office, workflow, { name }) => await office.execute(workflow, name);

const STARTS: Record<string, Start> = {
	manualTrigger: atOnce,
	scheduleTrigger: atOnce,
	executeWorkflowTrigger: async () => {
		// It is given what the trigger beside it brings.
	},
	errorTrigger: async (office, workflow, { name, failure }) =>
		await office.execute(workflow, name, failure ?? { workflow: { name: 'Leads' } }),
	licensingDataTrigger: async (office, _, { file, since }) => await office.publish(file, since),
	chatTrigger: async (office, { id, nodes }) => {
		await office.stage.client.activate(id);
		expect(await office.chat(nodes, 'Who opened this week?')).toContain('Some.');
	},
	mcpTrigger: async (office, { id }, { words }) => {
		await office.stage.client.activate(id);
		const { call } = await office.openMcp();
		expect(await call('Find_Licenses', { words })).toContain(words);
	},
};

/** One n8n with everything that the ready-made workflows talk to, all on this machine. */
export class Office {
	private constructor(
		readonly sandbox: Sandbox,
		readonly world: OutsideWorld,
		readonly mailbox: Mailbox,
		readonly stage: Stage,
	) {}

	static async open(name: string, options: SandboxOptions = {}): Promise<Office> {
		// Each license with an address of its own, so that venues can be counted.
		const rates = { escrow: 0, numberTwice: 0, withoutCounty: 0, ...options.rates };
		const sandbox = await createSandbox({ records: 300, ...options, rates });
		const world = await openWorld();
		const mailbox = await openMailbox();
		const stage = await openStage(name, world.environment);
		for (const [type, data] of Object.entries(credentialData(sandbox, world, mailbox)))
			await stage.client.request('POST', '/rest/credentials', { name: type, type, data });
		return new Office(sandbox, world, mailbox, stage);
	}

	async close(): Promise<void> {
		await this.stage.close();
		this.mailbox.close();
		this.world.close();
		await this.sandbox.close();
	}

	file(partial: LicensePatch): License {
		return this.sandbox.register.file({ eventTimestamp: thisMoment(), ...partial });
	}

	change(id: string, partial: LicensePatch): void {
		this.sandbox.register.change(id, { eventTimestamp: thisMoment(), ...partial });
	}

	async setUp(file: string, changes: Changes = {}): Promise<SavedWorkflow> {
		return await setUp(this.stage.client, await read(file), changes);
	}

	/** Presses "Execute workflow", and waits until it ends. `json`: what the trigger is given. */
	async execute({ id }: SavedWorkflow, name: string, json?: object): Promise<void> {
		const data = { main: [[{ json }]] };
		const given = { data, startTime: 0, executionTime: 0, executionIndex: 0, source: [] };
		const { executionId } = await this.stage.client.request<{ executionId: string }>(
			'POST',
			`/rest/workflows/${id}/run`,
			{ triggerToStartFrom: { name, ...(json && { data: given }) } },
		);
		await this.succeeded(id, executionId);
	}

	/** Publishes the workflow for as long as its first reading takes, which emits what is newer than `since`. */
	async publish(file: string, since: string, filters?: object): Promise<SavedWorkflow> {
		const { nodes } = await read(file);
		const { name } = nodes.find(({ type }) => type.endsWith('.licensingDataTrigger')) ?? {};
		const changes = { options: { startFrom: since }, ...(filters && { filters }) };
		const workflow = await this.setUp(file, { [String(name)]: changes });
		await this.stage.client.activate(workflow.id);
		await this.succeeded(workflow.id);
		await this.stage.client.deactivate(workflow.id);
		return workflow;
	}

	/** Sets off each trigger of a workflow as its kind is set off, and waits for the work. */
	async runAll(file: string, given: Given): Promise<void> {
		let workflow = await this.setUp(file, { Chat: { public: true, options: {} } });
		for (const { name, type } of workflow.nodes.filter(({ type }) => /trigger$/i.test(type))) {
			const start =
				STARTS[type.split('.').at(-1) ?? ''] ?? expect.unreachable(`STARTS lacks ${type}`);
			// What a schedule sends is what the trigger of the same workflow brought.
			workflow = (await start(this, workflow, { file, name, ...given })) ?? workflow;
		}
	}

	/** Runs a workflow that makes a table. */
	async make(file: string, name: string) {
		const workflow = await this.setUp(file);
		await this.execute(workflow, 'Once, on Click');
		return { workflow, table: await this.table(name) };
	}

	/** Runs such a workflow, and fills its table. */
	async fill(file: string, name: string, rows: Row[]): Promise<void> {
		await (await this.make(file, name)).table.replace(rows);
	}

	/** Executes a workflow that fails, as its email is refused. */
	async refusing(address: string, workflow: SavedWorkflow, start: string): Promise<void> {
		this.mailbox.refused.add(address);
		await expect(this.execute(workflow, start)).rejects.toThrow('No such mailbox');
		this.mailbox.refused.clear();
	}

	/** The mails that are sent in the meantime. */
	async mailsOf(work: () => Promise<void>): Promise<Mail[]> {
		const before = this.mailbox.mails.length;
		await work();
		return this.mailbox.mails.slice(before);
	}

	/** The only one. */
	async mailOf(work: () => Promise<void>): Promise<Mail> {
		const [mail = expect.unreachable(), ...others] = await this.mailsOf(work);
		expect(others).toEqual([]);
		return mail;
	}

	/** What one start of a workflow mails. */
	async mailOn(workflow: SavedWorkflow, start: string): Promise<Mail> {
		return await this.mailOf(async () => await this.execute(workflow, start));
	}

	/** Asks a published chat, as a visitor does. */
	async chat(nodes: Node[], chatInput: string): Promise<string> {
		const chat = nodes.find(({ name }) => name === 'Chat');
		const path = `/webhook/${String(chat?.webhookId)}/chat`;
		const response = await fetch(`${this.stage.client.address}${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ action: 'sendMessage', sessionId: 'session-1', chatInput }),
		});
		return await response.text();
	}

	/** What a client of a published MCP server sends, and gets. */
	async askMcp(body: object, headers: Record<string, string>): Promise<Response> {
		return await fetch(`${this.stage.client.address}/mcp/florida-licenses`, {
			method: 'POST',
			headers: {
				accept: 'application/json, text/event-stream',
				'content-type': 'application/json',
				...headers,
			},
			body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
		});
	}

	/** Connects to a published MCP server. */
	async openMcp() {
		const key = { 'x-goog-api-key': 'header-key-example' };
		const clientInfo = { name: 'test', version: '1' };
		const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
		const welcome = await this.askMcp({ method: 'initialize', params }, key);
		const session = { ...key, 'mcp-session-id': welcome.headers.get('mcp-session-id') ?? '' };
		await this.askMcp({ id: undefined, method: 'notifications/initialized' }, session);
		const ask = async (method: string, given: object) =>
			await (await this.askMcp({ method, params: given }, session)).text();
		return {
			welcome: await welcome.text(),
			tools: async () => await ask('tools/list', {}),
			call: async (name: string, given: object) =>
				await ask('tools/call', { name, arguments: given }),
		};
	}

	/** `executionId`: in n8n's list, one that has only begun may stand below one that has ended. */
	private async succeeded(workflowId: string, executionId?: string): Promise<void> {
		const { client } = this.stage;
		const { id, status } = await vi.waitFor(
			async () => {
				const { results } = await client.executions(workflowId);
				const found = executionId ? results.find(({ id }) => id === executionId) : results[0];
				if (found && !['new', 'running', 'waiting'].includes(found.status)) return found;
				throw new Error('The execution does not end');
			},
			{ interval: 100, timeout: 600_000 },
		);
		if (status === 'success') return;
		const { data } = await client.request<{ data: string }>('GET', `/rest/executions/${id}`);
		expect.unreachable(`The execution ended with ${status}: ${data.slice(0, 4000)}`);
	}

	/** As in an n8n in which no workflow has run. */
	async forgetTables(): Promise<void> {
		for (const { path } of await tablesOf(this.stage.client))
			await this.stage.client.request('DELETE', path);
	}

	/** A table that a workflow has made. */
	async table(name: string) {
		return await tableOf(this.stage.client, name);
	}
}

async function tablesOf(client: N8nClient) {
	const project = await client.request<{ id: string }>('GET', '/rest/projects/personal');
	const path = `/rest/projects/${project.id}/data-tables`;
	type Tables = { data: Array<{ id: string; name: string }> };
	const { data } = await client.request<Tables>('GET', path);
	return data.map(({ id, name }) => ({ name, path: `${path}/${id}` }));
}

/** What a user does by hand with a table of n8n. */
export async function tableOf(client: N8nClient, wanted: string) {
	const path = (await tablesOf(client)).find(({ name }) => name === wanted)?.path;
	const remove = async (columnName: string, condition: string, value: unknown) => {
		const filter = JSON.stringify({ type: 'and', filters: [{ columnName, condition, value }] });
		await client.request('DELETE', `${path}/rows?filter=${encodeURIComponent(filter)}`);
	};
	const insert = async (data: Row[]) => await client.request('POST', `${path}/insert`, { data });
	return {
		...{ path, remove, insert },
		async rows(): Promise<Row[]> {
			// n8n gives 250 at a time, whatever is asked for.
			const all: Row[] = [];
			let page: Row[];
			do {
				const query = `take=250&skip=${all.length}&sortBy=id:asc`;
				page = (await client.request<{ data: Row[] }>('GET', `${path}/rows?${query}`)).data;
				all.push(...page);
			} while (page.length === 250);
			return all.map(({ createdAt: _, updatedAt: __, ...row }) => row);
		},
		async replace(data: Row[]) {
			await remove('id', 'gt', 0);
			await insert(data);
		},
	};
}

/** Imports a workflow and does what its notes ask for; `changes` are by node name. */
export async function setUp(client: N8nClient, workflow: Workflow, changes: Changes) {
	const all = await client.credentials();
	const nodes = workflow.nodes.map((node) => {
		const parameters = { ...node.parameters, ...here(node), ...changes[node.name] };
		const type = credentialTypeOf({ ...node, parameters });
		const credential = all.find((one) => one.type === type);
		return { ...node, parameters, ...(credential && { credentials: using(credential) }) };
	});
	return await client.createWorkflow({ ...workflow, nodes });
}

/** What differs on this machine: a robot's key for Google. And what a user chooses: the workflow that sends leads. */
function here({ type }: Node): Record<string, unknown> {
	if (type === 'n8n-nodes-base.googleSheets') return { authentication: 'serviceAccount' };
	if (type !== 'n8n-nodes-base.executeWorkflow') return {};
	return { workflowId: { __rl: true, mode: 'list', value: 'the-workflow-for-leads' } };
}

/** What a user would enter, for services that are answered here. */
function credentialData(sandbox: Sandbox, world: OutsideWorld, mailbox: Mailbox) {
	const { privateKey } = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	return {
		licensingDataApi: sandbox.credentials,
		hubspotAppToken: { appToken: 'hubspot-token-example' },
		pipedriveApi: { apiToken: 'pipedrive-token-example' },
		salesforceOAuth2Api: {
			oauthTokenData: {
				access_token: 'salesforce-token-example',
				instance_url: 'https://example.my.salesforce.com',
			},
		},
		airtableTokenApi: { accessToken: 'airtable-token-example' },
		googleApi: { region: 'global', email: 'robot@example.com', privateKey },
		slackApi: { accessToken: 'slack-token-example' },
		httpHeaderAuth: { name: 'X-Goog-Api-Key', value: 'header-key-example' },
		openAiApi: { apiKey: 'openai-key-example', url: `${world.address}/v1` },
		smtp: mailbox.credentials,
	};
}

/** The credential that a user of these workflows would choose in a node. */
function credentialTypeOf({ type, parameters }: Node): string | undefined {
	const known: Record<string, string> = {
		pipedrive: 'pipedriveApi',
		salesforce: 'salesforceOAuth2Api',
		airtable: 'airtableTokenApi',
		googleSheets: 'googleApi',
		slack: 'slackApi',
		mcpTrigger: 'httpHeaderAuth',
		emailSend: 'smtp',
		lmChatOpenAi: 'openAiApi',
	};
	if (type.startsWith('n8n-nodes-licensing-data.')) return 'licensingDataApi';
	const chosen = (parameters.nodeCredentialType ?? parameters.genericAuthType) as string;
	return chosen ?? known[type.split('.').at(-1) ?? ''];
}
