import { createHmac, timingSafeEqual } from 'node:crypto';

/** The interface shows the digest both with and without a prefix. */
const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i;

/** Whether the sender of these bytes knows the secret. */
export function isSigned(body: Buffer, header: unknown, secret: string): boolean {
	const digest = typeof header === 'string' ? SIGNATURE.exec(header)?.[1] : undefined;
	if (digest === undefined || secret === '') return false;
	const expected = createHmac('sha256', secret).update(body).digest();
	return timingSafeEqual(Buffer.from(digest, 'hex'), expected);
}
