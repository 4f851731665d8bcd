import { eventKey } from '../../nodes/LicensingData/domain/event.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { momentOf } from '../../nodes/LicensingData/domain/moment.ts';
import { isShown, type FakeService, type FakeServiceOptions } from '../support/fake-service.mts';
import type { Saving } from './fake-n8n.mts';
import type { Situations } from './rare-situations.mts';
import type { PollResult } from './trigger-under-test.mts';

/**
 * What the oracle excuses: the known limits of docs/trigger.md, in the same order. Comments refer to them by
 * number.
 */
export const LIMITS = {
	Late: `An event older than the newest by more than the lookback may come or not, and so may one that has
		become so by the time the baseline has been read. Without a timestamp, so may one that was filed before
		that.`,
	Changed: 'A record that changed or went before it was emitted may come as it was, or not at all.',
	'Another date': `Of a list sorted by filedDate, only what was filed within the lookback must come, and only
		if it is on the first page, or below a page that gives this order away. What was too far down for the
		baseline may look new if other filters bring it to the top.`,
	Undated: `They must come, exactly once, if the top shows them, and if there are no more than memory has room
		for (2,000, or half of a small memory). Whether Start From asks for one that comes before the baseline
		has been read is open. If there are more and a batch comes again, one of the baseline may look new. What
		is below a hundred pages of them need not come.`,
	'A long baseline': `What appears below its topmost record, or is shown on a page below, may join it; while it
		has none, so may whatever Start From does not ask for. If that record goes, what was there may look new.
		A record that is too low to be in the baseline may look new if it rises: one without a date, or below
		some ten pages that are entirely older than the window. If the filters change before the baseline has
		been read, it may take in what there is then, but what it has been shown is not news. After an empty
		page, what is within the lookback may look new.`,
	'Positions as cursors': `A removal hides a record from one scan, and the next sweep finds it. One that was
		hidden twice may be lost, as may one that was hidden once and is below a page that is entirely older than
		the window. One that was hidden from the baseline may look new, and so may one that the baseline meets
		further down, as the removal may have hidden what was in it.`,
	'A full memory': `Only events that are newer than all that was read before must come. The log says so. A
		batch that was refused meanwhile need not come in full. Of a list sorted by filedDate, only what comes
		on the first page must.`,
	'Another list': `What is newer than the newest seen is news, and what is older may come only if it waited.
		What only a lost process was shown is not seen, nor what has to be repeated. In memory, the old query may
		be the one that this process polled with, or the one that the database has.`,
	'A refused batch': `In memory, a batch that n8n or its database broke off may come again, and so may one that
		is younger than the grace period when a new process polls. It may be lost if that takes longer, or if
		the new process repeats it, and that is broken off with nothing saved.`,
	'Silent polls': 'What the old filters left out, and n8n had not saved as seen, may come.',
	'A new account':
		'What an unsaved baseline took in is no longer seen, and may come or be learned.',
} as const;

/**
 * Judges a trigger by the contract. It knows the service, the calls and what was emitted, and nothing of
 * the trigger's state. An event that is listed after the baseline began to be read, that matches, and that
 * is still listed when the history ends must come exactly once. What was listed before must not come, unless
 * Start From asks for it. `LIMITS` has all the excuses. Order holds for what one scan found: here, for what was
 * first shown in one poll, or in several that each ran out of time, if nothing went wrong meanwhile and no batch
 * was broken off.
 */

export interface Filters {
	account: string;
	/** What the service filters by. */
	query: Record<string, string>;
	/** What the trigger filters by; null for everything. */
	counties: string[] | null;
}

export interface Violation {
	kind: 'lost' | 'repeated' | 'outOfOrder' | 'other';
	/** Of the contract. */
	promise: number;
	what: string;
}

export const isSameQuery = (one: Filters, other: Filters): boolean =>
	JSON.stringify(one.query) === JSON.stringify(other.query);

/** What the oracle is told of a poll, apart from its pages. */
export interface PollReport {
	result: PollResult;
	now: number;
	requests: number;
	maxItems: number;
	failedFirst: boolean;
	/** The cursor of a page below the first that could not be read. */
	failedBelow: string | undefined;
	expired: boolean;
	/** The first page was empty, though the list was not. */
	blank: boolean;
	/** The trigger was told that its time is up. */
	ranOut: boolean;
	/** Whether n8n throws the result away. */
	isAbandoned: boolean;
}

interface Sighting {
	key: string;
	record: License;
	/** Undefined for an event without a timestamp. */
	time: number | undefined;
	/** `must` come exactly once, `may` come at most once, `never`. */
	fate: 'must' | 'may' | 'never';
	isListed: boolean;
	/** Polls that had begun when it appeared. */
	listedIn: number;
	/** Newer than everything listed by the end of the previous poll. */
	isNewest: boolean;
	/** The first poll of this process that was shown it. */
	shownIn: number | undefined;
	hasBeenShown: boolean;
	/** The scan that found it; undefined if nothing is promised about its order. */
	scan: number | undefined;
	deliveries: number;
	deliveredAt: number;
	mayRepeat: boolean;
	/** The last batch with it that was broken off. */
	brokenOff: { at: number; process: number } | undefined;
	/** Undisturbed polls in a row that have not been shown it. */
	unseen: number;
	/** Scans that a removal may have hidden it from. */
	hidden: number;
	/** Left out by the filters, and saved as seen. */
	isSeenUnmatched: boolean;
	/** The account left behind at which it was still to come, if any. */
	stillToComeAt: string | undefined;
	/** Excused for lack of room: the log has to say so. */
	isCrowdedOut: boolean;
}

/** Half of what memory has room for may be undated. */
const MOST_UNDATED = 2_000;
const MOST_POLLS_UNTIL_FOUND = 10;
const MOST_UNDATED_PAGES = 100;
const PAGES_BELOW = 10;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface OracleOptions {
	service: FakeService;
	list: FakeServiceOptions;
	pageSize: number;
	lookback: number;
	startFrom: number | undefined;
	graceMs: number;
	/** Events that memory has room for. */
	room: number;
	saving: Saving;
	filters: Filters;
	situations: Situations;
}

