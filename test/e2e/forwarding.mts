import type { Credential, Node, Workflow } from '../../playground/client.mts';

/** A workflow that posts whatever its trigger emits to an address. */
export function forwarding(
	name: string,
	{ id, name: credentialName, type }: Credential,
	trigger: Pick<Node, 'type' | 'parameters'> & Partial<Node>,
	url: string,
): Workflow {
	return {
		name,
		nodes: [
			{
				name: 'Trigger',
				typeVersion: 1,
				position: [0, 0],
				credentials: { [type]: { id, name: credentialName } },
				...trigger,
			},
			{
				name: 'Recorder',
				type: 'n8n-nodes-base.httpRequest',
				// The latest that the oldest n8n has.
				typeVersion: 4.2,
				position: [200, 0],
				parameters: {
					method: 'POST',
					url,
					sendBody: true,
					specifyBody: 'json',
					jsonBody: '={{ JSON.stringify($json) }}',
					options: {},
				},
			},
		],
		connections: { Trigger: { main: [[{ node: 'Recorder', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
}
