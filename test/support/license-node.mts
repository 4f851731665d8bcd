import type { IDataObject } from 'n8n-workflow';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { API_KEY, BASE_URL } from './answers.mts';
import { runNode, type Ran, type RunOptions } from './host.mts';

/** Runs the License node from its source. Records come out as they are, if a test is not about output. */
export const runLicense = async (
	parameters: IDataObject,
	more: Partial<RunOptions> = {},
): Promise<Ran> =>
	await runNode({
		nodeType: new LicensingData(),
		credentialType: new LicensingDataApi(),
		credentials: { baseUrl: BASE_URL, apiKey: API_KEY },
		parameters: { resource: 'license', output: 'raw', ...parameters },
		...more,
	});

/** The ids of what came out, which is what most promises about lists are about. */
export const ids = ({ items }: Ran): unknown[] => items.map(({ json }) => json.id);