export class Oracle {
	readonly violations: Violation[] = [];
	private readonly sightings = new Map<string, Sighting>();
	/** Those of fate `must` that are listed and have not come. */
	private readonly owed = new Set<Sighting>();
	/** Those that came, while the database does not know it. */
	private readonly unsaved = new Set<Sighting>();
	private readonly brokenOff = new Set<Sighting>();

	private now = 0;
	private poll = 0;
	private isPolling = false;
	/** The last poll read nothing. */
	private isIdle = false;
	private endedAt = Number.NaN;
	/** The trigger had its state saved before the poll was over. */
	private isSavedInPoll = false;
	private isNewProcess = false;
	private processes = 0;
	private lastDelivery = 0;
	private hasWarned = false;

	private filters: Filters;
	/** The filters of the last poll that went well, and those that n8n has saved. */
	private polledFilters: Filters;
	private savedFilters: Filters;
	/** Those of the last poll that went well in this process: where they differ, either may count as the old ones. */
	private processFilters: Filters;
	private savedProcessFilters: Filters;
	/** Of this process's last poll that went well: the database may still have the account before. */
	private processAccount: string;
	/** Those of polls since then in which something went wrong: they may have read their list all the same. */
	private perhapsPolled: Filters[] = [];
	private lastGoodPoll = 0;

	/** The baseline of an account. */
	private baseline: ReturnType<typeof newBaseline>;
	private savedIn = 0;
	private savedBaseline: ReturnType<typeof newBaseline> | undefined;
	/** The account whose baseline was not saved, where another's was. */
	private unsavedAccount: string | undefined;

	/** Of the events that the query shows: the newest whose time has come, and the latest of all. */
	private newest = Number.NEGATIVE_INFINITY;
	private latest = Number.NEGATIVE_INFINITY;
	private latestBefore = Number.NEGATIVE_INFINITY;
	private ahead: number[] = [];
	private readonly newestByPoll: number[] = [];
	private newestByPollSaved = 0;
	private newestShown = Number.NEGATIVE_INFINITY;
	/** The start of the lookback when a first look found nothing. */
	private emptyLookback = Number.NEGATIVE_INFINITY;
	/** Shown before their time. */
	private readonly shownAhead = new Set<number>();
	private newestSaved = Number.NEGATIVE_INFINITY;
	private timedCount = 0;
	private undatedCount = 0;
	private hasTooManyUndated = false;
	private isOverfull = false;

	/** First shown by a scan that is not over. */
	private openScan: Sighting[] = [];
	private scans = 0;
	private readonly emittedUpTo = new Map<number, number>();
	private lastTime: number | undefined;

	/** What changed in the list since the last poll began, and before that. */
	private changes = { onTop: 0, others: 0 };
	private changesBefore = { onTop: 0, others: 0 };
	private hasRemoved = false;
	/** How many records the current poll is the first to be shown. */
	private firstShown = 0;
	private hasReadTop = false;
	private hasReadBelow = false;
	/** The last poll read from the top, was undisturbed and had room to emit all that it found. */
	private isSettled = false;
	private hasBacklog = false;
	private lastSweep: number | undefined;

	/** The polls in a row that could not read the same page below the first. */
	private failing: Failing = { ...notFailing };
	private lastShown = Number.NEGATIVE_INFINITY;
	/** Only after this poll does the trigger hear of a lost batch, and read anew. */
	private hearsLateIn: number | undefined;

	private readonly mostUndated: number;

	constructor(private readonly options: OracleOptions) {
		this.mostUndated = Math.min(MOST_UNDATED, options.room / 2);
		this.filters = this.polledFilters = options.filters;
		this.savedFilters = this.processFilters = this.savedProcessFilters = options.filters;
		this.baseline = newBaseline(options.filters.account, false);
		this.processAccount = options.filters.account;
	}

	isNew(record: License): boolean {
		return !this.sightings.has(eventKey(record));
	}

	/** Whether the trigger was shown events that are still to come. */
	get owesShownEvents(): boolean {
		return [...this.owed].some(({ shownIn }) => shownIn !== undefined);
	}

	/** A removal may have hidden records from the current scan. */
	private get mayHide(): boolean {
		return this.options.list.cursors === 'position' && this.hasRemoved;
	}

	get isReadingBaseline(): boolean {
		return this.baseline.isBeingRead;
	}

	/** Where they differ, any of them may count as the old ones. */
	private get previousFilters(): Filters[] {
		return [this.polledFilters, this.processFilters, ...this.perhapsPolled];
	}

	/** Whether the list is surely the one that was read before. */
	private get isSameList(): boolean {
		return this.previousFilters.every((previous) => isSameQuery(previous, this.filters));
	}

	matches({ address }: License, { counties } = this.filters): boolean {
		return counties === null || counties.includes(address?.county ?? '');
	}

	// --- What happens in the list ---

	appears(record: License, now: number): void {
		const time = momentOf(record.eventTimestamp);
		const isVisible = isShown(record, this.filters.query);
		const latest = this.isPolling ? this.latest : this.latestBefore;
		const sighting: Sighting = {
			key: eventKey(record),
			record,
			time,
			fate: 'may',
			isListed: true,
			listedIn: this.poll,
			isNewest: time !== undefined && time > latest,
			shownIn: undefined,
			hasBeenShown: false,
			scan: undefined,
			deliveries: 0,
			deliveredAt: 0,
			mayRepeat: false,
			brokenOff: undefined,
			unseen: 0,
			hidden: 0,
			isSeenUnmatched: false,
			stillToComeAt: undefined,
			isCrowdedOut: false,
		};
		this.sightings.set(sighting.key, sighting);
		if (isVisible) this.counts(time, now);
		if (time === undefined && ++this.undatedCount > this.mostUndated) this.hasTooManyUndated = true;
		if (time !== undefined) this.timedCount++;
		const remembered = this.timedCount + Math.min(this.undatedCount, this.mostUndated);
		if (remembered > this.options.room) this.overflows();
		// With another one at the same moment, an event is no longer newer than all others.
		if (this.isOverfull && time !== undefined && !sighting.isNewest)
			for (const other of this.owed)
				if (other.time === time && other.shownIn === undefined) this.crowdsOut(other);
		if (this.hasTooManyUndated)
			for (const other of this.owed) if (other.time === undefined) this.settle(other, 'may');
		const isHistory = this.options.startFrom === undefined && !this.baseline.isAgain;
		const early = isHistory ? 'never' : 'may';
		// Until a new query's list has been read, that query is still new.
		const isNewerThanSeen =
			sighting.isNewest && time !== undefined && time > this.newestShown && time <= now;
		const isSure = this.isSameList || (!this.baseline.isBeingRead && isNewerThanSeen);
		const fate = isSure ? this.fateOf(sighting) : 'may';
		this.settle(sighting, this.baseline.hasShown ? fate : early);
		if (isVisible && sighting.isNewest && this.options.list.sortedBy !== 'filedDate')
			this.changes.onTop++;
		else this.changes.others++;
		if (this.hasBacklog && sighting.fate === 'must' && !sighting.isNewest)
			this.options.situations.meet('a late arrival while a backlog drained');
	}

