import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { momentOf } from '../../nodes/LicensingData/domain/moment.ts';
import { isShown } from '../support/fake-service.mts';
import {
	HOUR,
	isSameQuery,
	Oracle,
	type Fate,
	type Filters,
	type ListedEvent,
	type ReadPoll,
} from './oracle.mts';
import type { Change, History } from './trigger-history.mts';

/** Promise 5. */
const MOST_POLLS_UNTIL_FOUND = 10;
/** Limit 4: as many as are remembered, and as a scan reads through. */
const mostUndated = (pageSize: number) => Math.min(2_000, 100 * pageSize - 1);
/** The decision "One old date does not end a scan". */
const MOST_OLD_PAGES = 10;

/** What must have happened in it cannot be said of a history alone, so the player asks `isPossible`, too. */
export const promisedHistory = (history: History): History => ({
	...history,
	list: {
		...history.list,
		sortedBy: history.list.sortedBy === 'arrival' ? 'arrival' : 'eventTimestamp',
		undated: 'first',
	},
	existing: {
		...history.existing,
		undated: Math.min(history.existing.undated, Math.floor(mostUndated(history.pageSize) / 4)),
		scatter: Math.min(history.existing.scatter, 1),
	},
});

/**
 * Judges a trigger where the contract holds without limits: the list is sorted by time or arrival, nothing in it
 * changes before it was emitted, memory suffices, and what n8n has not saved of a baseline or of other filters is
 * not lost. All else may go wrong: pages, cursors, time, batches, processes. Each event that appears in time, and
 * matches, must come exactly once, in order, and soon. The one excuse is the grace period of promise 9, which the
 * shared part knows.
 */
export class PromisedWorld extends Oracle {
	/** By what this process can know: first shown by a scan that is not over, and by which scan. */
	private openScan: ListedEvent[] = [];
	private readonly scanOf = new Map<ListedEvent, number>();
	private scans = 0;
	private readonly emittedUpTo = new Map<number, number>();
	/** How many undisturbed polls in a row have not been shown it. */
	private readonly missedBy = new Map<ListedEvent, number>();
	/** Whether n8n has saved that this list has been read. */
	private isListSaved = false;
	private hasBacklog = false;
	private failing: Failing = { ...notFailing };
	private onTop = 0;
	private others = 0;
	private before = { onTop: 0, others: 0 };
	private firstShown = 0;
	private undated = 0;
	private wasSettled = false;
	private wasAbandoned = false;
	/** Of this process. */
	private hasPolledWell = false;
	private lastSweep: number | undefined;
	private readonly newestByPoll: number[] = [];

	// --- What belongs to this world ---

	allowsInsert({ count, dated }: Change & { kind: 'insert' }): boolean {
		const undated = dated === 'timed' ? 0 : this.undated + count;
		const { room, pageSize } = this.options;
		return this.events.size + count <= room && undated <= mostUndated(pageSize);
	}

	/**
	 * Limit 8: before a baseline has been read, dates alone tell what is news in another list. Limit 11: while n8n is
	 * still saving a batch, the poll with which the workflow is published does nothing, and so saves no other account.
	 */
	allowsFilters(filters: Filters): boolean {
		const { isOver, listed, account } = this.look;
		if (this.wasAbandoned && account !== filters.account) return false;
		const isReading = listed !== undefined && !isOver && account === filters.account;
		return !isReading || isSameQuery(this.filters, filters);
	}

	allowsOverwriting(record: License): boolean {
		const isShaky = this.options.list.cursors === 'position' || !this.look.isOver;
		return !isShaky && !this.owed.has(this.of(record));
	}

	/** Whether n8n has saved enough to lose the rest: a baseline, and that of other filters. */
	get allowsLoss(): boolean {
		return this.isListSaved && this.polledFilters === this.filters;
	}

	protected override isSaved(): void {
		this.isListSaved ||= this.look.isOver && !this.isOtherList;
	}

	// --- What must come ---

	protected fateOf(event: ListedEvent): Fate {
		const { record, time } = event;
		if (!this.isSelected(record)) return 'may';
		if (!this.look.isOver && !this.isAboveBaseline(record)) return 'may';
		if (time === undefined)
			return this.isOtherList || (!this.look.isOver && this.options.startFrom !== undefined)
				? 'may'
				: 'must';
		if (this.isLate(event)) return 'may';
		if (this.isOtherList && !(this.look.isOver && this.isNewerThanSeen(time))) return 'may';
		return 'must';
	}

	protected fateOfAsked({ record, time }: ListedEvent): Fate {
		return time !== undefined && this.isSelected(record) ? 'must' : 'may';
	}

	private isSelected(record: License): boolean {
		return isShown(record, this.filters.query) && this.matches(record);
	}

	/** What comes again is not seen. */
	private get newestHandled(): number {
		const handled = [...this.events.values()].filter(
			({ hasBeenShown, mayRepeat, brokenOff }) => hasBeenShown && !mayRepeat && !brokenOff,
		);
		const times = handled.map(({ time = Number.POSITIVE_INFINITY }) => time);
		return Math.max(...times.filter((time) => time <= this.newestSaved));
	}

