import { Failure } from '../licenses/failure';
import { formatCount, formatWait } from '../licenses/readableText';
import { Concurrency } from './concurrency';
import { pause } from './pause';
import { RateLimit } from './rateLimit';

/** Milliseconds that an execution waits for rate limits, all in all. */
const LONGEST_WAIT = 3_600_000;

/** How long an execution has waited, all input items together. */
export interface Patience {
	waited: number;
	/** Until when waits have been counted: requests wait at the same time. */
	until: number;
	hasSaid: boolean;
}

export const newPatience = (): Patience => ({ waited: 0, until: 0, hasSaid: false });

interface LimiterSettings {
	/** How many requests may be in flight at once; if absent, the limiter finds out. */
	fixed?: number;
	patience?: Patience;
	stopped?: AbortSignal;
	/** Told at the first wait what the service asks for, and how long it will take. */
	onWait?: (line: string) => void;
}

/**
 * Lets the requests of a run out: so many at once, and none while the key has to wait for its rate limit.
 */
export class RequestLimiter {
	private readonly concurrency: Concurrency;
	private readonly settings: LimiterSettings;
	private readonly patience: Patience;
	private readonly start = Date.now();
	private readonly limit = new RateLimit(() => this.concurrency.refused());
	private underWay = 0;
	private answers = 0;
	/** How many requests the caller still expects to make. */
	private expected = 0;
	private isClosed = false;
	private readonly queue: Array<() => void> = [];

	constructor(settings: LimiterSettings = {}) {
		this.settings = settings;
		this.patience = settings.patience ?? newPatience();
		this.concurrency = new Concurrency(settings.fixed);
	}

	async run<T>(attempt: () => Promise<T | Failure>): Promise<T | Failure> {
		await new Promise<void>((start) => {
			this.queue.push(start);
			this.startNext();
		});
		try {
			return await this.limit.run(
				async () => await this.send(attempt),
				async (left, refusal) => await this.wait(left, refusal),
			);
		} finally {
			this.underWay--;
			this.startNext();
		}
	}

	/** Says how many more requests there will be. */
	expect(requests: number): void {
		this.expected = requests;
	}

	/** Nothing is sent from now on, not even retries that are waiting. */
	close(): void {
		this.isClosed = true;
		this.startNext();
	}

	private async send<T>(attempt: () => Promise<T | Failure>): Promise<T | Failure> {
		if (this.isClosed) throw new Failure('refused', 'The reading has ended', '');
		const start = Date.now();
		const outcome = await attempt();
		if (!(outcome instanceof Failure)) {
			this.answers++;
			this.expected = Math.max(0, this.expected - 1);
			this.concurrency.answered(Date.now() - start);
		}
		return outcome;
	}

	private startNext(): void {
		while (this.queue.length > 0 && (this.isClosed || this.concurrency.allows(this.underWay))) {
			this.underWay++;
			this.queue.shift()?.();
		}
	}

	private async wait(left: number, refusal: Failure): Promise<void> {
		if (this.isClosed) throw new Failure('refused', 'The reading has ended', '');
		const { patience, settings } = this;
		const now = Date.now();
		const until = now + left;
		const waited = patience.waited + Math.max(0, until - Math.max(now, patience.until));
		if (waited > LONGEST_WAIT) throw tooSlow(refusal, left, this.expected);
		patience.waited = waited;
		patience.until = Math.max(until, patience.until);
		if (!patience.hasSaid) settings.onWait?.(this.announcement(left));
		patience.hasSaid = true;
		await pause(left, settings.stopped);
	}

	private announcement(left: number): string {
		const asked = `The plan's rate limit is reached, and the service asks to wait ${formatWait(left)}.`;
		if (this.expected === 0 || this.answers === 0) return `${asked} ${GOES_ON}`;
		const took = Date.now() - this.start + left;
		const time = (took / this.answers) * this.expected + left;
		const isTooLong = time > LONGEST_WAIT ? ` ${WAYS_OUT}` : '';
		return `${asked} About ${formatCount(this.expected)} more requests are needed, which takes about ${formatWait(time)} at this rate. ${GOES_ON}${isTooLong}`;
	}
}

const GOES_ON = 'The node waits as often as it takes, up to an hour in all.';
const WAYS_OUT =
	"Ask for less with 'Filters' or 'Limit', run the workflow when nothing else uses the key, or choose a plan with a higher limit.";

function tooSlow({ facts }: Failure, left: number, expected: number): Failure {
	const more = expected > 0 ? ` About ${formatCount(expected)} more requests were needed.` : '';
	return new Failure(
		'status',
		'The rate limit of the plan is too low for this',
		`The node waits for the limit up to an hour in all, and the service asks to wait ${formatWait(left)} more.${more} ${WAYS_OUT}`,
		{ ...facts, retryAfter: left },
	);
}