	disappears(record: License): void {
		const sighting = this.of(record);
		if (this.owed.has(sighting) && sighting.shownIn !== undefined && !this.isPolling)
			this.options.situations.meet('an event that changed or went while it waited');
		sighting.isListed = false;
		// Limit 2.
		if (sighting.fate === 'must') this.settle(sighting, 'may');
		this.changes.others++;
		this.hasRemoved = true;
		if (!this.baseline.isBeingRead || record !== this.baseline.topmost) return;
		for (const other of this.sightings.values())
			if (other.fate === 'never' && other.shownIn === undefined) other.fate = 'may';
	}

	// --- What happens in n8n ---

	changesFilters(filters: Filters): void {
		this.filters = filters;
	}

	/** The database has the trigger's state as the last poll left it. */
	saved(): void {
		this.isSavedInPoll = this.isPolling;
		if (this.isPolling || this.isIdle) return;
		this.savedBaseline = { ...this.baseline };
		this.savedFilters = this.polledFilters;
		this.savedProcessFilters = this.processFilters;
		this.savedIn = this.poll;
		this.newestByPollSaved = this.newestByPoll.length;
		this.unsaved.clear();
		if (!this.isSettled) return;
		// What a lost process found, and what went before another could find it, is known to nobody.
		for (const sighting of this.sightings.values()) {
			const { shownIn, time, record } = sighting;
			if (shownIn === undefined) continue;
			if (time !== undefined && time <= this.now)
				this.newestSaved = Math.max(this.newestSaved, time);
			if (!this.matches(record)) sighting.isSeenUnmatched = true;
		}
	}

	isPublished(): void {
		this.forgetsFound();
		// In memory, the new workflow begins with the database's copy.
		if (this.options.saving === 'memory') this.goesBack();
	}

	/** What only the process knew is gone. */
	losesProcess(): void {
		this.isNewProcess = true;
		this.processes++;
		this.failing = { ...notFailing };
		this.forgetsFound();
		this.goesBack();
		this.processFilters = this.savedProcessFilters;
		this.processAccount = this.baseline.account;
	}

	/** The next poll begins with what the database has. */
	private goesBack(): void {
		for (const sighting of this.unsaved) sighting.mayRepeat = true;
		this.newestByPoll.length = this.newestByPollSaved;
		this.polledFilters = this.savedFilters;
		const { startedIn, account } = this.baseline;
		this.baseline = this.savedBaseline ? { ...this.savedBaseline } : this.baselineAgain();
		const isOtherBaseline =
			this.savedBaseline !== undefined && startedIn !== this.baseline.startedIn;
		if (isOtherBaseline) this.unsavedAccount = account;
		const { isBeingRead, topmost } = this.baseline;
		const isTopmostGone = isBeingRead && topmost && !this.of(topmost).isListed;
		for (const sighting of this.sightings.values()) {
			if (isTopmostGone && sighting.fate === 'never') this.settle(sighting, 'may');
			if (!sighting.isListed || sighting.listedIn < this.baseline.startedIn) continue;
			const isBelowBaseline =
				this.baseline.isBeingRead && !this.standsAboveBaseline(sighting.record);
			// What another baseline took in and never saved is no longer seen.
			const isUnsaved = isOtherBaseline || sighting.listedIn >= this.savedIn;
			if (isUnsaved && sighting.fate === 'never') this.settle(sighting, 'may');
			if ((isOtherBaseline || isBelowBaseline) && this.isOpen(sighting))
				this.settle(sighting, 'may');
		}
	}

	/** What was found is found again. */
	private forgetsFound(): void {
		this.isSettled = false;
		this.openScan = [];
		for (const sighting of this.sightings.values()) this.isForgotten(sighting);
	}

	/** Limit 4: whatever in the baseline has no date was told apart by what was above it, which has to come again. */
	private forgetsUndated(): void {
		if (!this.hasTooManyUndated) return;
		for (const sighting of this.sightings.values())
			if (sighting.time === undefined && sighting.fate === 'never') sighting.fate = 'may';
	}

	/** A poll that reads nothing, and then saves nothing: n8n may still be saving what the last one emitted. */
	idles(now: number): void {
		this.isIdle = true;
		if (now !== this.endedAt) this.broken(6, 'did nothing');
	}

