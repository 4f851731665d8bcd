import type { FastifyReply } from 'fastify';

import type { Clock } from '../clock.mts';
import type { Shapes } from '../shapes.mts';
import { rateLimited } from './rate-limit.mts';
import { invalidCursor, ServiceError } from './service-error.mts';
import type { Trouble } from './trouble.mts';

const htmlPage =
	'<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1><p>The upstream server did not answer.</p></body></html>\n';

/** Troubles that replace the answer, or hold it up. */
export async function meet(
	trouble: Trouble,
	reply: FastifyReply,
	clock: Clock,
	shapes: Shapes,
): Promise<void> {
	switch (trouble.kind) {
		case 'delay':
			await clock.sleep(trouble.milliseconds);
			return;
		case 'rateLimit':
			throw rateLimited(retryAfterHeader(trouble.retryAfter, clock.now()));
		case 'error':
			throw new ServiceError(
				trouble.status ?? 500,
				trouble.type ?? 'internal_error',
				trouble.message ?? 'Something went wrong on our side.',
				trouble.retryAfter === undefined ? {} : { 'Retry-After': String(trouble.retryAfter) },
			);
		case 'untypedError':
			await reply
				.code(trouble.status ?? 500)
				.send({ error: { message: 'Something went wrong on our side.' } });
			return;
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
		case 'expiredCursor':
			throw invalidCursor(shapes.cursorLife.status);
		case 'droppedConnection':
			reply.hijack();
			reply.raw.socket?.destroy();
			return;
		case 'hang':
			reply.hijack();
			return;
		case 'truncatedBody':
		case 'droppedBody':
			return;
	}
}

/** Troubles that need the answer first: they damage its body on the way out. */
export function damaged(trouble: Trouble | undefined, body: unknown, reply: FastifyReply): unknown {
	if (typeof body !== 'string') return body;
	const half = body.slice(0, Math.floor(body.length / 2));
	if (trouble?.kind === 'truncatedBody') {
		reply.header('content-length', Buffer.byteLength(half));
		return half;
	}
	if (trouble?.kind === 'droppedBody') {
		reply.hijack();
		reply.raw.writeHead(reply.statusCode, {
			'content-type': 'application/json; charset=utf-8',
			'content-length': Buffer.byteLength(body),
		});
		reply.raw.write(half, () => reply.raw.socket?.destroy());
	}
	return body;
}

function retryAfterHeader(
	retryAfter: number | { dateInSeconds: number } | undefined,
	now: number,
): string | undefined {
	if (retryAfter === undefined) return undefined;
	if (typeof retryAfter === 'number') return String(retryAfter);
	return new Date(now + retryAfter.dateInSeconds * 1000).toUTCString();
}
