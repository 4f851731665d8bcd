import type { Credential, Node, Workflow } from '../../playground/client.mts';

/** How a node names the credential that it uses. */
export const using = ({ id, name, type }: Credential) => ({ [type]: { id, name } });

/** What leads from one node to this one. */
export const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });

/** The name of the trigger below. */
export const TRIGGER = 'Trigger';

/** A workflow that posts whatever its trigger emits to an address. */
export function forwarding(
	name: string,
	credential: Credential,
	trigger: Pick<Node, 'type' | 'parameters'> & Partial<Node>,
	url: string,
): Workflow {
	return {
		name,
		nodes: [
			{
				name: TRIGGER,
				typeVersion: 1,
				position: [0, 0],
				credentials: using(credential),
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
		connections: { [TRIGGER]: to('Recorder') },
		settings: { executionOrder: 'v1' },
	};
}