	/** With the first request. */
	pollStarts(now: number): void {
		const { graceMs, situations } = this.options;
		this.poll++;
		this.now = now;
		this.isIdle = false;
		this.isPolling = true;
		this.counts(undefined, now);
		for (const time of this.shownAhead)
			if (time <= now) this.newestShown = Math.max(this.newestShown, time);
		if (this.isNewProcess && this.options.saving !== 'cursors') {
			this.forgetsUndated();
			const { newestSaved } = this;
			this.newestSaved = Number.NEGATIVE_INFINITY;
			for (const sighting of this.sightings.values()) {
				const { time = Number.NEGATIVE_INFINITY, hasBeenShown } = sighting;
				if (now - sighting.deliveredAt < graceMs) sighting.mayRepeat = true;
				else if (hasBeenShown && time <= newestSaved)
					this.newestSaved = Math.max(this.newestSaved, time);
			}
			// Limit 9.
			for (const sighting of this.brokenOff) {
				if (now - (sighting.brokenOff?.at ?? now) < graceMs) continue;
				situations.meet('n8n stopped between its two writes for longer than the grace period');
				this.settle(sighting, 'may');
			}
		}
		this.isNewProcess = false;
		const { account } = this.filters;
		if (account !== this.baseline.account || account !== this.processAccount) {
			const { hasWorked } = this.baseline;
			const previousAccount = hasWorked ? this.baseline.account : this.baseline.previousAccount;
			// Limit 11: what the database has of this account may still count.
			const isAgain = account === this.unsavedAccount || account === this.baseline.account;
			this.baseline = { ...newBaseline(account, true, isAgain), previousAccount };
			this.unsavedAccount = undefined;
			for (const sighting of this.sightings.values()) {
				const isToCome = sighting.fate !== 'never' && sighting.deliveries === 0;
				if (hasWorked) sighting.stillToComeAt = isToCome ? previousAccount : undefined;
				sighting.deliveries = 0;
				sighting.isSeenUnmatched = false;
				this.isForgotten(sighting);
			}
			this.newestShown = this.newestSaved = Number.NEGATIVE_INFINITY;
			this.shownAhead.clear();
		}
		if (!this.baseline.isUnderWay) this.startsBaseline();
		else if (this.polledFilters !== this.filters) this.changesOver(this.polledFilters);
		this.changesBefore = this.changes;
		this.changes = { onTop: 0, others: 0 };
		this.lastTime = undefined;
		this.firstShown = 0;
		this.hasReadTop = this.hasReadBelow = false;
	}

	shows(records: License[], cursor: string | null): void {
		if (this.baseline.isBeingRead)
			this.baseline.topmost ??= records.find((one) => this.belongsToBaseline(one));
		this.baseline.hasShown = true;
		const [first] = records;
		if (cursor !== null && first && momentOf(first.eventTimestamp) === this.lastTime)
			this.options.situations.meet('a tie across two pages');
		this.lastTime = momentOf(records.at(-1)?.eventTimestamp);
		if (cursor === null) this.hasReadTop = true;
		else this.hasReadBelow = true;
		for (const record of records) {
			const sighting = this.of(record);
			if (sighting.time !== undefined && sighting.time > this.now)
				this.shownAhead.add(sighting.time);
			if (sighting.time !== undefined && sighting.time <= this.now) {
				this.newestShown = Math.max(this.newestShown, sighting.time);
				if (sighting.fate === 'never')
					this.baseline.newestInBaseline = Math.max(this.baseline.newestInBaseline, sighting.time);
				if (sighting.time < (this.options.startFrom ?? Number.POSITIVE_INFINITY))
					this.baseline.newestNotAskedFor = Math.max(
						this.baseline.newestNotAskedFor,
						sighting.time,
					);
			}
			if (sighting.shownIn !== undefined) continue;
			sighting.shownIn = this.poll;
			if (!sighting.hasBeenShown) this.firstShown++;
			sighting.hasBeenShown = true;
			this.openScan.push(sighting);
			const isBelow = this.baseline.isBeingRead && cursor !== null;
			const isSinceBaseline = isBelow && sighting.listedIn >= this.baseline.startedIn;
			if (isSinceBaseline && this.isOpen(sighting)) this.settle(sighting, 'may');
			if (isBelow && this.mayHide && sighting.fate === 'never') sighting.fate = 'may';
		}
	}

	pollEnds(report: PollReport): void {
		const { result, ranOut, failedFirst, failedBelow, expired, blank, maxItems } = report;
		// What the trigger had saved is not thrown away.
		const isAbandoned = report.isAbandoned && !this.isSavedInPoll;
		this.isPolling = false;
		const isPulled = this.mayHide;
		if (!ranOut && !('failure' in result)) this.hasRemoved = false;
		const isDisturbed = failedFirst || failedBelow !== undefined || expired || blank;
		const isCalm = !ranOut && !isDisturbed && !isPulled;
		this.endedAt = report.now;
		if ('failure' in result) {
			if (!failedFirst) this.broken(8, 'threw, though the first page could be read');
			if (!this.baseline.isUnderWay) {
				this.baseline = this.baselineAgain();
				// This account has no baseline, so what was seen at the last one still is.
				this.unsavedAccount ??= this.baseline.previousAccount;
			}
			this.isSettled = false;
			this.openScan = [];
			return;
		}
		if (this.isOverfull) this.crowdsOutUnread();
		const { emitted, warnings, shown } = result;
		if (failedFirst && report.requests === 1 && emitted.length === 0 && shown.length === 0)
			this.broken(8, 'told nobody that the first page could not be read');
		if (warnings.length > 0) this.hasWarned = true;
		this.baseline.isUnderWay = this.baseline.hasWorked = true;
		this.processAccount = this.baseline.account;
		this.closeScan(isCalm, ranOut && !isDisturbed, emitted.length);
		this.judgeBatch(emitted, maxItems);
		const isSteady = !ranOut && !expired && !isPulled;
		this.judgeFailingPages(isCalm, isSteady, report, result);
		const hasRoom = emitted.length < maxItems;
		if (isCalm && !isAbandoned) this.judgeCost(report.requests, emitted.length);
		if (isCalm && hasRoom && !isAbandoned) this.judgeHeldBack(emitted);
		this.judgeDelay(isCalm, isPulled);
		if (this.poll === this.hearsLateIn) this.forgetsFound();
		const { isBeingRead, newestNotAskedFor } = this.baseline;
		const hasBaseline = isBeingRead && newestNotAskedFor > Number.NEGATIVE_INFINITY;
		this.newestByPoll.push(hasBaseline ? newestNotAskedFor : this.newestShown);
		if (isBeingRead && this.newestShown === Number.NEGATIVE_INFINITY) this.looksAtNothing();
		if (blank && (isBeingRead || !this.isSameList)) this.missesBaseline();
		if (isBeingRead || this.polledFilters !== this.filters) this.excusesMissed(isCalm, isPulled);
		this.latestBefore = this.latest;
		this.hasBacklog = !hasRoom && this.owesShownEvents;
		this.isSettled = isCalm && hasRoom && this.hasReadTop && !isAbandoned;
		// Until its list has been read, a query is still new.
		const isSure = !ranOut && !isDisturbed;
		if (isSure) this.processFilters = this.filters;
		this.perhapsPolled = isSure ? [] : [...this.perhapsPolled, this.filters];
		if (isAbandoned) {
			// For a while, the trigger cannot know that n8n threw them away.
			for (const sighting of emitted.map((record) => this.of(record))) {
				sighting.brokenOff ??= thrownAway;
				if (this.isOverfull && this.owed.has(sighting)) this.settle(sighting, 'may');
			}
			this.forgetsFound();
			this.forgetsUndated();
			if (this.options.saving !== 'scheduler') this.goesBack();
			return;
		}
		this.lastGoodPoll = this.poll;
		if (isSure) this.polledFilters = this.filters;
		if (this.isSavedInPoll) this.saved();
	}

