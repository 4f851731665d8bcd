import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { isShown } from '../support/fake-service.mts';
import {
	isSameQuery,
	Oracle,
	type Fate,
	type Filters,
	type ListedEvent,
	type ReadPoll,
} from './oracle.mts';

/**
 * What this world excuses: the known limits of docs/trigger.md, in the same order. Comments refer to them by
 * number.
 */
export const LIMITS = {
	Late: 'An event older than the newest by more than the lookback may come or not.',
	Changed: 'A record that changed or went before it was emitted may come as it was, or not at all.',
	'Another date': `Of a list sorted by filedDate, only what is on the first page must come. What the baseline was
		not shown may look new.`,
	Undated: `They need not come. If there are more than 2,000, or half of what memory has room for, those of the
		baseline may look new. What is below a hundred pages of them need not come either.`,
	'A long baseline': `What appears below its topmost record may join it. What it was not shown may look new: if it
		has no date, if it is below pages of older ones, if the topmost record went, or if filters changed. After
		an empty page, what is within the lookback may look new.`,
	'Positions as cursors': `A removal hides a record from one scan, and the next sweep finds it. One hidden from two
		may be lost, and one hidden from the baseline may look new. What comes while
		the baseline is read may join it, unless the first page shows it.`,
	'A full memory': `Only what is newer than all that was read before must come, and only if n8n does not refuse it.
		The log says so.`,
	'Another list': `What does not come to an end before the list changes may come or not, and so may what the
		new list alone shows, unless an older query has shown it.`,
	'A refused batch': `In memory, a batch that was broken off is lost if that takes longer than the grace period, or
		if the new process repeats it and nothing of that is saved.`,
	'Silent polls': 'What the filters left out may come if they change.',
	'A new account': 'If its baseline was not saved, either account may begin again.',
	'Several main processes': `Without durable cursors, a batch that was broken off is lost if a process that polled
		before leads again, as only a new one takes it for lost.`,
} as const;

/**
 * Judges safety, whatever happens: nothing is invented, nothing old comes beyond the limits, nothing comes twice with
 * durable cursors, and what is newer than all else comes in the end. Once the world is well again, everything does.
 */
export class HostileWorld extends Oracle {
	private isWell = false;
	private isOverfull = false;
	private hasTooManyUndated = false;
	private hasWarned = false;
	private dated = 0;
	private undated = 0;
	/** Whether n8n has saved a list that is not read to its end. */
	private isOtherListSaved = false;
	/** Accounts that were looked at. */
	private readonly accounts = new Set<string>();
	/** They would have to come if memory had room. */
	private readonly crowdedOut = new Set<ListedEvent>();
	/** A removal may have hidden records from the scan in progress. */
	private hasRemoved = false;
	private hasEverRemoved = false;
	/** Polls that a removal may have hidden it from. */
	private readonly hiddenFrom = new Map<ListedEvent, number>();

	/** From now on, nothing goes wrong. */
	becomesWell(): void {
		this.isWell = true;
	}

	// --- What must come ---

	protected fateOf(event: ListedEvent): Fate {
		const { record, time, isNewest } = event;
		// Limits 4, 8 and 10.
		if (time === undefined || time > this.now || this.isOtherList) return 'may';
		if (!isShown(record, this.filters.query) || !this.matches(record)) return 'may';
		// Limits 1, 3 and 5.
		if (this.isLate(event) || this.isOutOfReach(event)) return 'may';
		if (!this.look.isOver && !this.isAboveBaseline(record)) return 'may';
		if (isNewest) return 'must';
		if (this.isOverfull) this.crowdedOut.add(event);
		return this.isWell && !this.isOverfull ? 'must' : 'may';
	}

	/** Limit 5: by the time that the baseline has been read, it may be late. */
	protected fateOfAsked(): Fate {
		return 'may';
	}

	protected fateUnderOtherFilters(event: ListedEvent, before: Filters): Fate {
		const { record, time = Number.POSITIVE_INFINITY, fate, hasBeenShown } = event;
		const isOther = !isSameQuery(before, this.filters);
		this.crowdedOut.clear();
		// Limits 3, 5 and 8.
		if (fate === 'never' && !hasBeenShown) return 'may';
		if (fate === 'never') return isOther && time > this.newestSaved ? 'may' : 'never';
		// Limits 8 and 10.
		const hasMatched = isShown(record, before.query) && this.matches(record, before);
		return hasMatched && !isOther && this.matches(record) ? fate : 'may';
	}

