import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credential, N8nClient, Node, SavedWorkflow, Workflow } from './client.mts';
import { withAddress } from './crm/address.mts';
import { repository } from './folders.mts';

const fileOf = (name: string) => join(repository, 'workflows', name);

export const leadWorkflowFile = fileOf('new-liquor-license-to-crm.json');
export const tableWorkflowFile = fileOf('new-leads-into-an-n8n-table.json');

/** Imports a lead workflow on first use, points it at this run's credential and CRM, and publishes it. */
export async function runLeadWorkflow(
	client: N8nClient,
	credential: Credential,
	leadsAddress: string,
	/** Of a new import: since when licenses are leads. */
	startFrom?: string,
	file = leadWorkflowFile,
): Promise<SavedWorkflow> {
	const original = JSON.parse(await readFile(file, 'utf8')) as Workflow;
	const found = (await client.workflows()).find(({ name }) => name === original.name);
	const existing = found && (await client.workflow(found.id));

	// Only what belongs to this run is set, so that the user's own changes in the editor stay.
	const { nodes: before, connections } = existing ?? {
		...original,
		nodes: original.nodes.map(withEachMinute).map((node) => startingFrom(node, startFrom)),
	};
	const nodes = before.map((node) => withAddress(leadsAddress, connect(node, credential)));
	const isAsBefore = JSON.stringify(nodes) === JSON.stringify(before);
	if (existing?.active && isAsBefore) return existing;

	const workflow = existing
		? await client.changeWorkflow(existing.id, { nodes, connections })
		: await client.createWorkflow({ ...original, nodes });
	await client.activate(workflow.id);
	return workflow;
}

const connect = (node: Node, { id, name, type }: Credential): Node =>
	node.type.startsWith('n8n-nodes-licensing-data.')
		? { ...node, credentials: { [type]: { id, name } } }
		: node;

function startingFrom(node: Node, startFrom: string | undefined): Node {
	if (node.parameters.pollTimes === undefined || startFrom === undefined) return node;
	const options = { ...(node.parameters.options as object | undefined), startFrom };
	return { ...node, parameters: { ...node.parameters, options } };
}

/** The playground's register has a new list each minute, and the note beside the trigger says how often it looks. */
function withEachMinute(node: Node): Node {
	const { pollTimes, content } = node.parameters;
	const parameters = { ...node.parameters };
	if (pollTimes !== undefined) parameters.pollTimes = { item: [{ mode: 'everyMinute' }] };
	if (typeof content === 'string')
		parameters.content = content.replace('Looks once an hour', 'Looks once a minute');
	return { ...node, parameters };
}