	/** What became of the batch of the poll that has just ended. */
	batchEnds(
		emitted: License[],
		{ isExecuted, isStateSaved }: { isExecuted: boolean; isStateSaved: boolean },
		isLate: boolean,
		now: number,
	): void {
		const { situations, saving } = this.options;
		// What else waits may be found again, together with what comes again.
		if (!isExecuted) {
			this.forgetsFound();
			this.forgetsUndated();
		}
		if (!isExecuted || !isStateSaved) this.failing = { ...this.failing, polls: 0 };
		// What the poll had seen was lost with its transaction.
		if (!isExecuted && saving === 'cursors') this.goesBack();
		if (!isExecuted && isLate) this.hearsLateIn = this.poll + 1;
		for (const record of emitted) {
			const sighting = this.of(record);
			if (!isExecuted) {
				// What was forgotten for lack of room cannot be recovered.
				if (this.isOverfull && this.owed.has(sighting)) this.settle(sighting, 'may');
				if (saving === 'cursors' || sighting.deliveries > 0) continue;
				// If nothing of it was saved, the database still has the one before, if any, and its time.
				const isRepeat = !isStateSaved && this.brokenOff.has(sighting);
				const before = isRepeat ? sighting.brokenOff : undefined;
				sighting.brokenOff = { at: before?.at ?? now, process: this.processes };
				this.brokenOff.add(sighting);
				continue;
			}
			sighting.deliveries++;
			sighting.deliveredAt = now;
			if (sighting.deliveries > 1) {
				const isForgotten = sighting.time === undefined && this.hasTooManyUndated;
				if (sighting.mayRepeat)
					situations.meet('a batch repeated after a restart within the grace period');
				else if (!isForgotten) this.broken(1, `${sighting.key} came again`, 'repeated');
			}
			if (this.brokenOff.delete(sighting) && sighting.brokenOff?.process === this.processes) {
				situations.meet('a batch taken back after its execution was refused');
				if (this.lastDelivery > sighting.brokenOff.at)
					situations.meet('a batch taken back after a newer one');
			}
			sighting.mayRepeat = false;
			this.owed.delete(sighting);
			if (!isStateSaved) {
				this.unsaved.add(sighting);
				// "Once the database answers": the next poll gets the database's copy.
				if (saving === 'scheduler') sighting.mayRepeat = true;
			}
		}
		if (isExecuted) this.lastDelivery = now;
	}

	ends(): void {
		let isCrowdedOut = false;
		for (const sighting of this.sightings.values()) {
			const { isListed, deliveries, key, time } = sighting;
			const isInWindow = time !== undefined && time >= this.newest - this.options.lookback;
			if (sighting.isCrowdedOut && isListed && deliveries === 0 && isInWindow) isCrowdedOut = true;
			if (!this.owed.has(sighting) || this.isHidden(sighting)) continue;
			if (this.isFindable(sighting.record)) this.broken(1, `${key} never came`, 'lost');
		}
		if (isCrowdedOut && !this.hasWarned) this.broken(14, 'missed events without a word');
	}

	broken(promise: number, what: string, kind: Violation['kind'] = 'other'): void {
		this.violations.push({ kind, promise, what: `poll ${this.poll}: ${what}` });
	}

	// --- What must come ---

	private fateOf({ record, time, isNewest }: Sighting): Sighting['fate'] {
		const { lookback } = this.options;
		if (this.baseline.isBeingRead && !this.standsAboveBaseline(record)) return 'may';
		if (!isShown(record, this.filters.query) || !this.matches(record)) return 'may';
		if (!this.isWithinReach(record, time)) return 'may';
		if (time === undefined)
			return this.baseline.isBeingRead && this.options.startFrom !== undefined ? 'may' : 'must';
		if (time < this.newest - lookback || time < this.emptyLookback) return 'may';
		return this.isOverfull && !isNewest ? 'may' : 'must';
	}

	/** Limits 3 and 4. */
	private isWithinReach(record: License, time: number | undefined): boolean {
		const { list, lookback } = this.options;
		const filed = momentOf(record.filedDate);
		if (time === undefined && this.hasTooManyUndated) return false;
		if (time === undefined && (filed ?? this.newest) < this.newest - lookback) return false;
		if (list.sortedBy === 'arrival') return true;
		if (list.sortedBy === 'eventTimestamp') return time !== undefined || list.undated === 'first';
		if (filed === undefined) return list.undated === 'first';
		// A window that shrank may end above where an event is listed by another date.
		const position = this.options.service.list(this.filters.query).indexOf(record);
		if (this.isOverfull && position >= this.options.pageSize) return false;
		return Math.abs(filed - (time ?? this.newest)) <= lookback;
	}

	private isFindable(record: License): boolean {
		return !this.looksSortedAbove(record) && !this.isBelowUndated(record);
	}

	/** Limit 3: short pages may all be in order by chance. Then nothing shows that the list goes by another date. */
	private looksSortedAbove(record: License): boolean {
		const { service, list, pageSize } = this.options;
		if (list.sortedBy !== 'filedDate') return false;
		const records = service.list(this.filters.query);
		const position = records.indexOf(record);
		for (let end = pageSize; end <= position; end += pageSize) {
			const page = records.slice(end - pageSize, end);
			const times = page.map(({ eventTimestamp }) => momentOf(eventTimestamp));
			const dated = times.filter((time) => time !== undefined);
			if (dated.some((time, index) => time > (dated[index - 1] ?? time))) return false;
		}
		return position >= pageSize;
	}

	/** Limit 4. */
	private isBelowUndated(record: License): boolean {
		const most = MOST_UNDATED_PAGES * this.options.pageSize;
		if (this.undatedCount < most) return false;
		let inRow = 0;
		for (const one of this.options.service.list(this.filters.query)) {
			if (inRow >= most) return true;
			if (one === record) return false;
			inRow = momentOf(one.eventTimestamp) === undefined ? inRow + 1 : 0;
		}
		return false;
	}

