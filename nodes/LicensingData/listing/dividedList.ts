import type { License } from '../domain/license';
import { PAGES_WORTH_DIVIDING } from './divide';
import type { OpenList } from './listPages';
import { openList, pagesOf, totalOf } from './listPages';
import { PartReader, type PartContext } from './partReader';
import type { ListReading } from './readLists';

type Reading = PartContext & Pick<ListReading, 'fetchPage' | 'log' | 'onShortfall'>;

/** A list, and the parts that it is read as: itself alone, if it was not divided. */
export class DividedList {
	readonly parts: PartReader[];
	/** As far as the service says, and without what was removed since. */
	private announced: number;
	private foundLater = 0;

	constructor(
		private readonly whole: OpenList,
		lists: OpenList[],
		private readonly reading: Reading,
	) {
		this.parts = lists.map((list) => new PartReader(list, reading));
		this.announced = totalOf(whole);
	}

	/** Once the parts have been read: the wanted licenses that moved meanwhile, and so were missed. */
	async *missed(): AsyncGenerator<License[], void> {
		const pages = this.parts.reduce((sum, { pagesRead }) => sum + pagesRead, 0);
		const isDivided = this.parts[0]?.list !== this.whole;
		const hasEndedEarly = this.parts.some((part) => part.hasEndedEarly);
		const short = this.parts.filter((part) => {
			const lacking = totalOf(part.list) - part.found;
			return part.hasShrunk ? lacking >= 0 : !part.hasEndedEarly && lacking > 0;
		});
		// A list of one page cannot move while it is read.
		if (pages > 1) for (const part of short) yield* this.lookThrough(part.list, part);
		// What moved is on top. Only the total of a list that was not divided can rule it out.
		const isUncertain =
			(hasEndedEarly || Number.isNaN(this.announced)) && pages > PAGES_WORTH_DIVIDING;
		if (isDivided || (short.length === 0 && isUncertain)) {
			yield* this.lookThrough(this.whole, { found: Number.POSITIVE_INFINITY });
		}
		const found = this.parts.reduce((sum, part) => sum + part.found, this.foundLater);
		if (!hasEndedEarly && found < this.announced) this.reading.onShortfall(found, this.announced);
	}

	/** Reads a list again: down to the first page with nothing new, or further, as long as something is lacking. */
	private async *lookThrough(
		list: OpenList,
		{ found, hasShrunk = false }: { found: number; hasShrunk?: boolean },
	): AsyncGenerator<License[], void> {
		const { isNew, matches, dateRange } = this.reading;
		const again = await openList(this.reading, list.query);
		if (list === this.whole) this.announced = Math.min(this.announced, totalOf(again));
		let lacking = Math.min(totalOf(list), totalOf(again)) - found;
		const isEnd = dateRange.watchForEnd();
		for await (const { records } of pagesOf(again)) {
			const missed = records.filter(isNew);
			this.foundLater += missed.length;
			lacking -= missed.length;
			yield missed.filter(matches);
			const isDone = missed.length === 0 && !hasShrunk && !(lacking > 0);
			if (isDone || isEnd(records)) return;
		}
	}
}
