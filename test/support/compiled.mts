import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';

import { ROOT } from './manifest.mts';

const require = createRequire(import.meta.url);
const DIST = join(ROOT, 'dist');

function create<Type>(path: string): Type {
	const [Type] = Object.values(require(join(DIST, path)) as Record<string, new () => Type>);
	if (!Type) throw new Error(`${path} exports nothing`);
	return new Type();
}

/** A node as it ships, with its credential: the last argument of `runLicense`, `pollerOf` and `testCredential`. */
export const compiled = (name: 'LicensingData' | 'LicensingDataTrigger') => ({
	nodeType: create<INodeType>(`nodes/LicensingData/${name}.node.js`),
	credentialType: create<ICredentialType>('credentials/LicensingDataApi.credentials.js'),
});
