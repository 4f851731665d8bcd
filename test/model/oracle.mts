import { eventKey } from '../../nodes/LicensingData/domain/eventIdentity.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { momentOf } from '../../nodes/LicensingData/domain/moment.ts';
import { isShown, type FakeService, type FakeServiceOptions } from '../support/fake-service.mts';
import type { Saving } from './fake-n8n.mts';
import type { Situations } from './rare-situations.mts';
import type { PollResult } from './trigger-under-test.mts';

export interface Filters {
	account: string;
	/** What the service filters by. */
	query: Record<string, string>;
	/** What the trigger filters by; null for everything. */
	counties: string[] | null;
}

export interface Violation {
	kind: 'lost' | 'repeated' | 'outOfOrder' | 'other';
	/** Of docs/trigger.md. */
	promise: number;
	what: string;
}

export const isSameQuery = (one: Filters, other: Filters): boolean =>
	one.query.county === other.query.county && one.query.event_type === other.query.event_type;

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

/** A poll that could read its first page. */
export interface ReadPoll extends PollReport {
	result: Exclude<PollResult, { failure: unknown }>;
	/** Whether time sufficed, each page could be read, and no cursor was led astray. */
	isCalm: boolean;
	hasRoom: boolean;
}

export interface OracleOptions {
	service: FakeService;
	list: FakeServiceOptions;
	pageSize: number;
	lookback: number;
	startFrom: number | undefined;
	/** Events that memory has room for. */
	room: number;
	saving: Saving;
	filters: Filters;
	situations: Situations;
}

/** It must come exactly once, may come at most once, or must never come. */
export type Fate = 'must' | 'may' | 'never';

export interface ListedEvent {
	key: string;
	record: License;
	/** Undefined for an event without a timestamp. */
	time: number | undefined;
	fate: Fate;
	isListed: boolean;
	/** How many had been listed before it, and how many polls had begun. */
	serial: number;
	listedIn: number;
	/** Whether it was newer than all that was listed. */
	isNewest: boolean;
	/** Whether it was older than the newest, or than now, by more than the lookback. */
	wasLate: boolean;
	/** The first poll that was shown it, by what this process can know. */
	shownIn: number | undefined;
	hasBeenShown: boolean;
	/** The filters left it out, and n8n has saved that. */
	isLeftOut: boolean;
	deliveries: number;
	deliveredAt: number;
	mayRepeat: boolean;
	/** The last batch with it that never became an execution. */
	brokenOff: { at: number; process: number } | undefined;
}

/** The first look at an account: what it finds is the baseline. */
export interface Look {
	account: string;
	/** How many events had been listed when its first page was shown. */
	listed: number | undefined;
	/** Whether a poll of it went well. */
	isUnderWay: boolean;
	/** Whether an earlier look at this account came to nothing. */
	isAgain: boolean;
	/** Whether nothing was saved of another account before: Start From counts only then. */
	isFirst: boolean;
	isOver: boolean;
	/** The first record that belongs to the baseline. */
	topmost: License | undefined;
}

/**
 * What both oracles share: what they know of the list, of n8n and of what was emitted, and the rules that hold for
 * every poll in every world. They know nothing of the trigger's state, so that they can judge any other
 * implementation.
 */
export abstract class Oracle {
	readonly violations: Violation[] = [];
	protected readonly events = new Map<string, ListedEvent>();
	private readonly byRecord = new WeakMap<License, ListedEvent>();
	/** Those that must come and have not. */
	protected readonly owed = new Set<ListedEvent>();
	/** Those that came, while the database does not know it. */
	private readonly unsaved = new Set<ListedEvent>();
	protected readonly brokenOff = new Set<ListedEvent>();

	protected now = 0;
	protected poll = 0;
	protected isPolling = false;
	private endedAt = Number.NaN;
	private processes = 0;
	private isNewProcess = false;
	private lastDelivery = 0;
	/** When the user was last shown a failure, and one that may still be the same. */
	protected toldAt = Number.NEGATIVE_INFINITY;
	private toldOfThisAt: number | undefined;
	private hasReadBelow = false;
	/** Only after this poll does the trigger hear of a lost batch, and read anew. */
	private hearsLateIn: number | undefined;

