import { randomUUID } from 'node:crypto';
import type { Credential, N8nClient, Node } from '../../playground/client.mts';
import { to, using } from './forwarding.mts';

type Items = Array<Record<string, unknown>>;

export type Step = Pick<Node, 'type' | 'typeVersion' | 'parameters'> & Partial<Node>;

export function licenseNode(
	credential: Credential,
	parameters: Record<string, unknown>,
	more: Partial<Node> = {},
): Step {
	return {
		type: 'n8n-nodes-licensing-data.licensingData',
		typeVersion: 1,
		parameters: { resource: 'license', ...parameters },
		credentials: using(credential),
		...more,
	};
}

/** Starts a workflow, and returns everything that its last node returns. */
export const answeringWebhook = (path: string, typeVersion = 2.1): Node => ({
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion,
	position: [0, 0],
	webhookId: path,
	parameters: {
		httpMethod: 'POST',
		path,
		responseMode: 'lastNode',
		responseData: 'allEntries',
		options: {},
	},
});

/**
 * Publishes a workflow that passes the items it is sent to the node and answers with what comes out, so that
 * n8n runs the node as it does in production.
 */
export async function runNode(client: N8nClient, step: Step, items: Items = [{}]): Promise<Items> {
	const path = randomUUID();
	const nodes: Node[] = [
		answeringWebhook(path),
		{
			name: 'Items',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			position: [200, 0],
			parameters: { fieldToSplitOut: 'body', options: {} },
		},
		{ name: 'Step', position: [400, 0], ...step },
	];
	const workflow = await client.createWorkflow({
		name: `Run ${path}`,
		nodes,
		connections: { Webhook: to('Items'), Items: to('Step') },
		settings: { executionOrder: 'v1' },
	});
	await client.activate(workflow.id);
	try {
		const response = await fetch(`${client.address}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(items),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`The workflow ended with ${response.status}: ${text}`);
		return JSON.parse(text) as Items;
	} finally {
		await client.deactivate(workflow.id);
	}
}
