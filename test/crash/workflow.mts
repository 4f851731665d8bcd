import { randomUUID } from 'node:crypto';
import type { Credential, Workflow } from '../../playground/client.mts';

export const triggerName = 'New Event';

interface Options {
	name: string;
	credential: Credential;
	sink: string;
	/** The seconds of each minute at which it polls. */
	seconds: number[];
}

/** A trigger that emits every event, and a CRM behind it. */
export function watchingWorkflow({ name, credential, sink, seconds }: Options): Workflow {
	const { id, name: credentialName, type } = credential;
	return {
		name,
		nodes: [
			{
				id: randomUUID(),
				name: triggerName,
				type: 'n8n-nodes-licensing-data.licensingDataTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {
					// One schedule polls once a minute at most; several of them poll more often.
					pollTimes: {
						item: seconds.map((second) => ({
							mode: 'custom',
							cronExpression: `${second} * * * * *`,
						})),
					},
					eventTypes: [],
					output: 'raw',
				},
				credentials: { [type]: { id, name: credentialName } },
			},
			{
				id: randomUUID(),
				name: 'Create Lead in CRM',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				position: [280, 0],
				parameters: {
					method: 'POST',
					url: sink,
					sendBody: true,
					specifyBody: 'json',
					jsonBody: `={{ JSON.stringify({ lead: "${name} " + $json.id + " " + $json.eventType + " " + $json.eventTimestamp }) }}`,
					options: {},
				},
			},
		],
		connections: {
			[triggerName]: { main: [[{ node: 'Create Lead in CRM', type: 'main', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	};
}
