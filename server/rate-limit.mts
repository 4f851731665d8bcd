import type { Account } from './accounts.mts';
import type { Allowance } from './answers.mts';
import { ServiceError } from './service-error.mts';

/** What is left of each account's minute, which begins with its first request, as one server counts it. */
export class RateLimiter {
	private readonly minutes = new Map<string, { until: number; spent: number }>();

	constructor(private readonly now: () => number) {}

	/** Counts a request, if there is something left for it. */
	spend(name: Account['name'], limit: number): { isAllowed: boolean; allowance: Allowance } {
		const now = this.now();
		const known = this.minutes.get(name);
		const minute = known && known.until > now ? known : { until: now + 60_000, spent: 0 };
		this.minutes.set(name, minute);
		const isAllowed = minute.spent < limit;
		if (isAllowed) minute.spent++;
		const remaining = limit - minute.spent;
		return { isAllowed, allowance: { limit, remaining, resetAt: minute.until, now } };
	}
}

const TOO_MANY =
	'The rate limit of your plan is exceeded. Wait before the next request, or move to a larger plan.';

export const rateLimited = (retryAfter?: number): ServiceError =>
	new ServiceError(429, 'rate_limited', TOO_MANY, waiting(retryAfter));

export const waiting = (seconds?: number): Record<string, string> =>
	seconds === undefined ? {} : { 'Retry-After': String(seconds) };
