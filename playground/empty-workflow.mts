import type { N8nClient, SavedWorkflow, Workflow } from './client.mts';
import { urlFor, withAddress } from './crm/address.mts';

const note = (leadsAddress: string) => `## Build your own

1. Press **+** at the top right, look for **Licensing Data**, and choose **On new license filed**. Its credential is there already.
2. Set **Output** to **CRM Lead**, and press **Fetch Test Event**.
3. Draw a line from the trigger to **Send Lead**, and publish. New leads go to ${leadsAddress} and show on the page of leads.

To look around instead, add one of the actions and press **Execute step**.

The service is a sandbox on your own machine, and its licenses are made up.`;

const emptyWorkflow = (leadsAddress: string): Workflow => ({
	name: 'Build Your Own',
	nodes: [
		{
			id: 'note',
			name: 'Note',
			type: 'n8n-nodes-base.stickyNote',
			typeVersion: 1,
			position: [-480, -160],
			parameters: { content: note(leadsAddress), width: 400, height: 360 },
		},
		{
			id: 'send-lead',
			name: 'Send Lead',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.5,
			position: [320, -32],
			parameters: {
				method: 'POST',
				url: urlFor(leadsAddress),
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify($json) }}',
				options: {},
			},
		},
	],
	connections: {},
});

/** A workflow with a note and the node that sends leads: made on first use, and then the user's own. */
export async function openEmptyWorkflow(
	client: N8nClient,
	leadsAddress: string,
): Promise<SavedWorkflow> {
	const made = emptyWorkflow(leadsAddress);
	const found = (await client.workflows()).find(({ name }) => name === made.name);
	if (!found) return await client.createWorkflow(made);
	// Only the address of the leads may be another in each run.
	const { nodes: before, connections } = await client.workflow(found.id);
	const nodes = before.map((node) => withAddress(leadsAddress, node));
	if (JSON.stringify(nodes) === JSON.stringify(before)) return found;
	const changed = await client.changeWorkflow(found.id, { nodes, connections });
	if (found.active) await client.activate(found.id);
	return changed;
}
