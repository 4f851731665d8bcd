import type { License } from '../domain/license';
import { LAST_MOMENT, momentOf } from '../domain/moment';

/** What Export says about the licenses that a file holds. */
export class ExportSummary {
	count = 0;
	/** What such a file cannot hold. */
	leftOut = 0;
	private newest = Number.NEGATIVE_INFINITY;
	private oldest = Number.POSITIVE_INFINITY;
	private readonly start = Date.now();

	add({ eventTimestamp }: License): void {
		this.count++;
		const moment = momentOf(eventTimestamp);
		if (moment === undefined || moment > LAST_MOMENT) return;
		this.newest = Math.max(this.newest, moment);
		this.oldest = Math.min(this.oldest, moment);
	}

	get isEmpty(): boolean {
		return this.count + this.leftOut === 0;
	}

	toJson({ isMap }: { isMap: boolean }) {
		return {
			count: this.count,
			...(isMap && { withoutCoordinates: this.leftOut }),
			newest: toIso(this.newest),
			oldest: toIso(this.oldest),
			durationSeconds: (Date.now() - this.start) / 1000,
		};
	}
}

const toIso = (moment: number): string | null =>
	Number.isFinite(moment) ? new Date(moment).toISOString() : null;