	protected filters: Filters;
	/** The filters of the last poll, and those that n8n has saved. */
	protected polledFilters: Filters;
	protected savedFilters: Filters;

	protected look: Look;
	protected savedLook: Look | undefined;
	/** Whether the service lists something else than at the last poll that went well. */
	protected isOtherList = false;
	/** The trigger had its state saved before the poll was over. */
	protected isSavedInPoll = false;
	/** The last poll read nothing. */
	private isIdle = false;
	/** The last poll was calm and emitted all that it found. */
	protected isSettled = false;
	/** Shown since n8n last saved what the trigger knows. */
	private shownUnsaved = new Set<ListedEvent>();

	/** Of what the query shows: the newest whose time has come, and the latest of all. */
	protected newest = Number.NEGATIVE_INFINITY;
	private latest = Number.NEGATIVE_INFINITY;
	private latestBefore = Number.NEGATIVE_INFINITY;
	private ahead: number[] = [];
	/** The newest that was shown, and that n8n has saved as seen. */
	protected newestShown = Number.NEGATIVE_INFINITY;
	protected newestSaved = Number.NEGATIVE_INFINITY;
	/** Shown before their time. */
	private readonly shownAhead = new Set<number>();
	/** What was older than this by more than the lookback when nothing was seen is history. */
	protected quietUntil = Number.NEGATIVE_INFINITY;
	private lastOnPage: number | undefined;

	constructor(protected readonly options: OracleOptions) {
		this.filters = this.polledFilters = this.savedFilters = options.filters;
		this.look = newLook(options.filters.account);
	}

	// --- What the worlds decide ---

	/** Of an event that has just appeared, or that other filters bring into view. */
	protected abstract fateOf(event: ListedEvent): Fate;
	/** Of an event that was there at the first look, and that Start From asks for. */
	protected abstract fateOfAsked(event: ListedEvent): Fate;
	/** Of an event that is listed when a list of other filters is first read. */
	protected abstract fateUnderOtherFilters(event: ListedEvent, before: Filters): Fate;
	protected abstract judge(poll: ReadPoll): void;
	/** What was found and not emitted is known to nobody. */
	protected forgetsFound(): void {
		this.isSettled = false;
		for (const event of this.shownUnsaved) this.isForgotten(event);
		this.shownUnsaved.clear();
		for (const event of this.owed) this.isForgotten(event);
	}

	// --- What others may ask ---

	isNew(record: License): boolean {
		return !this.events.has(eventKey(record));
	}

	matches({ address }: License, { counties } = this.filters): boolean {
		return counties === null || counties.includes(address?.county ?? '');
	}

	get isReadingBaseline(): boolean {
		return !this.look.isOver || this.isOtherList;
	}

	/** Whether the trigger was shown events that are still to come. */
	get owesShownEvents(): boolean {
		for (const { shownIn } of this.owed) if (shownIn !== undefined) return true;
		return false;
	}

	// --- What happens in the list ---

	appears(record: License, now: number): ListedEvent {
		const time = momentOf(record.eventTimestamp);
		const latest = this.isPolling ? this.latest : this.latestBefore;
		const reference = this.isQuiet ? now : Math.max(this.newest, this.quietUntil);
		const event: ListedEvent = {
			key: eventKey(record),
			record,
			time,
			fate: 'may',
			isListed: true,
			serial: this.events.size,
			listedIn: this.poll,
			isNewest: time !== undefined && time > latest,
			wasLate: (time ?? now) < reference - this.options.lookback,
			shownIn: undefined,
			hasBeenShown: false,
			isLeftOut: false,
			deliveries: 0,
			deliveredAt: 0,
			mayRepeat: false,
			brokenOff: undefined,
		};
		this.events.set(event.key, event);
		this.byRecord.set(record, event);
		if (isShown(record, this.filters.query)) this.counts(time, now);
		if (this.look.listed !== undefined) this.settle(event, this.fateOf(event));
		return event;
	}

	disappears(record: License): ListedEvent {
		const event = this.of(record);
		const { fate, deliveries, shownIn } = event;
		const hasWaited = fate !== 'never' && deliveries === 0 && shownIn !== undefined;
		if (hasWaited && this.matches(record) && !this.isPolling)
			this.options.situations.meet('an event that changed or went while it waited');
		event.isListed = false;
		return event;
	}

