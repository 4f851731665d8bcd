import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

import type { Clock } from '../clock.mts';
import { isoTime } from '../register/calendar.mts';
import { hash } from '../register/random.mts';
import type { Register } from '../register/register.mts';
import type { Shapes } from '../shapes.mts';
import type { Registrations } from '../webhooks/registrations.mts';
import type { Keys, KeyKind } from './authentication.mts';
import { addControlRoutes } from './control-routes.mts';
import { addLicenseRoutes } from './license-routes.mts';
import { rateLimited, RateLimiter } from './rate-limit.mts';
import type { RequestLog, SeenRequest } from './request-log.mts';
import { forbidden, invalidRequest, notFound, ServiceError } from './service-error.mts';
import type { Trouble, TroubleQueue } from './trouble.mts';
import { damaged, meet } from './troubled-answer.mts';
import { addWebhookRoutes } from './webhook-routes.mts';

declare module 'fastify' {
	interface FastifyRequest {
		/** What the sandbox notes about the current request; null outside the service's paths. */
		visit: { seen: SeenRequest; trouble?: Trouble; key?: KeyKind } | null;
	}
}

export interface Parts {
	keys: Keys;
	/** What a live key's answers come from, and a test key's. */
	register: Register;
	test: Register;
	/** Names of this machine besides its own. */
	hosts: readonly string[];
	/** How many servers answer, each of which counts limits for itself. */
	servers: number;
	trouble: TroubleQueue;
	requests: RequestLog;
	clock: Clock;
	shapes: Shapes;
	delay: number;
	webhooks: Registrations | undefined;
	controlToken: string;
}

export const VERSION_PREFIX = '/v1';
export const CONTROL_PREFIX = '/_sandbox';

export function buildServer(parts: Parts): FastifyInstance {
	const { keys, register, test, trouble, requests, clock, shapes } = parts;
	const { rateLimits } = shapes;
	const limiters = rateLimits
		? Array.from({ length: parts.servers }, () => new RateLimiter(rateLimits, () => clock.now()))
		: [];
	let answered = 0;
	const send = async (error: ServiceError, request: FastifyRequest, reply: FastifyReply) => {
		const { type, message, status } = error;
		const { body, headers } = shapes.errors({ type, message, requestId: request.id });
		void reply.headers({ ...headers, ...error.headers });
		return await reply.code(status).send(body);
	};
	const server = Fastify({
		forceCloseConnections: true,
		// A client may send the whole address, as it would to a proxy (RFC 9112, 3.2.2).
		rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?]+/i, '') || '/',
		// By default, the framework turns texts into numbers and drops members nobody asked for.
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
		// A path that cannot be read reaches neither a route nor the error handler below.
		frameworkErrors: (error, request, reply) => {
			const nothing = notFound(`There is nothing at ${request.method} ${request.url}.`);
			const answer = error.code === 'FST_ERR_BAD_URL' ? invalidRequest(error.message) : nothing;
			void send(answer, request as FastifyRequest, reply as FastifyReply);
		},
	});
	server.decorateRequest('visit', null);

	// A page from elsewhere may reach this machine by a name of its own, but cannot hide that name.
	const names = ['127.0.0.1', 'localhost', '[::1]', ...parts.hosts];
	server.addHook('onRequest', async ({ headers: { host = '' } }) => {
		if (!names.includes(host.replace(/:\d+$/, '').toLowerCase()))
			throw forbidden(`The sandbox answers to this machine alone, and not as '${host}'.`);
	});

	server.addHook('onRequest', async (request, reply) => {
		const [pathname = ''] = request.url.split('?');
		if (pathname !== VERSION_PREFIX && !pathname.startsWith(`${VERSION_PREFIX}/`)) return;
		const { authorization, ...headers } = request.headers;
		const line = {
			method: request.method,
			path: pathname.slice(VERSION_PREFIX.length),
			query: { ...(request.query as Record<string, unknown>) },
		};
		const seen: SeenRequest = { ...line, at: isoTime(clock.now()), headers };
		requests.record(seen);
		const met = trouble.take(line);
		request.visit = { seen, ...(met ? { trouble: met } : {}) };
		if (parts.delay > 0) await clock.sleep(parts.delay);
		if (met) {
			await meet(met, reply, clock);
			if (reply.sent) return;
		}
		const key = keys.kindOf(authorization);
		request.visit.key = key;
		// Which server answers is chance to a client.
		const limiter = limiters[hash(limiters.length, answered++, 0) % limiters.length];
		if (limiter) {
			const { isAllowed, allowance } = limiter.spend(key);
			void reply.headers(shapes.rateLimitHeaders(allowance));
			if (!isAllowed) throw rateLimited(60);
		}
	});

	server.addHook('onSend', async (request, reply, body) => {
		if (!request.visit) return body;
		request.visit.seen.status = reply.statusCode;
		reply.header('date', new Date(clock.now()).toUTCString());
		return damaged(request.visit.trouble, body, reply);
	});

	server.setErrorHandler(
		async (error: Error & { statusCode?: number }, request, reply) =>
			await send(error instanceof ServiceError ? error : asServiceError(error), request, reply),
	);
	server.setNotFoundHandler((request) => {
		throw notFound(`There is nothing at ${request.method} ${request.url.split('?')[0]}.`);
	});

	void server.register(
		(scope, _options, done) => {
			addLicenseRoutes(scope, {
				shapes,
				registerOf: ({ visit }) => (visit?.key === 'live' ? register : test),
				pageTurned: () => trouble.pageTurned(),
			});
			addWebhookRoutes(scope, parts.webhooks);
			done();
		},
		{ prefix: VERSION_PREFIX },
	);
	void server.register(
		(scope, _options, done) => {
			addControlRoutes(scope, { token: parts.controlToken, register, trouble, requests });
			done();
		},
		{ prefix: CONTROL_PREFIX },
	);
	return server;
}

function asServiceError(error: Error & { statusCode?: number }): ServiceError {
	if (error.statusCode === 404) return notFound(error.message);
	if (error.statusCode !== undefined && error.statusCode < 500)
		return invalidRequest(error.message);
	return new ServiceError(500, 'internal_error', error.message);
}
