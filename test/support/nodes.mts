import type { ICredentialDataDecryptedObject, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { LicensingDataTrigger } from '../../nodes/LicensingData/LicensingDataTrigger.node.ts';
import { withNodeErrors } from '../../nodes/LicensingData/service/client.ts';
import { throttles } from '../../nodes/LicensingData/service/throttle.ts';
import { CREDENTIALS } from './answers.mts';
import { type HostOptions, loadOptionsOf, type RunOptions, runNode, testOf } from './host.mts';
import { type Database, Poller, type PollerOptions } from './poller.mts';

/**
 * The nodes as n8n runs them. They come from their source; a test of what ships gives `...compiled('…')` from
 * `compiled.mts` as the last argument.
 */
const fromSource = <Node,>(nodeType: Node) => ({
	nodeType,
	credentialType: new LicensingDataApi(),
});

/** Runs the License node. Records come out as they are, if a test is not about output. */
export const runLicense = async (parameters: IDataObject, more: Partial<RunOptions> = {}) =>
	await runNode({
		...fromSource(new LicensingData()),
		credentials: CREDENTIALS,
		parameters: { resource: 'license', output: 'raw', ...parameters },
		...more,
	});

/** The ids of what came out, which is what most promises about lists are about. */
export const ids = ({ items }: { items: INodeExecutionData[] }): unknown[] =>
	items.map(({ json }) => json.id);

/** The polling trigger, as n8n polls it. Records come out as they are, here as well. */
export const pollerOf = (
	credentials: PollerOptions['credentials'],
	parameters: IDataObject = {},
	more: Partial<PollerOptions> = {},
): Poller =>
	new Poller({
		...fromSource(new LicensingDataTrigger()),
		credentials,
		parameters: { output: 'raw', ...parameters },
		...more,
	});

/** The polling trigger as the workflow's next process has it, which knows no more than what n8n has saved. */
export async function triggerAnew(database: Database): Promise<LicensingDataTrigger> {
	throttles.clear();
	const path = `../../nodes/LicensingData/trigger/poll.ts?process=${++database.processes}`;
	const { poll } = (await import(
		path
	)) as typeof import('../../nodes/LicensingData/trigger/poll.ts');
	const ofProcess = new LicensingDataTrigger();
	ofProcess.poll = async function () {
		return await withNodeErrors(this, async (credential) => await poll(this, credential));
	};
	return ofProcess;
}

/** What the credential's Test says in n8n. */
export const testCredential = async (
	credentials: ICredentialDataDecryptedObject,
	more: Partial<HostOptions> = {},
) => await testOf({ ...fromSource(new LicensingData()), credentials, ...more });

/** The list to choose a license from, as the editor opens it. */
export async function openList(
	credentials: ICredentialDataDecryptedObject = CREDENTIALS,
	filter?: string,
	paginationToken?: string,
) {
	const nodeType = new LicensingData();
	const context = loadOptionsOf(
		{ ...fromSource(nodeType), credentials },
		{ resource: 'license', operation: 'get' },
	);
	const modes = nodeType.description.properties.flatMap((one) => one.modes ?? []);
	const method = modes[0]?.typeOptions?.searchListMethod as 'searchLicenses';
	return await nodeType.methods.listSearch[method].call(context, filter, paginationToken);
}
