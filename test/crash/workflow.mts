import { randomUUID } from 'node:crypto';
import type { Credential, Node, Workflow } from '../../playground/client.mts';
import { keyExpression } from './feed.mts';

export const triggerName = 'New Event';

interface Options {
	name: string;
	credential: Credential;
	/** Where the leads go; nowhere, unless given. */
	sink?: string;
	/** The seconds of each minute at which it polls. */
	seconds: number[];
	/** Every event, unless given. */
	events?: string[];
}

const leadName = 'Create Lead in CRM';

/** A trigger that emits every event, and a CRM behind it. */
export function watchingWorkflow({
	name,
	credential,
	sink,
	seconds,
	events = [],
}: Options): Workflow {
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
					eventTypes: events,
					output: 'raw',
				},
				credentials: { [type]: { id, name: credentialName } },
			},
			leadNode(name, sink),
		],
		connections: {
			[triggerName]: { main: [[{ node: leadName, type: 'main', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	};
}

function leadNode(trigger: string, sink: string | undefined): Node {
	const place = { id: randomUUID(), name: leadName, position: [280, 0] as [number, number] };
	if (sink === undefined) {
		return { ...place, type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} };
	}
	return {
		...place,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: sink,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ JSON.stringify({ trigger: "${trigger}", event: ${keyExpression} }) }}`,
			options: {},
		},
	};
}
