import { sleep } from 'n8n-workflow';

import { DAY } from '../licenses/time';

const FIRST_WAIT = 500;
const MAX_WAIT = 30_000;

/**
 * A minute, and what rounding adds. A service that asks for more is asking to be left alone: the user is told
 * instead.
 */
export const MAX_RETRY_AFTER = 65_000;

/** No service means to be asked again after more than a year. */
const MAX_SENSIBLE = 366 * DAY;

/** Rejects when the execution is stopped: at once, or after the wait if n8n's `sleep` takes no signal yet. */
export async function pause(milliseconds: number, stopped?: AbortSignal): Promise<void> {
	await sleep(milliseconds, stopped);
	stopped?.throwIfAborted();
}

/** `Retry-After` in milliseconds, from seconds or a date; undefined if it is absent or makes no sense. */
export function retryAfter(header: unknown, now: number): number | undefined {
	const text = String(header ?? '');
	const isSeconds = /^\d+(\.\d+)?$/.test(text);
	const wait = isSeconds ? Math.ceil(Number(text) * 1000) : Math.max(0, Date.parse(text) - now);
	return wait <= MAX_SENSIBLE ? wait : undefined;
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
	if (asked) return asked > MAX_RETRY_AFTER ? undefined : asked;
	return Math.round(doubled(FIRST_WAIT, attempt, MAX_WAIT) * (0.5 + chance / 2));
}

/** A wait that doubles each time, up to a maximum. */
export const doubled = (first: number, times: number, max: number): number =>
	Math.min(max, first * 2 ** times);
