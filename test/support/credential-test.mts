import type { ICredentialDataDecryptedObject, INodeType } from 'n8n-workflow';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { additionalDataFor } from './host.mts';

const { CredentialTestContext } = await import('n8n-core');

interface Verdict {
	status: 'OK' | 'Error';
	message: string;
}

/** What the credential's Test says in n8n, which looks for the test in the nodes that use the credential. */
export async function testCredential(
	credentials: ICredentialDataDecryptedObject,
	nodeType: INodeType = new LicensingData(),
): Promise<Verdict> {
	const credentialType = new LicensingDataApi();
	const [use] = nodeType.description.credentials ?? [];
	const test = nodeType.methods?.credentialTest?.[use?.testedBy as string];
	if (!test || 'test' in credentialType) throw new Error('n8n would test in another way');
	return await test.call(
		new CredentialTestContext(
			additionalDataFor({ nodeType, credentialType, credentials }),
		) as never,
		{ id: '1', name: 'Licensing Data', type: credentialType.name, data: credentials },
	);
}
