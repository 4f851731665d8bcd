import { ServiceError } from './service-error.mts';

export type KeyKind = 'test' | 'live';

/** The account's two keys. */
export class Keys {
	private rotations = 0;

	constructor(
		public test: string,
		public live: string,
		/** Whether a request without a key is refused, or answered like a test key's. */
		private readonly withoutKey: 'refused' | 'test' = 'refused',
	) {}

	/** What the account dashboard does with a compromised key: the old one stops working. */
	rotate(kind: KeyKind): string {
		this.rotations++;
		this[kind] = `ls_${kind}_example_rotated_${this.rotations}`;
		return this[kind];
	}

	kindOf(authorization: string | undefined): KeyKind {
		if (!authorization && this.withoutKey === 'test') return 'test';
		if (!authorization)
			throw unauthorized('No API key was sent. Send it as "Authorization: Bearer <API_KEY>".');
		const [, key] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
		if (key === undefined)
			throw unauthorized(
				'The Authorization header is malformed. It reads "Authorization: Bearer <API_KEY>".',
			);
		if (key === this.test) return 'test';
		if (key === this.live) return 'live';
		throw unauthorized(
			/^ls_(test|live)_/.test(key)
				? 'The API key is not known, or has been rotated.'
				: "The API key is malformed. Keys begin with 'ls_test_' or 'ls_live_'.",
		);
	}
}

const unauthorized = (message: string): ServiceError =>
	new ServiceError(401, 'unauthorized', message, { 'WWW-Authenticate': 'Bearer' });