	/** Limit 11. */
	protected override isLookedAtAgain(): boolean {
		return this.accounts.has(this.filters.account);
	}

	/** Limit 3: below the first page. Limit 4: below a hundred pages without a date. */
	private isOutOfReach({ record }: ListedEvent): boolean {
		const { list, service, pageSize } = this.options;
		const mostUndated = MOST_UNDATED_PAGES * pageSize;
		if (list.sortedBy !== 'filedDate' && this.undated < mostUndated) return false;
		const records = service.list(this.filters.query);
		if (list.sortedBy === 'filedDate' && records.indexOf(record) >= pageSize) return true;
		return records.findIndex(({ eventTimestamp }) => eventTimestamp) >= mostUndated;
	}

	override ends(): void {
		super.ends();
		const isMissed = [...this.crowdedOut].some(
			(event) => event.isListed && event.deliveries === 0 && !this.isLate(event),
		);
		if (isMissed && !this.hasWarned) this.broken(14, 'missed events without a word');
	}

	// --- What happens in the list ---

	override appears(record: License, now: number): ListedEvent {
		const event = super.appears(record, now);
		if (event.time === undefined) this.undated++;
		else this.dated++;
		const { room, situations } = this.options;
		const mostUndated = Math.min(MOST_UNDATED, room / 2);
		if (this.undated > mostUndated) this.excuses((one) => one.time === undefined);
		if (this.dated + Math.min(this.undated, mostUndated) > room && !this.isOverfull) {
			this.isOverfull = true;
			situations.meet('a window larger than memory');
		}
		this.hasTooManyUndated ||= this.undated > mostUndated;
		// Limit 7: with another one at the same moment, an event is no longer newer than all others.
		if (this.isOverfull && !event.isNewest)
			for (const other of this.owed) if (other.time === event.time) this.crowdsOut(other);
		return event;
	}

	override disappears(record: License): ListedEvent {
		const event = super.disappears(record);
		// Limit 2.
		if (event.fate === 'must') this.settle(event, 'may');
		this.hasRemoved = this.hasEverRemoved = true;
		// Limits 5 and 6.
		if (!this.look.isOver && (record === this.look.topmost || this.isLedAstray()))
			this.excuses(({ shownIn }) => shownIn === undefined);
		return event;
	}

	/** Limit 6. */
	protected override isLedAstray(): boolean {
		return this.options.list.cursors === 'position' && this.hasRemoved;
	}

	protected override mayJoinBaseline(event: ListedEvent): void {
		super.mayJoinBaseline(event);
		this.crowdedOut.delete(event);
	}

	protected override isFirstShown(event: ListedEvent): void {
		// Limit 6: the removal may have hidden what was above it.
		if (!this.look.isOver && this.isLedAstray() && event.fate === 'never') event.fate = 'may';
	}

	// --- What happens in n8n ---

	override pollStarts(now: number): void {
		super.pollStarts(now);
		this.accounts.add(this.filters.account);
		if (this.look.listed === undefined) this.crowdedOut.clear();
		for (const event of this.owed)
			if (event.shownIn === undefined && this.isOutOfReach(event)) this.settle(event, 'may');
	}

	override isLedAgain(): void {
		super.isLedAgain();
		// Limit 6: its scan may have been in progress when another led.
		this.hasRemoved = this.hasEverRemoved;
		if (!this.look.isOver && this.isLedAstray())
			this.excuses(({ shownIn }) => shownIn === undefined);
		// Limit 12.
		for (const event of this.brokenOff) if (this.owed.has(event)) this.settle(event, 'may');
	}

	protected override goesBack(): void {
		const before = this.look;
		super.goesBack();
		this.crowdedOut.clear();
		const { listed = 0, isOver, topmost } = this.look;
		// Limit 11: what another baseline took in and never saved is no longer seen.
		if (listed !== before.listed) this.excuses(({ serial }) => serial >= listed);
		for (const event of this.owed)
			if (listed !== before.listed || (!isOver && !this.isAboveBaseline(event.record)))
				this.settle(event, 'may');
		// Limit 5: what silent polls have seen of an unfinished baseline is not saved.
		if (!isOver) this.newestShown = this.newestSaved;
		if (!isOver && topmost && !this.of(topmost).isListed)
			this.excuses(({ shownIn }) => shownIn === undefined);
		if (this.isOtherListSaved) this.readsOtherListAgain();
	}

