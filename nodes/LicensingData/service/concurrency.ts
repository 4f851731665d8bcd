const FIRST_WIDTH = 2;
export const MOST_AT_ONCE = 8;

/** After so many answers since the last refusal, one more request may be in flight. */
const ENOUGH_ANSWERS = 100;

/** An answer is quick if it took little more than twice as long as the quickest of this run. */
const isQuick = (took: number, quickest: number): boolean => took <= 2 * quickest + 20;

/**
 * How many requests may be in flight at once. Without a fixed number, it starts small and grows while answers
 * come quickly. After a rate limit it starts with one, and grows to half of what was too much.
 */
export class Concurrency {
	private width: number;
	private readonly limit: number;
	private most: number;
	private answers = 0;
	private quickest = Number.POSITIVE_INFINITY;

	constructor(fixed: number | undefined) {
		this.width = fixed ?? FIRST_WIDTH;
		this.limit = this.most = fixed ?? MOST_AT_ONCE;
	}

	allows(underWay: number): boolean {
		return underWay < this.width;
	}

	answered(took: number): void {
		this.quickest = Math.min(this.quickest, took);
		if (++this.answers % ENOUGH_ANSWERS === 0 && this.most < this.limit) this.most++;
		if (this.width < this.most && isQuick(took, this.quickest)) this.width++;
	}

	refused(): void {
		this.most = Math.max(1, Math.floor(this.width / 2));
		this.width = 1;
		this.answers = 0;
	}
}
