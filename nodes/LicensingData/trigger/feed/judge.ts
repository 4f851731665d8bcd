import type { Found } from './findings';
import type { SortKey } from './sortKey';
import { hashOf, isDated, startOf } from './sortKey';
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
	/** What was emitted since the baseline began, if it has not been read yet. */
	newsEmitted: Set<SortKey>;
	/** Where news begins by date, if it does. */
	newsFrom: SortKey | null;
	/** Found before, and not emitted yet. */
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
	newsEmitted: Set<SortKey>,
): Mode {
	if (!baseline) return 'watching';
	if (baseline.isOfOtherList) return 'changedList';
	// If what belongs to the baseline was forgotten for lack of room, the watermark has risen.
	const isKnownInPart = watermark !== '' || [...seen].some((key) => !newsEmitted.has(key));
	return isKnownInPart ? 'baseline' : 'firstLook';
}

/** Where scans stop. */
export const stopAt = (known: Known, found: Iterable<Found<unknown>>): SortKey =>
	known.mode === 'firstLook' || known.mode === 'baseline'
		? baselineEnd(known, found)
		: known.watermark;

/** Promise 3: the baseline reads down to the start of the window, or to Start From if that is lower. */
export function baselineEnd(known: Known, found: Iterable<Found<unknown>>): SortKey {
	const { seen, newsFrom, now, lookback } = known;
	const start = windowStart([...seen, ...[...found].map(({ key }) => key)], now, lookback);
	return newsFrom !== null && newsFrom < start ? newsFrom : start;
}

/** `familiar`: seen, found before, or history that was on the first page last time. */
export type Verdict = 'news' | 'baseline' | 'familiar' | 'history';

/**
 * Where a scan is. Position matters: what is below something of the baseline belongs to it, too (promise 3).
 * While nothing of it is known, nothing tells what was added on top since, so all counts as below it.
 */
type Position = 'aboveBaseline' | 'belowItsTop' | 'baselineUnknown';

/** Says of each event that a scan meets what it is. Each scan has one, as it knows where the scan is. */
export class Judge {
	private constructor(private position: Position) {}

	/** For a scan from the top of a list that is known, at least in part. */
	static ofKnownList = (): Judge => new Judge('aboveBaseline');

	/** For a scan from the top of a list of which nothing is known. */
	static ofUnknownList = (): Judge => new Judge('baselineUnknown');

	/** Once the scan starts over, from the top. */
	startOver(): void {
		if (this.position === 'belowItsTop') this.position = 'aboveBaseline';
	}

	verdictOn(key: SortKey, known: Known): Verdict {
		const verdict = this.verdictHere(key, known);
		const wasNews = known.newsEmitted.has(key) || known.isWaiting(key);
		if (verdict === 'baseline' || (verdict === 'familiar' && !wasNews)) this.position = 'belowItsTop';
		return verdict;
	}

	/** What the scan itself has found before. */
	meetAgain({ isBaseline }: Found<unknown>): void {
		if (isBaseline) this.position = 'belowItsTop';
	}

	private verdictHere(key: SortKey, known: Known): Verdict {
		if (isFamiliar(key, known)) return 'familiar';
		if (isHistory(key, known, this.position !== 'aboveBaseline')) return 'history';
		return this.belongsToBaseline(key, known) ? 'baseline' : 'news';
	}

	private belongsToBaseline(key: SortKey, { mode, newsFrom, lost, now }: Known): boolean {
		if (mode === 'watching' || lost.has(key)) return false;
		const isAskedFor = isDated(key) && newsFrom !== null && key >= newsFrom;
		if (mode === 'changedList') return !isAskedFor || key >= startOf(now + 1);
		return !isAskedFor && this.position !== 'aboveBaseline';
	}
}

export function isFamiliar(key: SortKey, known: Known): boolean {
	if (known.seen.has(key) || known.isWaiting(key)) return true;
	return known.firstPage.has(hashOf(key)) && isHistory(key, known, true);
}

/** Once undated events were forgotten, one below those that are seen may be any of them. */
const isHistory = (key: SortKey, known: Known, isBelowSeen: boolean): boolean =>
	isDated(key) ? key <= known.watermark : known.hasForgottenUndated && isBelowSeen;
