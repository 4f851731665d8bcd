import type { Found } from './findings';
import type { Point, SortKey } from './sortKey';
import { BEFORE_ALL, earlier, hashOf, isDated, startOf } from './sortKey';
import type { FeedState } from './state';
import { windowStart } from './window';

/**
 * How a poll reads the list, and what an unseen event is that is above all that it knows of the baseline, or below some
 * of it. Whatever is not above the watermark is history. (Once undated events were forgotten, so are those below.)
 *
 *                Known of the list     Above     Below
 * watching       nearly all            news      news
 * firstLook      nothing               news      baseline, but for Start From
 * baseline       a part                news      baseline, but for Start From
 * changedList    that of another query news or baseline by date (promise 11)
 */
export type Mode = 'watching' | 'firstLook' | 'baseline' | 'changedList';

/** What a poll knows of the list. */
export interface Known {
	mode: Mode;
	watermark: Point;
	seen: Set<SortKey>;
	/** Of the seen, what belongs to a baseline that has not been read to its end. */
	ofBaseline: Set<SortKey>;
	/** Where news begins by date, if it does. */
	newsFrom: Point | null;
	/** Found before, and not handled yet. */
	isWaiting: (key: SortKey) => boolean;
	/** What n8n has lost, so that it has to come again. */
	lost: Set<SortKey>;
	/** Whether any of the seen has a date, so that meeting one shows how far down the list is known. */
	hasSeenDated: boolean;
	/** The hashes that were on the first page. */
	firstPage: Set<string>;
	hasForgottenUndated: boolean;
	/** The total at the previous scan. */
	lastTotal: number | null;
	lookback: number;
	now: number;
}

export function modeOf({ baseline, watermark }: FeedState): Mode {
	if (!baseline) return 'watching';
	if (baseline.isOfOtherList) return 'changedList';
	// Where all that belonged to it was forgotten, as the state can hold no more, the watermark has risen.
	return baseline.keys === '' && watermark === BEFORE_ALL ? 'firstLook' : 'baseline';
}

/** Where scans stop. */
export const stopAt = (known: Known, found: Iterable<Found<unknown>>): Point =>
	known.mode === 'firstLook' || known.mode === 'baseline'
		? baselineEnd(known, found)
		: known.watermark;

/** Promise 3: the baseline goes down to the start of the window or, if that is lower, to where news begins. */
export function baselineEnd(known: Known, found: Iterable<Found<unknown>>): Point {
	const { seen, newsFrom, watermark, now, lookback } = known;
	const all = [...found];
	const ofBaseline = [
		...known.ofBaseline,
		...all.filter(({ isOfBaseline }) => isOfBaseline).map(({ key }) => key),
	];
	const start =
		// News does not move the window, or it could pass what waits.
		windowStart(ofBaseline, now, lookback) ??
		// But there may be nothing else, as where Start From asks for all that is there.
		windowStart([...seen, ...all.map(({ key }) => key)], now, lookback) ??
		// An empty list may not be all there: what is older than the lookback by now is no news. Another list keeps the
		// watermark.
		(watermark === BEFORE_ALL ? startOf(now - lookback) : watermark);
	return newsFrom === null ? start : earlier(newsFrom, start);
}

/** `familiar`: seen, found before, or history that was on the first page last time. */
export type Verdict = 'news' | 'baseline' | 'familiar' | 'history';

/**
 * Where a scan is: above all that is known of the baseline, or below some of it. Where nothing of it is known yet, there
 * is nothing to be above of, so all that the scan meets counts as below. Once it has met some of it, it is like any other.
 * Once the baseline has been read, nothing belongs to it any more, and the position says nothing.
 *
 * Is         Counts as   Meets some of the baseline: is   Starts over: is
 * above      above       below                            above
 * below      below       below                            above
 * unknown    below       below                            unknown
 */
type Position = 'above' | 'below' | 'unknown';

/**
 * Says of each event that a scan meets what it is. Each scan has its own, as it knows where the scan is. What is below
 * something of the baseline belongs to it, too (promise 3).
 */
export class Judge {
	private constructor(private position: Position) {}

	static ofKnownList(): Judge {
		return new Judge('above');
	}

	static ofUnknownList(): Judge {
		return new Judge('unknown');
	}

	/** The scan begins again at the top. */
	startOver(): void {
		if (this.position !== 'unknown') this.position = 'above';
	}

	/**
	 * Promise 1: what is neither familiar nor history is news, unless it belongs to a baseline. News that is met again
	 * says nothing of the position.
	 */
	verdictOn(key: SortKey, known: Known, hasMetFamiliar: boolean): Verdict {
		const verdict = this.verdictHere(key, known, hasMetFamiliar);
		if (verdict === 'baseline' || known.ofBaseline.has(key)) this.position = 'below';
		return verdict;
	}

	/** What the scan itself has found before it started over. */
	meetAgain({ isOfBaseline }: Found<unknown>): void {
		if (isOfBaseline) this.position = 'below';
	}

	private verdictHere(key: SortKey, known: Known, hasMetFamiliar: boolean): Verdict {
		if (isFamiliar(key, known)) return 'familiar';
		const isBelow = this.position !== 'above';
		if (isHistory(key, known, isBelow || hasMetFamiliar)) return 'history';
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
	isDated(key)
		? key <= known.watermark
		: known.hasForgottenUndated && isBelow && !known.lost.has(key);
