import type { Credential, Node } from '../../playground/client.mts';
import { using } from './forwarding.mts';

export type Step = Pick<Node, 'type' | 'typeVersion' | 'parameters'> & Partial<Node>;

export const licenseNode = (credential: Credential, parameters: object): Step => ({
	type: 'n8n-nodes-licensing-data.licensingData',
	typeVersion: 1,
	parameters: { resource: 'license', ...parameters },
	credentials: using(credential),
});

/** Starts a workflow, and returns everything that its last node returns. */
export const answeringWebhook = (path: string, typeVersion = 2.1): Node => ({
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion,
	position: [0, 0],
	webhookId: path,
	parameters: {
		httpMethod: 'POST',
		path,
		responseMode: 'lastNode',
		responseData: 'allEntries',
		options: {},
	},
});