	/** Whether the baseline has to include it: it was there before, and Start From does not ask for it. */
	private belongsToBaseline(record: License): boolean {
		const { isAnotherAccount, startedIn, hasShown } = this.baseline;
		const sighting = this.of(record);
		const wasThere = !hasShown || sighting.listedIn < startedIn;
		return (
			wasThere && (isAnotherAccount || sighting.time === undefined || !this.isAskedFor(sighting))
		);
	}

	private standsAboveBaseline(record: License): boolean {
		const { topmost } = this.baseline;
		// While all that was there is asked for by Start From, nothing tells what came later.
		if (topmost === undefined)
			return this.options.startFrom === undefined || this.isAskedFor(this.of(record));
		const list = this.options.service.list(this.filters.query);
		const position = list.indexOf(record);
		return position !== -1 && position < list.indexOf(topmost);
	}

	/** Limit 7. */
	private overflows(): void {
		if (this.isOverfull) return;
		this.isOverfull = true;
		this.options.situations.meet('a window larger than memory');
		for (const sighting of this.owed) {
			const { record, time, isNewest } = sighting;
			if ((isNewest || time === undefined) && this.isWithinReach(record, time)) continue;
			this.crowdsOut(sighting);
		}
	}

	/** Limit 7. */
	private crowdsOutUnread(): void {
		for (const sighting of this.owed) {
			const { shownIn, time = Number.POSITIVE_INFINITY } = sighting;
			if (shownIn === undefined && time <= this.newestShown) this.crowdsOut(sighting);
		}
	}

	private crowdsOut(sighting: Sighting): void {
		this.settle(sighting, 'may');
		sighting.isCrowdedOut = true;
	}

	/** Promise 3. */
	private startsBaseline(): void {
		const { situations } = this.options;
		this.baseline.startedIn = this.poll;
		const before = this.polledFilters;
		const queries = [before, this.processFilters];
		this.polledFilters = this.processFilters = this.filters;
		this.countsAnew();
		for (const sighting of this.sightings.values()) {
			if (!sighting.isListed) continue;
			this.isForgotten(sighting);
			const { time, record } = sighting;
			const isAskedFor = this.isAskedFor(sighting);
			const isSure =
				time !== undefined && !this.baseline.isAnotherAccount && this.isWithinReach(record, time);
			const isSelected = isShown(record, this.filters.query) && this.matches(record);
			const isOfOldQuery = queries.every((query) => isSameQuery(query, this.filters));
			const wasLeftOut = !isOfOldQuery || (sighting.hasBeenShown && !this.matches(record, before));
			// An earlier poll may have taken what was there into the baseline, and n8n may have dropped its result.
			const wasNews =
				this.baseline.isAgain &&
				(sighting.fate !== 'never' || sighting.stillToComeAt === this.baseline.account);
			const rest = isAskedFor || wasNews ? 'may' : 'never';
			const fate = isAskedFor && isSure && isSelected && !wasLeftOut ? 'must' : rest;
			if (fate === 'must') situations.meet('old events that Start From asked for');
			this.settle(sighting, fate);
		}
	}

	/** By Start From. */
	private isAskedFor({ time, record }: Sighting): boolean {
		const { startFrom } = this.options;
		const filed = momentOf(record.filedDate);
		const latest = time ?? (filed === undefined ? Number.POSITIVE_INFINITY : filed + DAY);
		return startFrom !== undefined && latest >= startFrom;
	}

	private baselineAgain(): ReturnType<typeof newBaseline> {
		const { account, isAnotherAccount, hasWorked, previousAccount } = this.baseline;
		return { ...newBaseline(account, isAnotherAccount, true), hasWorked, previousAccount };
	}

	/** Promise 3. */
	private looksAtNothing(): void {
		this.emptyLookback = this.now - this.options.lookback;
		for (const sighting of this.owed)
			if (sighting.shownIn === undefined) this.excusesOlderThan(sighting, this.emptyLookback);
	}

	/** Limit 5: what belongs to the baseline was not on the page that ended it. */
	private missesBaseline(): void {
		this.leavesWindow();
		const seen = [this.newestShown, this.newestSaved].filter(Number.isFinite);
		const newest = Math.min(this.now, ...seen);
		for (const sighting of this.sightings.values()) {
			const { fate, time = Number.POSITIVE_INFINITY } = sighting;
			if (fate === 'never' && time >= newest - this.options.lookback) sighting.fate = 'may';
		}
	}

	/** Limits 5 and 6: what the baseline cannot have included may look new later. */
	private excusesMissed(isCalm: boolean, isPulled: boolean): void {
		if (isCalm && this.baseline.isBeingRead) this.endsBaseline();
		const tooLow = isCalm ? this.standTooLow() : undefined;
		for (const sighting of this.sightings.values()) {
			const { fate, shownIn, record } = sighting;
			if (fate !== 'never' || shownIn !== undefined) continue;
			if (isPulled || tooLow?.has(record)) sighting.fate = 'may';
		}
	}

	/** Limit 5. */
	private standTooLow(): Set<License> {
		const isTooLow = ({ eventTimestamp }: License, oldAbove: number) =>
			momentOf(eventTimestamp) === undefined ||
			oldAbove >= (PAGES_BELOW - 2) * this.options.pageSize;
		return this.listedWhere(isTooLow);
	}

	/** Limit 6. */
	private isHidden({ hidden, record }: Sighting): boolean {
		if (hidden !== 1) return hidden > 1;
		return this.listedWhere((_, oldAbove) => oldAbove >= this.options.pageSize).has(record);
	}

	/** Goes by how many in a row further up are older than the window. */
	private listedWhere(is: (record: License, oldAbove: number) => boolean): Set<License> {
		const windowStart = this.newest - this.options.lookback;
		let most = 0;
		let inRow = 0;
		const isListed = (record: License) => {
			const time = momentOf(record.eventTimestamp) ?? Number.NEGATIVE_INFINITY;
			const verdict = is(record, most);
			inRow = time < windowStart ? inRow + 1 : 0;
			most = Math.max(most, inRow);
			return verdict;
		};
		return new Set(this.options.service.list(this.filters.query).filter(isListed));
	}

