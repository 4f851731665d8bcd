import type { License, LicensePage } from '../licenses/license';
import type { WatchForEnd } from './dateRange';
import { nextPage, type OpenList } from './openList';

interface ReaderContext {
	/** Whether a record has not been read yet, from this list or another. */
	isNew: (license: License) => boolean;
	/** Where the list may be left before its end. */
	hasEnded?: WatchForEnd;
	/** Whether the next page is asked for while this one is handed on. */
	readsAhead: boolean;
}

/** Reads an open list to its end, or to where nothing follows that is wanted. It holds at most two pages. */
export class ListReader {
	private coming?: Promise<LicensePage | undefined>;
	private hasBegun = false;
	/** Whether there may be more. */
	isOpen = true;
	hasEndedEarly = false;
	/** How many records it has read, each once. */
	distinct = 0;
	/** How many the latest page says that there are; NaN if it does not. */
	total = Number.NaN;

	constructor(
		private readonly list: OpenList,
		private readonly context: ReaderContext,
	) {}

	/** How many records it has not read, as far as it knows. */
	get left(): number {
		return (this.total || 0) - this.distinct;
	}

	/** The records of the next page that nobody has read yet. */
	async next(): Promise<License[]> {
		const { list, context } = this;
		const page = this.hasBegun ? await (this.coming ?? nextPage(list.rest)) : list.first;
		this.hasBegun = true;
		if (!page) {
			this.isOpen = false;
			return [];
		}
		const { records, cursor, total = Number.NaN } = page;
		const fresh = records.filter((license) => context.isNew(license));
		this.distinct += fresh.length;
		this.total = total;
		this.hasEndedEarly = cursor !== null && context.hasEnded?.(fresh) === true;
		this.isOpen = cursor !== null && !this.hasEndedEarly;
		this.coming = this.isOpen && context.readsAhead ? nextPage(list.rest) : undefined;
		// A page that cannot be read matters when its turn comes.
		this.coming?.catch(() => undefined);
		return fresh;
	}
}
