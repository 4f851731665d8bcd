import { createHmac, timingSafeEqual } from 'node:crypto';

/** The interface shows the digest both with and without a prefix. */
const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i;

/** The interface's is X-Service-Signature. Other services name it after themselves. */
const HEADER = /^x-.+-signature$/;

/** Whether the sender of these bytes knows the secret. The signature proves that, whatever its header is called. */
export function isSigned(body: Buffer, headers: Record<string, unknown>, secret: string): boolean {
	if (secret === '') return false;
	const expected = createHmac('sha256', secret).update(body).digest();
	return Object.entries(headers).some(([name, value]) => {
		const [, digest] = (HEADER.test(name) && SIGNATURE.exec(String(value).trim())) || [];
		return digest !== undefined && timingSafeEqual(Buffer.from(digest, 'hex'), expected);
	});
}
