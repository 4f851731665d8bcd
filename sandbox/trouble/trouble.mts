import type { FastifyReply } from 'fastify';

import type { Clock } from '../../server/clock.mts';
import { rateLimited, waiting } from '../../server/rate-limit.mts';
import { ServiceError } from '../../server/service-error.mts';

/** What can go wrong with one request, on command. How its lists may behave is in ../shapes.mts. */
export type Trouble =
	/** The answer comes, but this many milliseconds later. */
	| { kind: 'delay'; milliseconds: number }
	/** 429, with `Retry-After` in seconds or without one. */
	| { kind: 'rateLimit'; retryAfter?: number }
	/** Any error status with an Error body; 500 unless given. */
	| { kind: 'error'; status?: number; type?: string; message?: string; retryAfter?: number }
	/** What a proxy in between says; 502 unless given. */
	| { kind: 'htmlPage'; status?: number }
	/** The connection closes before a byte is answered. */
	| { kind: 'droppedConnection' }
	/** A complete answer whose JSON is cut off. */
	| { kind: 'truncatedBody' }
	/** 200 with JSON (or, as a string, text) that is not what the interface describes. */
	| { kind: 'wrongShape'; body?: unknown };

export interface RequestLine {
	method: string;
	/** Below the base address: `/licenses`. */
	path: string;
	query: Record<string, unknown>;
}

export interface Aim {
	/** How many requests it hits: 1 unless given. */
	times?: number;
	/** Lets this many matching requests pass first. */
	after?: number;
	/** Only requests with this path, below the base address: `/licenses`. */
	path?: string;
	/** Only requests that read a further page (true) or a first one (false). */
	withCursor?: boolean;
	/** Only requests for which this returns true. */
	where?: (request: RequestLine) => boolean;
}

/** Troubles wait in line; each request gets the first one that is aimed at it, and no other. */
export class TroubleQueue {
	private planned: Array<{ trouble: Trouble; aim: Aim; left: number; toPass: number }> = [];

	/** Plans a trouble for the next request, or for those the aim describes. */
	next(trouble: Trouble, aim: Aim = {}): this {
		this.planned.push({ trouble, aim, left: aim.times ?? 1, toPass: aim.after ?? 0 });
		return this;
	}

	/** How many requests will still run into trouble. */
	get pending(): number {
		return this.planned.reduce((sum, { left }) => sum + left, 0);
	}

	/** Forgets what is planned. */
	clear(): void {
		this.planned = [];
	}

	take(request: RequestLine): Trouble | undefined {
		const aimedAt = this.planned.filter(({ aim }) => isAimedAt(aim, request));
		const met = aimedAt.find((planned) => planned.toPass-- <= 0);
		if (met && --met.left <= 0) this.planned = this.planned.filter((other) => other !== met);
		return met?.trouble;
	}
}

function isAimedAt({ path, withCursor, where }: Aim, request: RequestLine): boolean {
	if (path !== undefined && path !== request.path) return false;
	if (withCursor !== undefined && withCursor !== (request.query.cursor !== undefined)) return false;
	return where?.(request) ?? true;
}

const BAD_GATEWAY = '<!DOCTYPE html>\n<title>502 Bad Gateway</title>\n<h1>Bad Gateway</h1>\n';

/** Troubles that replace the answer, or hold it up. */
export async function meet(trouble: Trouble, reply: FastifyReply, clock: Clock): Promise<void> {
	const send = (status: number, type: string, body: string) =>
		reply.code(status).type(`${type}; charset=utf-8`).send(body);
	if (trouble.kind === 'delay') await clock.sleep(trouble.milliseconds);
	if (trouble.kind === 'rateLimit') throw rateLimited(trouble.retryAfter);
	if (trouble.kind === 'error') {
		const { status = 500, type = 'internal_error', retryAfter } = trouble;
		const { message = 'Something went wrong on our side.' } = trouble;
		throw new ServiceError(status, type, message, waiting(retryAfter));
	}
	if (trouble.kind === 'htmlPage') await send(trouble.status ?? 502, 'text/html', BAD_GATEWAY);
	if (trouble.kind === 'wrongShape') {
		const { body = { licenses: [], next: null } } = trouble;
		await send(200, 'application/json', typeof body === 'string' ? body : JSON.stringify(body));
	}
	if (trouble.kind === 'droppedConnection') {
		reply.hijack();
		reply.raw.socket?.destroy();
	}
}

/** A body that is cut off on its way out. */
export function damaged(trouble: Trouble | undefined, body: unknown, reply: FastifyReply): unknown {
	if (typeof body !== 'string' || trouble?.kind !== 'truncatedBody') return body;
	const half = body.slice(0, Math.floor(body.length / 2));
	reply.header('content-length', Buffer.byteLength(half));
	return half;
}
