import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { authorize } from '../nodes/LicensingData/service/credential';

/** Of the webhook trigger alone, so that nobody else's form asks for a secret. */
export class LicensingDataWebhookApi implements ICredentialType {
	name = 'licensingDataWebhookApi';

	// n8n takes over its fields, and nothing else.
	extends = ['licensingDataApi'];

	displayName = 'Licensing Data Webhook API';

	icon: Icon = {
		light: 'file:../icons/licensingData.svg',
		dark: 'file:../icons/licensingData.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-licensing-data/n8n-nodes-licensing-data/blob/main/docs/reference.md#licensing-data-webhook-trigger';

	properties: INodeProperties[] = [
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				"Only if you registered the node's URL with the service yourself: the secret it showed you. Leave empty to let the node register.",
		},
	];

	authenticate = authorize;
}
