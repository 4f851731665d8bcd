import type { License } from '../domain/license';
import type { LicensePage } from '../domain/licenseList';
import { momentOf } from '../domain/moment';
import type { DateRange } from './dateRange';
import type { OpenList } from './listPages';
import { totalOf } from './listPages';

/** What a part is told about what it reads. */
export interface PartContext {
	/** Whether a license has not been seen yet, in this part or another. */
	isNew: (license: License) => boolean;
	/** Tells which of the licenses are wanted. */
	matches: (license: License) => boolean;
	dateRange: DateRange;
	onDisorder: () => void;
}

/** One of the lists that are read side by side. */
export class PartReader {
	/** The wanted licenses that have not been handed on, and the moment that each counts as. */
	readonly waiting: Array<{ license: License; moment: number }> = [];
	/** How many licenses it turned out to hold. */
	found = 0;
	/** The moment down to which it has been read. */
	depth = Number.POSITIVE_INFINITY;
	/** Whether there is more to read. */
	isOpen = true;
	/** Whether reading stopped at a point below which nothing is wanted. */
	hasEndedEarly = false;
	/** Whether records left it while it was read. They may have hidden others from a cursor that counts. */
	hasShrunk = false;
	pagesRead = 0;
	private latestTotal: number;
	private readonly isEnd: (page: License[]) => boolean;

	constructor(
		readonly list: OpenList,
		private readonly context: PartContext,
	) {
		this.latestTotal = totalOf(list);
		this.isEnd = context.dateRange.watchForEnd();
		this.receive(list.first);
	}

	/** No license that it will hand on is newer; minus infinity if there is none. */
	get next(): number {
		return this.waiting[0]?.moment ?? (this.isOpen ? this.depth : Number.NEGATIVE_INFINITY);
	}

	/** How many licenses are still to be read; NaN if the service does not say. */
	get left(): number {
		return this.isOpen ? this.latestTotal - this.found : 0;
	}

	/** How many of the waiting licenses are not older than a moment. */
	countDownTo(moment: number): number {
		const older = this.waiting.findIndex((one) => one.moment < moment);
		return older < 0 ? this.waiting.length : older;
	}

	async readOn(): Promise<void> {
		const { value } = await this.list.rest.next();
		if (value) this.receive(value);
	}

	private receive({ records, cursor, total }: LicensePage): void {
		const fresh = records.filter((license) => this.context.isNew(license));
		for (const license of fresh) {
			const moment = momentOf(license.eventTimestamp);
			// Within a list, the order is the service's: whatever stands too far down counts as its neighbor.
			if (moment !== undefined && moment > this.depth) this.context.onDisorder();
			else this.depth = moment ?? this.depth;
			if (this.context.matches(license)) this.waiting.push({ license, moment: this.depth });
		}
		this.found += fresh.length;
		this.pagesRead++;
		this.hasShrunk ||= total !== undefined && total < this.latestTotal;
		this.latestTotal = total ?? this.latestTotal;
		this.hasEndedEarly = cursor !== null && this.isEnd(fresh);
		this.isOpen = cursor !== null && !this.hasEndedEarly;
	}
}
