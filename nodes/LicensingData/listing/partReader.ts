import type { License } from '../domain/license';
import type { LicensePage } from '../domain/licenseList';
import type { HeldBytes } from '../domain/waitingBytes';
import type { DateRange } from './dateRange';
import type { ListOrder } from './listOrder';
import type { OpenList } from './listPages';
import { totalOf } from './listPages';

/** What a part is told about what it reads. */
export interface PartContext {
	/** Whether a record has not been seen yet, in this part or another. */
	isNew: (license: License) => boolean;
	/** Tells which of the licenses are wanted. */
	matches: (license: License) => boolean;
	order: ListOrder;
	dateRange: DateRange;
	onDisorder: () => void;
	held: HeldBytes;
}

interface Waiting {
	license: License;
	/** Where it belongs, as far as the order shows. */
	place: number;
	bytes: number;
}

/** One of the lists that are read side by side. */
export class PartReader {
	/** The wanted licenses that have not been handed on. */
	private readonly waiting: Waiting[] = [];
	/** The place down to which it has been read. */
	depth = Number.POSITIVE_INFINITY;
	/** Whether there is more to read. */
	isOpen = true;
	/** Whether reading stopped at a point below which nothing is wanted. */
	hasEndedEarly = false;
	/** How many records it has read, each once. */
	distinct = 0;
	private readonly isEnd: (page: License[]) => boolean;

	constructor(
		readonly list: OpenList,
		private readonly context: PartContext,
	) {
		this.isEnd = context.dateRange.watchForEnd(list.query);
		this.receive(list.first);
		context.held.remove(list.first.bytes ?? 0);
	}

	/** No license that it will hand on is newer; minus infinity if there is none. */
	get next(): number {
		return this.waiting[0]?.place ?? (this.isOpen ? this.depth : Number.NEGATIVE_INFINITY);
	}

	get hasWaiting(): boolean {
		return this.waiting.length > 0;
	}

	/** How many records are still to be read; NaN if the service does not say. */
	get left(): number {
		return this.isOpen ? totalOf(this.list) - this.list.progress.read : 0;
	}

	/** How many of the waiting licenses do not belong below a place. */
	countDownTo(place: number): number {
		const below = this.waiting.findIndex((one) => one.place < place);
		return below < 0 ? this.waiting.length : below;
	}

	take(): License | undefined {
		const taken = this.waiting.shift();
		if (taken) this.context.held.remove(taken.bytes);
		return taken?.license;
	}

	async readOn(): Promise<void> {
		const { value } = await this.list.rest.next();
		if (value) this.receive(value);
	}

	private receive({ records, cursor, bytes: size = 0 }: LicensePage): void {
		const { isNew, matches, order, onDisorder, held } = this.context;
		const bytes = size / Math.max(1, records.length);
		const fresh = records.filter((license) => isNew(license));
		this.distinct += fresh.length;
		for (const license of fresh) {
			const place = order(license);
			// Within a list, the order is the service's: whatever stands too far down counts as its neighbor.
			if (place !== undefined && place > this.depth) onDisorder();
			else this.depth = place ?? this.depth;
			if (!matches(license)) continue;
			this.waiting.push({ license, place: this.depth, bytes });
			held.add(bytes);
		}
		this.hasEndedEarly = cursor !== null && this.isEnd(fresh);
		this.isOpen = cursor !== null && !this.hasEndedEarly;
	}
}