	private endsBaseline(): void {
		this.baseline.isBeingRead = false;
		this.leavesWindow();
	}

	/** Limit 1: what came while a long baseline was read may be older than its window by now. */
	private leavesWindow(): void {
		const { lookback, startFrom = Number.POSITIVE_INFINITY } = this.options;
		const windowStart = Math.min(this.newest - lookback, startFrom);
		for (const sighting of this.owed) this.excusesOlderThan(sighting, windowStart);
	}

	private excusesOlderThan(sighting: Sighting, since: number): void {
		if (sighting.time !== undefined && sighting.time < since) this.settle(sighting, 'may');
	}

	/** Promise 11, and limits 8 and 10. */
	private changesOver(from: Filters): void {
		const newestSeen = this.newestSaved;
		// What any query has shown has been seen.
		const shown = [...this.sightings.values()].filter(({ hasBeenShown }) => hasBeenShown);
		const latestSeen = Math.max(this.latest, ...shown.map(({ time }) => time ?? -Infinity));
		this.countsAnew();
		for (const sighting of this.sightings.values()) {
			if (!sighting.isListed || sighting.deliveries > 0) continue;
			this.isForgotten(sighting);
			this.settle(sighting, this.fateUnder(sighting, from, newestSeen, latestSeen));
		}
		this.latestBefore = this.latest;
	}

	private fateUnder(
		sighting: Sighting,
		from: Filters,
		newestSeen: number,
		latestSeen: number,
	): Sighting['fate'] {
		const { record, time, fate, listedIn, isSeenUnmatched, hasBeenShown } = sighting;
		const isSelected = isShown(record, this.filters.query) && this.matches(record);
		if (!isSelected) return fate === 'never' ? 'never' : 'may';
		if (this.baseline.isBeingRead) {
			const wasThere =
				fate === 'never' && (time === undefined || time <= this.baseline.newestInBaseline);
			return wasThere ? 'never' : 'may';
		}
		if (this.isSameList) {
			const hasMatched = this.matches(record, from);
			// What was too far down for the baseline may look new once it is on top.
			if (fate === 'never' && !hasBeenShown && !this.isWithinReach(record, time)) return 'may';
			if (hasMatched || fate === 'never') return fate;
			if (isSeenUnmatched) return 'never';
			return listedIn >= this.lastGoodPoll && !hasBeenShown ? this.fateOf(sighting) : 'may';
		}
		if (time === undefined) return fate === 'never' ? 'never' : 'may';
		// What another query has shown before may still count as seen.
		if (time > latestSeen) {
			const isRecent =
				time >= this.now - this.options.lookback && time <= this.now && !hasBeenShown;
			const isSure = isRecent && this.isWithinReach(record, time);
			return isSure ? 'must' : 'may';
		}
		return fate === 'never' && time < newestSeen ? 'never' : 'may';
	}

	// --- How polls are judged ---

	/** Promise 2. */
	private closeScan(isCalm: boolean, onlyRanOut: boolean, emitted: number): void {
		if (onlyRanOut && emitted === 0) return;
		if (isCalm) {
			const scan = ++this.scans;
			for (const sighting of this.openScan) if (!sighting.brokenOff) sighting.scan = scan;
		}
		this.openScan = [];
	}

	private judgeBatch(emitted: License[], maxItems: number): void {
		if (emitted.length > maxItems) this.broken(6, `emitted ${emitted.length}, not ${maxItems}`);
		const keys = new Set<string>();
		const before = new Map(this.emittedUpTo);
		let last = Number.NEGATIVE_INFINITY;
		for (const record of emitted) {
			const sighting = this.sightings.get(eventKey(record));
			if (!sighting) {
				this.broken(15, `${eventKey(record)} was never listed`);
				continue;
			}
			const { key, fate, time, scan } = sighting;
			if (keys.has(key)) this.broken(1, `${key} came twice in one batch`, 'repeated');
			keys.add(key);
			if (fate === 'never' && sighting.deliveries === 0 && !sighting.mayRepeat)
				this.broken(3, `${key} is history`);
			if (!this.matches(record)) this.broken(1, `${key} does not match`);
			if (time === undefined) continue;
			if (time < last) this.broken(2, `${key} came after a newer one`, 'outOfOrder');
			last = time;
			if (scan === undefined || sighting.deliveries > 0) continue;
			if (time < (before.get(scan) ?? time))
				this.broken(2, `${key} came after a batch with a newer one`, 'outOfOrder');
			this.emittedUpTo.set(scan, Math.max(time, this.emittedUpTo.get(scan) ?? time));
		}
	}

	/** Promise 6: what was found, and fits, is emitted. */
	private judgeHeldBack(emitted: License[]): void {
		const keys = new Set(emitted.map(eventKey));
		for (const sighting of this.owed)
			if (sighting.shownIn !== undefined && !sighting.brokenOff && !keys.has(sighting.key))
				this.giveUp(sighting, 6, 'was found and held back');
	}

	/** Promise 8. */
	private judgeFailingPages(
		isCalm: boolean,
		isSteady: boolean,
		{ maxItems, failedBelow }: PollReport,
		{ shown, emitted }: { shown: unknown[]; emitted: License[] },
	): void {
		const { situations } = this.options;
		const isMended = failedBelow === undefined && this.hasReadBelow;
		if (isCalm || isMended) this.failing = { ...notFailing };
		const { shownAt } = this.failing;
		if (shown.length > 0) {
			if (shownAt !== undefined && this.now - shownAt < HOUR)
				this.broken(8, 'showed the user the same failure twice within an hour');
			this.failing.shownAt = this.lastShown = this.now;
		}
		if (failedBelow === undefined) return;
		const isSamePage = failedBelow === this.failing.cursor;
		const isNext = this.failing.poll === this.poll - 1;
		const polls = !isSteady ? 0 : isSamePage && isNext ? this.failing.polls + 1 : 1;
		const isReadAnew = this.poll === this.hearsLateIn;
		this.failing = {
			...this.failing,
			polls: isReadAnew ? 0 : polls,
			poll: this.poll,
			cursor: failedBelow,
		};
		if (polls < 2) return;
		if (this.now - this.lastShown > 2 * HOUR)
			this.broken(8, 'told nobody that a page cannot be read');
		situations.meet('a page that never came');
		if (emitted.length > 0) situations.meet('an event emitted though the page below never came');
		if (emitted.length >= maxItems) return;
		const keys = new Set(emitted.map(eventKey));
		for (const sighting of this.owed)
			if ((sighting.shownIn ?? this.poll) <= this.poll - polls + 1 && !keys.has(sighting.key))
				this.giveUp(sighting, 8, 'waits for a page that never comes');
	}

