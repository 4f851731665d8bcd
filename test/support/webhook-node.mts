import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';

import { HookContext, WebhookContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHookFunctions,
	INode,
	IWebhookData,
	IWebhookFunctions,
	Workflow,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { LicensingDataWebhookApi } from '../../credentials/LicensingDataWebhookApi.credentials.ts';
import { LicensingDataWebhookTrigger } from '../../nodes/LicensingData/LicensingDataWebhookTrigger.node.ts';
import { CREDENTIALS } from './answers.mts';
import { additionalDataFor, copy, nodeOf, workflowOf } from './host.mts';

export const SECRET = 'whsec_example_secret';

/** One that takes every event, and was registered by hand. */
export async function manualHost(): Promise<WebhookHost> {
	const host = new WebhookHost({ credentials: { webhookSecret: SECRET } });
	host.parameters = { eventTypes: [], output: 'raw' };
	await host.listen();
	return host;
}

let workflows = 0;

/**
 * The parts of n8n around a webhook trigger: activation, its endpoint, and static data, which is a new copy
 * for every activation and every delivery, and is saved in the same order of steps as in n8n 2.41.
 */
export class WebhookHost {
	parameters: IDataObject = {};
	credentials: ICredentialDataDecryptedObject;
	staticData: IDataObject = {};
	/** The items of each execution that was started. */
	readonly executions: IDataObject[][] = [];
	readonly logs: string[] = [];
	/** What starting an execution takes; it throws if n8n cannot start one. */
	start = async (): Promise<void> => {};
	mode: WorkflowExecuteMode = 'webhook';

	private readonly id = `workflow-${++workflows}`;
	private readonly nodeType = new LicensingDataWebhookTrigger();
	private readonly server = createServer((req, res) => void this.handle(req, res));

	constructor(given: { credentials?: ICredentialDataDecryptedObject } = {}) {
		this.credentials = { ...CREDENTIALS, ...given.credentials };
	}

	/** As n8n activates a workflow, from checkExists to saved static data. */
	async activate(mode: WorkflowActivateMode = 'activate'): Promise<'created' | 'existed'> {
		const { checkExists, create } = this.nodeType.webhookMethods.default;
		return await this.withContext(mode, async (context) => {
			if (await checkExists.call(context)) return 'existed';
			await create.call(context);
			return 'created';
		});
	}

	async deactivate(): Promise<boolean> {
		const { delete: remove } = this.nodeType.webhookMethods.default;
		return await this.withContext('update', async (context) => await remove.call(context));
	}

	/** As the node registers it. */
	get url(): string {
		const { port } = this.server.address() as AddressInfo;
		const name = encodeURIComponent(this.nodeType.description.displayName.toLowerCase());
		return `http://127.0.0.1:${port}/webhook/${this.id}/${name}/webhook`;
	}

	async listen(): Promise<void> {
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}

	/** Sends a signed delivery; a test puts what it is about into the headers. */
	async deliver(
		delivery: unknown,
		headers: Record<string, string | string[] | undefined> = {},
		secret = SECRET,
	): Promise<{ status: number; body: string }> {
		const isText = Buffer.isBuffer(delivery) || typeof delivery === 'string';
		const body = Buffer.from(isText ? delivery : JSON.stringify(delivery));
		const usual = {
			'content-type': 'application/json',
			'x-service-signature': signatureOf(body, secret),
		};
		const all = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== undefined);
		const options = { method: 'POST', headers: Object.fromEntries(all) };
		const outgoing = request(this.url, { ...options, agent: false }).end(body);
		const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
		return { status: response.statusCode ?? 0, body: await text(response) };
	}

	/** The licenses that came out, one per execution. */
	get licenses(): IDataObject[] {
		return this.executions.map(([first, ...more]) => {
			if (!first || more.length > 0) throw new Error('An execution did not hold one item');
			return first;
		});
	}

	private async withContext<T>(
		mode: WorkflowActivateMode,
		run: (context: IHookFunctions) => Promise<T>,
	): Promise<T> {
		const { workflow, node, data } = this.load();
		const context = new HookContext(workflow, node, this.additionalData(), 'trigger', mode, data);
		this.recordLogs(context);
		return await run(context).finally(() => this.save(workflow));
	}

	private async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
		const { workflow, node, data, saved } = this.load();
		const incoming = Object.assign(req, {
			rawBody: undefined as Buffer | undefined,
			async readRawBody() {
				this.rawBody = await buffer(req);
			},
		});
		const outgoing = Object.assign(res, {
			status(code: number) {
				res.statusCode = code;
				return outgoing;
			},
		});
		const http = { httpRequest: incoming, httpResponse: outgoing };
		try {
			const more = Object.assign(this.additionalData(), http) as never;
			const context = new WebhookContext(workflow, node, more, this.mode, data, [], null);
			this.recordLogs(context);
			const result = await this.nodeType.webhook.call(context as unknown as IWebhookFunctions);
			if (!result.noWebhookResponse && result.workflowData) {
				// To start an execution, n8n creates another workflow from the same static data.
				this.workflowOf(node, saved);
				await this.start();
				this.executions.push(result.workflowData[0]?.map(({ json }) => json) ?? []);
				// The node is asked for an answer unless its description gives it, or leaves it to n8n's default.
				const [{ responseData = 'firstEntryJson' } = {}] = this.nodeType.description.webhooks ?? [];
				const answer = responseData ? undefined : result.webhookResponse;
				if (answer !== undefined) throw new Error("The answer is not n8n's own");
			}
			this.save(workflow);
			if (result.noWebhookResponse) return;
			if (res.writableEnded) throw new Error('The node has answered, and n8n would once more');
			outgoing.status(200).end('{"message":"Workflow was started"}');
		} catch (error) {
			this.logs.push(`error ${(error as Error).message}`);
			outgoing.status(500).end('{}');
		}
	}

	private load() {
		const node: INode = nodeOf(this.nodeType, this.parameters);
		const saved = Object.keys(this.staticData).length > 0 ? copy(this.staticData) : undefined;
		const workflow = this.workflowOf(node, saved);
		const [webhookDescription] = this.nodeType.description.webhooks ?? [];
		const data = { webhookDescription, isTest: this.mode === 'manual' } as IWebhookData;
		return { workflow, node: workflow.getNode(node.name) as INode, data, saved };
	}

	private workflowOf(node: INode, staticData: IDataObject | undefined): Workflow {
		return workflowOf(this.nodeType, node, { id: this.id, name: 'Leads', staticData });
	}

	private save({ staticData }: Workflow): void {
		if (staticData.__dataChanged === true) this.staticData = copy(staticData);
	}

	private additionalData() {
		const address = this.server.address() as AddressInfo | null;
		const base = address ? `http://127.0.0.1:${address.port}` : 'https://n8n.example.com';
		const { nodeType, credentials } = this;
		const credentialType = new LicensingDataWebhookApi();
		const addresses = { webhookBaseUrl: `${base}/webhook`, webhookTestBaseUrl: `${base}/test` };
		return Object.assign(additionalDataFor({ nodeType, credentialType, credentials }), addresses);
	}

	private recordLogs(context: object): void {
		const record = (level: string) => (message: string) =>
			void this.logs.push(`${level} ${message}`);
		const value = { debug: record('debug'), info: record('info'), warn: record('warn') };
		Object.defineProperty(context, 'logger', { value });
	}
}

export const signatureOf = (body: Buffer | string, secret = SECRET): string =>
	createHmac('sha256', secret).update(body).digest('hex');
