import { Failure } from '../licenses/failure';

/** Milliseconds. Where a service does not say how long to wait, or does not mean it, waits double up to a minute. */
const FIRST_GUESS = 500;
const LONGEST_GUESS = 60_000;

/** Waits, or throws if that takes too long. */
type Wait = (milliseconds: number, refusal: Failure) => Promise<void>;

/**
 * What a run knows of the rate limit of its key. It goes by answers alone: a service may count in each of its
 * servers, so what headers forecast is wrong as often as right. After a refusal nobody asks until the wait is over;
 * then one request finds out, and the others follow once it is answered.
 */
export class RateLimit {
	/** The last refusal, until something was answered after it. */
	private refusal?: Failure;
	private until = 0;
	private refusals = 0;
	private refusedInARow = 0;
	private probe?: Promise<void>;

	/** `onRefused` is called once for requests that were under way together. */
	constructor(private readonly onRefused: () => void) {}

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
				const end = () => void (this.probe = undefined);
				this.probe = sent.then(end, end);
				return await sent;
			}
		}
		return await this.observe(attempt);
	}

	private async observe<T>(attempt: () => Promise<T | Failure>): Promise<T | Failure> {
		const before = this.refusals;
		const outcome = await attempt();
		const isSameMoment = before !== this.refusals;
		if (outcome instanceof Failure && outcome.status === 429) {
			const guess = Math.min(LONGEST_GUESS, FIRST_GUESS * 2 ** this.refusedInARow);
			const wait =
				this.refusedInARow > 0 ? Math.max(outcome.retryAfter ?? 0, guess) : outcome.retryAfter;
			this.refusal = outcome;
			this.until = Math.max(this.until, Date.now() + (wait || guess));
			if (isSameMoment) return outcome;
			this.refusals++;
			this.refusedInARow++;
			this.onRefused();
		} else if (!isSameMoment && !(outcome instanceof Failure)) {
			this.refusal = undefined;
			this.refusedInARow = 0;
		}
		return outcome;
	}
}
