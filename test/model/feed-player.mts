import type { pollFeed } from '../../nodes/LicensingData/feed/poll.ts';
import type { FeedState } from '../../nodes/LicensingData/feed/state.ts';
import type { Change, History, PollStep } from './feed-history.mts';
import { FeedService, HOUR, timeOf, type ModelRecord } from './feed-service.mts';
import { Truth, type Violation } from './feed-truth.mts';

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
const LARGEST_STATE = 64 * 1024;
const SETTLING_POLLS = 13;
const COUNTIES = ['Lee', 'Bay'] as const;

const calmPoll: PollStep = { kind: 'poll', pages: null, maxItems: 100_000, faults: [], during: [] };

/** Plays one history to a trigger, and to somebody who sees all of it. */
export async function play(history: History, poll: PollFeed): Promise<Played> {
	const player = new Player(history, poll);
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
	/** Whether a removal has moved what an open scan is to read: the one in memory, the one on disk. */
	private isPulled = false;
	private isPulledOnDisk = false;

	constructor(
		private readonly history: History,
		private readonly pollFeed: PollFeed,
	) {
		this.service = new FeedService(history.service);
		this.lookback = history.lookbackHours * HOUR;
		this.truth = new Truth(
			this.lookback,
			(record) => this.matches(record),
			(record, time) => this.service.standsBelow(record, time),
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
			if (this.history.service.cursors === 'offset') this.isPulled = this.isPulledOnDisk = true;
		}
	}

	restart(): void {
		this.inMemory = this.onDisk;
		this.isPulled = this.isPulledOnDisk;
		this.truth.forgetsSince(this.savedIn);
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
		if (!before?.open) this.isPulled = false;
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
					else if (!before?.open) this.isPulled = false;
				}
				if (step.faults.includes(request)) {
					isDisturbed = true;
					return { failure: 'fault' };
				}
				const page = this.service.page(cursor);
				if ('records' in page) {
					if (request === 0) firstPage = page.records;
					lastPage = page.records;
					truth.isRead(lastPage, number);
				} else isDisturbed = true;
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
		if (size >= LARGEST_STATE) this.violated(number, `state has ${size} bytes`);

		this.inMemory = state;
		if (history.saving === 'durable' || events.length > 0 || isFirst) {
			this.onDisk = state;
			this.isPulledOnDisk = this.isPulled;
			this.savedIn = number;
		}
		this.phase = 'active';
		const hasRoom = events.length < step.maxItems;
		if (!hasRoom) truth.isUnread(lastPage);
		// What a poll takes up from the one before may have been disturbed in between.
		const isCalm = !isDisturbed && step.pages === null && hasRoom && !before?.open;
		const { isPulled } = this;
		truth.polled({ number, events, state, shrunkTo, isCalm, isPulled }, this.now);
		if (isCalm && state.open === null) {
			this.checkWhatCame(number, events);
			this.checkCost(number, requests, events, before, firstPage);
		}
		this.isSettled = isCalm && state.open === null && !truth.hasHidden(state.floor);
		this.since = 'nothing';
	}

	private checkWhatCame(number: number, events: ModelRecord[]): void {
		const times = events.filter(isTimed).map(timeOf);
		// Promise 4: who finds one event of a moment has seen all of that moment.
		if (times.length > 0) {
			const oldest = Math.min(...times);
			this.truth.expectNothingOwed(
				number,
				'stands above what was found',
				(record) => isTimed(record) && timeOf(record) >= oldest,
			);
		}
		// What `total` is for.
		if (this.history.service.totals && this.isSettled && this.since !== 'more')
			this.truth.expectNothingOwed(number, 'was not found by the next poll', () => true);
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
		const isFullScanDue = before.scans >= 9;
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
		const states = [this.inMemory, this.onDisk].filter((state) => state !== undefined);
		this.truth.appears(record, { now: this.now, phase: this.phase, states });
	}
}

const isTimed = ({ eventTimestamp }: ModelRecord): boolean => eventTimestamp !== null;

/** A poll that wrote into what it was given would change what a restart goes back to. */
function frozen(state: FeedState): FeedState {
	if (state.open) Object.freeze(state.open);
	return Object.freeze(state);
}
