import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

export class LicensingDataWebhookApi implements ICredentialType {
	name = 'licensingDataWebhookApi';

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
			required: true,
			description: 'The service shows it when you register the URL of the node',
		},
	];
}
