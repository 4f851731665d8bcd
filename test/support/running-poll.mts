/** A moment at which another process may act, or this one may end. */
export type Moment = () => Promise<void>;

/** A poll that stops at every such moment. */
export class RunningPoll {
	isDone = false;
	private readonly finished: Promise<unknown>;
	private release = () => {};
	private stopped = () => {};
	private next = this.nextStop();

	constructor(work: (moment: Moment) => Promise<unknown>) {
		const moment: Moment = async () => {
			this.stopped();
			await new Promise<void>((resolve) => (this.release = resolve));
		};
		this.finished = work(moment).finally(() => {
			this.isDone = true;
			this.stopped();
		});
		// A poll that stands still for good runs into its timeout, unnoticed, after the test.
		this.finished.catch(() => {});
	}

	/** Goes on to the next moment, or to the end. */
	async step(): Promise<void> {
		await this.next;
		if (!this.isDone) {
			this.next = this.nextStop();
			this.release();
			await this.next;
		}
		if (this.isDone) await this.finished;
	}

	/** This many moments further. */
	async go(moments: number): Promise<void> {
		for (let left = moments; left > 0 && !this.isDone; left--) await this.step();
	}

	async finish(): Promise<void> {
		await this.go(Number.POSITIVE_INFINITY);
	}

	private async nextStop(): Promise<void> {
		await new Promise<void>((resolve) => (this.stopped = resolve));
	}
}
