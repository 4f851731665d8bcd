import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { runNode, type Ran, type RunOptions } from './host.mts';
import { ROOT } from './manifest.mts';

type Credentials = typeof import('../../credentials/LicensingDataApi.credentials.ts');
type License = typeof import('../../nodes/LicensingData/LicensingData.node.ts');
type Trigger = typeof import('../../nodes/LicensingData/LicensingDataTrigger.node.ts');
type WebhookTrigger =
	typeof import('../../nodes/LicensingData/LicensingDataWebhookTrigger.node.ts');

const require = createRequire(import.meta.url);

/** What ships. */
export const {
	LicensingDataApi,
	LicensingData,
	LicensingDataTrigger,
	LicensingDataWebhookTrigger,
} = {
	...require('../../dist/credentials/LicensingDataApi.credentials.js'),
	...require('../../dist/nodes/LicensingData/LicensingData.node.js'),
	...require('../../dist/nodes/LicensingData/LicensingDataTrigger.node.js'),
	...require('../../dist/nodes/LicensingData/LicensingDataWebhookTrigger.node.js'),
} as Credentials & License & Trigger & WebhookTrigger;

/** The class of a compiled file as another process has it: with its own variables. */
export function loadAnew<Type>(path: string): Type {
	const dist = join(ROOT, 'dist');
	for (const loaded of Object.keys(require.cache)) {
		if (loaded.startsWith(dist)) Reflect.deleteProperty(require.cache, loaded);
	}
	const [Type] = Object.values(require(join(dist, path)) as Record<string, new () => Type>);
	if (!Type) throw new Error(`${path} exports nothing`);
	return new Type();
}

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