	// --- What happens in n8n ---

	changesFilters(filters: Filters): void {
		this.filters = filters;
	}

	isPublished(): void {
		this.forgetsFound();
		// In memory, the new workflow begins with the database's copy.
		if (this.options.saving === 'memory') this.goesBack();
	}

	/** What only the process knew is gone. */
	losesProcess(): void {
		this.forgetsFound();
		this.goesBack();
		this.isNewProcess = true;
		this.processes++;
	}

	/** One that polled before polls again, with what it knew then, or with what the database has. */
	isLedAgain(): void {
		this.toldOfThisAt = undefined;
		this.forgetsFound();
		this.goesBack();
	}

	/** The database has the trigger's state as the last poll left it. */
	saved(): void {
		this.isSavedInPoll = this.isPolling;
		if (this.isPolling || this.isIdle) return;
		this.unsaved.clear();
		this.savedFilters = this.polledFilters;
		this.savedLook = { ...this.look };
		this.isSaved();
		if (!this.isSettled) return;
		for (const event of this.shownUnsaved) {
			const { time = Number.POSITIVE_INFINITY, record } = event;
			if (time <= this.now) this.newestSaved = Math.max(this.newestSaved, time);
			if (!this.matches(record)) event.isLeftOut = true;
		}
		this.shownUnsaved.clear();
	}

	/** All that the last poll changed. */
	protected isSaved(): void {}

	/** The next poll may begin with what the database has. */
	protected goesBack(): void {
		for (const event of this.unsaved) event.mayRepeat = true;
		this.polledFilters = this.savedFilters;
		this.look = this.savedLook ? { ...this.savedLook } : this.lookAgain();
	}

	/** A poll that reads nothing, and then saves nothing: n8n may still be saving what the last one emitted. */
	idles(now: number): void {
		this.isIdle = true;
		if (now !== this.endedAt) this.broken(6, 'did nothing');
	}

	/** With the first request. */
	pollStarts(now: number): void {
		this.poll++;
		this.now = now;
		this.isIdle = false;
		this.isPolling = true;
		this.lastOnPage = undefined;
		this.hasReadBelow = false;
		this.counts(undefined);
		for (const time of this.shownAhead)
			if (time <= now && this.shownAhead.delete(time))
				this.newestShown = Math.max(this.newestShown, time);
		if (this.isNewProcess && this.options.saving !== 'cursors') this.startsWithoutKnowing();
		if (this.isNewProcess) this.toldOfThisAt = undefined;
		this.isNewProcess = false;
		if (this.filters.account !== this.look.account) this.startsOver();
		else if (this.filters !== this.polledFilters) this.startsWithOtherFilters();
		this.polledFilters = this.filters;
	}

	/** Promise 9: the grace period. */
	private startsWithoutKnowing(): void {
		const { situations } = this.options;
		const { newestSaved } = this;
		this.newestSaved = Number.NEGATIVE_INFINITY;
		for (const event of this.events.values()) {
			const { time = Number.POSITIVE_INFINITY, deliveries, deliveredAt, hasBeenShown } = event;
			if (deliveries > 0 && this.now - deliveredAt < GRACE) event.mayRepeat = true;
			// What has to be repeated is not seen.
			else if (hasBeenShown && time <= newestSaved)
				this.newestSaved = Math.max(this.newestSaved, time);
		}
		// Limit 9.
		for (const event of this.brokenOff) {
			if (this.now - (event.brokenOff?.at ?? this.now) < GRACE) continue;
			situations.meet('n8n stopped between its two writes for longer than the grace period');
			if (this.owed.has(event)) this.settle(event, 'may');
		}
	}

	/** Promise 11: another account starts from nothing. */
	private startsOver(): void {
		this.look = newLook(this.filters.account, this.isLookedAtAgain(), !this.savedLook);
		for (const event of this.events.values()) {
			event.deliveries = 0;
			event.isLeftOut = event.hasBeenShown = false;
			event.shownIn = undefined;
			event.fate = 'may';
			this.owed.delete(event);
		}
		this.forgetsFound();
		this.newestShown = this.newestSaved = Number.NEGATIVE_INFINITY;
		this.shownAhead.clear();
	}

