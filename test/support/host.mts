import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core writes its settings on first use; a developer's own n8n must not be touched.
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'licensing-data-'));
process.env.N8N_LOG_LEVEL ??= 'silent';
const { CredentialTestContext, ExecutionLifecycleHooks, LoadOptionsContext, WorkflowExecute } =
	await import('n8n-core');
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeType,
	INodeTypes,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { Workflow, createRunExecutionData } from 'n8n-workflow';

/**
 * The parts of n8n around n8n-core: which node types there are, and what a stored credential holds.
 * Everything else (parameters, expressions, HTTP, errors, items) is n8n-core's own.
 */
export interface HostOptions {
	nodeType: INodeType;
	credentialType: ICredentialType;
	credentials: ICredentialDataDecryptedObject;
}

/** As n8n saves it and reads it back. */
export const copy = <T,>(value: T): T => JSON.parse(JSON.stringify(value ?? {})) as T;

function nodeTypesWith(nodeType: INodeType): INodeTypes {
	const { description } = nodeType;
	const source = { description: { ...description, name: 'source', inputs: [], properties: [] } };
	const known = (name: string) => (name === 'source' ? source : nodeType);
	return { getByName: known, getByNameAndVersion: known, getKnownTypes: () => ({}) };
}

export function additionalDataFor({ credentialType, credentials }: HostOptions) {
	return {
		webhookBaseUrl: 'http://localhost/webhook',
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		hooks: new ExecutionLifecycleHooks('manual', '1', {} as never),
		credentialsHelper: {
			getParentTypes: () => [],
			isCredentialUsableByNode: () => true,
			getDecrypted: async () => ({ ...credentials }),
			preAuthentication: async () => undefined,
			authenticate: async (
				given: ICredentialDataDecryptedObject,
				type: string,
				request: IHttpRequestOptions,
			) => {
				const { authenticate, name } = credentialType;
				if (type !== name || typeof authenticate !== 'function')
					throw new Error(`n8n would do something else with a ${type}`);
				return await authenticate(given, request);
			},
		},
		executionId: '1',
	} as unknown as IWorkflowExecuteAdditionalData;
}

export function nodeOf(
	nodeType: INodeType,
	parameters: IDataObject,
	more: Partial<INode> = {},
): INode {
	return {
		id: 'node-1',
		name: nodeType.description.displayName,
		type: nodeType.description.name,
		// The one that a node has when it is added in the editor.
		typeVersion: Math.max(...[nodeType.description.version].flat()),
		position: [0, 0],
		parameters: parameters as INode['parameters'],
		credentials: Object.fromEntries(
			(nodeType.description.credentials ?? []).map(({ name }) => [name, { id: '1', name: 'Mine' }]),
		),
		...more,
	};
}

/** A workflow of one node. */
export const workflowOf = (
	nodeType: INodeType,
	node: INode,
	more: Partial<ConstructorParameters<typeof Workflow>[0]> = {},
): Workflow =>
	new Workflow({
		nodes: [node],
		connections: {},
		active: true,
		nodeTypes: nodeTypesWith(nodeType),
		...more,
	});

/** What an expression gives in the editor, at a node with these parameters. */
export function evaluated(nodeType: INodeType, parameters: IDataObject, text?: string, more = {}) {
	const node = nodeOf(nodeType, parameters);
	const { expression } = workflowOf(nodeType, node);
	return expression.getSimpleParameterValue(node, text, 'internal', more);
}

/** What n8n gives a node whose list is opened in the editor. */
export function loadOptionsOf(options: HostOptions, parameters: IDataObject = {}) {
	const { nodeType } = options;
	const node = nodeOf(nodeType, parameters);
	const workflow = workflowOf(nodeType, node);
	return new LoadOptionsContext(workflow, node, additionalDataFor(options), '');
}

/** Runs the credential's Test, for which n8n looks in the nodes that use the credential. */
export async function testOf(options: HostOptions) {
	const { nodeType, credentialType, credentials: data } = options;
	const use = nodeType.description.credentials?.find(({ name }) => name === credentialType.name);
	const test = nodeType.methods?.credentialTest?.[use?.testedBy as string];
	if (!test || 'test' in credentialType) throw new Error('n8n would test in another way');
	const context = new CredentialTestContext(additionalDataFor(options));
	const credential = { id: '1', name: 'Licensing Data', type: credentialType.name, data };
	return await test.call(context as never, credential as never);
}

export interface RunOptions extends HostOptions {
	parameters: IDataObject;
	items?: IDataObject[];
	continueOnFail?: boolean;
	/** Called with the run's controller, to stop it from outside. */
	cancel?: (stop: () => void) => void;
}

/** Runs the node as n8n runs it: a workflow of two nodes, executed by n8n-core's WorkflowExecute. */
export async function runNode(options: RunOptions) {
	const { nodeType, parameters, items = [{}] } = options;
	const node = nodeOf(nodeType, parameters, {
		...(options.continueOnFail && { onError: 'continueRegularOutput' as const }),
	});
	const source = { id: 'source', name: 'Source', type: 'source', typeVersion: 1, parameters: {} };
	const workflow = workflowOf(nodeType, node, {
		...{ id: 'workflow-1', name: 'Leads', active: false },
		nodes: [{ ...source, position: [0, 0] }, node],
		connections: { Source: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
	});
	const first = {
		node: workflow.getNode(node.name) as INode,
		data: { main: [items.map((json) => ({ json }))] },
		source: { main: [{ previousNode: 'Source' }] },
	};
	const console: unknown[] = [];
	const sendDataToUI = (_: string, { messages }: IDataObject) => console.push(messages);
	const execution = new WorkflowExecute(
		Object.assign(additionalDataFor(options), { sendDataToUI }),
		'manual',
		createRunExecutionData({ executionData: { nodeExecutionStack: [first] } }),
	).processRunExecutionData(workflow);
	options.cancel?.(() => execution.cancel());
	const run = await execution;
	const task = run.data.resultData.runData[node.name]?.[0];
	return {
		items: task?.data?.main?.[0] ?? [],
		error: (task?.error ?? run.data.resultData.error) as
			| (Error & { description?: string; httpCode?: string | null })
			| undefined,
		/** What is shown above the output. */
		hints: (task?.hints ?? []).map(({ message }) => message),
		/** What the browser's console was shown while the node ran. */
		console: console.flat(),
		/** Everything that n8n would store of the execution. */
		stored: JSON.stringify(run.data),
	};
}
