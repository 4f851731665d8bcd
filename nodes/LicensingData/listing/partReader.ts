import type { License } from '../domain/license';
import type { LicensePage } from '../domain/licenseList';
import { momentOf } from '../domain/moment';
import type { OpenList } from './listPages';
import { totalOf } from './listPages';

/** What a part is told about what it reads. */
export interface PartContext {
	/** Whether a license has not been met yet, in this part or another. */
	isNew: (license: License) => boolean;
	/** Tells which of the licenses are wanted. */
	matches: (license: License) => boolean;
	/** Makes a function that takes a list's pages in order, and returns true once nothing wanted can follow. */
	watchForEnd: () => (page: License[]) => boolean;
	onDisorder: () => void;
}

/** Wanted licenses of one page, and the moment that each counts as. */
interface Batch {
	licenses: License[];
	moments: number[];
}

/** One of the lists that are read side by side, and what of it has been read and not been handed on. */
export class PartReader {
	/** How many licenses it turned out to hold. */
	met = 0;
	/** The moment down to which it has been read. */
	depth = Number.POSITIVE_INFINITY;
	/** Whether there is more to read. */
	isOpen = true;
	/** Whether reading stopped at a point below which nothing is wanted. */
	isCut = false;
	/** Whether records left it while it was read. They may have hidden others from a cursor that counts. */
	hasShrunk = false;
	pagesRead = 0;
	/** How many licenses are waiting to be handed on. */
	size = 0;
	private at = 0;
	private latestTotal: number;
	private readonly batches: Batch[] = [];
	private readonly isEnd: (page: License[]) => boolean;

	constructor(
		readonly list: OpenList,
		private readonly context: PartContext,
	) {
		this.latestTotal = totalOf(list);
		this.isEnd = context.watchForEnd();
		this.receive(list.first);
	}

	/** No license that it will hand on is newer; minus infinity if there is none. */
	get next(): number {
		const [batch] = this.batches;
		if (batch) return batch.moments[this.at] as number;
		return this.isOpen ? this.depth : Number.NEGATIVE_INFINITY;
	}

	/** How many licenses are still to be read; NaN if the service does not say. */
	get left(): number {
		return this.isOpen ? this.latestTotal - this.met : 0;
	}

	get isDone(): boolean {
		return this.size === 0 && !this.isOpen;
	}

	take(): License {
		const [batch] = this.batches as [Batch];
		const license = batch.licenses[this.at++] as License;
		this.size--;
		if (this.at === batch.licenses.length) {
			this.batches.shift();
			this.at = 0;
		}
		return license;
	}

	/** How many of the waiting licenses are not older than a moment. */
	countDownTo(moment: number): number {
		let count = -this.at;
		for (const { moments } of this.batches) {
			if ((moments.at(-1) as number) < moment) {
				return count + moments.findIndex((one) => one < moment);
			}
			count += moments.length;
		}
		return count;
	}

	async readOn(): Promise<void> {
		const { value } = await this.list.rest.next();
		if (value) this.receive(value);
	}

	private receive({ records, cursor, total }: LicensePage): void {
		const batch: Batch = { licenses: [], moments: [] };
		const fresh = records.filter((license) => this.context.isNew(license));
		for (const license of fresh) {
			this.met++;
			const moment = momentOf(license.eventTimestamp);
			// Within a list, the order is the service's: whatever stands too far down counts as its neighbor.
			if (moment !== undefined && moment > this.depth) this.context.onDisorder();
			else this.depth = moment ?? this.depth;
			if (!this.context.matches(license)) continue;
			batch.licenses.push(license);
			batch.moments.push(this.depth);
		}
		if (batch.licenses.length > 0) this.batches.push(batch);
		this.size += batch.licenses.length;
		this.pagesRead++;
		this.hasShrunk ||= total !== undefined && total < this.latestTotal;
		this.latestTotal = total ?? this.latestTotal;
		this.isCut = cursor !== null && this.isEnd(fresh);
		this.isOpen = cursor !== null && !this.isCut;
	}
}
