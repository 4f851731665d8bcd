import type { Credential, Node, Workflow } from '../../playground/client.mts';

export type Step = Pick<Node, 'type' | 'parameters'> & Partial<Node>;

/** How a node names the credential that it uses. */
export const using = ({ id, name, type }: Credential) => ({ [type]: { id, name } });

/** A workflow whose nodes follow each other; one without a name has that of its type. */
export function chain(name: string, ...steps: Step[]): Workflow {
	const nodes = steps.map((step, at): Node => {
		return { name: step.type, typeVersion: 1, position: [200 * at, 0], ...step };
	});
	const links = nodes.slice(1).map(({ name: node }, at) => {
		return [nodes[at]?.name, { main: [[{ node, type: 'main', index: 0 }]] }] as const;
	});
	const settings = { executionOrder: 'v1' };
	return { name, nodes, connections: Object.fromEntries(links), settings };
}

export const licenseNode = (credential: Credential, parameters: object): Step => ({
	type: 'n8n-nodes-licensing-data.licensingData',
	parameters: { resource: 'license', ...parameters },
	credentials: using(credential),
});

/** Starts a workflow, and answers with everything that its last node returns, unless told `how`. */
export const answeringWebhook = (path: string, how = {}): Step => ({
	type: 'n8n-nodes-base.webhook',
	// The latest that the oldest n8n has.
	typeVersion: 2,
	webhookId: path,
	parameters: {
		...{ httpMethod: 'POST', path },
		...{ responseMode: 'lastNode', responseData: 'allEntries', options: {} },
		...how,
	},
});

/** The name of the trigger below. */
export const TRIGGER = 'Trigger';

/** A workflow that posts whatever its trigger emits to an address. */
export const forwarding = (name: string, credential: Credential, trigger: Step, url: string) =>
	chain(
		name,
		{ name: TRIGGER, credentials: using(credential), ...trigger },
		{
			type: 'n8n-nodes-base.httpRequest',
			// The latest that the oldest n8n has.
			typeVersion: 4.2,
			parameters: {
				...{ method: 'POST', url, options: {} },
				...{ sendBody: true, specifyBody: 'json', jsonBody: '={{ JSON.stringify($json) }}' },
			},
		},
	);
