import { Failure } from '../licenses/failure';
import { formatCount } from '../licenses/text';
import { formatWait, HOUR } from '../licenses/time';
import { pause } from './backoff';
import type { Caller } from './throttle';

/** How long an execution waits for rate limits (429), all in all. Of other answers, `backoff.ts` says how long. */
const MAX_ALLOWED = HOUR;

/** The requests of one run of an operation. */
export interface Run extends Caller {
	/** How many were answered; retries do not count. */
	answers: number;
	/** How many more it knows that it is going to make, for whoever has to wait for them. */
	expected: number;
	hasEnded: boolean;
}

/** How an execution waits for rate limits, all of its input items together: up to an hour, and it says so. */
export class WaitAllowance {
	private waited = 0;
	/** Until when waits have been counted, and their end: requests wait at the same time. */
	private until = 0;
	private end?: Promise<void>;
	/** 1 once a wait was announced, and 2 once that was done with an estimate. */
	private said = 0;

	constructor(
		private readonly announce: (line: string) => void,
		/** Cancels the wait when the execution is stopped. */
		private readonly stopped?: AbortSignal,
	) {}

	open(max?: number): Run {
		const start = Date.now();
		const run: Run = {
			owner: this,
			max,
			stopped: this.stopped,
			hasEnded: false,
			answers: 0,
			expected: 0,
			answered() {
				run.answers++;
				run.expected--;
			},
			wait: async (left, refusal) => await this.wait(left, refusal, run, start),
		};
		return run;
	}

	private async wait(left: number, refusal: Failure, run: Run, start: number): Promise<void> {
		const now = Date.now();
		const until = now + left;
		const isKnown = run.expected > 0 && run.answers > 0;
		const rest = isKnown ? left + (run.expected * (until - start)) / run.answers : 0;
		const news = isKnown ? 2 : 1;
		const estimate = `About ${formatCount(run.expected)} more requests are needed, which takes about ${formatWait(rest)} at this rate. `;
		const reached = `The plan's rate limit is reached, and the service ${asksFor(left, refusal)}. ${isKnown ? estimate : ''}`;
		const isWaitedFor = this.end !== undefined && until <= this.until;
		const waited = this.waited + Math.max(0, until - Math.max(now, this.until));
		if (waited > MAX_ALLOWED)
			throw new Failure(
				'The rate limit of the plan is too low for this',
				`The node waits for rate limits up to an hour in all. ${reached}${WAYS_OUT}`,
				{ ...refusal.facts, retryAfter: left },
			);
		this.waited = waited;
		this.until = Math.max(until, this.until);
		const line = `${reached}The node waits as often as it takes, up to an hour in all.`;
		if (news > this.said) this.announce(rest > MAX_ALLOWED ? `${line} ${WAYS_OUT}` : line);
		this.said = Math.max(news, this.said);
		if (!isWaitedFor) this.end = pause(left, this.stopped).finally(() => (this.end = undefined));
		await this.end;
	}
}

/** A service that does not say how long to wait, or asks for less than it means, is left alone for longer. */
const asksFor = (left: number, { facts: { retryAfter: asked } }: Failure): string =>
	asked ? `asks to wait ${formatWait(Math.min(left, asked))}` : 'does not say how long to wait';

const WAYS_OUT =
	"Ask for less with 'Filters' or 'Limit', run the workflow when nothing else uses the key, or choose a plan with a higher limit.";