	/** Whether an earlier look at this account may still count. */
	protected isLookedAtAgain(): boolean {
		return false;
	}

	private startsWithOtherFilters(): void {
		const { look, polledFilters } = this;
		if (look.listed === undefined) return;
		this.isOtherList ||= !isSameQuery(polledFilters, this.filters);
		this.countsAnew();
		for (const event of this.events.values()) {
			if (!event.isListed || event.deliveries > 0) continue;
			const fate = this.fateUnderOtherFilters(event, polledFilters);
			this.isForgotten(event);
			this.settle(event, fate);
		}
		this.latestBefore = this.latest;
	}

	shows(records: License[], cursor: string | null): void {
		if (this.look.listed === undefined) this.startsLook();
		if (cursor !== null) this.hasReadBelow = true;
		if (!this.look.isOver) this.look.topmost ??= records.find((one) => this.isOfBaseline(one));
		const [first] = records;
		if (cursor !== null && first && momentOf(first.eventTimestamp) === this.lastOnPage)
			this.options.situations.meet('a tie across two pages');
		this.lastOnPage = momentOf(records.at(-1)?.eventTimestamp);
		for (const record of records) {
			const event = this.of(record);
			const { time = Number.POSITIVE_INFINITY } = event;
			// What came too late is history, and so not seen.
			if (event.wasLate) continue;
			if (time <= this.now) this.newestShown = Math.max(this.newestShown, time);
			else if (event.time !== undefined) this.shownAhead.add(event.time);
		}
		for (const record of records) {
			const event = this.of(record);
			if (event.shownIn !== undefined) continue;
			event.shownIn = this.poll;
			this.isFirstShown(event);
			event.hasBeenShown = true;
			const isShaky = cursor !== null && this.options.list.cursors === 'position';
			const isNews = event.serial >= (this.look.listed ?? 0);
			if (!this.look.isOver && isShaky && isNews) this.mayJoinBaseline(event);
			this.shownUnsaved.add(event);
		}
	}

	/** Limit 6: it may have been shown below something of the baseline. */
	protected mayJoinBaseline(event: ListedEvent): void {
		if (this.owed.has(event)) this.settle(event, 'may');
	}

	/** By what this process knows. */
	protected isFirstShown(_event: ListedEvent): void {}

	/** Promise 3. */
	private startsLook(): void {
		const { isAgain } = this.look;
		const isEmpty = this.options.service.list(this.filters.query).length === 0;
		this.look.listed = this.events.size;
		this.countsAnew();
		for (const event of this.events.values()) {
			if (!event.isListed) continue;
			event.wasLate &&= isEmpty;
			const isAsked = this.isAskedFor(event);
			// What another query would show is judged when it is asked for.
			const isListed = isShown(event.record, this.filters.query);
			const isOpen = isAsked || !isListed || (isAgain && event.fate !== 'never');
			this.settle(event, isOpen ? 'may' : 'never');
			if (isAsked && !isAgain) this.settle(event, this.fateOfAsked(event));
			if (event.fate === 'must')
				this.options.situations.meet('old events that Start From asked for');
		}
	}

	private lookAgain(): Look {
		const { account, listed, isAgain, isFirst } = this.look;
		return newLook(account, isAgain || listed !== undefined, isFirst);
	}

	/** By Start From, which counts only for the first account. Without a timestamp, it is open. */
	protected isAskedFor({ time, record }: ListedEvent): boolean {
		const { startFrom } = this.options;
		if (startFrom === undefined || !this.look.isFirst) return false;
		const filed = momentOf(record.filedDate);
		return (time ?? (filed === undefined ? startFrom : filed + DAY)) >= startFrom;
	}

	protected isOfBaseline(record: License): boolean {
		const event = this.of(record);
		const wasThere = event.serial < (this.look.listed ?? 0);
		return wasThere && (event.time === undefined || !this.isAskedFor(event));
	}

	/** Until the look is over, what is above the baseline is news. */
	protected isAboveBaseline(record: License): boolean {
		const { topmost } = this.look;
		// While all that was there is asked for by Start From, nothing tells what came later.
		if (topmost === undefined)
			return this.options.startFrom === undefined || this.isAskedFor(this.of(record));
		const list = this.options.service.list(this.filters.query);
		const position = list.indexOf(record);
		return position !== -1 && position < list.indexOf(topmost);
	}

