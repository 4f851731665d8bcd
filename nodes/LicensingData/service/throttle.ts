import { hash } from 'node:crypto';

import { Failure } from '../licenses/failure';
import { MINUTE } from '../licenses/time';
import { doubled } from './backoff';
import type { Connection } from './credential';

const FIRST_WIDTH = 2;
export const MAX_AT_ONCE = 8;

/** Milliseconds. Where a service does not say how long to wait, or does not mean it, waits double up to a minute. */
const FIRST_GUESS = 500;
const MAX_GUESS = 60_000;
/** A service that asks for days by mistake must not silence a trigger for days. */
const MAX_BLOCK = 60 * MINUTE;

/** An answer is quick if it took little more than twice as long as the quickest one. */
const isQuick = (took: number, quickest: number): boolean => took <= 2 * quickest + 20;

/** Somebody who sends requests with the key: an execution, or a poll. */
export interface Caller {
	/** What it is part of, where several take their turns as one. */
	readonly owner?: object;
	/** How many of its own requests may be under way at once. */
	readonly max?: number;
	/** Nothing more is sent for it. */
	readonly hasEnded?: boolean;
	/** Ends its waits. */
	readonly stopped?: AbortSignal;
	/** Waits so long, or throws if that takes too long. */
	wait(milliseconds: number, refusal: Failure): Promise<void>;
	answered?(): void;
}

/** For whoever would rather know at once that the service does not want to be asked now. */
export const NO_WAITING: Caller = {
	async wait(retryAfter, refusal) {
		throw refusal.withFacts({ retryAfter });
	},
};

const ownerOf = (caller: Caller): object => caller.owner ?? caller;

