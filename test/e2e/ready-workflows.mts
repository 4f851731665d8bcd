import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';

import type { Credential, Node, SavedWorkflow, Workflow } from '../../playground/client.mts';
import { repository, testFolder } from '../../playground/folders.mts';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { Mailbox } from './outside/mailbox.mts';
import { OutsideWorld } from './outside/world.mts';
import { openStage, type Stage } from './stage.mts';

const WORKFLOWS = join(repository, 'workflows');

export const EXPORTS = join(testFolder, 'workflows-exports');

export const files = (await readdir(WORKFLOWS)).filter((name) => name.endsWith('.json'));

export const read = async (file: string) =>
	JSON.parse(await readFile(join(WORKFLOWS, file), 'utf8')) as Workflow;

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

	static async open(): Promise<Office> {
		const sandbox = await createSandbox({ records: 300 });
		const world = await OutsideWorld.open();
		const mailbox = await Mailbox.open();
		await rm(EXPORTS, { recursive: true, force: true });
		await mkdir(EXPORTS, { recursive: true });
		const stage = await openStage('workflows', {
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

	/** Imports a workflow and does what its notes ask for; `changes` are by node name. */
	async setUp(file: string, changes: Changes = {}): Promise<SavedWorkflow> {
		const workflow = await read(file);
		const nodes = workflow.nodes.map((node) => {
			const parameters = { ...node.parameters, ...changes[node.name] };
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

	/** Presses "Execute workflow", and waits until it ends. */
	async execute({ id }: SavedWorkflow, trigger: string): Promise<void> {
		await this.stage.client.request('POST', `/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: trigger },
		});
		await this.succeeded(id);
	}

	/** Publishes the workflow for as long as reading its baseline takes, which emits what is newer than `since`. */
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

	async succeeded(workflowId: string): Promise<void> {
		const { client } = this.stage;
		const latest = async () => {
			const [execution] = (await client.executions(workflowId)).results;
			return ['new', 'running', 'waiting'].includes(execution?.status ?? 'new')
				? undefined
				: execution;
		};
		await expect.poll(latest, { interval: 100 }).toBeDefined();
		const execution = await latest();
		if (execution?.status === 'success') return;
		const { data } = await client.request<{ data: string }>(
			'GET',
			`/rest/executions/${execution?.id}`,
		);
		expect.unreachable(`The execution ended with ${execution?.status}: ${data.slice(0, 4000)}`);
	}

	/** Makes an n8n table with text columns, as a workflow's notes ask for. */
	async createTable(name: string, columns: string[], rows: Array<Record<string, string>>) {
		const { client } = this.stage;
		const project = await client.request<{ id: string }>('GET', '/rest/projects/personal');
		const tables = `/rest/projects/${project.id}/data-tables`;
		const table = await client.request<{ id: string }>('POST', tables, {
			name,
			columns: columns.map((column) => ({ name: column, type: 'string' })),
		});
		await client.request('POST', `${tables}/${table.id}/insert`, { data: rows });
		return {
			rows: async () => {
				const path = `${tables}/${table.id}/rows?sortBy=id:asc`;
				const { data } = await client.request<{ data: Array<Record<string, unknown>> }>(
					'GET',
					path,
				);
				return data;
			},
		};
	}
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