	// --- How a poll is judged ---

	pollEnds(report: PollReport): void {
		const { result, failedFirst, failedBelow, expired, blank, ranOut } = report;
		this.isPolling = false;
		this.endedAt = report.now;
		if ('failure' in result) {
			if (!failedFirst) this.broken(8, 'threw, though the first page could be read');
			if (!this.look.isUnderWay) this.look = this.lookAgain();
			this.isSettled = false;
			this.fails();
			return;
		}
		const { emitted, shown } = result;
		if (failedFirst && report.requests === 1 && emitted.length === 0 && shown.length === 0)
			this.broken(8, 'told nobody that the first page could not be read');
		this.judgeBatch(emitted, report.maxItems);

		const isDisturbed = failedFirst || failedBelow !== undefined || expired || blank;
		const isCalm = !ranOut && !isDisturbed && !this.isLedAstray();
		const hasRoom = emitted.length < report.maxItems;
		// What the trigger had saved is not thrown away.
		const isAbandoned = report.isAbandoned && !this.isSavedInPoll;
		this.look.isUnderWay = true;
		if (this.isQuiet) this.quietUntil = this.now;
		if (isCalm || (failedBelow === undefined && this.hasReadBelow)) this.toldOfThisAt = undefined;
		this.judgeWords(shown);
		this.judge({ ...report, result, isCalm, hasRoom, isAbandoned });
		if (isCalm) this.look.isOver = true;
		if (isCalm) this.isOtherList = false;
		this.latestBefore = this.latest;
		this.isSettled = isCalm && hasRoom && !isAbandoned;
		if (this.poll === this.hearsLateIn) this.forgetsFound();
		if (isAbandoned) this.isThrownAway(emitted);
		else if (this.isSavedInPoll) this.saved();
	}

	/** Whether a removal may have hidden records from the poll, or have made it skip some. */
	protected isLedAstray(): boolean {
		return false;
	}

	/** A poll that could not read its first page. */
	protected fails(): void {}

	protected isThrownAway(emitted: License[]): void {
		// A process that ends is no excuse for it: the events have to come.
		const thrownAway = { at: Number.POSITIVE_INFINITY, process: -1 };
		for (const record of emitted) this.of(record).brokenOff ??= thrownAway;
		this.forgetsFound();
		if (this.options.saving !== 'scheduler') this.goesBack();
	}

	/** Promise 8: at most hourly while it lasts. */
	private judgeWords(shown: unknown[]): void {
		if (shown.length === 0) return;
		if (this.toldOfThisAt !== undefined && this.now - this.toldOfThisAt < HOUR)
			this.broken(8, 'showed the user the same failure twice within an hour');
		this.toldOfThisAt = this.toldAt = this.now;
	}

	private judgeBatch(emitted: License[], maxItems: number): void {
		if (emitted.length > maxItems) this.broken(6, `emitted ${emitted.length}, not ${maxItems}`);
		const keys = new Set<string>();
		let last = Number.NEGATIVE_INFINITY;
		for (const record of emitted) {
			const event = this.byRecord.get(record) ?? this.events.get(eventKey(record));
			if (!event) {
				this.broken(15, `${eventKey(record)} was never listed`);
				continue;
			}
			const { key, fate, time, deliveries } = event;
			if (keys.has(key)) this.broken(1, `${key} came twice in one batch`, 'repeated');
			keys.add(key);
			if (fate === 'never' && deliveries === 0 && !event.mayRepeat)
				this.broken(3, `${key} is history`);
			if (!isShown(record, this.filters.query) || !this.matches(record))
				this.broken(1, `${key} does not match`);
			if (time === undefined) continue;
			if (time < last) this.broken(2, `${key} came after a newer one`, 'outOfOrder');
			last = time;
		}
	}

