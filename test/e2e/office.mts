import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';

import type { Credential, Node, SavedWorkflow, Workflow } from '../../playground/client.mts';
import { repository, testFolder } from '../../playground/folders.mts';
import { createSandbox, type License, type Sandbox } from '../../sandbox/index.mts';
import type { LicensePatch } from '../../sandbox/register/license.mts';
import { type Mail, Mailbox } from './outside/mailbox.mts';
import { OutsideWorld } from './outside/world.mts';
import { openStage, type Stage } from './stage.mts';

const WORKFLOWS = join(repository, 'workflows');

export const EXPORTS = join(testFolder, 'workflows-exports');

export const files = (await readdir(WORKFLOWS)).filter((name) => name.endsWith('.json'));

export const read = async (file: string) =>
	JSON.parse(await readFile(join(WORKFLOWS, file), 'utf8')) as Workflow;

/** As n8n counts days here: by the calendar of its own time zone, where not every day has 24 hours. */
export function dayOf(days: number): string {
	const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' }).format();
	return new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
}

const hoursAgo = (hours: number): string =>
	new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z/, 'Z');

type Changes = Record<string, Record<string, unknown>>;

/** One n8n with everything that the ready-made workflows talk to, all on this machine. */
export class Office {
	private constructor(
		readonly sandbox: Sandbox,
		readonly world: OutsideWorld,
		readonly mailbox: Mailbox,
		readonly stage: Stage,
		private readonly credentials: Map<string, Credential>,
	) {}

	static async open(name = 'workflows'): Promise<Office> {
		// Each license with an address of its own, so that venues can be counted.
		const rates = { escrow: 0, numberTwice: 0, withoutCounty: 0 };
		const sandbox = await createSandbox({ records: 300, rates });
		const world = await OutsideWorld.open();
		const mailbox = await Mailbox.open();
		await rm(EXPORTS, { recursive: true, force: true });
		await mkdir(EXPORTS, { recursive: true });
		const stage = await openStage(name, {
			...world.environment,
			N8N_RESTRICT_FILE_ACCESS_TO: EXPORTS,
		});
		const data = credentialData(sandbox, world, mailbox);
		const created = Object.entries(data).map(
			async ([type, fields]) =>
				await stage.client.request<Credential>('POST', '/rest/credentials', {
					name: type,
					type,
					data: fields,
				}),
		);
		const credentials = await Promise.all(created);
		const byType = new Map(credentials.map((credential) => [credential.type, credential]));
		return new Office(sandbox, world, mailbox, stage, byType);
	}

	async close(): Promise<void> {
		await this.stage.close();
		this.mailbox.close();
		this.world.close();
		await this.sandbox.close();
	}

	/** A new filing of this moment: a register knows whole days alone, and tests tell what came since when. */
	file(partial: LicensePatch = {}): License {
		return this.sandbox.register.file({ eventTimestamp: hoursAgo(0), ...partial });
	}

	/** A new filing that is listed late. */
	fileLate(hours: number, partial: LicensePatch = {}): License {
		const eventTimestamp = hoursAgo(hours);
		const filedDate = eventTimestamp.slice(0, 10);
		return this.sandbox.register.file({ eventTimestamp, filedDate, ...partial });
	}

	/** An event of a license, of this moment. */
	change(id: string, partial: LicensePatch): License {
		return this.sandbox.register.change(id, { eventTimestamp: hoursAgo(0), ...partial });
	}

	/** Imports a workflow and does what its notes ask for; `changes` are by node name. */
	async setUp(file: string, changes: Changes = {}): Promise<SavedWorkflow> {
		const workflow = await read(file);
		const nodes = workflow.nodes.map((node) => {
			const parameters = { ...node.parameters, ...here(node), ...changes[node.name] };
			const credential = this.credentials.get(credentialTypeOf({ ...node, parameters }) ?? '');
			return {
				...node,
				parameters,
				...(credential && {
					credentials: { [credential.type]: { id: credential.id, name: credential.name } },
				}),
			};
		});
		return await this.stage.client.createWorkflow({ ...workflow, nodes });
	}