	protected override isSaved(): void {
		this.isOtherListSaved = this.isOtherList;
	}

	/** Limits 5 and 8: what turned up late since it was saved may join its baseline. */
	private readsOtherListAgain(): void {
		this.isOtherList = true;
		const newsFrom = Math.max(this.newestShown, this.now - this.options.lookback);
		for (const event of this.owed) if ((event.time ?? 0) <= newsFrom) this.settle(event, 'may');
	}

	protected override isThrownAway(emitted: License[]): void {
		this.isRefused(emitted);
		super.isThrownAway(emitted);
	}

	override batchEnds(...[emitted, what, ...more]: Parameters<Oracle['batchEnds']>): void {
		if (!what.isExecuted) this.isRefused(emitted);
		super.batchEnds(emitted, what, ...more);
	}

	/** Limit 7. */
	private isRefused(emitted: License[]): void {
		if (!this.isOverfull) return;
		for (const record of emitted)
			if (this.owed.has(this.of(record))) this.settle(this.of(record), 'may');
	}

	/** Limit 4. */
	protected override mayComeAgain({ time }: ListedEvent): boolean {
		return time === undefined && this.hasTooManyUndated;
	}

	// --- What a poll changes ---

	protected judge({ isCalm, ranOut, blank, result }: ReadPoll): void {
		if (result.warnings.length > 0) this.hasWarned = true;
		if (this.isLedAstray()) this.hides();
		if (!ranOut) this.hasRemoved = false;
		// Limit 7.
		if (this.isOverfull)
			for (const event of this.owed)
				if (event.shownIn === undefined && (event.time ?? 0) <= this.newestShown)
					this.crowdsOut(event);
		const isEmpty = blank || this.options.service.list(this.filters.query).length === 0;
		if (isEmpty && this.isReadingBaseline) {
			// Limit 5: what is older when it is listed does not come.
			this.quietUntil = this.now;
			if (blank) this.looksAtNothing();
		}
		// Limit 5.
		const isInOrder = this.options.list.sortedBy === 'eventTimestamp';
		if (isCalm && !this.look.isOver)
			this.excuses(({ shownIn, time }) => !shownIn && !(isInOrder && time !== undefined));
	}

	/** Limit 5: what belongs to the baseline was not on the page that ended it. */
	private looksAtNothing(): void {
		// The window reaches back from what was learned, not from what is new above it; but there may be nothing else.
		const shown = [...this.events.values()].filter(
			({ hasBeenShown, time = Number.POSITIVE_INFINITY }) => hasBeenShown && time <= this.now,
		);
		const ofBaseline = shown.filter(({ record }) => this.isOfBaseline(record));
		const learned = ofBaseline.length > 0 ? ofBaseline : shown;
		// Of what a lost process has learned, any part may be saved.
		const isKnown = learned.every(({ shownIn }) => shownIn !== undefined);
		const newest = (isKnown ? Math.max : Math.min)(...learned.map(({ time = 0 }) => time));
		const seen = [this.newestShown, this.newestSaved, newest];
		const since = Math.min(this.now, ...seen.filter(Number.isFinite)) - this.options.lookback;
		this.excuses(({ time = since }) => time >= since);
		// What is older is history, and never seen: as if nothing were there.
		for (const event of this.events.values()) event.wasLate ||= (event.time ?? since) < since;
	}

	/** Limit 6. */
	private hides(): void {
		for (const event of this.owed) {
			if (event.shownIn !== undefined) continue;
			const hidden = (this.hiddenFrom.get(event) ?? 0) + 1;
			this.hiddenFrom.set(event, hidden);
			if (hidden > 1 || this.options.list.sortedBy !== 'eventTimestamp') this.settle(event, 'may');
		}
	}

	/** What was history may look new. */
	private excuses(is: (event: ListedEvent) => boolean): void {
		for (const event of this.events.values())
			if (event.fate === 'never' && is(event)) event.fate = 'may';
	}

	private crowdsOut(event: ListedEvent): void {
		this.settle(event, 'may');
		this.crowdedOut.add(event);
	}
}

/** Limit 4. */
const MOST_UNDATED = 2_000;
const MOST_UNDATED_PAGES = 100;
