const FIRST_WIDTH = 2;
export const MOST_AT_ONCE = 8;

/** An answer is quick if it took little more than twice as long as the quickest of this run. */
const isQuick = (took: number, quickest: number): boolean => took <= 2 * quickest + 20;

/**
 * How many requests may be in flight at once. Without a fixed number, it starts small and grows while answers
 * come quickly. A rate limit halves it for the rest of the run.
 */
export class Concurrency {
	private width: number;
	private isGrowing: boolean;
	private quickest = Number.POSITIVE_INFINITY;

	constructor(fixed: number | undefined) {
		this.width = fixed ?? FIRST_WIDTH;
		this.isGrowing = fixed === undefined;
	}

	allows(underWay: number): boolean {
		return underWay < this.width;
	}

	answered(took: number): void {
		this.quickest = Math.min(this.quickest, took);
		if (this.isGrowing && this.width < MOST_AT_ONCE && isQuick(took, this.quickest)) this.width++;
	}

	/** Requests that were in flight together are refused together, which is one warning, not several. */
	slowDown(isSameMoment: boolean): void {
		this.isGrowing = false;
		if (!isSameMoment) this.width = Math.max(1, Math.floor(this.width / 2));
	}

	/** How many milliseconds apart requests begin that are spread over the time that an answer takes. */
	get distance(): number {
		return Number.isFinite(this.quickest) ? this.quickest / this.width : 0;
	}
}
