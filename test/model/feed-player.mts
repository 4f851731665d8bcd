import type { pollFeed } from '../../nodes/LicensingData/feed/poll.ts';
import type { FeedState } from '../../nodes/LicensingData/feed/state.ts';
import type { Change, History, PollStep } from './feed-history.mts';
import { FeedService, HOUR, isTimed, timeOf, type ModelRecord } from './feed-service.mts';
import { Truth, type ScanFate, type Violation } from './feed-truth.mts';

export type PollFeed = typeof pollFeed;

export interface Played {
	polls: number;
	requests: number;
	emitted: number;
	/** Polls that said that the window had to shrink. */
	shrunk: number;
	largestState: number;
	violations: Violation[];
}

const START = Date.parse('2026-07-01T12:34:56Z');
const MOST_BYTES = 64 * 1024;
const SETTLING_POLLS = 13;
const COUNTIES = ['Lee', 'Bay'] as const;

const calmPoll: PollStep = { kind: 'poll', pages: null, maxItems: 100_000, faults: [], during: [] };

/** Plays one history to a trigger, and to somebody who sees all of it. */
export async function play(
	history: History,
	poll: PollFeed,
	mostBytes = MOST_BYTES,
): Promise<Played> {
	const player = new Player(history, poll, mostBytes);
	for (const step of history.steps) {
		if (step.kind === 'poll') await player.poll(step);
		else if (step.kind === 'restart') player.restart();
		else if (step.kind === 'refilter') player.refilter();
		else player.change(step);
	}
	for (let settling = 0; settling < SETTLING_POLLS; settling++) {
		player.change({ kind: 'wait', minutes: 1 });
		await player.poll(calmPoll);
	}
	player.truth.ends(player.played.polls);
	return { ...player.played, violations: player.truth.violations };
}

class Player {
	readonly truth: Truth;
	readonly played: Omit<Played, 'violations'> = {
		polls: 0,
		requests: 0,
		emitted: 0,
		shrunk: 0,
		largestState: 0,
	};

	private readonly service: FeedService;
	private readonly lookback: number;
	private now = START;
	private phase: 'before' | 'firstPoll' | 'active' = 'before';
	private inMemory: FeedState | undefined;
	private onDisk: FeedState | undefined;
	private savedIn = 0;
	private watch = 0;
	/** Whether the last poll left nothing to do, and what has happened since. */
	private isSettled = false;
	private since: 'nothing' | 'inserts' | 'more' = 'more';
	/** What has happened to the scan that memory holds, and to the one on disk. */
	private scan: ScanFate = newScan(1);
	private scanOnDisk: ScanFate = { ...this.scan };

	constructor(
		private readonly history: History,
		private readonly pollFeed: PollFeed,
		private readonly mostBytes: number,
	) {
		this.service = new FeedService(history.service);
		this.lookback = history.lookbackHours * HOUR;
		this.truth = new Truth(
			this.lookback,
			(record) => this.matches(record),
			(record, time) => this.service.standsBelow(record, time),
			mostBytes,
		);
		for (let left = history.existing; left > 0; left--)
			this.insert({ eventTimestamp: this.stamp(START - left * history.apart * 1000) });
	}

	change(change: Change): void {
		if (change.kind === 'wait') {
			this.now += change.minutes * 60_000;
			return;
		}
		if (change.kind === 'expire') {
			this.service.expireCursors();
			return;
		}
		if (change.kind === 'insert') {
			if (this.since === 'nothing') this.since = 'inserts';
			this.insertAll(change);
			return;
		}
		this.since = 'more';
		for (let left = change.kind === 'remove' ? change.count : 1; left > 0; left--) {
			const { records } = this.service;
			const record = records[change.pick % Math.max(1, records.length)];
			if (!record) return;
			if (change.kind === 'remove') {
				this.service.remove(record);
				this.truth.disappears(record);
			} else this.update(record, change.leaves);
			if (this.history.service.cursors === 'offset')
				this.scan.isPulled = this.scanOnDisk.isPulled = true;
		}
	}

	restart(): void {
		this.inMemory = this.onDisk;
		this.scan = { ...this.scanOnDisk };
		this.truth.forgetsSince(this.savedIn, this.onDisk);
		this.isSettled = false;
	}

	refilter(): void {
		this.watch++;
		this.phase = 'before';
		this.isSettled = false;
	}

