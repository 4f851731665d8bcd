import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { authorize } from '../nodes/LicensingData/service/credential';

/** Tested by `service/credentialTest.ts`, which every node names as `testedBy`. */
export class LicensingDataApi implements ICredentialType {
	name = 'licensingDataApi';

	displayName = 'Licensing Data API';

	icon: Icon = {
		light: 'file:../icons/licensingData.svg',
		dark: 'file:../icons/licensingData.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-licensing-data/n8n-nodes-licensing-data?tab=readme-ov-file#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com/v1',
			description:
				'The address of the service, which your provider gives you. If nothing follows the host name, the node adds /v1.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Your provider shows it in the account dashboard',
			hint: 'A test key (ls_test_…) usually returns the same made-up licenses each time. A live key (ls_live_…) returns real ones.',
		},
	];

	authenticate = authorize;
}
