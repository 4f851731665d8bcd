import type { IDataObject } from 'n8n-workflow';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingDataTrigger } from '../../nodes/LicensingData/LicensingDataTrigger.node.ts';
import { Poller, type PollerOptions } from './poller.mts';

/** The polling trigger from its source, as n8n polls it. */
export const pollerOf = (
	credentials: PollerOptions['credentials'],
	parameters: IDataObject = {},
	more: Partial<PollerOptions> = {},
): Poller =>
	new Poller({
		nodeType: new LicensingDataTrigger(),
		credentialType: new LicensingDataApi(),
		credentials,
		parameters,
		...more,
	});
