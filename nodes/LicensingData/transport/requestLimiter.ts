import { Failure } from '../domain/failure';
import { formatWait } from '../domain/readableText';
import { Concurrency } from './concurrency';
import type { KnownQuota } from './quota';
import { QuotaPolicy } from './quota';
import { Spacing } from './spacing';

interface Waiting {
	start: () => void;
	refuse: (failure: unknown) => void;
}

interface LimiterSettings {
	/** How many requests may be in flight at once; if absent, the limiter finds out. */
	fixed?: number;
	/**
	 * With it, the last tenth of the plan's quota is left to others, and what does not fit is waited for or refused;
	 * without it, the limits that the service announces are ignored. Limiters that follow each other share one, so
	 * that each knows what the one before left.
	 */
	quota?: KnownQuota;
	stopped?: AbortSignal;
	log?: (line: string) => void;
}

/**
 * Lets requests out one after another, as far as three policies allow: how many at once, how much of the
 * plan's quota, and how far apart.
 *
 * A retry goes ahead of all other requests: behind them, it would hit the same limit again, until its retries
 * are used up.
 */
export class RequestLimiter {
	private readonly concurrency: Concurrency;
	private readonly quota?: QuotaPolicy;
	private readonly spacing: Spacing;
	private readonly log: (line: string) => void;
	private underWay = 0;
	/** How many requests the caller still expects to make. */
	private expected = 0;
	private isClosed = false;
	private readonly queue: Waiting[] = [];

	constructor({ fixed, quota, stopped, log = () => {} }: LimiterSettings = {}) {
		this.concurrency = new Concurrency(fixed);
		this.quota = quota && new QuotaPolicy(quota);
		this.spacing = new Spacing(stopped);
		this.log = log;
	}

	async run<T>(attempt: () => Promise<T>, isRepeat: boolean): Promise<T> {
		await this.turn(isRepeat);
		try {
			await this.spacing.keepDistance(this.concurrency.distance, this.underWay === 1);
			await this.spacing.restOver(() => this.isClosed);
			if (this.isClosed) throw new Failure('refused', 'The reading has ended', '');
			this.expected = Math.max(0, this.expected - 1);
			const start = Date.now();
			const outcome = await attempt();
			if (!(outcome instanceof Failure)) this.concurrency.answered(Date.now() - start);
			return outcome;
		} finally {
			this.underWay--;
			this.letIn();
		}
	}

	/** Fails if this many more requests would have to wait for the plan's quota for too long. */
	expect(requests: number): void {
		this.expected = requests;
		this.quota?.expect(requests);
	}

	/** The service asked to slow down: nothing is sent for that many milliseconds. */
	slowDown(wait: number): void {
		this.concurrency.slowDown(this.spacing.isResting);
		this.spacing.rest(wait);
	}

	/** Takes note of the quota in an answer's headers. */
	observe(headers: Record<string, unknown>): void {
		this.quota?.observe(headers);
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
		while (this.isClosed || this.allowsOneMore()) {
			const next = this.queue.shift();
			if (!next) return;
			this.underWay++;
			next.start();
		}
		if (this.underWay === 0 && this.queue.length > 0) this.awaitQuota();
	}

	private allowsOneMore(): boolean {
		return this.concurrency.allows(this.underWay) && (this.quota?.allows(this.underWay) ?? true);
	}

	private awaitQuota(): void {
		try {
			const wait = this.quota?.awaitRenewal(Math.max(1, this.expected)) ?? 0;
			if (wait > 0) this.log(`Waits ${formatWait(wait)} for the plan's quota to be renewed`);
			this.spacing.rest(wait);
			this.letIn();
		} catch (error) {
			for (const { refuse } of this.queue.splice(0)) refuse(error);
		}
	}
}
