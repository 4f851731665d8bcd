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
	/** How many requests may come at once after a rest. */
	burst: number;
}

/** A token bucket for each key. */
export class RateLimiter {
	private readonly buckets = new Map<string, { tokens: number; at: number }>();

	constructor(
		private readonly limit: RateLimit,
		private readonly now: () => number,
	) {}

	spend(key: string): void {
		const { perMinute, burst } = this.limit;
		const now = this.now();
		const bucket = this.buckets.get(key) ?? { tokens: burst, at: now };
		const refilled = Math.min(burst, bucket.tokens + ((now - bucket.at) / 60_000) * perMinute);
		this.buckets.set(key, { tokens: refilled < 1 ? refilled : refilled - 1, at: now });
		if (refilled >= 1) return;
		const seconds = Math.max(1, Math.ceil(((1 - refilled) / perMinute) * 60));
		throw rateLimited(String(seconds));
	}
}

export const rateLimited = (retryAfter?: string): ServiceError =>
	new ServiceError(
		429,
		'rate_limited',
		'The rate limit of your plan is exceeded. Wait before the next request, or move to a larger plan.',
		retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
	);
