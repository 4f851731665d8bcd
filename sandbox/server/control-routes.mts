import { timingSafeEqual } from 'node:crypto';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { LicensePatch } from '../dataset/license.mts';
import { isoTime } from '../dataset/rendering.mts';
import type { Register, RegisterOptions } from '../register/register.mts';
import { sources } from '../register/record.mts';
import type { RequestLog } from './request-log.mts';
import { ServiceError } from './service-error.mts';
import type { Aim, Trouble, TroubleQueue } from './trouble.mts';

export interface Controlled {
	token: string;
	trouble: TroubleQueue;
	requests: RequestLog;
}

const count = { type: 'integer', minimum: 0, maximum: 100_000 } as const;
const once = { ...count, minimum: 1 } as const;
const object = { type: 'object' } as const;
const text = { type: 'string' } as const;
const days = { type: 'number', minimum: 0, maximum: 3660 } as const;
const digits = { type: 'string', pattern: '^\\d+$' } as const;
const members = (properties: Record<string, object>, required: readonly string[] = []) => ({
	type: 'object',
	required,
	additionalProperties: false,
	properties,
});
const body = (required: readonly string[], properties: Record<string, object>) => ({
	schema: { body: members(properties, required) },
});

/**
 * What the in-process handle does, for other processes: outside the service's paths, for this machine only,
 * and only with the token that is shown at the start.
 */
export function addControlRoutes(server: FastifyInstance, controlled: Controlled): void {
	const { trouble, requests } = controlled;
	server.addHook('onRequest', async (request) => guard(request, controlled.token));

	server.post<{ Body: { trouble: Trouble; aim?: Aim } }>(
		'/trouble',
		body(['trouble'], { trouble: object, aim: object }),
		async (request) => {
			trouble.next(request.body.trouble, request.body.aim);
			return { pending: trouble.pending };
		},
	);
	server.get('/trouble', async () => ({ pending: trouble.pending }));
	server.delete('/trouble', async () => {
		trouble.clear();
		return { pending: trouble.pending };
	});

	server.get('/requests', async () => ({ count: requests.count, data: requests.entries }));
	server.delete('/requests', async () => {
		requests.reset();
		return { count: 0 };
	});
}

/** What a test does with the register. */
export function addRegisterControl(server: FastifyInstance, register: Register): void {
	const state = () => ({
		day: register.day,
		now: isoTime(register.now()),
		hasCaughtUp: register.clock.hasCaughtUp,
		listings: register.listings.length,
	});
	server.get('/register', async () => state());
	server.post<{ Body: { days?: number } }>('/advance', body([], { days }), async (request) => {
		register.advance(request.body.days);
		return state();
	});
	server.post<{ Body: { record?: LicensePatch } }>(
		'/file',
		body([], { record: object }),
		async (request) => ({ data: register.file(request.body.record) }),
	);
	server.post<{ Body: { id: string; record: LicensePatch } }>(
		'/change',
		body(['id', 'record'], { id: text, record: object }),
		async (request) => ({ data: register.change(request.body.id, request.body.record) }),
	);
	server.post<{ Body: { what: string; days?: number } }>(
		'/leave-out',
		body(['what'], { what: text, days: once }),
		async (request) => {
			register.leaveOut(request.body.what, request.body.days);
			return state();
		},
	);
	server.post<{ Body: Pick<RegisterOptions, 'windows' | 'holes'> }>(
		'/sample',
		body([], {
			windows: members(Object.fromEntries(sources.map((source) => [source, count]))),
			holes: { type: 'boolean' },
		}),
		async (request) => {
			register.sample(request.body);
			return state();
		},
	);
	server.get<{ Querystring: { after?: string } }>(
		'/listings',
		{ schema: { querystring: members({ after: digits }) } },
		async (request) => ({ data: register.listings.slice(Number(request.query.after ?? 0)) }),
	);
}

function guard(request: FastifyRequest, token: string): void {
	const isLoopback = /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '');
	const given = Buffer.from(String(request.headers['x-sandbox-token'] ?? ''));
	const expected = Buffer.from(token);
	if (isLoopback && given.length === expected.length && timingSafeEqual(given, expected)) return;
	throw new ServiceError(
		403,
		'forbidden',
		"The sandbox's control answers to this machine and its 'X-Sandbox-Token' alone.",
	);
}
