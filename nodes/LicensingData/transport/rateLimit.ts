import { hash } from 'node:crypto';

import { Failure } from '../domain/failure';
import type { Connection } from './connection';

/** Milliseconds. Where a service does not say how long to wait, or does not mean it, waits double up to a minute. */
const FIRST_GUESS = 500;
const LONGEST_GUESS = 60_000;

/** Waits, or throws if that takes too long. */
type Wait = (milliseconds: number, refusal: Failure) => Promise<void>;

/**
 * What the runs of this process know of the rate limit of one key. It goes by answers alone: a service may count
 * in each of its servers, so what headers forecast is wrong as often as right. After a refusal nobody asks until
 * the wait is over; then one request finds out, and the others follow once it is answered.
 */
export class RateLimit {
	/** How many times requests were refused; those that were under way together count once. */
	refusals = 0;
	/** The last refusal, until something was answered after it. */
	private refusal?: Failure;
	private until = 0;
	private inVain = 0;
	private probe?: Promise<void>;

	/** What the service said, if it is too early to ask again. */
	get failure(): Failure | undefined {
		const retryAfter = this.until - Date.now();
		return retryAfter > 0 ? this.refusal?.withWords((words) => words, { retryAfter }) : undefined;
	}

	/** Sends a request as soon as it may be sent. */
	async run<T>(attempt: () => Promise<T | Failure>, wait: Wait): Promise<T | Failure> {
		let waitedUntil = 0;
		while (this.refusal) {
			const left = this.until - Date.now();
			// What was waited for is over, even if the clock was set back meanwhile.
			if (left > 0 && waitedUntil !== this.until) {
				waitedUntil = this.until;
				await wait(left, this.refusal);
			} else if (this.probe) await this.probe;
			else {
				const sent = this.observe(attempt);
				this.probe = sent.then(
					() => void (this.probe = undefined),
					() => void (this.probe = undefined),
				);
				return await sent;
			}
		}
		return await this.observe(attempt);
	}

	/** Sends a request at once, and takes note of how it went. */
	async observe<T>(attempt: () => Promise<T | Failure>): Promise<T | Failure> {
		const before = this.refusals;
		const outcome = await attempt();
		const isSameMoment = before !== this.refusals;
		if (outcome instanceof Failure && outcome.status === 429) {
			const guess = Math.min(LONGEST_GUESS, FIRST_GUESS * 2 ** this.inVain);
			const wait = this.inVain > 0 ? Math.max(outcome.retryAfter ?? 0, guess) : outcome.retryAfter;
			this.refusal = outcome;
			this.until = Math.max(this.until, Date.now() + (wait || guess));
			if (!isSameMoment) [this.refusals, this.inVain] = [before + 1, this.inVain + 1];
		} else if (!isSameMoment && !(outcome instanceof Failure)) {
			this.refusal = undefined;
			this.inVain = 0;
		}
		return outcome;
	}
}

/** Of the keys that runs are using right now, by a hash of them. */
const known = new Map<string, { limit: RateLimit; users: number }>();

const nameOf = ({ baseUrl, apiKey }: Connection): string => hash('sha256', `${baseUrl} ${apiKey}`);

/** For a run: the limit that it shares with others, and what it calls when it ends. */
export function joinRateLimit(connection: Connection): { limit: RateLimit; leave: () => void } {
	const name = nameOf(connection);
	const shared = known.get(name) ?? { limit: new RateLimit(), users: 0 };
	known.set(name, shared);
	shared.users++;
	const leave = (): void => {
		if (--shared.users === 0) known.delete(name);
	};
	return { limit: shared.limit, leave };
}

/** For who does not wait. Undefined if no run uses the key. */
export const rateLimitOf = (connection: Connection): RateLimit | undefined =>
	known.get(nameOf(connection))?.limit;
