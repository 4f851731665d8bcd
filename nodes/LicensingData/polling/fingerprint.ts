import { createHash } from 'node:crypto';

/** 96 bits of what JSON can say: tells two watches, or two memories of a trigger, from each other. */
export const fingerprint = (parts: unknown): string =>
	createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
