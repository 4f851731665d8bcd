import { pause } from './pause';

/** When the next request may begin: after a pause that the service asked for, and not all at the same time. */
export class Spacing {
	private restUntil = 0;
	private nextStart = 0;

	constructor(private readonly stopped?: AbortSignal) {}

	get isResting(): boolean {
		return Date.now() < this.restUntil;
	}

	/** Nothing begins for that many milliseconds. */
	rest(wait: number): void {
		this.restUntil = Math.max(this.restUntil, Date.now() + wait);
	}

	/**
	 * Requests that start together are answered together, and then each waits until the others have been read.
	 * Spread over the time that an answer takes, they are as many, and each is quicker.
	 */
	async keepDistance(distance: number, isAlone: boolean): Promise<void> {
		const now = Date.now();
		const start = Math.max(now, this.nextStart);
		this.nextStart = start + distance;
		if (!isAlone && start - now >= 1) await pause(start - now, this.stopped);
	}

	/** A pause may grow while it is waited for. */
	async restOver(isClosed: () => boolean): Promise<void> {
		for (let until = 0; until !== this.restUntil && !isClosed(); ) {
			until = this.restUntil;
			const left = until - Date.now();
			if (left > 0) await pause(left, this.stopped);
		}
	}
}
