import { createHmac } from 'node:crypto';

/** The specification shows the hex digest both with and without `sha256=` before it. */
export type SignaturePrefix = '' | 'sha256=';

export const signatureOf = (rawBody: string, secret: string, prefix: SignaturePrefix): string =>
	prefix + createHmac('sha256', secret).update(rawBody, 'utf8').digest('hex');
