import { ServiceError } from './service-error.mts';

/** The interface gives no numbers; these tiers are this sandbox's. */
export const planTiers = {
	starter: { perMinute: 60, burst: 20 },
	growth: { perMinute: 300, burst: 60 },
	scale: { perMinute: 1200, burst: 200 },
};
export type PlanTier = keyof typeof planTiers;

export interface RateLimit {
	perMinute: number;
	/** How many requests may come at once after a pause. */
	burst: number;
}

/**
 * A token bucket for each key, kept as the moment at which it would be full again: whole
 * milliseconds add up exactly, where fractions of a token would not.
 */
export class RateLimiter {
	private readonly fullAt = new Map<string, number>();

	constructor(
		private readonly limit: RateLimit,
		private readonly now: () => number,
	) {}

	spend(key: string): void {
		const { perMinute, burst } = this.limit;
		const now = this.now();
		const refill = 60_000 / perMinute;
		const fullAt = Math.max(this.fullAt.get(key) ?? now, now) + refill;
		const wait = fullAt - now - burst * refill;
		if (wait > 0) throw rateLimited(String(Math.ceil(wait / 1000)));
		this.fullAt.set(key, fullAt);
	}
}

export const rateLimited = (retryAfter?: string): ServiceError =>
	new ServiceError(
		429,
		'rate_limited',
		'The rate limit of your plan is exceeded. Wait before the next request, or move to a larger plan.',
		retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
	);