	private isNewerThanSeen(time: number): boolean {
		return time > this.newestShown && time >= this.now - this.options.lookback && time <= this.now;
	}

	/** Promise 11. */
	protected fateUnderOtherFilters(event: ListedEvent, before: Filters): Fate {
		const { record, time, fate, hasBeenShown, shownIn } = event;
		// Nothing tells what a list held that was never read to its end.
		const isUnread = this.isOtherList && !hasBeenShown && (time ?? 0) > this.newestShown;
		if (fate === 'never') return isUnread ? 'may' : 'never';
		if (!this.isSelected(record) || (this.isOtherList && !this.look.isOver)) return 'may';
		const wasListed = isShown(record, before.query);
		// What waits still comes.
		if (fate === 'must' && wasListed && (shownIn !== undefined || !this.isOtherList)) return 'must';
		if (this.isOtherList && (time === undefined || !this.isNewerThanSeen(time))) {
			const isOld = !wasListed && !hasBeenShown && (time ?? 0) <= this.newestHandled;
			return isOld ? 'never' : 'may';
		}
		if (event.isLeftOut) return 'never';
		return hasBeenShown ? 'may' : this.fateOf(event);
	}

	override appears(record: License, now: number): ListedEvent {
		const event = super.appears(record, now);
		if (event.time === undefined) this.undated++;
		const isOnTop = isShown(record, this.filters.query) && event.isNewest;
		if (isOnTop) this.onTop++;
		else this.others++;
		if (this.hasBacklog && event.fate === 'must' && !event.isNewest)
			this.options.situations.meet('a late arrival while a backlog drained');
		return event;
	}

	override disappears(record: License): ListedEvent {
		this.others++;
		return super.disappears(record);
	}

	protected override isFirstShown(event: ListedEvent): void {
		this.openScan.push(event);
		if (!event.hasBeenShown) this.firstShown++;
	}

	protected override forgetsFound(): void {
		super.forgetsFound();
		this.openScan = [];
		this.failing.lastPoll = 0;
	}

	protected override isForgotten(event: ListedEvent): void {
		super.isForgotten(event);
		if (event.deliveries > 0) return;
		this.scanOf.delete(event);
		this.missedBy.delete(event);
	}

	override losesProcess(): void {
		super.losesProcess();
		this.failing = { ...notFailing };
		this.hasPolledWell = false;
	}

	override pollStarts(now: number): void {
		super.pollStarts(now);
		if (!this.look.isOver || this.isOtherList) this.isListSaved = false;
		this.before = { onTop: this.onTop, others: this.others };
		this.onTop = this.others = this.firstShown = 0;
		this.wasSettled = this.isSettled;
	}

	// --- How a poll is judged ---

	protected override fails(): void {
		this.openScan = [];
		// What comes again makes its scans begin anew, until a poll has gone well.
		if (!this.hasPolledWell) this.forgetsFound();
	}

	protected judge(poll: ReadPoll): void {
		const { result, isCalm, hasRoom, isAbandoned } = poll;
		const { emitted } = result;
		this.wasAbandoned = isAbandoned;
		this.hasPolledWell = true;
		this.closeScan(poll);
		this.judgeOrder(emitted);
		this.judgeFailingPage(poll);
		if (isCalm && hasRoom && !isAbandoned) this.judgeHeldBack(emitted);
		if (isCalm) this.judgeDelay();
		if (isCalm && !isAbandoned) this.judgeCost(poll.requests, emitted.length);
		if (isCalm && !this.look.isOver) this.endsLook();
		this.hasBacklog = !hasRoom && this.owesShownEvents;
		this.newestByPoll.push(this.newestShown);
	}

	/** What has become late while a long baseline was read. */
	private endsLook(): void {
		const { lookback, startFrom = Number.POSITIVE_INFINITY } = this.options;
		const windowStart = Math.min(this.newest - lookback, startFrom);
		for (const event of this.owed)
			if ((event.time ?? windowStart) < windowStart) this.settle(event, 'may');
	}

	/** Promise 2: in order is what one scan found, in one poll or in several that each ran out of time. */
	private closeScan({ isCalm, ranOut, failedFirst, failedBelow, expired, result }: ReadPoll): void {
		const onlyRanOut = ranOut && !failedFirst && failedBelow === undefined && !expired;
		if (onlyRanOut && result.emitted.length === 0) return;
		this.scans++;
		if (isCalm)
			for (const event of this.openScan) if (!event.brokenOff) this.scanOf.set(event, this.scans);
		this.openScan = [];
	}

	private judgeOrder(emitted: License[]): void {
		const before = new Map(this.emittedUpTo);
		for (const record of emitted) {
			const { time, deliveries, key, ...event } = this.of(record);
			const scan = this.scanOf.get(this.of(record));
			if (time === undefined || scan === undefined || deliveries > 0 || event.brokenOff) continue;
			if (time < (before.get(scan) ?? time))
				this.broken(2, `${key} came after a batch with a newer one`, 'outOfOrder');
			this.emittedUpTo.set(scan, Math.max(time, this.emittedUpTo.get(scan) ?? time));
		}
	}

