import type { FastifyReply } from 'fastify';

import type { Clock } from '../clock.mts';
import { rateLimited } from './rate-limit.mts';
import { ServiceError } from './service-error.mts';
import type { Trouble } from './trouble.mts';

const htmlPage =
	'<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1><p>The upstream server did not answer.</p></body></html>\n';

/** Troubles that replace the answer, or hold it up. */
export async function meet(trouble: Trouble, reply: FastifyReply, clock: Clock): Promise<void> {
	switch (trouble.kind) {
		case 'delay':
			await clock.sleep(trouble.milliseconds);
			return;
		case 'rateLimit':
			throw rateLimited(trouble.retryAfter);
		case 'error':
			throw new ServiceError(
				trouble.status ?? 500,
				trouble.type ?? 'internal_error',
				trouble.message ?? 'Something went wrong on our side.',
				trouble.retryAfter === undefined ? {} : { 'Retry-After': String(trouble.retryAfter) },
			);
		case 'htmlPage':
			await reply
				.code(trouble.status ?? 502)
				.type('text/html; charset=utf-8')
				.send(htmlPage);
			return;
		case 'wrongShape': {
			const { body = { licenses: [], next: null } } = trouble;
			await reply
				.type('application/json; charset=utf-8')
				.send(typeof body === 'string' ? body : JSON.stringify(body));
			return;
		}
		case 'droppedConnection':
			reply.hijack();
			reply.raw.socket?.destroy();
			return;
		case 'truncatedBody':
			return;
	}
}

/** A body that is cut off on its way out. */
export function damaged(trouble: Trouble | undefined, body: unknown, reply: FastifyReply): unknown {
	if (typeof body !== 'string' || trouble?.kind !== 'truncatedBody') return body;
	const half = body.slice(0, Math.floor(body.length / 2));
	reply.header('content-length', Buffer.byteLength(half));
	return half;
}
