import { LARGEST_PAGE } from '../transport/licenses';
import { eventKey, licenseName } from '../domain/event';
import type { License } from '../domain/license';
import { SeenTexts } from './seenTexts';
import { divide, PAGES_WORTH_DIVIDING } from './divide';
import { mergeByMoment } from './mergeByMoment';
import type { OpenList } from './openList';
import { openList, pagesOf, totalOf } from './openList';
import type { ListReading } from './readList';

type Streaming = Omit<ListReading, 'limit' | 'countUntilEnd' | 'onSlow'>;

/**
 * Reads a list that may be larger than memory. Yields every wanted record once, newest first, and holds only
 * a few pages of each part of the list. Records that moved in the meantime, and so were missed, come at the
 * end.
 */
export async function* streamList(reading: Streaming): AsyncGenerator<License[]> {
	const list = new StreamedList(reading);
	for await (const page of list.pages()) yield page.filter(reading.matches);
	yield* list.missed();
	if (list.isShort) reading.onMissing(list.met, list.announced);
}

class StreamedList {
	met = 0;
	announced = 0;
	/** Whether reading a part stopped at a point below which nothing is wanted. */
	private isCut = false;
	private readonly events = new SeenTexts();
	private readonly licenses = new SeenTexts();
	private wholes: OpenList[] = [];

	constructor(private readonly reading: Streaming) {}

	get isShort(): boolean {
		return !this.isCut && this.met < this.announced;
	}

	async *pages(): AsyncGenerator<License[]> {
		const { fetchPage, queries } = this.reading;
		this.wholes = await Promise.all(queries.map(async (query) => await openList(fetchPage, query)));
		for (const whole of this.wholes) this.announced += totalOf(whole);
		const parts = await this.parts();
		yield* mergeByMoment(
			parts.map((part) => this.newOf(part)),
			LARGEST_PAGE,
		);
	}

	/** What is on top by now. If the list came up short of its total, all of it is searched. */
	async *missed(): AsyncGenerator<License[]> {
		for (const whole of this.wholes) {
			if (!whole.first.pagination.hasMore) continue;
			const again = await openList(this.reading.fetchPage, whole.query);
			// What was removed meanwhile need not be looked for.
			this.announced -= Math.max(0, totalOf(whole) - totalOf(again));
			for await (const { data } of pagesOf(again)) {
				const missed = data.filter((license) => this.licenses.add(nameOf(license)));
				this.met += missed.length;
				yield missed.filter(this.reading.matches);
				if (missed.length === 0 && !this.isShort) break;
			}
		}
	}

	/** Splits long lists, so that no part is left alone at the end. */
	private async parts(): Promise<OpenList[]> {
		const { fetchPage, readers } = this.reading;
		const longest = this.announced / readers;
		const divided = this.wholes.map(async (whole) => {
			const total = totalOf(whole);
			const isLong = readers > 1 && total > PAGES_WORTH_DIVIDING * LARGEST_PAGE;
			const parts = isLong && total > longest ? await divide(whole, fetchPage, longest, 1) : [];
			return parts && parts.length > 0 ? parts : [whole];
		});
		return (await Promise.all(divided)).flat();
	}

	/** Each part has an end of its own: merged, an old record on top of one would hide what is below it. */
	private async *newOf(list: OpenList): AsyncGenerator<License[]> {
		const isEnd = this.reading.watchForEnd();
		for await (const { data } of pagesOf(list)) {
			const fresh = data.filter((license) => this.events.add(eventKey(license)));
			for (const license of fresh) this.licenses.add(nameOf(license));
			this.met += fresh.length;
			yield fresh;
			if (isEnd(data)) {
				this.isCut = true;
				return;
			}
		}
	}
}

/** A license that is renewed while the list is read has already been returned, as it was before. */
const nameOf = (license: License): string => licenseName(license) ?? eventKey(license);
