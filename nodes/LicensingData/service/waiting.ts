import { sleep } from 'n8n-workflow';

import { Failure } from '../licenses/failure';
import { formatCount, formatWait } from '../licenses/text';
import type { Caller } from './throttle';

const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/**
 * A minute, and what rounding adds. A service that asks for more is asking to be left alone: the user is told
 * instead.
 */
export const LONGEST_RETRY_AFTER = 65_000;
/** No service means to be asked again after more than a year. */
const LONGEST_SENSIBLE = 366 * 86_400_000;
/** Milliseconds that an execution waits for rate limits, all in all. */
const HOUR = 3_600_000;

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

/** The requests of one run of an operation. */
export interface Run extends Caller {
	/** How many were answered; retries do not count. */
	answers: number;
	/** How many more it knows that it is going to make, for whoever has to wait for them. */
	expected: number;
	hasEnded: boolean;
}

/** What is still to be asked for, and how long that takes at the rate so far. */
interface Estimate {
	requests: number;
	milliseconds: number;
}

/** How an execution waits for rate limits, all of its input items together: up to an hour, and it says so. */
export class WaitAllowance {
	private waited = 0;
	/** Until when waits have been counted: requests wait at the same time. */
	private until = 0;
	/** 1 once a wait was announced, and 2 once that was done with an estimate. */
	private said = 0;

	constructor(
		private readonly announce: (line: string) => void,
		/** Cancels the wait when the execution is stopped. */
		private readonly stopped?: AbortSignal,
	) {}

	open(most?: number): Run {
		const start = Date.now();
		const run: Run = {
			most,
			hasEnded: false,
			answers: 0,
			expected: 0,
			answered() {
				run.answers++;
				run.expected = Math.max(0, run.expected - 1);
			},
			wait: async (left: number, refusal: Failure): Promise<void> => {
				const { expected: requests, answers } = run;
				const each = (Date.now() - start + left) / answers;
				const rest = { requests, milliseconds: each * requests + left };
				await this.wait(left, refusal, requests > 0 && answers > 0 ? rest : undefined);
			},
		};
		return run;
	}

	private async wait(left: number, refusal: Failure, rest: Estimate | undefined): Promise<void> {
		const now = Date.now();
		const until = now + left;
		const waited = this.waited + Math.max(0, until - Math.max(now, this.until));
		if (waited > HOUR) throw tooSlow(refusal, left, rest);
		this.waited = waited;
		this.until = Math.max(until, this.until);
		const news = rest ? 2 : 1;
		if (news > this.said) this.announce(announcement(left, refusal, rest));
		this.said = Math.max(news, this.said);
		await pause(left, this.stopped);
	}
}

function announcement(left: number, refusal: Failure, rest: Estimate | undefined): string {
	const reached = `The plan's rate limit is reached, and the service ${asksFor(left, refusal)}.`;
	if (!rest) return `${reached} ${GOES_ON}`;
	const isTooLong = rest.milliseconds > HOUR ? ` ${WAYS_OUT}` : '';
	return `${reached} About ${formatCount(rest.requests)} more requests are needed, which takes about ${formatWait(rest.milliseconds)} at this rate. ${GOES_ON}${isTooLong}`;
}

/** A service that does not say how long to wait, or asks for less than it means, is left alone for longer. */
const asksFor = (left: number, { facts: { retryAfter: asked } }: Failure): string =>
	asked ? `asks to wait ${formatWait(Math.min(left, asked))}` : 'does not say for how long';

const GOES_ON = 'The node waits as often as it takes, up to an hour in all.';
const WAYS_OUT =
	"Ask for less with 'Filters' or 'Limit', run the workflow when nothing else uses the key, or choose a plan with a higher limit.";

function tooSlow(refusal: Failure, left: number, rest: Estimate | undefined): Failure {
	const more = rest ? ` About ${formatCount(rest.requests)} more requests were needed.` : '';
	return new Failure(
		'The rate limit of the plan is too low for this',
		`The node waits for the limit up to an hour in all, and now the service ${asksFor(left, refusal)}.${more} ${WAYS_OUT}`,
		{ ...refusal.facts, retryAfter: left },
	);
}