	/** Promise 6: what was found, and fits, is emitted. */
	private judgeHeldBack(emitted: License[]): void {
		this.expectAmong(emitted, ({ shownIn }) => shownIn !== undefined, 6, 'was found and held back');
	}

	private expectAmong(
		emitted: License[],
		isDue: (event: ListedEvent) => boolean,
		promise: number,
		what: string,
	): void {
		const keys = new Set(emitted.map((record) => this.of(record).key));
		for (const event of this.owed)
			if (isDue(event) && !event.brokenOff && !keys.has(event.key))
				this.giveUp(event, promise, what);
	}

	/** Promise 5. */
	private judgeDelay(): void {
		for (const event of this.owed) {
			if (event.shownIn !== undefined || event.listedIn >= this.poll) continue;
			const missed = (this.missedBy.get(event) ?? 0) + 1;
			this.missedBy.set(event, missed);
			if (missed > MOST_POLLS_UNTIL_FOUND) this.giveUp(event, 5, 'was not found within ten polls');
		}
	}

	/** Promise 8: what stands above a page that two polls could not read is emitted, and the user is told. */
	private judgeFailingPage({ result, failedBelow, isCalm, hasRoom, ...poll }: ReadPoll): void {
		if (isCalm) this.failing = { ...notFailing };
		if (failedBelow === undefined) return;
		const { cursor, lastPoll, since } = this.failing;
		const goesOn =
			failedBelow === cursor && lastPoll === this.poll - 1 && !poll.ranOut && !poll.expired;
		this.failing.since = goesOn ? since : this.poll;
		this.failing.cursor = failedBelow;
		this.failing.lastPoll = this.poll;
		if (!goesOn) return;
		const { situations } = this.options;
		situations.meet('a page that never came');
		if (result.emitted.length > 0)
			situations.meet('an event emitted though the page below never came');
		if (this.now - this.toldAt > 2 * HOUR) this.broken(8, 'told nobody that a page cannot be read');
		const isAbove = ({ shownIn = this.poll }: ListedEvent) => shownIn <= since;
		if (hasRoom) this.expectAmong(result.emitted, isAbove, 8, 'waits for a page that never comes');
	}

	/** Promise 13, where nothing but news on top has changed since a poll that left nothing to do. */
	private judgeCost(requests: number, emitted: number): void {
		const isMoving = this.onTop + this.others + this.before.others > 0;
		if (!this.wasSettled || isMoving || !this.look.isOver || this.isOtherList) {
			this.lastSweep = undefined;
			return;
		}
		const { pageSize, lookback, startFrom, service } = this.options;
		const records = service.list(this.filters.query);
		const timeOf = ({ eventTimestamp }: License) => momentOf(eventTimestamp);
		const isInWindow = (time = Number.NEGATIVE_INFINITY) => time >= this.newest - lookback;
		const oldOnTop = records.findIndex((record) => isInWindow(timeOf(record)));
		// If nothing that was seen is listed any more, a sweep reads the whole list. Below a page of old records, a new
		// event is found by the total, or by the next sweep.
		if (oldOnTop === -1 || oldOnTop >= pageSize) return;
		const news = this.before.onTop > 0 ? Math.ceil(this.before.onTop / pageSize) + 1 : 0;
		const allowed = 1 + news + Math.ceil(oldOnTop / pageSize);
		const hasFoundLate = Math.max(emitted, this.firstShown) > this.before.onTop;
		if (requests <= allowed || hasFoundLate) return;
		if (this.lastSweep !== undefined && this.poll - this.lastSweep < 10)
			this.broken(13, `cost ${requests} requests, not ${allowed}`);
		this.lastSweep = this.poll;
		// Where all that is newer was asked for, the window reaches back from the newest of the rest, however old.
		if (startFrom !== undefined) return;
		// A watermark rises in two steps, each at a sweep, so it may lag by that many polls that were saved.
		const longAgo = this.newestByPoll.at(-30) ?? this.newestByPoll[0] ?? this.newest;
		const stopAt = Math.min(longAgo, this.newest) - 4 * lookback;
		const window = records.findLastIndex((record) => (timeOf(record) ?? stopAt) >= stopAt) + 1;
		if (requests > allowed + Math.ceil(window / pageSize) + MOST_OLD_PAGES + 2)
			this.broken(13, `swept with ${requests} requests for a window of ${window} records`);
	}

	private giveUp(event: ListedEvent, promise: number, what: string): void {
		this.broken(promise, `${event.key} ${what}`);
		this.settle(event, 'may');
	}
}

/** The polls in a row that could not read the same page below the first. */
interface Failing {
	since: number;
	lastPoll: number;
	cursor: string | undefined;
}

const notFailing: Failing = {
	since: 0,
	lastPoll: 0,
	cursor: undefined,
};