	/** What became of the batch of the poll that has just ended. */
	batchEnds(
		emitted: License[],
		{ isExecuted, isStateSaved }: { isExecuted: boolean; isStateSaved: boolean },
		isLate: boolean,
		now: number,
	): void {
		const { saving } = this.options;
		if (!isExecuted && isLate) this.hearsLateIn = this.poll + 1;
		for (const record of emitted) {
			const event = this.of(record);
			if (isExecuted) this.isDelivered(event, isStateSaved, now);
			else if (saving !== 'cursors' && event.deliveries === 0)
				this.isBrokenOff(event, isStateSaved, now);
		}
		if (isExecuted) this.lastDelivery = now;
		// What else waits may be found again, together with what comes again.
		else this.forgetsFound();
		// What the poll had seen was lost with its transaction.
		if (!isExecuted && saving === 'cursors') this.goesBack();
	}

	private isBrokenOff(event: ListedEvent, isStateSaved: boolean, now: number): void {
		// If nothing of it was saved, the database still has the one before, if any, and its time.
		const before = !isStateSaved && this.brokenOff.has(event) ? event.brokenOff : undefined;
		event.brokenOff = { at: before?.at ?? now, process: this.processes };
		this.brokenOff.add(event);
	}

	private isDelivered(event: ListedEvent, isStateSaved: boolean, now: number): void {
		const { situations, saving } = this.options;
		event.deliveries++;
		event.deliveredAt = now;
		this.owed.delete(event);
		if (event.deliveries > 1 && event.mayRepeat)
			situations.meet('a batch repeated after a restart within the grace period');
		else if (event.deliveries > 1 && !this.mayComeAgain(event))
			this.broken(1, `${event.key} came again`, 'repeated');
		if (this.brokenOff.delete(event) && event.brokenOff?.process === this.processes) {
			situations.meet('a batch taken back after its execution was refused');
			if (this.lastDelivery > event.brokenOff.at)
				situations.meet('a batch taken back after a newer one');
		}
		// "Once the database answers": the next poll gets the database's copy.
		event.mayRepeat = !isStateSaved && saving === 'scheduler';
		if (!isStateSaved) this.unsaved.add(event);
	}

	protected mayComeAgain(_event: ListedEvent): boolean {
		return false;
	}

	ends(): void {
		for (const event of this.owed)
			if (event.isListed) this.broken(1, `${event.key} never came`, 'lost');
	}

	broken(promise: number, what: string, kind: Violation['kind'] = 'other'): void {
		this.violations.push({ kind, promise, what: `poll ${this.poll}: ${what}` });
	}

	// --- Small things ---

	/** Promise 3: until something is seen, what is older than now by more than the lookback is history. */
	private get isQuiet(): boolean {
		return this.newestShown === Number.NEGATIVE_INFINITY;
	}

	/** Promise 5: it turned up too late to be found. */
	protected isLate({ time, wasLate }: ListedEvent): boolean {
		return wasLate || (time ?? this.newest) < this.newest - this.options.lookback;
	}

	protected settle(event: ListedEvent, fate: Fate): void {
		event.fate = fate;
		if (fate === 'must' && event.deliveries === 0) this.owed.add(event);
		else this.owed.delete(event);
	}

	protected isForgotten(event: ListedEvent): void {
		if (event.deliveries === 0) event.shownIn = undefined;
	}

	protected of(record: License): ListedEvent {
		const event = this.byRecord.get(record) ?? this.events.get(eventKey(record));
		if (!event) throw new Error(`${eventKey(record)} was never listed`);
		return event;
	}

	private countsAnew(): void {
		this.latest = Number.NEGATIVE_INFINITY;
		// The window reaches back from the newest seen, whatever the query was.
		this.newest = this.newestShown;
		for (const { time, record } of this.events.values())
			if (isShown(record, this.filters.query)) this.counts(time);
	}

	/** Future events count as newest once their time has come. */
	private counts(time: number | undefined, now = this.now): void {
		if (time !== undefined) this.latest = Math.max(this.latest, time);
		if (time !== undefined) this.ahead.push(time);
		if (this.ahead.length === 0) return;
		for (const one of this.ahead) if (one <= now) this.newest = Math.max(this.newest, one);
		this.ahead = this.ahead.filter((one) => one > now);
	}
}

/** Promise 9. */
export const GRACE = 5 * 60_000;
export const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const newLook = (account: string, isAgain = false, isFirst = true): Look => ({
	account,
	listed: undefined,
	isUnderWay: false,
	isAgain,
	isFirst,
	isOver: false,
	topmost: undefined,
});