	/** Promise 5. */
	private judgeDelay(isCalm: boolean, isPulled: boolean): void {
		for (const sighting of this.owed) {
			if (sighting.shownIn !== undefined || sighting.listedIn >= this.poll) continue;
			sighting.unseen = isCalm && this.isFindable(sighting.record) ? sighting.unseen + 1 : 0;
			if (isPulled) sighting.hidden++;
			if (sighting.unseen > MOST_POLLS_UNTIL_FOUND && !this.isHidden(sighting))
				this.giveUp(sighting, 5, 'was not found within ten polls');
		}
	}

	/** Promise 13. */
	private judgeCost(requests: number, emitted: number): void {
		const { pageSize } = this.options;
		const { onTop, others } = this.changesBefore;
		const isMoving = this.changes.onTop + this.changes.others > 0;
		const isComparable = this.isSettled && !isMoving && others === 0 && !this.baseline.isBeingRead;
		const isSpecial = this.isOverfull || this.hasTooManyUndated;
		if (!isComparable || isSpecial || this.polledFilters !== this.filters) {
			this.lastSweep = undefined;
			return;
		}
		const records = this.options.service.list(this.filters.query);
		const isOld = (record: License, since: number) =>
			(momentOf(record.eventTimestamp) ?? Number.POSITIVE_INFINITY) < since;
		const windowStart = this.newest - this.options.lookback;
		const isDated = ({ eventTimestamp }: License) => momentOf(eventTimestamp) !== undefined;
		const top = records.findIndex((record) => isDated(record) && !isOld(record, windowStart));
		const oldOnTop = Math.max(0, top);
		// Then a new event is found by the total, or by the next sweep.
		if (oldOnTop >= pageSize) return;
		const news = onTop > 0 ? Math.ceil(onTop / pageSize) + 1 : 0;
		const allowed = 1 + news + Math.ceil(oldOnTop / pageSize);
		const hasFoundLate = Math.max(emitted, this.firstShown) > onTop;
		if (requests <= allowed || hasFoundLate) return;
		if (this.lastSweep !== undefined && this.poll - this.lastSweep < 10)
			this.broken(13, `cost ${requests} requests, not ${allowed}`);
		this.lastSweep = this.poll;
		// A watermark rises in two steps, each at a sweep, so it may lag by that many polls that were saved.
		const longAgo = this.newestByPoll.at(-30) ?? this.newestByPoll[0] ?? this.newest;
		const { lookback, startFrom = this.newest } = this.options;
		// The baseline leaves the watermark where Start From asked for events.
		const stopAt = Math.min(longAgo, this.newest, startFrom) - 4 * lookback;
		const window = records.findLastIndex((record) => !isOld(record, stopAt)) + 1;
		if (requests > allowed + Math.ceil(window / pageSize) + PAGES_BELOW + 2)
			this.broken(13, `swept with ${requests} requests for a window of ${window} records`);
	}

	// --- Small things ---

	private giveUp(sighting: Sighting, promise: number, what: string): void {
		this.broken(promise, `${sighting.key} ${what}`);
		this.settle(sighting, 'may');
	}

	/** It must come, or would have to if there were room. */
	private isOpen(sighting: Sighting): boolean {
		return this.owed.has(sighting) || sighting.isCrowdedOut;
	}

	private isForgotten(sighting: Sighting): void {
		if (sighting.deliveries > 0) return;
		sighting.shownIn = undefined;
		sighting.scan = undefined;
		sighting.unseen = 0;
	}

	private settle(sighting: Sighting, fate: Sighting['fate']): void {
		sighting.fate = fate;
		sighting.isCrowdedOut = false;
		if (fate === 'must' && sighting.deliveries === 0) this.owed.add(sighting);
		else this.owed.delete(sighting);
	}

	private countsAnew(): void {
		this.latest = Number.NEGATIVE_INFINITY;
		// The window reaches back from the newest seen, whatever the query was.
		this.newest = this.newestShown;
		for (const { time, record } of this.sightings.values())
			if (isShown(record, this.filters.query)) this.counts(time, this.now);
	}

	/** Future events count as newest once their time has come. */
	private counts(time: number | undefined, now: number): void {
		if (time !== undefined) {
			this.latest = Math.max(this.latest, time);
			this.ahead.push(time);
		}
		if (this.ahead.length === 0) return;
		for (const one of this.ahead) if (one <= now) this.newest = Math.max(this.newest, one);
		this.ahead = this.ahead.filter((one) => one > now);
	}

	private of(record: License): Sighting {
		const sighting = this.sightings.get(eventKey(record));
		if (!sighting) throw new Error(`${eventKey(record)} was never listed`);
		return sighting;
	}
}

/** A process that ends is no excuse for it: the events have to come. */
const thrownAway = { at: Number.POSITIVE_INFINITY, process: -1 };

interface Failing {
	polls: number;
	/** The last of them. */
	poll: number;
	cursor: string | undefined;
	shownAt: number | undefined;
}

const notFailing: Failing = { polls: 0, poll: 0, cursor: undefined, shownAt: undefined };

const newBaseline = (account: string, isAnotherAccount: boolean, isAgain = false) => ({
	account,
	isAnotherAccount,
	/** An earlier one failed. */
	isAgain,
	/** The poll that began it. */
	startedIn: 0,
	/** A poll of it went well. */
	isUnderWay: false,
	/** So did one of an earlier baseline of this account. */
	hasWorked: false,
	isBeingRead: true,
	hasShown: false,
	/** The first record that belongs to it. */
	topmost: undefined as License | undefined,
	newestInBaseline: Number.NEGATIVE_INFINITY,
	/** By Start From. The window of the baseline reaches back from here. */
	newestNotAskedFor: Number.NEGATIVE_INFINITY,
	/** The account that was left for this one. */
	previousAccount: undefined as string | undefined,
});
