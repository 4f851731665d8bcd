/** Uses the credential in every way there is, in a process that has HTTP_PROXY and the like set. */
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { runLicense, testCredential } from '../support/nodes.mts';
import { loadOptionsOf } from '../support/host.mts';

const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const credentials = { baseUrl, apiKey };

const { items, error } = await runLicense(
	{ operation: 'getAll', options: { retries: 0, timeout: 10_000 } },
	{ credentials },
);

/** As HTTP Request does with a credential chosen there. */
async function requestLikeHttpRequest(): Promise<unknown> {
	const nodeType = new LicensingData();
	const context = loadOptionsOf({
		...{ nodeType, credentialType: new LicensingDataApi(), credentials },
	}) as unknown as ILoadOptionsFunctions;
	const request = { method: 'GET' as const, uri: `${baseUrl}/licenses`, json: true };
	return await context.helpers.requestWithAuthentication.call(context, 'licensingDataApi', {
		...request,
		...{ sendCredentialsOnCrossOriginRedirect: true },
	});
}

const test = await testCredential(credentials);
const request = await requestLikeHttpRequest();
console.log(JSON.stringify({ licenses: items.length, error: error?.message, test, request }));
