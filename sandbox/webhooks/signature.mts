import { createHmac } from 'node:crypto';

export const signatureOf = (rawBody: string, secret: string): string =>
	createHmac('sha256', secret).update(rawBody, 'utf8').digest('hex');
