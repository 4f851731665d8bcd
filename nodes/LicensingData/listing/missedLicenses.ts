import type { License } from '../domain/license';
import { PAGES_WORTH_DIVIDING } from './divide';
import type { OpenList } from './listPages';
import { openList, pagesOf, totalOf } from './listPages';
import { PartReader, type PartContext } from './partReader';
import type { ListReading } from './readLists';

type Reading = PartContext & Pick<ListReading, 'fetchPage' | 'log' | 'onMissing'>;

/** A list, and the parts that it is read as: itself alone, if it was not divided. */
export class ListToReview {
	readonly parts: PartReader[];
	/** As far as the service says, and without what was removed since. */
	private announced: number;
	private metLater = 0;

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
		const isCut = this.parts.some((part) => part.isCut);
		const short = this.parts.filter((part) => {
			const lacking = totalOf(part.list) - part.met;
			return part.hasShrunk ? lacking >= 0 : !part.isCut && lacking > 0;
		});
		// A list of one page cannot move while it is read.
		if (pages > 1) for (const part of short) yield* this.lookThrough(part.list, part);
		// What moved is on top. Only the total of a list that was not divided can rule it out.
		const isUncertain = (isCut || Number.isNaN(this.announced)) && pages > PAGES_WORTH_DIVIDING;
		if (isDivided || (short.length === 0 && isUncertain)) {
			yield* this.lookThrough(this.whole, { met: Number.POSITIVE_INFINITY });
		}
		const met = this.parts.reduce((sum, part) => sum + part.met, this.metLater);
		if (!isCut && met < this.announced) this.reading.onMissing(met, this.announced);
	}

	/** Reads a list again: down to the first page with nothing new, or further, as long as something is missing. */
	private async *lookThrough(
		list: OpenList,
		{ met, hasShrunk = false }: { met: number; hasShrunk?: boolean },
	): AsyncGenerator<License[], void> {
		const { isNew, matches, watchForEnd } = this.reading;
		const again = await openList(this.reading, list.query);
		if (list === this.whole) this.announced = Math.min(this.announced, totalOf(again));
		let missing = Math.min(totalOf(list), totalOf(again)) - met;
		const isEnd = watchForEnd();
		for await (const { records } of pagesOf(again)) {
			const missed = records.filter(isNew);
			this.metLater += missed.length;
			missing -= missed.length;
			yield missed.filter(matches);
			const isDone = missed.length === 0 && !hasShrunk && !(missing > 0);
			if (isDone || isEnd(records)) return;
		}
	}
}