/** Who waits for a place, and what tells it whether it got one, or may have to wait for the service first. */
interface Waiting {
	caller: Caller;
	start: (hasPlace: boolean) => void;
	reject: (reason: unknown) => void;
}

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
	private max = MAX_AT_ONCE;
	/** Milliseconds that the latest answer took, and the quickest of those that were under way together. */
	private took = 0;
	private quickest = Number.POSITIVE_INFINITY;
	private queue: Waiting[] = [];
	/** What ends the executions that have waited here. */
	private readonly watched = new WeakSet<AbortSignal>();
	/** Who sent the requests that are not answered. */
	private readonly underWay: object[] = [];
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
		const isOver = now < this.askedAt || now - this.askedAt >= MAX_BLOCK;
		return isOver ? 0 : Math.max(0, this.until - now);
	}

	/** True if requests one after another are already as many as the plan allows, as far as the service says. */
	get isLimitedByPlan(): boolean {
		return this.took * this.limit < MINUTE;
	}

	/** Sends a request as soon as it may be sent, or throws if no time is left then. */
	async run<T>(
		caller: Caller,
		attempt: Attempt<T>,
		timeLeft = (): number => Number.POSITIVE_INFINITY,
	): Promise<T | Failure> {
		// Whoever waits for the service has no place: a poll, or a user, would have to wait behind it.
		for (let known: Failure | undefined; ; ) {
			const { refusal, waitLeft } = this;
			// What was waited for is over, even if the clock was set back meanwhile.
			if (refusal && refusal !== known && waitLeft > 0) {
				known = refusal;
				await caller.wait(waitLeft, refusal);
			} else if (await this.findPlace(caller, timeLeft())) {
				if (!this.refusal || this.refusal === refusal) break;
				this.release(caller);
			}
		}
		try {
			return await this.send(caller, attempt);
		} finally {
			this.release(caller);
		}
	}

	/** Resolves to false if the service has refused something meanwhile. */
	private async findPlace(caller: Caller, timeLeft: number): Promise<boolean> {
		const { stopped } = caller;
		stopped?.throwIfAborted();
		// One listener for each execution: hundreds of its requests may wait.
		if (stopped && !this.watched.has(stopped))
			stopped.addEventListener('abort', () =>
				this.dismiss(({ caller: one }) => one.stopped === stopped, stopped.reason),
			);
		if (stopped) this.watched.add(stopped);
		const late = timeLeft < MAX_BLOCK ? AbortSignal.timeout(Math.max(0, timeLeft)) : undefined;
		return await new Promise((start, reject) => {
			const waiting = { caller, start, reject };
			late?.addEventListener('abort', () => this.dismiss((one) => one === waiting, othersFirst()));
			this.queue.push(waiting);
			this.startNext();
		});
	}

	private dismiss(isMeant: (waiting: Waiting) => boolean, reason: unknown): void {
		const meant = this.queue.filter(isMeant);
		this.queue = this.queue.filter((waiting) => !meant.includes(waiting));
		for (const { reject } of meant) reject(reason);
	}

	private release(caller: Caller): void {
		this.underWay.splice(this.underWay.indexOf(ownerOf(caller)), 1);
		this.startNext();
		// The next list may be read on another day, when the service is quicker or slower.
		if (this.underWay.length > 0 || this.refusal) return;
		this.width = FIRST_WIDTH;
		this.max = MAX_AT_ONCE;
		this.refusals = 0;
		this.quickest = Number.POSITIVE_INFINITY;
	}

	private startNext(): void {
		for (let next; (next = this.nextInLine()); ) {
			const owner = ownerOf(next.caller);
			const isIts = ({ caller }: Waiting): boolean => ownerOf(caller) === owner;
			const others = this.queue.filter((one) => !isIts(one));
			const own = this.queue.filter((one) => isIts(one) && one !== next);
			// Where one request at a time may be sent, all take turns.
			this.queue = [...others, ...own];
			this.underWay.push(owner);
			next.start(true);
		}
	}

	/** Of those that may send something, one with the fewest under way: nobody waits for all that another has to ask. */
	private nextInLine(): Waiting | undefined {
		const { refusals, underWay } = this;
		let [next, fewest] = [undefined as Waiting | undefined, Number.POSITIVE_INFINITY];
		for (const waiting of this.queue) {
			const { max } = waiting.caller;
			// A number that a user has chosen holds from the start, until the service has refused something.
			const width = refusals > 0 ? this.width : Math.max(this.width, max ?? 0);
			const its = underWay.filter((owner) => owner === ownerOf(waiting.caller)).length;
			if (underWay.length >= width || its >= (max ?? MAX_AT_ONCE) || its >= fewest) continue;
			[next, fewest] = [waiting, its];
		}
		return next;
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
		if (this.width < this.max && isQuick(took, this.quickest)) this.width++;
	}

	private failed(failure: Failure, isBeforeRefusal: boolean): void {
		const { status, retryAfter: asked = 0 } = failure.facts;
		const isRefusal = status === 429;
		const guess = doubled(FIRST_GUESS, this.refusedInARow, MAX_GUESS);
		const min = isRefusal && (asked === 0 || this.refusedInARow > 0) ? guess : 0;
		const wait = Math.max(asked, min);
		if (wait > 0) {
			this.askedAt = Date.now();
			this.until = Math.max(this.until, this.askedAt + wait);
		}
		if (!isRefusal) {
			// Another status after the wait: the limit is over, and whoever asks hears what is wrong now.
			if (status !== undefined && !isBeforeRefusal) this.refusal = undefined;
			return;
		}
		// One that differs from all before, as those were waited for.
		this.refusal = failure.withFacts({});
		for (const { start } of this.queue.splice(0)) start(false);
		if (isBeforeRefusal) return;
		this.refusals++;
		this.refusedInARow++;
		this.max = Math.max(1, Math.floor(this.width / 2));
		this.width = 1;
	}
}

/** For a caller with little time, which others have used up. */
const othersFirst = (): Failure =>
	new Failure(
		'Other requests with this API key took all the time',
		'The service answers slowly, or many workflows use this key at the same time. Try again later.',
		{ isTransient: true },
	);

/** One for each key of the process, by a hash: it is kept as long as the process lives. */
export const throttles = new Map<string, Throttle>();

export function throttleFor({ baseUrl, apiKey }: Connection): Throttle {
	const key = hash('sha256', JSON.stringify([baseUrl, apiKey]));
	const throttle = throttles.get(key) ?? new Throttle();
	throttles.set(key, throttle);
	return throttle;
}
