import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INodeType,
	INodeExecutionData,
} from 'n8n-workflow';
import { Workflow, createEmptyRunExecutionData } from 'n8n-workflow';

import { additionalDataFor, nodeOf, nodeTypesWith } from './host.mts';

const { ExecuteContext, RoutingNode } = await import('n8n-core');

export interface Verdict {
	status: 'OK' | 'Error';
	message: string;
}

/**
 * What the credential's Test says in n8n. The request and what comes of it are n8n-core's; the verdict
 * is reached as in `runRequestTest` of n8n's credentials-tester.service, which is no part of n8n-core.
 */
export async function testCredential(
	credentialType: ICredentialType,
	credentials: ICredentialDataDecryptedObject,
): Promise<Verdict> {
	const { request, rules = [] } = credentialType.test ?? {};
	if (!request) throw new Error('This credential has no test');
	const nodeType: INodeType = {
		description: {
			displayName: 'Temp',
			name: 'temp',
			group: ['input'],
			version: 1,
			description: '',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			credentials: [{ name: credentialType.name, required: true }],
			properties: [
				{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } },
			],
		},
	};
	const node = nodeOf(nodeType, {});
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypesWith(nodeType),
	});
	const input = { main: [[{ json: {} }]] };
	const context = new ExecuteContext(
		workflow,
		node,
		additionalDataFor({ nodeType, credentialType, credentials }),
		'internal',
		createEmptyRunExecutionData(),
		0,
		[],
		input,
		{ node, data: {}, source: null },
		[],
	);
	const routing = new RoutingNode(context, nodeType, {
		id: '1',
		name: 'Licensing Data',
		type: credentialType.name,
		data: credentials,
	});
	let answer: INodeExecutionData | undefined;
	try {
		answer = (await routing.runNode())?.[0]?.[0];
	} catch (error) {
		return { status: 'Error', message: messageFor(error as RequestFault, rules) };
	}
	for (const { type, properties } of rules) {
		if (type !== 'responseSuccessBody') continue;
		const found = (answer?.json as Record<string, unknown>)[properties.key];
		if (found === properties.value) return { status: 'Error', message: properties.message };
	}
	return { status: 'OK', message: 'Connection successful!' };
}

interface RequestFault {
	message: string;
	cause?: { code?: string; response?: { status: number; statusText?: string } };
}

function messageFor(
	{ message, cause }: RequestFault,
	rules: NonNullable<NonNullable<ICredentialType['test']>['rules']>,
): string {
	if (!cause?.response) return cause?.code ?? message;
	const { status, statusText } = cause.response;
	for (const { type, properties } of rules) {
		if (type === 'responseCode' && properties.value === status) return properties.message;
	}
	return statusText || `Received HTTP status code: ${status}`;
}
