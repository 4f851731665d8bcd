import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { FakeService } from '../support/fake-service.mts';
import { FakeN8n } from './fake-n8n.mts';
import type { Situations } from './rare-situations.mts';
import {
	calmPoll,
	wellEmitted,
	type Change,
	type History,
	type PollStep,
} from './trigger-history.mts';
import {
	GRACE,
	isSameQuery,
	type Filters,
	type Oracle,
	type OracleOptions,
	type Violation,
} from './oracle.mts';
import { HostileWorld } from './hostile-world.mts';
import { promisedHistory, PromisedWorld } from './promised-world.mts';
import type { Page, PollCall, PollResult, Trigger } from './trigger-under-test.mts';

export interface Played {
	polls: number;
	requests: number;
	emitted: number;
	warnings: number;
	largestState: number;
	violations: Violation[];
}

const START = Date.parse('2026-07-01T12:34:56Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const COUNTIES = ['Lee', 'Bay', 'Dade'] as const;
const MOST_REQUESTS = 5_000;
/** Time for two sweeps. */
const SETTLING_POLLS = 25;
/** Promise 5. */
const POLLS_UNTIL_FOUND = 10;

/** How many events are remembered. */
export const FULL_ROOM = 15_000;

/** Promise 14: with the full room and a hundred batches in flight, that is less than 256 KB. */
const mostBytes = (events: number, batches: number): number => 16 * events + 80 * batches + 1_200;

export type World = 'promised' | 'hostile';

/** Plays one history to a trigger, and to an oracle that sees all of it. */
export async function play(
	history: History,
	trigger: Trigger,
	room: number,
	situations: Situations,
	world: World,
): Promise<Played> {
	const isPromised = world === 'promised';
	const told = isPromised ? promisedHistory(history) : history;
	const player = new Player(told, trigger, room, situations, isPromised);
	for (const step of history.steps) {
		if (step.kind === 'poll') await player.poll(step);
		else if (step.kind === 'restart') player.restarts(step.down);
		else if (step.kind === 'lead') player.leads(step.main);
		else if (step.kind === 'filters') await player.changeFilters(step.filters, step.pages);
		else player.change(step);
	}
	player.mend();
	for (let settling = 0; settling < SETTLING_POLLS; settling++) {
		player.change({ kind: 'wait', minutes: 1 });
		await player.poll(calmPoll);
	}
	await player.isWellAgain();
	player.oracle.ends();
	return { ...player.played, violations: player.oracle.violations };
}

class Player {
	readonly oracle: Oracle;
	/** Its oracle, if this is the promised world. */
	private readonly promised: PromisedWorld | undefined;
	readonly played: Omit<Played, 'violations'> = {
		polls: 0,
		requests: 0,
		emitted: 0,
		warnings: 0,
		largestState: 0,
	};

	private readonly service: FakeService;
	private readonly n8n: FakeN8n;
	private readonly lookback: number;
	private readonly startFrom: number | undefined;
	private filters: Filters;
	private now = START;
	private made = 0;
	private oldOnTop = 0;
	/** Pages that start there or below cannot be read. */
	private brokenBelow = Number.POSITIVE_INFINITY;
	private lastBatch = Number.NEGATIVE_INFINITY;
	/** When the batches were emitted that n8n may not have acknowledged yet, and how many there ever were. */
	private inFlight: number[] = [];
	private mostInFlight = 0;
	/** The next first page is empty. */
	private isBlank = false;
	private hasPolled = false;
	private isReadingBaseline = false;

	constructor(
		private readonly history: History,
		trigger: Trigger,
		private readonly room: number,
		private readonly situations: Situations,
		isPromised: boolean,
	) {
		this.service = new FakeService(history.list);
		this.lookback = history.lookbackHours * HOUR;
		this.startFrom = history.startFrom === null ? undefined : START - history.startFrom * HOUR;
		this.filters = history.filters;
		const options: OracleOptions = {
			service: this.service,
			list: history.list,
			pageSize: history.pageSize,
			lookback: this.lookback,
			startFrom: this.startFrom,
			room,
			saving: history.saving,
			filters: this.filters,
			situations,
		};
		if (isPromised) this.promised = new PromisedWorld(options);
		this.oracle = this.promised ?? new HostileWorld(options);
		const start = () => trigger.start(room);
		this.n8n = new FakeN8n(history.saving, start, () => this.oracle.saved());
		this.fillList();
	}

	change(change: Change): void {
		if (change.kind === 'wait') this.waits(change.minutes);
		else if (change.kind === 'expire') this.service.expireCursors();
		else if (change.kind === 'blank') this.isBlank = !this.promised;
		else if (change.kind === 'break') this.brokenBelow = change.below ?? Number.POSITIVE_INFINITY;
		else if (change.kind === 'insert') this.insertAll(change);
		else this.changeRecords(change);
	}

	/** From now on, all goes well. */
	mend(): void {
		this.brokenBelow = Number.POSITIVE_INFINITY;
		this.isBlank = false;
	}

	/** What appears after that has to come, whatever went wrong before. */
	async isWellAgain(): Promise<void> {
		if (this.oracle instanceof HostileWorld) this.oracle.becomesWell();
		for (const age of [0, 0, 0.4]) {
			this.change({ kind: 'wait', minutes: 1 });
			this.change({ kind: 'insert', count: 2, age, dated: 'timed', together: true });
			await this.poll(calmPoll);
		}
		for (let polls = 0; polls < POLLS_UNTIL_FOUND; polls++) {
			this.change({ kind: 'wait', minutes: 1 });
			await this.poll(calmPoll);
		}
	}

	private waits(minutes: number): void {
		this.now += minutes * MINUTE;
		// n8n is slow, but not as slow as that.
		if (minutes * MINUTE >= GRACE) this.n8n.settle();
	}

	/** In the promised world, n8n has to have saved enough. */
	private get mayLose(): boolean {
		return this.promised?.allowsLoss !== false;
	}

	restarts(down: number): void {
		const { oracle, situations, history } = this;
		if (!this.mayLose) return;
		if (oracle.owesShownEvents) {
			situations.meet('a process lost in the middle of a backlog');
			if (this.filters.counties)
				situations.meet('a process lost in the middle of a backlog, with a local filter');
		}
		if (this.isReadingBaseline) situations.meet('a baseline whose process was lost');
		this.now += down * MINUTE;
		const isAfterGrace = this.now - this.lastBatch > GRACE;
		if (isAfterGrace && this.lastBatch > 0 && history.saving !== 'cursors')
			situations.meet('a restart after the grace period');
		this.n8n.loseProcess();
		oracle.losesProcess();
	}

	/** Only the hostile world has several mains. */
	leads(main: number): void {
		if (this.promised) return;
		const arrival = this.n8n.lead(main);
		if (arrival === 'new') this.oracle.losesProcess();
		else this.oracle.isLedAgain();
		this.situations.meet(
			arrival === 'new' ? 'another main process' : 'a main process that leads again',
		);
	}

	/** Takes effect with the next poll: what comes before that belongs to the old filters. */
	async changeFilters(filters: Filters, pages: number | null): Promise<void> {
		if (this.promised?.allowsFilters(filters) === false) return;
		const { situations } = this;
		const before = this.filters;
		const isWider = Object.keys(filters.query).length < Object.keys(before.query).length;
		const isNarrower = Object.keys(filters.query).length > Object.keys(before.query).length;
		if (this.hasPolled && before.account !== filters.account) situations.meet('another account');
		else if (this.hasPolled) {
			if (this.oracle.owesShownEvents) situations.meet('filters changed while events waited');
			if (isWider) situations.meet('a wider query');
			else if (isNarrower) situations.meet('a narrower query');
			else if (!isSameQuery(filters, before)) situations.meet('another query');
			const counties = filters.counties?.length ?? COUNTIES.length;
			const countiesBefore = before.counties?.length ?? COUNTIES.length;
			if (counties > countiesBefore) situations.meet('local filters made wider');
			if (counties < countiesBefore) situations.meet('local filters made narrower');
		}
		this.filters = filters;
		this.oracle.changesFilters(filters);
		this.n8n.publish();
		this.oracle.isPublished();
		const { brokenBelow } = this;
		this.brokenBelow = Number.POSITIVE_INFINITY;
		await this.poll({ ...calmPoll, pages });
		this.brokenBelow = brokenBelow;
	}

	async poll(asked: PollStep): Promise<void> {
		const { oracle, played, situations } = this;
		const step = this.mayLose
			? asked
			: { ...asked, isAbandoned: false, diesAt: null, batch: wellEmitted };
		played.polls++;
		const startedAt = this.now;
		const seen = {
			requests: 0,
			failedFirst: false,
			failedBelow: undefined as string | undefined,
			expired: 0,
			ranOut: false,
			blank: false,
		};
		let die = () => {};
		const death = new Promise<'died'>((resolve) => (die = () => resolve('died')));
		let second: Promise<PollResult> | undefined;
		let secondRequests = 0;
		const call: Omit<PollCall, 'context'> = {
			account: this.filters.account,
			query: this.filters.query,
			matches: (record) => oracle.matches(record),
			filters: JSON.stringify(this.filters.counties),
			startFrom: this.startFrom,
			lookback: this.lookback,
			maxItems: step.maxItems,
			now: this.now,
			clock: () => this.now,
			hasTime: () => {
				const hasTime = step.pages === null || seen.requests < step.pages;
				if (!hasTime) seen.ranOut = true;
				return hasTime;
			},
			readPage: async (cursor) => {
				const request = seen.requests++;
				if (request === 0) oracle.pollStarts(this.now);
				if (request === step.diesAt) {
					die();
					return await new Promise<Page>(() => {});
				}
				if (request === MOST_REQUESTS) oracle.broken(13, 'never stopped reading');
				if (request >= MOST_REQUESTS) return { failure: new Error('enough') };
				if (request === step.overlapsAt) {
					const readPage = () => (secondRequests++, this.read(null));
					second = this.n8n.overlap({ ...call, readPage: async () => readPage() });
					await new Promise(setImmediate);
				}
				for (const { before, change } of step.during)
					if (before === request) this.during(change, request);
				const isBroken = step.faults.includes(request) || this.startOf(cursor) >= this.brokenBelow;
				const isBlank = this.isBlank && cursor === null && !isBroken;
				if (isBlank) {
					this.isBlank = false;
					seen.blank = true;
					situations.meet(
						this.isReadingBaseline || !this.hasPolled
							? 'a first look at a page that was empty for once'
							: 'a first page that was empty for once',
					);
					const total = this.service.list(this.filters.query).length;
					oracle.shows([], null);
					return { records: [], cursor: null, total };
				}
				const page = isBroken ? { failure: new Error('fault') } : this.read(cursor);
				if ('failure' in page) {
					if (cursor === null) seen.failedFirst = true;
					else seen.failedBelow = cursor;
				} else if ('expired' in page) seen.expired++;
				else oracle.shows(page.records, cursor);
				return page;
			},
		};
		const polled = await Promise.race([
			death,
			this.n8n.poll(call, step.batch, {
				isAbandoned: step.isAbandoned,
				readAhead: step.readAhead,
				onResult: (result) => {
					if (seen.requests === 0) return oracle.idles(this.now);
					oracle.pollEnds({
						...seen,
						now: this.now,
						result,
						expired: seen.expired > 0,
						maxItems: step.maxItems,
						isAbandoned: step.isAbandoned,
					});
				},
			}),
		]);
		played.requests += seen.requests;
		this.hasPolled = true;
		if (seen.expired > 0) situations.meet('a cursor refused');
		if (seen.expired > 1) situations.meet('a cursor refused twice in one poll');
		if (seen.failedFirst) situations.meet('a first page that failed');
		if (step.pages !== null && seen.requests > step.pages + 1)
			oracle.broken(6, 'went on when its time was over');
		if (polled === 'died') {
			situations.meet('a process lost in the middle of a poll');
			this.restarts(step.down);
			return;
		}
		if (second) {
			situations.meet('two polls at once');
			const result = await second;
			if (secondRequests > 0 || 'failure' in result || result.emitted.length > 0)
				oracle.broken(10, 'polled while another poll was under way');
		}
		const { result, batch, wasOutdated } = polled;
		if (wasOutdated) situations.meet('a cursor read before the last one was saved');
		const { bytes } = this.n8n;
		played.largestState = Math.max(played.largestState, bytes);
		if (batch) this.inFlight = this.inFlight.filter((at) => startedAt - at < GRACE);
		if (batch) this.inFlight.push(this.now);
		this.mostInFlight = Math.max(this.mostInFlight, this.inFlight.length);
		const most = mostBytes(this.room, this.mostInFlight);
		if (bytes > most) oracle.broken(14, `saved ${bytes} bytes, not ${most}`);
		if ('failure' in result) return;
		this.isReadingBaseline = oracle.isReadingBaseline;
		if (seen.ranOut)
			situations.meet(
				this.isReadingBaseline
					? 'time that ran out in the middle of the baseline'
					: 'time that ran out in the middle of a scan',
			);
		played.warnings += result.warnings.length;
		if (step.isAbandoned) situations.meet('a poll that n8n abandoned');
		if (!batch) return;
		played.emitted += result.emitted.length;
		this.lastBatch = this.now;
		this.nameBatch(step, batch);
		oracle.batchEnds(result.emitted, batch, step.batch.isLate, this.now);
		if (step.batch.stops) this.restarts(step.down);
	}

	private nameBatch(
		{ batch: { stops, isCanceled } }: PollStep,
		{ isExecuted, isStateSaved }: { isExecuted: boolean; isStateSaved: boolean },
	): void {
		const { situations } = this;
		if (this.history.saving === 'cursors') {
			if (!isExecuted) situations.meet('a transaction refused');
			return;
		}
		if (stops && isExecuted !== isStateSaved) situations.meet('n8n stopped between its two writes');
		if (!isStateSaved) situations.meet('a batch whose state could not be saved');
		if (isExecuted && isCanceled && !stops)
			situations.meet('an execution canceled, which is no loss');
	}

	private during(change: Change, request: number): void {
		if (change.kind === 'insert' && request > 0)
			this.situations.meet('a record inserted between two pages');
		if (change.kind === 'remove' && request > 0 && this.history.list.cursors === 'position')
			this.situations.meet('a record removed between two pages, with cursors that are positions');
		this.change(change);
	}

	private read(cursor: string | null): Page {
		const { query } = this.filters;
		const limit = String(this.history.pageSize);
		const page = this.service.page({ ...query, limit, ...(cursor === null ? {} : { cursor }) });
		if (!page) return { expired: true };
		const { cursor: next, total } = page.pagination;
		return { records: page.data, cursor: next, ...(total === undefined ? {} : { total }) };
	}

	/** Where the page begins: the service says so only if asked. */
	private startOf(cursor: string | null): number {
		if (cursor === null || this.brokenBelow === Number.POSITIVE_INFINITY) return 0;
		const page = this.read(cursor);
		const first = 'records' in page ? page.records[0] : undefined;
		return first ? this.service.list(this.filters.query).indexOf(first) : 0;
	}

	private fillList(): void {
		const { existing, list, lookbackHours } = this.history;
		for (let left = existing.count; left > 0; left--) {
			const scatter = jitter(left) * existing.scatter * lookbackHours * HOUR;
			this.insert(START - left * existing.apart * 1000 - scatter, 'timed');
		}
		for (let left = existing.undated; left > 0; left--) this.insert(START, 'undated');
		if (existing.undated > 0 && (list.undated === 'first' || list.sortedBy === 'arrival'))
			this.situations.meet('undated events above dated ones');
		if (existing.undated > 2_000) this.situations.meet('more undated events than are remembered');
		if (list.sortedBy === 'arrival') this.situations.meet('a list sorted by arrival');
		if (list.sortedBy === 'filedDate') this.situations.meet('a list sorted by another date');
	}

	private insertAll(change: Change & { kind: 'insert' }): void {
		const { count, age, dated, together } = change;
		const { list, pageSize } = this.history;
		if (this.promised?.allowsInsert(change) === false) return;
		// If memory is small, the window soon begins later than an event that is only slightly late.
		const stamped = Date.parse(this.stamp(this.now - age * this.lookback));
		const isTooLate = this.oracle.isReadingBaseline
			? stamped <= this.now - this.lookback
			: age >= 1;
		const isOld = this.room === FULL_ROOM ? isTooLate : age > 0;
		if (isOld && list.sortedBy === 'arrival') {
			// "Ten pages in a row that lie wholly below where the scan stops" end a scan.
			if (this.oldOnTop + count > 8 * pageSize) return;
			this.oldOnTop += count;
			if (count >= pageSize) this.situations.meet('a whole page of old records on top');
		}
		if (together && count > 1_000) this.situations.meet('thousands with one timestamp');
		if (count > 1_000) this.situations.meet('a backlog of more than a thousand');
		for (let left = count; left > 0; left--)
			this.insert(this.now - age * this.lookback - (together ? 0 : left * 1000), dated);
	}

	private insert(time: number, dated: 'timed' | 'filed' | 'undated'): void {
		const number = ++this.made;
		const isFar = this.history.filedFar && number % 3 === 0;
		const filed = isFar ? time - 1000 * this.lookback : time + jitter(number) * this.lookback;
		this.place({
			id: `lic_${number}`,
			eventType: 'new_filing',
			eventTimestamp: dated === 'timed' ? this.stamp(time) : null,
			filedDate: dated === 'undated' ? null : new Date(filed).toISOString(),
			address: { county: COUNTIES[number % COUNTIES.length] },
		});
	}

	private changeRecords(change: Change & { kind: 'update' | 'remove' }): void {
		for (let left = change.kind === 'remove' ? change.count : 1; left > 0; left--) {
			const { records } = this.service;
			const record = records[change.pick % Math.max(1, records.length)];
			if (!record || this.promised?.allowsOverwriting(record) === false) return;
			if (change.kind === 'update') {
				const updated = {
					...record,
					eventType: change.leaves ? 'renewal' : 'new_filing',
					eventTimestamp: this.stamp(this.now),
					filedDate: new Date(this.now).toISOString(),
				};
				if (!this.oracle.isNew(updated)) return;
				this.remove(record);
				this.place(updated);
			} else this.remove(record);
		}
	}

	private remove(record: License): void {
		this.service.remove(record);
		this.oracle.disappears(record);
	}

	private place(record: License): void {
		this.service.insert(record);
		this.oracle.appears(record, this.now);
	}

	private stamp(time: number): string {
		const grain = this.history.grain * 1000;
		return new Date(Math.floor(time / grain) * grain).toISOString();
	}
}

/** Between -0.9 and 0.9, the same for the same number. */
const jitter = (number: number): number =>
	(((Math.imul(number, 0x9e3779b1) >>> 0) % 1801) - 900) / 1000;
