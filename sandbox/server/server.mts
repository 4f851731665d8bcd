import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

import type { Clock } from '../clock.mts';
import { answerFault, faultOf } from '../contract.mts';
import { hash } from '../dataset/random.mts';
import { isoTime } from '../dataset/rendering.mts';
import type { Shapes } from '../shapes.mts';
import type { Registrations } from '../webhooks/registrations.mts';
import type { Keys, KeyKind } from './authentication.mts';
import { addControlRoutes } from './control-routes.mts';
import { rateLimited, RateLimiter } from './rate-limit.mts';
import type { RequestLog, SeenRequest } from './request-log.mts';
import { invalidRequest, notFound, ServiceError } from './service-error.mts';
import type { Trouble, TroubleQueue } from './trouble.mts';
import { damaged, meet } from './troubled-answer.mts';
import { addWebhookRoutes } from './webhook-routes.mts';

declare module 'fastify' {
	interface FastifyRequest {
		/** What the sandbox notes about the current request; null outside the service's paths. */
		visit: { seen: SeenRequest; trouble?: Trouble; key?: KeyKind } | null;
	}
	interface FastifyContextConfig {
		operationId?: string;
	}
}

export interface Parts {
	keys: Keys;
	/** What answers for licenses, and what controls them. */
	licenses: {
		addRoutes: (server: FastifyInstance) => void;
		addControl?: (server: FastifyInstance) => void;
		/** Brings the live records up to date. */
		catchUp: () => void;
	};
	/** The time that answers and limits go by. */
	now: () => number;
	/** How many servers answer, each of which counts limits for itself. */
	servers: number;
	trouble: TroubleQueue;
	requests: RequestLog;
	clock: Clock;
	shapes: Shapes;
	delay: number;
	checkAnswers: boolean;
	webhooks: Registrations | undefined;
	controlToken: string;
}

export const VERSION_PREFIX = '/v1';
export const CONTROL_PREFIX = '/_sandbox';

export function buildServer(parts: Parts): FastifyInstance {
	const { keys, licenses, now, trouble, requests, clock, shapes } = parts;
	const { rateLimits } = shapes;
	const limiters = rateLimits
		? Array.from({ length: parts.servers }, () => new RateLimiter(rateLimits, now))
		: [];
	let answered = 0;
	const send = async (error: ServiceError, request: FastifyRequest, reply: FastifyReply) => {
		const { type, message, param, status } = error;
		const { body, headers } = shapes.errors({ type, message, param, requestId: request.id });
		return await reply
			.code(status)
			.headers({ ...headers, ...error.headers })
			.send(body);
	};
	const server = Fastify({
		forceCloseConnections: true,
		// A client may send the whole address, as it would to a proxy (RFC 9112, 3.2.2).
		rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?]+/i, '') || '/',
		// By default, the framework turns texts into numbers and drops members nobody asked for.
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
		schemaErrorFormatter: (errors, part) => new Error(faultOf(`The ${part}`, errors)),
		// A path that cannot be read reaches neither a route nor the error handler below.
		frameworkErrors: (error, request, reply) => {
			const nothing = notFound(`There is nothing at ${request.method} ${request.url}.`);
			const answer = error.code === 'FST_ERR_BAD_URL' ? invalidRequest(error.message) : nothing;
			void send(answer, request as FastifyRequest, reply as FastifyReply);
		},
	});
	server.decorateRequest('visit', null);

	server.addHook('onRequest', async (request, reply) => {
		const [pathname = ''] = request.url.split('?');
		if (pathname !== VERSION_PREFIX && !pathname.startsWith(`${VERSION_PREFIX}/`)) return;
		const { authorization, ...headers } = request.headers;
		const line = {
			method: request.method,
			path: pathname.slice(VERSION_PREFIX.length),
			query: { ...(request.query as Record<string, unknown>) },
		};
		const seen: SeenRequest = { ...line, at: isoTime(now()), headers };
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
			const { isAllowed, allowance, retryAfter } = limiter.spend(key);
			void reply.headers(shapes.rateLimitHeaders(allowance));
			if (!isAllowed) throw rateLimited(String(retryAfter));
		}
		if (key === 'live') licenses.catchUp();
	});

	server.addHook('onSend', async (request, reply, body) => {
		if (!request.visit) return body;
		request.visit.seen.status = reply.statusCode;
		reply.header('date', new Date(now()).toUTCString());
		const { operationId } = request.routeOptions.config;
		const isChecked = parts.checkAnswers && !request.visit.trouble && reply.statusCode < 500;
		if (isChecked && operationId && typeof body === 'string') {
			const fault = answerFault(operationId, reply.statusCode, JSON.parse(body || 'null'));
			if (fault) throw new Error(`The sandbox departs from openapi.yaml: ${fault}`);
		}
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
			licenses.addRoutes(scope);
			addWebhookRoutes(scope, parts.webhooks);
			done();
		},
		{ prefix: VERSION_PREFIX },
	);
	void server.register(
		(scope, _options, done) => {
			addControlRoutes(scope, { token: parts.controlToken, trouble, requests });
			licenses.addControl?.(scope);
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
