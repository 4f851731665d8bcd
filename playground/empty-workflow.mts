import type { N8nClient, SavedWorkflow, Workflow } from './client.mts';

const note = `## Build your own

1. Press **+** at the top right and look for **Licensing Data**. Its credential is there already.
2. To look around, add one of its actions and press **Execute step**.
3. For new licenses as they come, begin with one of its triggers, press **Fetch Test Event**, and publish when you like what you see.

The service is a sandbox on your own machine, and its licenses are made up.`;

const emptyWorkflow: Workflow = {
	name: 'Build Your Own',
	nodes: [
		{
			id: 'note',
			name: 'Note',
			type: 'n8n-nodes-base.stickyNote',
			typeVersion: 1,
			position: [-480, -160],
			parameters: { content: note, width: 400, height: 280 },
		},
	],
	connections: {},
};

/** A workflow with nothing but a note, made on first use and left alone afterwards. */
export async function openEmptyWorkflow(client: N8nClient): Promise<SavedWorkflow> {
	const found = (await client.workflows()).find(({ name }) => name === emptyWorkflow.name);
	return found ?? (await client.createWorkflow(emptyWorkflow));
}
