import { expect, it } from 'vitest';

import type { Credential, N8nClient, Workflow } from '../../../playground/client.mts';
import {
	leadWorkflowFile,
	runLeadWorkflow,
	tableWorkflowFile,
} from '../../../playground/workflows.mts';

it.each([leadWorkflowFile, tableWorkflowFile])(
	'lets a trigger of the playground look each minute, and says so in its note: %s',
	async (file) => {
		const created: Workflow[] = [];
		const client = {
			workflows: () => Promise.resolve([]),
			createWorkflow(workflow: Workflow) {
				created.push(workflow);
				return Promise.resolve({ ...workflow, id: '1' });
			},
			activate: () => Promise.resolve(),
		} as unknown as N8nClient;
		const credential = { id: '1', name: 'Sandbox', type: 'licensingDataApi' } as Credential;
		await runLeadWorkflow(client, credential, 'http://127.0.0.1:1/leads', undefined, file);

		const parameters = created[0]?.nodes.map((node) => node.parameters) ?? [];
		const pollTimes = parameters.flatMap((one) => one.pollTimes ?? []);
		expect(pollTimes).toEqual([{ item: [{ mode: 'everyMinute' }] }]);
		const notes = parameters.map(({ content }) => String(content)).join();
		expect(notes).toContain('Looks once a minute');
		expect(notes).not.toContain('an hour');
	},
);
