import { Failure } from './failure';
import { pause } from './pause';

const ANSWERS_UNTIL_WIDER = 20;

/**
 * How many requests may be on their way at once. A rate limit halves it and makes all of them rest,
 * answers widen it again one by one. A request that is repeated goes before all others: behind them it
 * would meet the same limit again, until its retries are spent.
 */
export class Pace {
	private width: number;
	private underWay = 0;
	private answers = 0;
	private restUntil = 0;
	private isClosed = false;
	private readonly queue: Array<() => void> = [];

	constructor(
		private readonly widest: number,
		private readonly stopped?: AbortSignal,
	) {
		this.width = widest;
	}

	async through<T>(attempt: () => Promise<T>, isRepeat: boolean): Promise<T> {
		await this.turn(isRepeat);
		try {
			await this.rest();
			if (this.isClosed) throw new Failure('refused', 'The reading has ended', '');
			return await attempt();
		} finally {
			this.underWay--;
			this.widen();
			this.letIn();
		}
	}

	/** The service asked to slow down: nothing is sent for so many milliseconds. */
	slowDown(wait: number): void {
		const isSameMoment = Date.now() < this.restUntil;
		this.restUntil = Math.max(this.restUntil, Date.now() + wait);
		this.answers = 0;
		// Requests that were on their way together are told together, which is one warning, not several.
		if (!isSameMoment) this.width = Math.max(1, Math.floor(this.width / 2));
	}

	/** Nothing is sent from now on, not even what waits to be repeated. */
	close(): void {
		this.isClosed = true;
		this.width = this.widest;
		this.letIn();
	}

	private async turn(isRepeat: boolean): Promise<void> {
		await new Promise<void>((start) => {
			if (isRepeat) this.queue.unshift(start);
			else this.queue.push(start);
			this.letIn();
		});
	}

	private letIn(): void {
		while (this.underWay < this.width || this.isClosed) {
			const start = this.queue.shift();
			if (!start) return;
			this.underWay++;
			start();
		}
	}

	private async rest(): Promise<void> {
		for (let until = 0; until !== this.restUntil && !this.isClosed; ) {
			until = this.restUntil;
			const left = until - Date.now();
			if (left > 0) await pause(left, this.stopped);
		}
	}

	private widen(): void {
		if (this.width === this.widest || ++this.answers < ANSWERS_UNTIL_WIDER) return;
		this.width++;
		this.answers = 0;
	}
}