	async poll(step: PollStep): Promise<void> {
		const { truth, played, history } = this;
		const number = ++played.polls;
		const before = this.inMemory;
		if (!before?.open) this.scan = newScan(number);
		const startFrom = history.startFrom === null ? undefined : START - history.startFrom * HOUR;
		const isFirst = this.phase === 'before';
		if (isFirst) {
			this.phase = 'firstPoll';
			truth.startsQuietly(before === undefined ? startFrom : undefined);
		}
		let requests = 0;
		let isDisturbed = false;
		let firstPage: ModelRecord[] = [];
		let lastPage: ModelRecord[] = [];
		const outcome = await this.pollFeed<ModelRecord>({
			saved: before === undefined ? undefined : frozen(before),
			filters: `watch ${this.watch}`,
			readPage: async (cursor) => {
				const request = requests++;
				for (const { before: turn, change } of step.during) {
					if (turn !== request) continue;
					this.change(change);
					if (turn > 0) isDisturbed = true;
					else if (!before?.open) this.scan.isPulled = false;
				}
				if (step.faults.includes(request)) {
					isDisturbed = true;
					this.scan.isExpired = true;
					return { failure: 'fault' };
				}
				const page = this.service.page(cursor);
				if ('records' in page) {
					if (request === 0) firstPage = page.records;
					lastPage = page.records;
					truth.isRead(lastPage, number);
				} else isDisturbed = this.scan.isExpired = true;
				return page;
			},
			matches: (record) => this.matches(record),
			startFrom,
			lookback: this.lookback,
			maxItems: step.maxItems,
			now: this.now,
			hasTime: () => step.pages === null || requests < step.pages,
		});
		played.requests += requests;

		if ('failure' in outcome) {
			if (isFirst) this.phase = 'before';
			if (!isDisturbed) this.violated(number, 'failed without a cause');
			this.isSettled = false;
			return;
		}
		const { events, shrunkTo } = outcome;
		const text = JSON.stringify(outcome.state);
		const state = JSON.parse(text) as FeedState;
		const size = Buffer.byteLength(text);
		played.emitted += events.length;
		if (shrunkTo !== undefined) played.shrunk++;
		played.largestState = Math.max(played.largestState, size);
		if (size >= this.mostBytes) this.violated(number, `state has ${size} bytes`);

		this.scan.oldest = Math.min(this.scan.oldest, ...events.filter(isTimed).map(timeOf));
		this.inMemory = state;
		if (history.saving === 'durable' || events.length > 0 || isFirst) {
			this.onDisk = state;
			this.scanOnDisk = { ...this.scan };
			this.savedIn = number;
		}
		this.phase = 'active';
		const hasRoom = events.length < step.maxItems;
		if (!hasRoom) truth.isUnread(lastPage);
		// What a poll takes up from the one before may have been disturbed in between.
		const isCalm = !isDisturbed && step.pages === null && hasRoom && !before?.open;
		truth.polled({ number, events, state, shrunkTo, isCalm, scan: this.scan }, this.now);
		if (isCalm && state.open === null) {
			// What `total` is for.
			if (history.service.totals && this.isSettled && this.since !== 'more')
				truth.expectNothingOwed(number, 'was not found by the next poll');
			this.checkCost(number, requests, events, before, firstPage);
		}
		this.isSettled =
			isCalm && state.open === null && shrunkTo === undefined && !truth.hasHidden(state.floor);
		this.since = 'nothing';
	}

	private checkCost(
		number: number,
		requests: number,
		events: ModelRecord[],
		before: FeedState | undefined,
		firstPage: ModelRecord[],
	): void {
		if (!this.isSettled || this.since !== 'nothing' || !before) return;
		if (events.length > 0) this.violated(number, 'emitted something though nothing was new');
		const isFullScanDue = before.polls >= 9;
		const showsNoTime = !firstPage.some(isTimed);
		if (!isFullScanDue && !showsNoTime && requests !== 1)
			this.violated(number, `cost ${requests} requests though nothing was new`);
	}

	private violated(poll: number, what: string): void {
		this.truth.violations.push({ kind: 'other', what: `poll ${poll}: ${what}` });
	}

	private matches({ county }: ModelRecord): boolean {
		return !this.history.filtersCounties || county === COUNTIES[this.watch % 2];
	}

	private stamp(time: number): string {
		const grain = this.history.grain * 1000;
		return new Date(Math.floor(time / grain) * grain).toISOString();
	}

	private insertAll({ count, age, dated, together }: Change & { kind: 'insert' }): void {
		for (let left = count; left > 0; left--) {
			const time = this.now - age * this.lookback - (together ? 0 : left * 1000);
			const stamp = this.stamp(time);
			this.insert({
				eventTimestamp: dated === 'timed' ? stamp : null,
				filedDate: dated === 'filed' ? stamp.slice(0, 10) : null,
			});
		}
	}

	private insert(fields: { eventTimestamp: string | null; filedDate?: string | null }): void {
		const county = COUNTIES[this.service.made % 2] as string;
		this.appears(this.service.insert({ filedDate: null, ...fields, county }));
	}

	private update(record: ModelRecord, leaves: boolean): void {
		const changed: ModelRecord = {
			...record,
			eventType: leaves ? 'renewal' : 'new_filing',
			eventTimestamp: this.stamp(this.now),
		};
		if (!this.truth.isNew(changed)) return;
		const updated = this.service.update(record, changed);
		this.truth.disappears(record);
		if (updated) this.appears(updated);
	}

	private appears(record: ModelRecord): void {
		if (this.history.service.cursors === 'offset')
			this.scan.isPushed = this.scanOnDisk.isPushed = true;
		const states = [this.inMemory, this.onDisk].filter((state) => state !== undefined);
		const { now, phase, played } = this;
		this.truth.appears(record, { now, phase, states, poll: played.polls });
	}
}

const newScan = (start: number): ScanFate => ({
	start,
	isPulled: false,
	isPushed: false,
	isExpired: false,
	oldest: Number.POSITIVE_INFINITY,
});

/** A poll that wrote into what it was given would change what a restart goes back to. */
function frozen(state: FeedState): FeedState {
	if (state.open) Object.freeze(state.open);
	return Object.freeze(state);
}
