import { Failure } from '../domain/failure';
import { pause } from './pause';
import { LONGEST_RETRY_AFTER } from './retry';

const FIRST_WIDTH = 2;
export const MOST_AT_ONCE = 8;

/** An answer is quick if it took little more than twice as long as the quickest of this run. */
const isQuick = (took: number, quickest: number): boolean => took <= 2 * quickest + 20;

/** What the service says about the plan's quota. */
interface Quota {
	limit: number;
	remaining: number;
	/** Milliseconds until it is renewed, if the service says when. */
	renewedIn?: number;
	/** Whether it is only assumed, and one request is to find out. */
	isHope?: boolean;
}

export interface KnownQuota {
	quota?: Quota;
	hasAwaited?: boolean;
}

interface Waiting {
	start: () => void;
	refuse: (failure: Failure) => void;
}

/**
 * Decides how many requests may be in flight at once. Without a fixed number, it starts small, grows while
 * answers come quickly, and leaves the last tenth of the quota to whatever else uses the same key, such as a
 * trigger. A rate limit pauses all requests, and halves their number for the rest of the run.
 *
 * A retry goes ahead of all other requests: behind them, it would hit the same limit again, until its retries
 * are used up.
 */
export class RequestLimiter {
	private width: number;
	private isGrowing: boolean;
	private quickest = Number.POSITIVE_INFINITY;
	private underWay = 0;
	private restUntil = 0;
	private nextStart = 0;
	private isClosed = false;
	private readonly queue: Waiting[] = [];

	constructor(
		private readonly fixed: number | undefined,
		private readonly stopped?: AbortSignal,
		/** Shared by limiters that follow each other, so that each knows what the one before left. */
		private readonly known: KnownQuota = {},
	) {
		this.width = fixed ?? FIRST_WIDTH;
		this.isGrowing = fixed === undefined;
	}

	async run<T>(attempt: () => Promise<T>, isRepeat: boolean): Promise<T> {
		await this.turn(isRepeat);
		try {
			await this.keepDistance();
			await this.rest();
			if (this.isClosed) throw new Failure('refused', 'The reading has ended', '');
			const start = Date.now();
			const outcome = await attempt();
			if (!(outcome instanceof Failure)) this.grow(Date.now() - start);
			return outcome;
		} finally {
			this.underWay--;
			this.letIn();
		}
	}

	/** The service asked to slow down: nothing is sent for that many milliseconds. */
	slowDown(wait: number): void {
		const isSameMoment = Date.now() < this.restUntil;
		this.restUntil = Math.max(this.restUntil, Date.now() + wait);
		this.isGrowing = false;
		// Requests that were in flight together are refused together, which is one warning, not several.
		if (!isSameMoment) this.width = Math.max(1, Math.floor(this.width / 2));
	}

	/** Takes note of the quota in an answer's headers. */
	observe(headers: Record<string, unknown>): void {
		const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
			toNumber(headers[`x-ratelimit-${name}`]),
		);
		if (this.fixed !== undefined || !limit || remaining === undefined) return;
		// Answers may arrive out of order, so a slightly higher number does not mean a renewal.
		const last = this.known.quota?.remaining ?? Number.POSITIVE_INFINITY;
		const isRenewed = this.known.quota?.isHope === true || remaining > last + MOST_AT_ONCE;
		this.known.quota = {
			limit,
			remaining: isRenewed ? remaining : Math.min(remaining, last),
			renewedIn: reset === undefined ? undefined : untilReset(reset),
		};
		if (remaining > limit / 10) this.known.hasAwaited = false;
	}

	/** Nothing is sent from now on, not even retries that are waiting. */
	close(): void {
		this.isClosed = true;
		this.letIn();
	}

	private async turn(isRepeat: boolean): Promise<void> {
		await new Promise<void>((start, refuse) => {
			if (isRepeat) this.queue.unshift({ start, refuse });
			else this.queue.push({ start, refuse });
			this.letIn();
		});
	}

	private letIn(): void {
		while (this.isClosed || (this.underWay < this.width && this.hasQuota())) {
			const next = this.queue.shift();
			if (!next) return;
			this.underWay++;
			next.start();
		}
		if (this.underWay === 0 && this.queue.length > 0) this.awaitQuota();
	}

	private grow(took: number): void {
		this.quickest = Math.min(this.quickest, took);
		if (this.isGrowing && this.width < MOST_AT_ONCE && isQuick(took, this.quickest)) this.width++;
	}

	private hasQuota(): boolean {
		const { quota } = this.known;
		if (this.fixed !== undefined || !quota) return true;
		return quota.remaining - this.underWay - 1 >= quota.limit / 10;
	}

	/** Waits until the quota is renewed. If the service does not say when, it tries once, after a minute. */
	private awaitQuota(): void {
		const { limit = 0, renewedIn: wait = LONGEST_RETRY_AFTER } = this.known.quota ?? {};
		if (this.known.hasAwaited || wait > LONGEST_RETRY_AFTER) {
			for (const { refuse } of this.queue.splice(0)) refuse(quotaNearlyUsedUp());
			return;
		}
		this.known.hasAwaited = true;
		this.known.quota = { limit, remaining: Math.ceil(limit / 10) + 1, isHope: true };
		this.restUntil = Math.max(this.restUntil, Date.now() + wait);
		this.letIn();
	}

	/**
	 * Requests that start together are answered together, and then each waits until the others have been read.
	 * Spread over the time that an answer takes, they are as many, and each is quicker.
	 */
	private async keepDistance(): Promise<void> {
		const now = Date.now();
		const distance = Number.isFinite(this.quickest) ? this.quickest / this.width : 0;
		const start = Math.max(now, this.nextStart);
		this.nextStart = start + distance;
		if (this.underWay > 1 && start - now >= 1) await pause(start - now, this.stopped);
	}

	private async rest(): Promise<void> {
		for (let until = 0; until !== this.restUntil && !this.isClosed; ) {
			until = this.restUntil;
			const left = until - Date.now();
			if (left > 0) await pause(left, this.stopped);
		}
	}
}

const quotaNearlyUsedUp = (): Failure =>
	new Failure(
		'status',
		'The quota of the plan is nearly used up',
		"The last tenth is kept for triggers that use the same key. Try again later, or ask for less with 'Filters'. To use the rest as well, set a number in 'Parallel Requests' under 'Options'.",
	);

function toNumber(header: unknown): number | undefined {
	const number = Number(header || Number.NaN);
	return Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Some services send the number of seconds left, others a time in seconds since 1970. */
const untilReset = (reset: number): number =>
	Math.max(0, reset < 1e9 ? reset * 1000 : reset * 1000 - Date.now());
