import { timingSafeEqual } from 'node:crypto';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { forbidden } from '../../server/service-error.mts';
import type { LicensePatch } from '../register/patch.mts';
import type { Register } from '../register/register.mts';
import type { RequestLog } from './request-log.mts';
import type { Aim, Trouble, TroubleQueue } from './trouble.mts';

const number = { type: 'number', minimum: 0, maximum: 2 ** 31 - 1 };
const times = { type: 'integer', minimum: 1, maximum: 100_000 };
const lists = { ...times, maximum: 3660 };
const text = { type: 'string' };
const closed = { type: 'object', additionalProperties: false };
const body = (properties: Record<string, object>, required: readonly string[] = []) => ({
	schema: { body: { ...closed, properties, required } },
});

/** Each of them, or this does not compile. */
const KINDS: Record<Trouble['kind'], true> = {
	...{ delay: true, rateLimit: true, error: true, htmlPage: true },
	...{ droppedConnection: true, truncatedBody: true, wrongShape: true },
};
const kind = { enum: Object.keys(KINDS) };
const status = { type: 'integer', minimum: 200, maximum: 599 };
const texts = { type: text, message: text, body: {} };
const trouble = {
	...{ ...closed, required: ['kind'] },
	properties: { kind, status, ...texts, milliseconds: number, retryAfter: number },
};
/** A path without the version. */
const path = { type: 'string', pattern: '^/(?!v1(/|$))[^?#\\s]*$' };
const aimed = { times, after: number, path, withCursor: { type: 'boolean' } };

/** Without the token, nothing is told or done. */
type Controlled = {
	register: Register;
	trouble: TroubleQueue;
	requests: RequestLog;
	token: string;
};

/**
 * What the in-process handle does, for other processes: outside the service's paths, and only with the token that
 * is shown at the start.
 */
export function addControlRoutes(server: FastifyInstance, parts: Controlled): void {
	const { trouble: queue, requests, register, token } = parts;
	server.addHook('onRequest', async (request) => guard(request, token));

	server.post<{ Body: { trouble: Trouble; aim?: Aim } }>(
		'/trouble',
		body({ trouble, aim: { ...closed, properties: aimed } }, ['trouble']),
		async (request) => {
			queue.next(request.body.trouble, request.body.aim);
			return { pending: queue.pending };
		},
	);
	server.get('/requests', async () => ({ count: requests.count, data: requests.entries }));

	server.post<{ Body: { lists?: number } }>('/advance', body({ lists }), async (request) => {
		register.advance(request.body.lists);
		return { day: register.day, isToday: register.isToday };
	});
	server.post<{ Body: { record?: LicensePatch } }>(
		'/file',
		body({ record: { type: 'object' } }),
		async (request) => ({ data: register.file(request.body.record) }),
	);
}

function guard({ headers }: FastifyRequest, token: string): void {
	const given = Buffer.from(String(headers['x-sandbox-token'] ?? ''));
	const expected = Buffer.from(token);
	if (given.length === expected.length && timingSafeEqual(given, expected)) return;
	throw forbidden("The sandbox's control needs the header 'X-Sandbox-Token'.");
}
