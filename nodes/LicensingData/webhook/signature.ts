import { createHmac, timingSafeEqual } from 'node:crypto';

/** The interface shows the digest both with and without a prefix. */
const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i;

/** The interface's own header. Other services name it after themselves. */
const HEADER = 'x-service-signature';
const ANY_HEADER = /^x-.+-signature$/;

/**
 * Whether the sender of these bytes knows the secret. The signature proves that, whatever its header is called;
 * but where the interface's header is there, it alone decides.
 */
export function isSigned(body: Buffer, headers: Record<string, unknown>, secret: string): boolean {
	if (secret === '') return false;
	const names = Object.hasOwn(headers, HEADER)
		? [HEADER]
		: Object.keys(headers).filter((name) => ANY_HEADER.test(name));
	const expected = createHmac('sha256', secret).update(body).digest();
	return names.some((name) => {
		const [, digest] = SIGNATURE.exec(String(headers[name]).trim()) ?? [];
		return digest !== undefined && timingSafeEqual(Buffer.from(digest, 'hex'), expected);
	});
}
