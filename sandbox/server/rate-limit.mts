import type { Allowance, RateLimit } from '../shapes.mts';
import type { KeyKind } from './authentication.mts';
import { ServiceError } from './service-error.mts';

const MINUTE = 60_000;

/** What is left of each key's allowance, as one server counts it. */
export class RateLimiter {
	/** When each request counts no more, oldest first. */
	private readonly spent = new Map<KeyKind, number[]>();

	constructor(
		private readonly limit: RateLimit,
		private readonly now: () => number,
	) {}

	/** Counts a request, if there is something left for it. */
	spend(key: KeyKind): { isAllowed: boolean; allowance: Allowance; retryAfter: number } {
		const now = this.now();
		const { limit, seconds } = this.allowanceOf(key);
		const spent = (this.spent.get(key) ?? []).filter((until) => until > now);
		const isAllowed = spent.length < limit;
		if (isAllowed) spent.push(this.until(now, spent));
		this.spent.set(key, spent);
		const resetAt = spent[0] ?? now;
		return {
			isAllowed,
			allowance: { limit, remaining: limit - spent.length, resetAt, now, seconds },
			// By the minute, the service says 60 however much of the minute is left.
			retryAfter: 'live' in this.limit ? 60 : Math.ceil((resetAt - now) / 1000),
		};
	}

	private allowanceOf(key: KeyKind): { limit: number; seconds: number } {
		const { limit } = this;
		if ('live' in limit) return { limit: limit[key], seconds: 60 };
		return { limit: limit.requests, seconds: limit.seconds };
	}

	/** A minute's requests come back all at once, others each after its time. */
	private until(now: number, spent: readonly number[]): number {
		const { limit } = this;
		if ('live' in limit) return spent[0] ?? now + MINUTE;
		return now + limit.seconds * 1000;
	}
}

export const rateLimited = (retryAfter?: string): ServiceError =>
	new ServiceError(
		429,
		'rate_limited',
		'The rate limit of your plan is exceeded. Wait before the next request, or move to a larger plan.',
		retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
	);
