import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credential, N8nClient, Node, SavedWorkflow, Workflow } from './client.mts';
import { repository } from './folders.mts';

export const leadWorkflowFile = join(repository, 'workflows', 'new-liquor-license-to-crm.json');

/** The file's placeholder, and what an earlier run put in its place; any other address is the user's own. */
const ownCrm = /^(https:\/\/crm\.example\.com|http:\/\/127\.0\.0\.1:\d+)\/leads$/;

/** Imports the lead workflow on first use, points it at this run's credential and CRM, and publishes it. */
export async function runLeadWorkflow(
	client: N8nClient,
	credential: Credential,
	crmAddress: string,
): Promise<SavedWorkflow> {
	const original = JSON.parse(await readFile(leadWorkflowFile, 'utf8')) as Workflow;
	const found = (await client.workflows()).find(({ name }) => name === original.name);
	const existing = found && (await client.workflow(found.id));

	// Only what belongs to this run is set, so that the user's own changes in the editor stay.
	const { nodes: before, connections } = existing ?? original;
	const nodes = before.map((node) => connect(node, credential, `${crmAddress}/leads`));
	const isAsBefore = JSON.stringify(nodes) === JSON.stringify(before);
	if (existing?.active && isAsBefore) return existing;

	const workflow = existing
		? await client.changeWorkflow(existing.id, { nodes, connections })
		: await client.createWorkflow({ ...original, nodes });
	await client.activate(workflow.id);
	return workflow;
}

function connect(node: Node, { id, name, type }: Credential, leadsAddress: string): Node {
	if (node.type.startsWith('n8n-nodes-licensing-data.')) {
		return { ...node, credentials: { [type]: { id, name } } };
	}
	const { url } = node.parameters;
	if (typeof url === 'string' && ownCrm.test(url)) {
		return { ...node, parameters: { ...node.parameters, url: leadsAddress } };
	}
	return node;
}
