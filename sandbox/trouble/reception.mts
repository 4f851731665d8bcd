import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Clock } from '../../server/clock.mts';
import { VERSION_PREFIX } from '../../server/server.mts';
import { isoTime } from '../register/calendar.mts';
import type { RequestLog, SeenRequest } from './request-log.mts';
import { damaged, meet, type Trouble, type TroubleQueue } from './trouble.mts';

declare module 'fastify' {
	interface FastifyRequest {
		/** What the sandbox notes about the current request; null outside the service's paths. */
		visit: { seen: SeenRequest; trouble: Trouble | undefined } | null;
	}
}

interface Parts {
	trouble: TroubleQueue;
	requests: RequestLog;
	clock: Clock;
	/** Extra milliseconds that every answer takes. */
	delay: number;
}

/** Notes every request of the service, and lets the trouble loose that is aimed at it. */
export function addReception(server: FastifyInstance, parts: Parts): void {
	server.decorateRequest('visit', null);
	server.addHook('onRequest', async (request, reply) => await receive(request, reply, parts));
	server.addHook('onSend', async ({ visit }, reply, body) => {
		if (!visit) return body;
		visit.seen.status = reply.statusCode;
		reply.header('date', new Date(parts.clock.now()).toUTCString());
		return damaged(visit.trouble, body, reply);
	});
}

async function receive(request: FastifyRequest, reply: FastifyReply, parts: Parts): Promise<void> {
	const { trouble, requests, clock, delay } = parts;
	const [pathname = ''] = request.url.split('?');
	if (!`${pathname}/`.startsWith(`${VERSION_PREFIX}/`)) return;
	const { authorization, ...headers } = request.headers;
	const path = pathname.slice(VERSION_PREFIX.length);
	const query = { ...(request.query as Record<string, unknown>) };
	const line = { method: request.method, path, query };
	const seen: SeenRequest = { ...line, at: isoTime(clock.now()), headers };
	requests.record(seen);
	const visit: FastifyRequest['visit'] = { seen, trouble: trouble.take(line) };
	request.visit = visit;
	if (delay > 0) await clock.sleep(delay);
	if (visit.trouble) await meet(visit.trouble, reply, clock);
}
