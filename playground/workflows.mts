import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credential, N8nClient, Node, SavedWorkflow, Workflow } from './client.mts';
import { repository } from './folders.mts';

const fileOf = (name: string) => join(repository, 'workflows', name);

export const leadWorkflowFile = fileOf('new-liquor-license-to-crm.json');
export const tableWorkflowFile = fileOf('new-leads-into-an-n8n-table.json');

/** Of a new import: which licenses are leads, and what its notes say of them. */
export interface Beginning {
	startFrom: string;
	said: string;
	/** Those of the file, unless given. */
	eventTypes?: string[];
	filters?: object;
}

/** Imports a lead workflow on first use, points it at this run's credential and CRM, and publishes it. */
export async function runLeadWorkflow(
	client: N8nClient,
	{ id, name, type }: Credential,
	leadsAddress: string,
	beginning?: Beginning,
	file = leadWorkflowFile,
): Promise<SavedWorkflow> {
	const original = JSON.parse(await readFile(file, 'utf8')) as Workflow;
	const nodes = original.nodes.map((node) => asPlayed(node, beginning));
	const workflow = await keep(client, { ...original, nodes }, (node) => {
		const isOurs = node.type.startsWith('n8n-nodes-licensing-data.');
		const credentials = isOurs ? { [type]: { id, name } } : node.credentials;
		return withAddress(leadsAddress, { ...node, ...(credentials && { credentials }) });
	});
	if (!workflow.active) await client.activate(workflow.id);
	return workflow;
}

/** What a note asks for that is done here: its steps, and what follows them. */
const STEPS = /\*\*To set up\*\*[^]*$/;
const done = (said: string) =>
	`**Already set up.** It has a credential, is published, and began with ${said}. The window where you ran \`npm start\` says where its leads appear.`;

/** The playground looks each minute, and its workflows are set up; their notes say so. */
function asPlayed(node: Node, beginning: Beginning | undefined): Node {
	const { startFrom, eventTypes, filters, said = 'the filings of the last week' } = beginning ?? {};
	const parameters = { ...node.parameters };
	const { pollTimes, content, options } = parameters;
	if (pollTimes !== undefined) {
		parameters.pollTimes = { item: [{ mode: 'everyMinute' }] };
		if (startFrom !== undefined) parameters.options = { ...(options as object), startFrom };
		if (eventTypes !== undefined) parameters.eventTypes = eventTypes;
		if (filters !== undefined) parameters.filters = filters;
	}
	if (typeof content === 'string')
		parameters.content = content
			.replace('Looks once an hour', 'Looks once a minute')
			.replace(STEPS, done(said));
	return { ...node, parameters };
}

/** Makes a workflow on first use; then it is the user's own, and `adapt` sets only what belongs to this run. */
async function keep(
	client: N8nClient,
	made: Workflow,
	adapt: (node: Node) => Node,
): Promise<SavedWorkflow> {
	const found = (await client.workflows()).find(({ name }) => name === made.name);
	if (!found) return await client.createWorkflow({ ...made, nodes: made.nodes.map(adapt) });
	const before = await client.workflow(found.id);
	const nodes = before.nodes.map(adapt);
	if (JSON.stringify(nodes) === JSON.stringify(before.nodes)) return before;
	const { connections } = before;
	const changed = await client.changeWorkflow(found.id, { nodes, connections });
	if (before.active) await client.activate(found.id);
	return changed;
}

/** What an earlier run of the playground put into its workflows. */
const EARLIER = /http:\/\/127\.0\.0\.1:\d+\/leads/g;
/** The URL of a node: also the file's placeholder. Any other address is the user's own. */
const OWN = /^=?(https:\/\/crm\.example\.com|http:\/\/127\.0\.0\.1:\d+)\/leads(\?workflow=.*)?$/;

/** The URL of an HTTP Request node. It says which workflow sends, so that two of them look like two. */
const urlFor = (leadsAddress: string): string =>
	`=${leadsAddress}?workflow={{ encodeURIComponent($workflow.name) }}`;

/** The node with the address where this run takes leads. */
function withAddress(leadsAddress: string, node: Node): Node {
	const { url, content } = node.parameters;
	const parameters = {
		...node.parameters,
		...(typeof url === 'string' && OWN.test(url) && { url: urlFor(leadsAddress) }),
		...(typeof content === 'string' && { content: content.replace(EARLIER, leadsAddress) }),
	};
	return { ...node, parameters };
}

const note = (leadsAddress: string) => `## Build your own

1. Press **+** at the top right, search for **Licensing Data**, and choose **On new license filed**. It has a credential already.
2. Keep **Every Minute**: in this playground, it is soon enough. Set **Output** to **CRM Lead**, and press **Fetch Test Event**. It shows up to five licenses that are listed already; **Execute workflow** sends them, too.
3. Draw a line from the trigger to **Send Lead**, and publish. New leads go to ${leadsAddress} and appear on the page of leads.

To look around instead, add one of the actions and press **Execute step**.

The service runs on your own machine.`;

/** A workflow with a note and the node that sends leads. */
export async function openEmptyWorkflow(
	client: N8nClient,
	leadsAddress: string,
): Promise<SavedWorkflow> {
	const noteNode: Node = {
		...{ id: 'note', name: 'Note', type: 'n8n-nodes-base.stickyNote', typeVersion: 1 },
		position: [-480, -160],
		parameters: { content: note(leadsAddress), width: 400, height: 400 },
	};
	const sender: Node = {
		...{ id: 'send-lead', name: 'Send Lead', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.5 },
		position: [320, -32],
		parameters: {
			...{ method: 'POST', url: urlFor(leadsAddress) },
			...{ sendBody: true, specifyBody: 'json', jsonBody: '={{ JSON.stringify($json) }}' },
			options: {},
		},
	};
	return await keep(
		client,
		{ name: 'Build Your Own', nodes: [noteNode, sender], connections: {} },
		(node) => withAddress(leadsAddress, node),
	);
}
