import type { Allowance, RateLimit } from '../shapes.mts';
import { ServiceError } from './service-error.mts';

/** What is left of each key's allowance. */
export class RateLimiter {
	/** When each request counts no more, oldest first. */
	private readonly spent = new Map<string, number[]>();

	constructor(
		private readonly limit: RateLimit,
		private readonly now: () => number,
	) {}

	/** Counts a request, if there is something left for it. */
	spend(key: string): { isAllowed: boolean; allowance: Allowance } {
		const now = this.now();
		const { limit, seconds } =
			'burst' in this.limit
				? { limit: this.limit.burst, seconds: 60 }
				: { limit: this.limit.requests, seconds: this.limit.seconds };
		const spent = (this.spent.get(key) ?? []).filter((until) => until > now);
		const isAllowed = spent.length < limit;
		if (isAllowed) spent.push(this.until(now, spent.at(-1)));
		this.spent.set(key, spent);
		const resetAt = spent[0] ?? now;
		return {
			isAllowed,
			allowance: { limit, remaining: limit - spent.length, resetAt, now, seconds },
		};
	}

	/** A burst comes back one by one, everything else after its time. */
	private until(now: number, last: number | undefined): number {
		if (!('burst' in this.limit)) return now + this.limit.seconds * 1000;
		return Math.max(now, last ?? now) + 60_000 / this.limit.perMinute;
	}
}

export const rateLimited = (retryAfter?: string): ServiceError =>
	new ServiceError(
		429,
		'rate_limited',
		'The rate limit of your plan is exceeded. Wait before the next request, or move to a larger plan.',
		retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
	);
