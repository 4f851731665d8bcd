import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { withNodeErrors } from './service/client';
import { receive } from './webhook/receive';
import {
	isRegistered,
	register,
	testLicensingDataWebhookApi,
	unregister,
	webhookFields,
} from './webhook/registration';

export class LicensingDataWebhookTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Licensing Data Webhook Trigger',
		name: 'licensingDataWebhookTrigger',
		icon: {
			light: 'file:../../icons/licensingData.svg',
			dark: 'file:../../icons/licensingData.dark.svg',
		},
		group: ['trigger'],
		// What the nodes panel offers works, and the service does not deliver yet. Workflows that have the node run.
		hidden: true,
		version: 1,
		subtitle: '={{ [$parameter.eventTypes].flat().join(", ") }}',
		description: 'Starts the workflow when the service delivers a license event',
		eventTriggerDescription: 'Waiting for the service to deliver an event to the test URL',
		activationMessage: 'From now on, each event that the service delivers starts this workflow.',
		// n8n would take it from the node's .json file, and append a question mark and more to it.
		documentationUrl:
			'https://github.com/n8n-nodes-licensing-data/n8n-nodes-licensing-data/blob/main/docs/reference.md#licensing-data-webhook-trigger',
		defaults: { name: 'Licensing Data Webhook Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'licensingDataWebhookApi',
				required: true,
				testedBy: 'testLicensingDataWebhookApi',
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Empty, so that n8n asks the node what to answer (see webhook/receive.ts).
				responseData: '',
				path: 'webhook',
			},
		],
		properties: webhookFields,
	};

	methods = { credentialTest: { testLicensingDataWebhookApi } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions) {
				return isRegistered(this);
			},
			async create(this: IHookFunctions) {
				return await withNodeErrors(this, async (credential) => await register(this, credential));
			},
			async delete(this: IHookFunctions) {
				return await unregister(this);
			},
		},
	};

	async webhook(this: IWebhookFunctions) {
		return await withNodeErrors(this, async () => await receive(this));
	}
}
