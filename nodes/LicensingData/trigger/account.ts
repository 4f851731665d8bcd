import { createHash } from 'node:crypto';

import type { IPollFunctions } from 'n8n-workflow';

import { isTestKey, toConnection } from '../service/connection';
import { CREDENTIAL } from '../service/request';

export interface Account {
	/**
	 * Whose list it is. A test key and a live key show different licenses, so each has a memory of its own. A rotated key
	 * shows the same.
	 */
	name: string;
	/** Tells keys apart without holding them. */
	keyHash: string;
	/** Whether it shows the same made-up licenses every time. */
	isMadeUp: boolean;
}

export async function accountOf(context: IPollFunctions): Promise<Account> {
	const { baseUrl, apiKey } = toConnection(await context.getCredentials(CREDENTIAL));
	return {
		name: `${baseUrl} ${/^[a-z]+_[a-z]+_/.exec(apiKey)?.[0] ?? ''}`,
		keyHash: createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('hex'),
		isMadeUp: isTestKey(apiKey),
	};
}
