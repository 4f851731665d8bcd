import type {
	IAuthenticateGeneric,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import { LIVE_KEY_PREFIX, PRIVATE_WIRE } from '../nodes/LicensingData/api/connection';

/** Only the first slash of a row is where the row may begin, or a long one would be searched for ever. */
const BASE_URL = '($credentials.baseUrl || "").trim().replace(/(?<!\\/)\\/+$/, "")';
/** As in api/connection.ts, where the nodes refuse it in words: any wire but a private one is no place for a live key. */
const IS_EXPOSED = `$credentials.apiKey.trim().startsWith("${LIVE_KEY_PREFIX}") && !/${PRIVATE_WIRE.source}/i.test(${BASE_URL})`;

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
			description: 'The address of the service, which ends in its version',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			hint: 'A test key (ls_test_…) always returns the same made-up licenses. A live key (ls_live_…) returns real ones.',
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			hint: 'For the Licensing Data Webhook Trigger only: the signing secret (whsec_…), where you register its address yourself or the service shows the secret elsewhere',
		},
		{
			displayName: 'A live key is only sent to addresses that start with https://',
			name: 'plainHttpNotice',
			type: 'notice',
			default: '',
			displayOptions: {
				show: {
					baseUrl: [{ _cnd: { regex: '^\\s*http://(?!localhost|127\\.|\\[::1\\])' } }],
					apiKey: [{ _cnd: { startsWith: 'ls_live_' } }],
				},
			},
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: {
				Authorization: `={{ ${IS_EXPOSED} ? "" : "Bearer " + $credentials.apiKey.trim() }}`,
			},
		},
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: `={{ ${BASE_URL}.replace(/^(https?:\\/\\/[^\\/]+)$/i, "$1/v1") }}`,
			url: '/licenses',
			qs: { limit: 1 },
			headers: { Accept: 'application/json' },
			disableFollowRedirect: true,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message:
						'The API key was not accepted. Check the key; a live key is only sent to an address that starts with https://.',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 403,
					message:
						'The API key was recognized, but does not allow this. Check the plan of the key in the account dashboard.',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 429,
					message:
						'The rate limit of the plan was reached, so the key could not be checked. Wait a minute and test again.',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message:
						"This address does not have the service. Check 'Base URL': it ends in the version, such as /v1.",
				},
			},
			...[500, 502, 503, 504].map((value) => ({
				type: 'responseCode',
				properties: {
					value,
					message: `The service could not answer (HTTP ${value}), so the key could not be checked. Try again later.`,
				},
			})),
			...[301, 302, 303, 307, 308].map((value) => ({
				type: 'responseCode',
				properties: {
					value,
					message:
						"This address only points to another one. Check 'Base URL': most services want https:// at its beginning.",
				},
			})),
			{
				type: 'responseSuccessBody',
				properties: {
					key: 'data',
					value: undefined,
					message:
						"This address answers, but it is not the service. Check 'Base URL': it ends in the version, such as /v1.",
				},
			},
			// n8n accepts both kinds side by side; its type allows one kind only.
		] as ICredentialTestRequest['rules'],
	};
}