	/** Presses "Execute workflow", and waits until it ends. `json`: what the trigger is given. */
	async execute({ id }: SavedWorkflow, name: string, json?: object): Promise<void> {
		const data = { main: [[{ json }]] };
		const given = { data, startTime: 0, executionTime: 0, executionIndex: 0, source: [] };
		await this.stage.client.request('POST', `/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name, ...(json && { data: given }) },
		});
		await this.succeeded(id);
	}

	/** Publishes the workflow for as long as its first reading takes, which emits what is newer than `since`. */
	async publish(
		file: string,
		{ trigger, since, changes }: { trigger: string; since: string; changes?: Changes },
	): Promise<void> {
		const { id } = await this.setUp(file, {
			[trigger]: { options: { startFrom: since } },
			...changes,
		});
		await this.stage.client.activate(id);
		await this.succeeded(id);
		await this.stage.client.deactivate(id);
	}

	/** The mails that are sent in the meantime. */
	async mailsOf(work: () => Promise<void>): Promise<Mail[]> {
		const before = this.mailbox.mails.length;
		await work();
		return this.mailbox.mails.slice(before);
	}

	/** Asks a published chat, as a visitor does. */
	async chat(chat: Node | undefined, chatInput: string): Promise<string> {
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
			body: JSON.stringify({ jsonrpc: '2.0', ...body }),
		});
	}

	/** Connects to a published MCP server; the answers are those of its tools. */
	async openMcp() {
		const key = { 'x-goog-api-key': 'header-key-example' };
		const welcome = await this.askMcp(
			{
				id: 1,
				method: 'initialize',
				params: {
					protocolVersion: '2025-03-26',
					capabilities: {},
					clientInfo: { name: 'test', version: '1' },
				},
			},
			key,
		);
		const session = { ...key, 'mcp-session-id': welcome.headers.get('mcp-session-id') ?? '' };
		await this.askMcp({ method: 'notifications/initialized' }, session);
		const ask = async (method: string, params: object) =>
			await (await this.askMcp({ id: 2, method, params }, session)).text();
		return {
			welcome: await welcome.text(),
			tools: async () => await ask('tools/list', {}),
			call: async (name: string, given: object) =>
				await ask('tools/call', { name, arguments: given }),
		};
	}

	/** Everything that n8n kept of a workflow's latest execution. */
	async latestData(workflowId: string): Promise<string> {
		const { client } = this.stage;
		const [execution] = (await client.executions(workflowId)).results;
		const path = `/rest/executions/${execution?.id}`;
		return (await client.request<{ data: string }>('GET', path)).data;
	}

	async succeeded(workflowId: string): Promise<void> {
		const { client } = this.stage;
		const execution = await vi.waitFor(
			async () => {
				const [latest] = (await client.executions(workflowId)).results;
				if (latest && !['new', 'running', 'waiting'].includes(latest.status)) return latest;
				throw new Error('The execution does not end');
			},
			{ interval: 100, timeout: 120_000 },
		);
		if (execution.status === 'success') return;
		const data = await this.latestData(workflowId);
		expect.unreachable(`The execution ended with ${execution.status}: ${data.slice(0, 4000)}`);
	}

	private async tables() {
		const { client } = this.stage;
		const project = await client.request<{ id: string }>('GET', '/rest/projects/personal');
		const path = `/rest/projects/${project.id}/data-tables`;
		const { data } = await client.request<{ data: Array<{ id: string; name: string }> }>(
			'GET',
			path,
		);
		return { tables: path, data };
	}

	/** As in an n8n in which no workflow has run. */
	async forgetTables(): Promise<void> {
		const { tables, data } = await this.tables();
		for (const { id } of data) await this.stage.client.request('DELETE', `${tables}/${id}`);
	}

	/** A table that a workflow has made in n8n, and what a user does with it by hand. */
	async table(name: string) {
		const { client } = this.stage;
		const { tables, data } = await this.tables();
		const path = `${tables}/${data.find((table) => table.name === name)?.id}`;
		const rows = async () =>
			(
				await client.request<{ data: Array<Record<string, unknown>> }>(
					'GET',
					`${path}/rows?take=1000&sortBy=id:asc`,
				)
			).data;
		return {
			rows,
			replace: async (wanted: Array<Record<string, string | number>>) => {
				const all = { columnName: 'id', condition: 'gt', value: 0 };
				const filter = encodeURIComponent(JSON.stringify({ type: 'and', filters: [all] }));
				await client.request('DELETE', `${path}/rows?filter=${filter}`);
				await client.request('POST', `${path}/insert`, { data: wanted });
			},
		};
	}
}

/** What differs on this machine: a robot's key for Google, and the folder for files. */
function here({ type, parameters }: Node): Record<string, unknown> {
	if (type === 'n8n-nodes-base.googleSheets') return { authentication: 'serviceAccount' };
	// The pauses are for HubSpot's limit.
	if (parameters.nodeCredentialType === 'hubspotAppToken') return { options: {} };
	if (type !== 'n8n-nodes-base.readWriteFile') return {};
	return { fileName: String(parameters.fileName).replace('/home/node/.n8n-files', EXPORTS) };
}

/** What a user would enter, for services that are answered here. */
function credentialData(sandbox: Sandbox, world: OutsideWorld, mailbox: Mailbox) {
	const { privateKey } = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	return {
		licensingDataApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live },
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
		smtp: { host: '127.0.0.1', port: mailbox.port, secure: false, disableStartTls: true },
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
