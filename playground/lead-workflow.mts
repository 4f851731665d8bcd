import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credential, N8nClient, Node, SavedWorkflow, Workflow } from './client.mts';
import { repository } from './folders.mts';

export const leadWorkflowFile = join(repository, 'workflows', 'new-liquor-license-to-crm.json');

/** The file's placeholder, and what an earlier run put in its place; any other address is the user's own. */
const ownCrm = /^(https:\/\/crm\.example\.com|http:\/\/127\.0\.0\.1:\d+)\/leads$/;

/** Imports the lead workflow on first use, and points it at this run's credential and CRM. */
export async function prepareLeadWorkflow(
	client: N8nClient,
	credential: Credential,
	crmAddress: string,
): Promise<SavedWorkflow> {
	const original = JSON.parse(await readFile(leadWorkflowFile, 'utf8')) as Workflow;
	const found = (await client.workflows()).find(({ name }) => name === original.name);
	const existing = found && (await client.workflow(found.id));
	const current = existing ?? original;

	// Only what belongs to this run is set, so that whatever the user changed in the editor stays.
	const nodes = current.nodes.map((node) => connect(node, credential, `${crmAddress}/leads`));
	if (!existing) return await client.createWorkflow({ ...original, nodes });
	if (JSON.stringify(nodes) === JSON.stringify(existing.nodes)) return existing;
	return await client.changeWorkflow(existing.id, { nodes, connections: existing.connections });
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
