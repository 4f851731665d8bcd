import type { Found } from './findings';
import type { SortKey } from './sortKey';
import { earlier, hashOf, isDated, startOf } from './sortKey';
import type { FeedState } from './state';
import { windowStart } from './window';

/**
 * How a poll reads the list.
 *
 * `watching`: what is unseen and above the watermark is news.
 * `firstLook`: nothing is known, so what is there is the baseline.
 * `baseline`: a part of the baseline is known. What is above that is news, and what is below belongs to it.
 * `changedList`: the service lists something else, where only dates tell what is news (promise 11).
 */
export type Mode = 'watching' | 'firstLook' | 'baseline' | 'changedList';

/** What a poll knows of the list. */
export interface Known {
	mode: Mode;
	watermark: SortKey;
	seen: Set<SortKey>;
	/** What was handled since the baseline began; empty once it has been read. */
	newsHandled: Set<SortKey>;
	/** Where news begins by date, if it does. */
	newsFrom: SortKey | null;
	/** Found before, and not handled yet. */
	isWaiting: (key: SortKey) => boolean;
	/** What n8n has lost, so that it has to come again. */
	lost: Set<SortKey>;
	/** The hashes that were on the first page. */
	firstPage: Set<string>;
	hasForgottenUndated: boolean;
	/** The total at the previous scan. */
	lastTotal: number | null;
	lookback: number;
	now: number;
}

export function modeOf(
	{ baseline, watermark }: FeedState,
	seen: Set<SortKey>,
	newsHandled: Set<SortKey>,
): Mode {
	if (!baseline) return 'watching';
	if (baseline.isOfOtherList) return 'changedList';
	// If what belongs to the baseline was forgotten, as the state can hold no more, the watermark has risen.
	const isKnownInPart = watermark !== '' || [...seen].some((key) => !newsHandled.has(key));
	return isKnownInPart ? 'baseline' : 'firstLook';
}

/** Where scans stop. */
export const stopAt = (known: Known, found: Iterable<Found<unknown>>): SortKey =>
	known.mode === 'firstLook' || known.mode === 'baseline'
		? baselineEnd(known, found)
		: known.watermark;

/**
 * Promise 3: the baseline goes down to the start of the window, or to Start From if that is lower. What has come
 * since then does not move the window, or it could pass what waits. A list in which nothing is found may not be all
 * there: what is older than the lookback when it shows is no news.
 */
export function baselineEnd(known: Known, found: Iterable<Found<unknown>>): SortKey {
	const { seen, newsHandled, newsFrom, now, lookback } = known;
	const all = [...found];
	const startOfWindow = (keys: SortKey[]) => windowStart(keys, now, lookback);
	const start =
		startOfWindow([
			...[...seen].filter((key) => !newsHandled.has(key)),
			...all.filter(({ isOfBaseline }) => isOfBaseline).map(({ key }) => key),
		]) ||
		startOfWindow([...seen, ...all.map(({ key }) => key)]) ||
		startOf(now - lookback);
	return newsFrom === null ? start : earlier(newsFrom, start);
}

/** `familiar`: seen, found before, or history that was on the first page last time. */
export type Verdict = 'news' | 'baseline' | 'familiar' | 'history';

/**
 * Where a scan is: above all that was there before, or below some of it. Position matters, as what is below
 * something of the baseline belongs to it, too (promise 3). In a list of which nothing is known, nothing tells what
 * was added on top since, so all of it counts as below.
 */
type Position = 'above' | 'below' | 'unknown';

/** Says of each event that a scan meets what it is. Each scan has its own, as it knows where the scan is. */
export class Judge {
	private constructor(private position: Position) {}

	static ofKnownList(): Judge {
		return new Judge('above');
	}

	static ofUnknownList(): Judge {
		return new Judge('unknown');
	}

	/** The scan begins again at the top. By now, it may know something of the list. */
	startOver(): void {
		if (this.position === 'below') this.position = 'above';
	}

	/** Promise 1: what is neither familiar nor history is news, unless it belongs to a baseline. */
	verdictOn(key: SortKey, known: Known): Verdict {
		const verdict = this.verdictHere(key, known);
		const wasNews = known.newsHandled.has(key) || known.isWaiting(key);
		if (verdict === 'baseline' || (verdict === 'familiar' && !wasNews)) this.position = 'below';
		return verdict;
	}

	/** What the scan itself has found before it started over. */
	meetAgain({ isOfBaseline }: Found<unknown>): void {
		if (isOfBaseline) this.position = 'below';
	}

	private verdictHere(key: SortKey, known: Known): Verdict {
		const isBelow = this.position !== 'above';
		if (isFamiliar(key, known)) return 'familiar';
		if (isHistory(key, known, isBelow)) return 'history';
		return belongsToBaseline(key, known, isBelow) ? 'baseline' : 'news';
	}
}

/** Promise 3, and promise 11 for a changed list. What n8n has lost was news before. */
function belongsToBaseline(key: SortKey, known: Known, isBelow: boolean): boolean {
	const { mode, newsFrom, lost, now } = known;
	if (mode === 'watching' || lost.has(key)) return false;
	const isAskedFor = isDated(key) && newsFrom !== null && key >= newsFrom;
	if (mode === 'changedList') return !isAskedFor || key >= startOf(now + 1);
	return isBelow && !isAskedFor;
}

export function isFamiliar(key: SortKey, known: Known): boolean {
	if (known.seen.has(key) || known.isWaiting(key)) return true;
	return known.firstPage.has(hashOf(key)) && isHistory(key, known, true);
}

/** Once undated events were forgotten, one that is below others may be any of them. */
const isHistory = (key: SortKey, known: Known, isBelow: boolean): boolean =>
	isDated(key) ? key <= known.watermark : known.hasForgottenUndated && isBelow;
