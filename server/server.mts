import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

import type { Clock } from '../sandbox/clock.mts';
import type { SandboxOptions } from '../sandbox/index.mts';
import { isoTime } from '../sandbox/register/calendar.mts';
import type { Register } from '../sandbox/register/register.mts';
import type { Shapes } from '../sandbox/shapes.mts';
import type { Registrations } from './webhooks/registrations.mts';
import type { Keys, KeyKind } from './authentication.mts';
import { addControlRoutes } from '../sandbox/trouble/control-routes.mts';
import { addLicenseRoutes } from './license-routes.mts';
import { rateLimited, RateLimiter } from './rate-limit.mts';
import type { RequestLog, SeenRequest } from '../sandbox/trouble/request-log.mts';
import { forbidden, invalidRequest, notFound, ServiceError } from './service-error.mts';
import { damaged, meet, type Trouble, type TroubleQueue } from '../sandbox/trouble/trouble.mts';
import { addWebhookRoutes } from './webhooks/webhook-routes.mts';

declare module 'fastify' {
	interface FastifyRequest {
		/** What the sandbox notes about the current request; null outside the service's paths. */
		visit: { seen: SeenRequest; trouble: Trouble | undefined; key?: KeyKind } | null;
	}
}

export interface Parts extends Required<Pick<SandboxOptions, 'hosts' | 'delay'>> {
	keys: Keys;
	/** What a live key's answers come from, and a test key's. */
	register: Register;
	test: Register;
	trouble: TroubleQueue;
	requests: RequestLog;
	clock: Clock;
	shapes: Shapes;
	webhooks: Registrations | undefined;
	controlToken: string;
}

export const VERSION_PREFIX = '/v1';
export const CONTROL_PREFIX = '/_sandbox';

export function buildServer(parts: Parts): FastifyInstance {
	const { clock } = parts;
	const send = async (error: Error, _request: FastifyRequest, reply: FastifyReply) => {
		const { type, message, status, headers } = asServiceError(error);
		return await reply.headers(headers).code(status).send({ error: { type, message } });
	};
	const nothing = ({ method, url }: { method: string; url: string }): ServiceError =>
		notFound(`There is nothing at ${method} ${url.split('?')[0]}.`);
	const server = Fastify({
		forceCloseConnections: true,
		// A client may send the whole address, as it would to a proxy (RFC 9112, 3.2.2).
		rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?]+/i, '') || '/',
		// By default, the framework turns texts into numbers and drops members nobody asked for.
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
		// A path that cannot be read reaches neither a route nor the error handler below.
		frameworkErrors: (error, request, reply) =>
			void send(
				error.code === 'FST_ERR_BAD_URL' ? error : nothing(request),
				request as FastifyRequest,
				reply as FastifyReply,
			),
	});
	server.decorateRequest('visit', null);
	// A page from elsewhere may reach this machine by a name of its own, but cannot hide that name.
	const names = ['127.0.0.1', 'localhost', '[::1]', ...parts.hosts];
	server.addHook('onRequest', async ({ headers: { host = '' } }) => {
		if (!names.includes(host.replace(/:\d+$/, '').toLowerCase()))
			throw forbidden(`The sandbox does not answer at '${host}'. Use 127.0.0.1 or localhost.`);
	});
	server.addHook('onSend', async ({ visit }, reply, body) => {
		if (!visit) return body;
		visit.seen.status = reply.statusCode;
		reply.header('date', new Date(clock.now()).toUTCString());
		return damaged(visit.trouble, body, reply);
	});
	server.setErrorHandler(send);
	server.setNotFoundHandler((request) => {
		throw nothing(request);
	});
	const within = (prefix: string, addRoutes: (scope: FastifyInstance) => void) =>
		server.register((scope, _, done) => done(void addRoutes(scope) as undefined), { prefix });
	server.addHook('onRequest', reception(parts));
	void within(VERSION_PREFIX, (scope) => {
		addLicenseRoutes(scope, parts);
		addWebhookRoutes(scope, parts.webhooks);
	});
	void within(CONTROL_PREFIX, (scope) => addControlRoutes(scope, parts));
	return server;
}

/** What every request of the service goes through before it is answered. */
function reception({ keys, trouble, requests, clock, shapes, delay }: Parts) {
	const { rateLimits } = shapes;
	const limiter = rateLimits && new RateLimiter(rateLimits, () => clock.now());
	return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
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
		if (reply.sent) return;
		const key = keys.kindOf(authorization);
		visit.key = key;
		if (!limiter) return;
		const { isAllowed, allowance } = limiter.spend(key);
		void reply.headers(shapes.rateLimitHeaders(allowance));
		if (!isAllowed) throw rateLimited(60);
	};
}

function asServiceError(error: Error & { statusCode?: number }): ServiceError {
	if (error instanceof ServiceError) return error;
	const { statusCode = 500, message } = error;
	if (statusCode >= 500) return new ServiceError(500, 'internal_error', message);
	return statusCode === 404 ? notFound(message) : invalidRequest(message);
}
