import { ServiceError } from './service-error.mts';

export type KeyKind = 'test' | 'live';

/** The account's two keys. */
export class Keys {
	test = 'ls_test_example';
	live = 'ls_live_example';
	private rotations = 0;

	/** What the account dashboard does with a compromised key: the old one stops working. */
	rotate(kind: KeyKind): string {
		this.rotations++;
		this[kind] = `ls_${kind}_example_rotated_${this.rotations}`;
		return this[kind];
	}

	kindOf(authorization = ''): KeyKind {
		const [, key] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
		if (key === this.test) return 'test';
		if (key === this.live) return 'live';
		const message =
			key === undefined
				? 'No API key was sent. Send it as "Authorization: Bearer <API_KEY>".'
				: 'The API key is not known, or has been rotated.';
		throw new ServiceError(401, 'unauthorized', message, { 'WWW-Authenticate': 'Bearer' });
	}
}
