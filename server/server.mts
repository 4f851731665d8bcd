import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

import { accountOf, type Account } from './accounts.mts';
import { documented, type Answers } from './answers.mts';
import { addLicenseRoutes } from './license-routes.mts';
import { rateLimited, RateLimiter } from './rate-limit.mts';
import { forbidden, invalidRequest, notFound, ServiceError } from './service-error.mts';

declare module 'fastify' {
	interface FastifyRequest {
		/** Whose key came with it; null outside the interface's paths. */
		account: Account | null;
	}
}

export interface ServerOptions {
	/** Who may ask. Asked at each request, since a key may be rotated. */
	accounts: readonly Account[];
	/** A free port unless given. */
	port?: number;
	/** The address to listen at: this machine's own, unless given. */
	host?: string;
	/** Names by which it may be asked, besides this machine's own. */
	names?: readonly string[];
	/** Of what the interface leaves open, what is to be answered otherwise. */
	answers?: Partial<Answers>;
	/** Routes and hooks of one's own. The hooks run before a key is looked at. */
	extend?: (server: FastifyInstance) => void;
	/** Routes within the interface's paths, where requests have an account. */
	extendInterface?: (server: FastifyInstance) => void;
	now?: () => number;
}

export const VERSION_PREFIX = '/v1';

export async function startServer(options: ServerOptions) {
	const server = buildServer(options);
	const { host = '127.0.0.1', port = 0 } = options;
	await server.listen({ host, port });
	const { port: own } = server.server.address() as AddressInfo;
	const origin = `http://127.0.0.1:${own}`;
	return { origin, baseUrl: origin + VERSION_PREFIX, close: async () => await server.close() };
}

function buildServer(options: ServerOptions): FastifyInstance {
	const { answers, extend, extendInterface } = options;
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
	const sayNothing = (request: FastifyRequest): never => {
		throw nothing(request);
	};
	server.decorateRequest('account', null);
	server.addHook('onRequest', nameCheck(options));
	server.setErrorHandler(send);
	server.setNotFoundHandler(sayNothing);
	extend?.(server);
	const addInterface = async (scope: FastifyInstance): Promise<void> => {
		scope.addHook('onRequest', admission(options));
		// Paths that lead nowhere ask for a key, too.
		scope.setNotFoundHandler(sayNothing);
		addLicenseRoutes(scope, { ...documented, ...answers });
		extendInterface?.(scope);
	};
	void server.register(addInterface, { prefix: VERSION_PREFIX });
	return server;
}

/** A page from elsewhere may reach this machine by a name of its own, but cannot hide that name. */
function nameCheck({ names = [] }: ServerOptions) {
	const own = ['127.0.0.1', 'localhost', '[::1]', ...names.map((name) => name.toLowerCase())];
	return async ({ headers: { host = '' } }: FastifyRequest): Promise<void> => {
		if (own.includes(host.replace(/:\d+$/, '').toLowerCase())) return;
		throw forbidden(`This service does not answer at '${host}'. Use ${own.join(' or ')}.`);
	};
}

/** What every request of the interface goes through before it is answered. */
function admission({ accounts, answers, now = Date.now }: ServerOptions) {
	const limiter = new RateLimiter(now);
	const { rateLimitHeaders } = { ...documented, ...answers };
	return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
		const account = accountOf(accounts, request.headers.authorization);
		request.account = account;
		if (account.perMinute === undefined) return;
		const { isAllowed, allowance } = limiter.spend(account.name, account.perMinute);
		void reply.headers(rateLimitHeaders(allowance));
		if (!isAllowed) throw rateLimited(60);
	};
}

async function send(error: Error, _request: FastifyRequest, reply: FastifyReply) {
	const { type, message, status, headers } = asServiceError(error);
	return await reply.headers(headers).code(status).send({ error: { type, message } });
}

function asServiceError(error: Error & { statusCode?: number }): ServiceError {
	if (error instanceof ServiceError) return error;
	const { statusCode = 500, message } = error;
	if (statusCode >= 500) return new ServiceError(500, 'internal_error', message);
	return statusCode === 404 ? notFound(message) : invalidRequest(message);
}
