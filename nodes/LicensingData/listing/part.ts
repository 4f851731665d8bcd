import type { License } from '../licenses/license';
import type { LicensePage } from '../licenses/licenseList';
import type { WatchForEnd } from './dateRange';
import type { ListOrder } from './listOrder';
import type { OpenList } from './listPages';

/** What a part is told about what it reads. */
interface PartContext {
	/** Whether a record has not been seen yet, in this part or another. */
	isNew: (license: License) => boolean;
	/** Tells which of the licenses are wanted. */
	matches: (license: License) => boolean;
	order: ListOrder;
	hasEnded?: WatchForEnd;
	/** Whether the next page is asked for while this one is handed on. */
	readsAhead: boolean;
}

/** One of the lists that are read side by side. It holds one page, and another one that is on its way. */
export class Part {
	/** The wanted licenses of the page that have not been handed on, each with where it belongs. */
	private readonly waiting: Array<{ license: License; place: number }> = [];
	private coming?: ReturnType<OpenList['rest']['next']>;
	/** The place down to which it has been read. */
	private depth = Number.POSITIVE_INFINITY;
	private isOpen = true;
	/** Whether reading stopped at a point below which nothing is wanted. */
	hasEndedEarly = false;
	/** How many records it has read, each once. */
	distinct = 0;
	/** How many the latest page says that there are; NaN if it does not. */
	total = Number.NaN;

	constructor(
		readonly list: OpenList,
		private readonly context: PartContext,
	) {
		this.receive(list.first);
	}

	/** No license that it will hand on is newer; minus infinity if there is none. */
	get next(): number {
		return this.waiting[0]?.place ?? (this.isOpen ? this.depth : Number.NEGATIVE_INFINITY);
	}

	get hasWaiting(): boolean {
		return this.waiting.length > 0;
	}

	take(): License | undefined {
		return this.waiting.shift()?.license;
	}

	async readOn(): Promise<void> {
		const { value } = await (this.coming ?? this.list.rest.next());
		if (value) this.receive(value);
	}

	private receive({ records, cursor, total = Number.NaN }: LicensePage): void {
		const { isNew, matches, order, hasEnded, readsAhead } = this.context;
		const fresh = records.filter((license) => isNew(license));
		this.distinct += fresh.length;
		this.total = total;
		for (const license of fresh) {
			// Within a list, the order is the service's: whatever stands too far down counts as its neighbor.
			this.depth = Math.min(this.depth, order(license) ?? this.depth);
			if (matches(license)) this.waiting.push({ license, place: this.depth });
		}
		this.hasEndedEarly = cursor !== null && hasEnded?.(fresh) === true;
		this.isOpen = cursor !== null && !this.hasEndedEarly;
		this.coming = this.isOpen && readsAhead ? this.list.rest.next() : undefined;
		// A page that cannot be read matters when its turn comes.
		this.coming?.catch(() => undefined);
	}
}
