import { hash } from 'node:crypto';

import { Failure } from '../licenses/failure';
import type { Connection } from './connection';

const FIRST_WIDTH = 2;
export const MOST_AT_ONCE = 8;

/** Milliseconds. Where a service does not say how long to wait, or does not mean it, waits double up to a minute. */
const FIRST_GUESS = 500;
const LONGEST_GUESS = 60_000;
const MINUTE = 60_000;
/** A service that asks for days by mistake must not silence a trigger for days. */
const LONGEST_BLOCK = 60 * MINUTE;

/** An answer is quick if it took little more than twice as long as the quickest one. */
const isQuick = (took: number, quickest: number): boolean => took <= 2 * quickest + 20;

/** Somebody who sends requests with the key: an execution, or a poll. */
export interface Caller {
	/** How many of its own requests may be under way at once. */
	readonly most?: number;
	/** Nothing more is sent for it. */
	readonly hasEnded?: boolean;
	/** Waits so long, or throws if that takes too long. */
	wait(milliseconds: number, refusal: Failure): Promise<void>;
	answered?(): void;
}

/** For whoever would rather know at once that the service does not want to be asked now. */
export const NO_WAITING: Caller = {
	wait(retryAfter, refusal) {
		throw refusal.withFacts({ retryAfter });
	},
};

type Attempt<T> = () => Promise<T | Failure>;

/**
 * How fast the process may use one API key: how many requests at once, and from when on again after a rate limit.
 * Whoever uses the key shares it. It starts with two requests, and has more under way while answers come quickly.
 * After a refusal nobody asks until the wait is over; then one request finds out, and the others follow once it is
 * answered. It goes by answers alone: a service may count in each of its servers, so what its headers say is left
 * is wrong as often as right.
 */
export class Throttle {
	private width = FIRST_WIDTH;
	private most = MOST_AT_ONCE;
	/** Milliseconds that the latest answer took, and the quickest of those that were under way together. */
	private took = 0;
	private quickest = Number.POSITIVE_INFINITY;
	private readonly queue: Array<{ caller: Caller; start: () => void }> = [];
	/** Who sent the requests that are not answered. */
	private readonly underWay: Caller[] = [];
	/** The last refusal, until something was answered after it. */
	private refusal?: Failure;
	/** When the service last asked for a wait, and until when; it may do so while it is down, too. */
	private askedAt = 0;
	private until = 0;
	private refusals = 0;
	private refusedInARow = 0;
	/** Requests a minute that the plan of the key allows, if the service says so. */
	limit = Number.POSITIVE_INFINITY;

	/** Milliseconds until the service wants to be asked again. A clock that is set back does not make that longer. */
	get waitLeft(): number {
		const now = Date.now();
		const isOver = now < this.askedAt || now - this.askedAt >= LONGEST_BLOCK;
		return isOver ? 0 : Math.max(0, this.until - now);
	}

	/** Whether requests one after another are already as many as the plan allows, as far as the service says. */
	get isLimitedByPlan(): boolean {
		return this.took * this.limit < MINUTE;
	}

	/** Sends a request as soon as it may be sent. */
	async run<T>(caller: Caller, attempt: Attempt<T>): Promise<T | Failure> {
		await new Promise<void>((start) => {
			this.queue.push({ caller, start });
			this.startNext();
		});
		try {
			// What was waited for is over, even if the clock was set back meanwhile.
			for (let waited = 0; this.refusal && this.waitLeft > 0 && waited !== this.until; ) {
				waited = this.until;
				await caller.wait(this.waitLeft, this.refusal);
			}
			return await this.send(caller, attempt);
		} finally {
			this.underWay.splice(this.underWay.indexOf(caller), 1);
			this.startNext();
			// The next list may be read on another day, when the service is quicker or slower.
			if (this.underWay.length === 0 && !this.refusal) {
				this.width = FIRST_WIDTH;
				this.most = MOST_AT_ONCE;
				this.refusals = 0;
				this.quickest = Number.POSITIVE_INFINITY;
			}
		}
	}

	private startNext(): void {
		for (const entry of [...this.queue]) {
			const { caller, start } = entry;
			// A number that a user has chosen holds from the start, until the service has refused something.
			const width = this.refusals > 0 ? this.width : Math.max(this.width, caller.most ?? 0);
			if (this.underWay.length >= width) return;
			const its = this.underWay.filter((other) => other === caller).length;
			if (its >= (caller.most ?? MOST_AT_ONCE)) continue;
			this.queue.splice(this.queue.indexOf(entry), 1);
			this.underWay.push(caller);
			start();
		}
	}

	private async send<T>(caller: Caller, attempt: Attempt<T>): Promise<T | Failure> {
		if (caller.hasEnded) throw new Failure('The reading has ended', '');
		const { refusals } = this;
		const start = Date.now();
		const outcome = await attempt();
		const isBeforeRefusal = refusals !== this.refusals;
		if (outcome instanceof Failure) this.failed(outcome, isBeforeRefusal);
		else {
			caller.answered?.();
			this.took = Date.now() - start;
			if (!isBeforeRefusal) this.answered(this.took);
		}
		return outcome;
	}

	private answered(took: number): void {
		this.refusal = undefined;
		this.refusedInARow = this.until = 0;
		this.quickest = Math.min(this.quickest, took);
		if (this.width < this.most && isQuick(took, this.quickest)) this.width++;
	}

	private failed(failure: Failure, isBeforeRefusal: boolean): void {
		const { status, retryAfter: asked = 0 } = failure.facts;
		const isRefusal = status === 429;
		const guess = Math.min(LONGEST_GUESS, FIRST_GUESS * 2 ** this.refusedInARow);
		const least = isRefusal && (asked === 0 || this.refusedInARow > 0) ? guess : 0;
		const wait = Math.max(asked, least);
		if (wait > 0) {
			this.askedAt = Date.now();
			this.until = Math.max(this.until, this.askedAt + wait);
		}
		if (!isRefusal) return;
		this.refusal = failure;
		if (isBeforeRefusal) return;
		this.refusals++;
		this.refusedInARow++;
		this.most = Math.max(1, Math.floor(this.width / 2));
		this.width = 1;
	}
}

/** One for each key of the process, by a hash: it is kept as long as the process lives. */
export const throttles = new Map<string, Throttle>();

export function throttleFor({ baseUrl, apiKey }: Connection): Throttle {
	const key = hash('sha256', JSON.stringify([baseUrl, apiKey]));
	const throttle = throttles.get(key) ?? new Throttle();
	throttles.set(key, throttle);
	return throttle;
}
