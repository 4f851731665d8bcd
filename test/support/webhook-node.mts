import { createHmac } from 'node:crypto';

import { HookContext, WebhookContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHookFunctions,
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

export const signatureOf = (body: Buffer | string, secret = SECRET): string =>
	createHmac('sha256', secret).update(body).digest('hex');

let workflows = 0;

/**
 * The parts of n8n around a webhook trigger: activation, deliveries, and static data, which is a new copy for
 * each of them, and is saved in the same order of steps as in n8n 2.41.
 */
export class WebhookHost {
	parameters: IDataObject = {};
	staticData: IDataObject = {};
	/** The license of each execution that was started. */
	readonly licenses: IDataObject[] = [];
	readonly logs: string[] = [];
	/** What starting an execution takes; it throws if n8n cannot start one. */
	start = async (): Promise<void> => {};
	mode: WorkflowExecuteMode = 'webhook';

	private readonly id = `workflow-${++workflows}`;
	private readonly nodeType = new LicensingDataWebhookTrigger();

	constructor(public credentials: ICredentialDataDecryptedObject = { ...CREDENTIALS }) {}

	/** One that takes every event, and was registered by hand. */
	static manual(): WebhookHost {
		const host = new WebhookHost({ ...CREDENTIALS, webhookSecret: SECRET });
		host.parameters = { eventTypes: [], output: 'raw' };
		return host;
	}

	/** As n8n activates a workflow, from checkExists to saved static data. */
	async activate(mode: WorkflowActivateMode = 'activate'): Promise<'created' | 'existed'> {
		const { checkExists, create } = this.nodeType.webhookMethods.default;
		return await this.hook(mode, async (context) => {
			if (await checkExists.call(context)) return 'existed';
			await create.call(context);
			return 'created';
		});
	}

	async deactivate(): Promise<boolean> {
		const { delete: remove } = this.nodeType.webhookMethods.default;
		return await this.hook('update', async (context) => await remove.call(context));
	}

	/** Sends a signed delivery; a test puts what it is about into the headers. */
	async deliver(delivery: unknown, headers: Record<string, unknown> = {}, secret = SECRET) {
		const isText = Buffer.isBuffer(delivery) || typeof delivery === 'string';
		const rawBody = Buffer.from(isText ? delivery : JSON.stringify(delivery));
		const sent = { 'x-service-signature': signatureOf(rawBody, secret), ...headers };
		const small = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]);
		const httpRequest = {
			headers: Object.fromEntries(small) as Record<string, unknown>,
			readRawBody: async () => void Object.assign(httpRequest, { rawBody }),
		};
		const answers: Array<{ status: number; body: string }> = [];
		const httpResponse = {
			status: (status: number) => ({ end: (body = '') => answers.push({ status, body }) }),
		};
		const { workflow, node, data, more, saved } = this.load();
		Object.assign(more, { httpRequest, httpResponse });
		const context = new WebhookContext(workflow, node, more, this.mode, data, [], null);
		this.recordLogs(context);
		try {
			const result = await this.nodeType.webhook.call(context as unknown as IWebhookFunctions);
			if (!result.noWebhookResponse && result.workflowData) {
				// To start an execution, n8n creates another workflow from the same static data.
				this.workflowOf(saved);
				await this.start();
				const [[item, ...others] = []] = result.workflowData;
				if (!item || others.length > 0) throw new Error('An execution did not hold one item');
				this.licenses.push(item.json);
				// n8n asks the node for an answer, as its description gives none.
				if (result.webhookResponse !== undefined) throw new Error("The answer is not n8n's own");
			}
			this.save(workflow);
			if (!result.noWebhookResponse) httpResponse.status(200).end('Workflow was started');
		} catch (error) {
			httpResponse.status(500).end(String(error));
		}
		const [answer = { status: 0, body: 'None ever comes' }, ...others] = answers;
		return others.length > 0 ? { status: 0, body: 'There were several' } : answer;
	}

	private async hook<T>(mode: WorkflowActivateMode, run: (context: IHookFunctions) => Promise<T>) {
		const { workflow, node, data, more } = this.load();
		const context = new HookContext(workflow, node, more, 'trigger', mode, data);
		this.recordLogs(context);
		return await run(context).finally(() => this.save(workflow));
	}

	private load() {
		const { nodeType, credentials } = this;
		const saved = Object.keys(this.staticData).length > 0 ? copy(this.staticData) : undefined;
		const workflow = this.workflowOf(saved);
		const node = workflow.getNode(nodeType.description.displayName)!;
		const [webhookDescription] = nodeType.description.webhooks ?? [];
		const data = { webhookDescription, isTest: this.mode === 'manual' } as IWebhookData;
		const credentialType = new LicensingDataWebhookApi();
		const more = additionalDataFor({ nodeType, credentialType, credentials });
		return { workflow, node, data, more, saved };
	}

	private workflowOf(staticData: IDataObject | undefined): Workflow {
		const node = nodeOf(this.nodeType, this.parameters);
		return workflowOf(this.nodeType, node, { id: this.id, name: 'Leads', staticData });
	}

	private save({ staticData }: Workflow): void {
		if (staticData.__dataChanged === true) this.staticData = copy(staticData);
	}

	private recordLogs(context: object): void {
		const record = (level: string) => (message: string) =>
			void this.logs.push(`${level} ${message}`);
		const value = { debug: record('debug'), info: record('info'), warn: record('warn') };
		Object.defineProperty(context, 'logger', { value });
	}
}
