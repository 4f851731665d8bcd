import { Failure } from '../licenses/failure';
import { formatCount, formatWait } from '../licenses/text';
import { pause } from './pause';
import type { Caller } from './throttle';

/** Milliseconds that an execution waits for rate limits, all in all. */
const LONGEST_WAIT = 3_600_000;

interface Settings {
	/** Cancels the wait when the execution is stopped. */
	stopped?: AbortSignal;
	/** Told at the first wait how long it is, and once more when the rest of it can be estimated. */
	onWait?: (line: string) => void;
}

/** How an execution waits for rate limits, all of its input items together: up to an hour, and it says so. */
export class WaitAllowance {
	private waited = 0;
	/** Until when waits have been counted: requests wait at the same time. */
	private until = 0;
	private readonly said = new Set<string>();

	constructor(private readonly settings: Settings = {}) {}

	/** For one run of an operation. */
	open(most?: number): Run {
		return new Run(this, most);
	}

	async wait(left: number, refusal: Failure, rest: Estimate | undefined): Promise<void> {
		const now = Date.now();
		const until = now + left;
		const waited = this.waited + Math.max(0, until - Math.max(now, this.until));
		if (waited > LONGEST_WAIT) throw tooSlow(refusal, left, rest);
		this.waited = waited;
		this.until = Math.max(until, this.until);
		const kind = rest ? 'rest' : 'wait';
		if (!this.said.has('rest') && !this.said.has(kind))
			this.settings.onWait?.(announcement(left, refusal, rest));
		this.said.add(kind);
		await pause(left, this.settings.stopped);
	}
}

/** What is still to be asked for, and how long that takes at the rate so far. */
interface Estimate {
	requests: number;
	milliseconds: number;
}

/** The requests of one run. */
export class Run implements Caller {
	hasEnded = false;
	answers = 0;
	private readonly start = Date.now();
	/** How many more requests it is going to make, as far as it knows. */
	private expected = 0;

	constructor(
		private readonly allowance: WaitAllowance,
		readonly most?: number,
	) {}

	expect(requests: number): void {
		this.expected = requests;
	}

	answered(): void {
		this.answers++;
		this.expected = Math.max(0, this.expected - 1);
	}

	async wait(left: number, refusal: Failure): Promise<void> {
		const { expected, answers, start } = this;
		const took = Date.now() - start + left;
		const rest =
			expected > 0 && answers > 0
				? { requests: expected, milliseconds: (took / answers) * expected + left }
				: undefined;
		await this.allowance.wait(left, refusal, rest);
	}
}

function announcement(left: number, refusal: Failure, rest: Estimate | undefined): string {
	const asked = `and the service ${asksFor(left, refusal)}`;
	const reached = `The plan's rate limit is reached, ${asked}.`;
	if (!rest) return `${reached} ${GOES_ON}`;
	const isTooLong = rest.milliseconds > LONGEST_WAIT ? ` ${WAYS_OUT}` : '';
	return `${reached} About ${formatCount(rest.requests)} more requests are needed, which takes about ${formatWait(rest.milliseconds)} at this rate. ${GOES_ON}${isTooLong}`;
}

/** A service that does not say how long to wait, or asks for less than it means, is left alone for longer. */
const asksFor = (left: number, { retryAfter }: Failure): string =>
	retryAfter
		? `asks to wait ${formatWait(Math.min(left, retryAfter))}`
		: 'does not say for how long';

const GOES_ON = 'The node waits as often as it takes, up to an hour in all.';
const WAYS_OUT =
	"Ask for less with 'Filters' or 'Limit', run the workflow when nothing else uses the key, or choose a plan with a higher limit.";

function tooSlow(refusal: Failure, left: number, rest: Estimate | undefined): Failure {
	const more = rest ? ` About ${formatCount(rest.requests)} more requests were needed.` : '';
	return new Failure(
		'status',
		'The rate limit of the plan is too low for this',
		`The node waits for the limit up to an hour in all, and now the service ${asksFor(left, refusal)}.${more} ${WAYS_OUT}`,
		{ ...refusal.facts, retryAfter: left },
	);
}
