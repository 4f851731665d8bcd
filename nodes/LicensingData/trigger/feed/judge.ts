import type { Found } from './findings';
import type { SortKey } from './sortKey';
import { hashOf, isDated, startOf } from './sortKey';
import { windowStart, type FeedState } from './state';

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
	/** What was emitted while the baseline was being read. */
	news: Set<SortKey>;
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

export function modeOf({ baseline, watermark }: FeedState, seen: Set<SortKey>, news: Set<SortKey>) {
	if (!baseline) return 'watching';
	if (baseline.isOfOtherList) return 'changedList';
	// If what belongs to the baseline was forgotten for lack of room, the watermark has risen.
	const hasLearned = watermark !== '' || [...seen].some((key) => !news.has(key));
	return hasLearned ? 'baseline' : 'firstLook';
}

/** Where scans stop. */
export const stopAt = (known: Known, found: Iterable<Found<unknown>>): SortKey =>
	known.mode === 'firstLook' || known.mode === 'baseline'
		? baselineEnd(known, found)
		: known.watermark;

/** Promise 3: the baseline reads down to the start of the window, or to Start From if that is lower. */
export function baselineEnd(known: Known, found: Iterable<Found<unknown>>): SortKey {
	const { seen, news, newsFrom, now, lookback } = known;
	const all = [...found];
	const ofBaseline = [
		...[...seen].filter((key) => !news.has(key)),
		...all.filter(({ isBaseline }) => isBaseline).map(({ key }) => key),
	];
	// What has come since then does not move the window, or events in between could be missed.
	const start =
		windowStart(ofBaseline, now, lookback) ||
		windowStart([...seen, ...all.map(({ key }) => key)], now, lookback);
	return newsFrom !== null && newsFrom < start ? newsFrom : start;
}

/**
 * Says of each event that a scan meets what it is. Each scan has one, as position matters: what is below
 * something of the baseline belongs to it, too (promise 3).
 */
export class Judge {
	private isBelowBaseline: boolean;

	/** Until something of the baseline has been met, nothing tells what was added on top since. */
	constructor(private hasMetBaseline: boolean) {
		this.isBelowBaseline = !hasMetBaseline;
	}

	/** Once the scan starts over, from the top. */
	startOver(): void {
		this.isBelowBaseline = !this.hasMetBaseline;
	}

	/** What the scan itself has found before. */
	meetAgain({ isBaseline }: Found<unknown>): void {
		this.isBelowBaseline ||= isBaseline;
	}

	/** `familiar`: seen, found before, or history that was on the first page last time. */
	verdictOn(key: SortKey, known: Known): 'news' | 'baseline' | 'familiar' | 'history' {
		if (this.isFamiliar(key, known)) {
			const isNews = known.news.has(key) || known.isWaiting(key);
			if (!isNews) this.isBelowBaseline = this.hasMetBaseline = true;
			return 'familiar';
		}
		if (this.isOld(key, known)) return 'history';
		if (!this.belongsToBaseline(key, known)) return 'news';
		this.hasMetBaseline = true;
		return 'baseline';
	}

	isFamiliar(key: SortKey, known: Known): boolean {
		const { seen, isWaiting, firstPage } = known;
		if (seen.has(key) || isWaiting(key)) return true;
		return firstPage.has(hashOf(key)) && this.isOld(key, known);
	}

	private isOld(key: SortKey, { watermark, hasForgottenUndated, firstPage }: Known): boolean {
		if (isDated(key)) return key <= watermark;
		return hasForgottenUndated && (this.isBelowBaseline || firstPage.has(hashOf(key)));
	}

	private belongsToBaseline(key: SortKey, { mode, newsFrom, lost, now }: Known): boolean {
		if (mode === 'watching' || lost.has(key)) return false;
		const isAskedFor = isDated(key) && newsFrom !== null && key >= newsFrom;
		const isInFuture = key >= startOf(now + 1);
		return mode === 'changedList' ? !isAskedFor || isInFuture : !isAskedFor && this.isBelowBaseline;
	}
}
