const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/**
 * A minute, and what rounding adds. A service that asks for more is asking to be left alone: the user is told
 * instead.
 */
export const LONGEST_RETRY_AFTER = 65_000;

/** No service means to be asked again after more than a year. */
const LONGEST_SENSIBLE = 366 * 86_400_000;

/** `Retry-After` in milliseconds, from seconds or a date; undefined if it is absent or makes no sense. */
export function retryAfter(header: unknown, now: number): number | undefined {
	const text = String(header ?? '');
	const isSeconds = /^\d+(\.\d+)?$/.test(text);
	const wait = isSeconds ? Math.ceil(Number(text) * 1000) : Math.max(0, Date.parse(text) - now);
	return wait <= LONGEST_SENSIBLE ? wait : undefined;
}

/**
 * How long to wait before the next try, or undefined to give up. Waits double, and half of each is random, so
 * that workflows that failed together do not all come back together.
 */
export function waitBefore(
	attempt: number,
	asked: number | undefined,
	chance: number,
): number | undefined {
	// A wait of zero, or until a moment in the past, would use up all retries at once.
	if (asked) return asked > LONGEST_RETRY_AFTER ? undefined : asked;
	const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt);
	return Math.round(longest * (0.5 + chance / 2));
}
