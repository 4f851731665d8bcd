import { createRequire } from 'node:module';
import type { ICredentialType, IDataObject, INodeType } from 'n8n-workflow';

import { runNode, type Ran, type RunOptions } from './host.mts';

const require = createRequire(import.meta.url);
const { LicensingData } = require('../../dist/nodes/LicensingData/LicensingData.node.js') as {
	LicensingData: new () => INodeType;
};
const { LicensingDataApi } = require('../../dist/credentials/LicensingDataApi.credentials.js') as {
	LicensingDataApi: new () => ICredentialType;
};

/** Runs the License node as it ships. */
export const runCompiled = async (
	credentials: { baseUrl: string; apiKey: string },
	parameters: IDataObject,
	more: Partial<RunOptions> = {},
): Promise<Ran> =>
	await runNode({
		nodeType: new LicensingData(),
		credentialType: new LicensingDataApi(),
		credentials,
		parameters: { resource: 'license', output: 'raw', ...parameters },
		...more,
	});
