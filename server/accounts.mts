import { createHash, timingSafeEqual } from 'node:crypto';

import type { Register } from './register.mts';
import { ServiceError } from './service-error.mts';

/** Who may ask, and what the answers come from. */
export interface Account {
	/** Limits and registrations are counted by it. */
	readonly name: string;
	readonly key: string;
	readonly register: Register;
	/** How many requests in a minute; any number unless given. */
	readonly perMinute?: number | undefined;
}

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** How long this takes says nothing of how much of a key was right: digests are compared, all of them. */
export function accountOf(accounts: readonly Account[], authorization = ''): Account {
	const [, key] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
	const given = digestOf(key ?? '');
	const [account] = accounts.filter((one) => timingSafeEqual(digestOf(one.key), given));
	if (key !== undefined && account) return account;
	const message =
		key === undefined
			? 'No API key was sent. Send it as "Authorization: Bearer <API_KEY>".'
			: 'The API key is not known, or has been rotated.';
	throw new ServiceError(401, 'unauthorized', message, { 'WWW-Authenticate': 'Bearer' });
}
