import type { EventRecord } from '../../domain/eventIdentity';
import type { Found } from './findings';
import { modeOf, type Known } from './judge';
import { NEEDS_SWEEP, isSweepDue, newState, withOtherList } from './newState';
import { nextState } from './nextState';
import type { ScanContext } from './scan';
import { Scan } from './scan';
import type { SortKey } from './sortKey';
import { hashOf, readKeys, writeKeys } from './sortKey';
import type { Batch, FeedState } from './state';
import { isEqual, seenKeys } from './state';
import type { FeedInput, Outcome, Progress } from './types';

export const bytesOf = <Entry extends EventRecord>(progress: Progress<Entry>): number =>
	[...progress.backlog.values()].reduce((sum, { bytes }) => sum + bytes, 0) +
	(progress.top?.findings.bytes ?? 0) +
	(progress.sweep?.findings.bytes ?? 0);

/**
 * One poll: a top scan, sometimes a sweep, and then a batch of what they found. It depends only on the state, the
 * progress and the pages. See docs/trigger.md.
 */
export class FeedPoll<Entry extends EventRecord> {
	private readonly state: FeedState;
	private readonly known: Known;
	private readonly batchesInFlight: Batch[];
	readonly progress: Progress<Entry>;
	private unread: Outcome<Entry>['unread'];
	private shortBy = 0;

	constructor(private readonly input: FeedInput<Entry>) {
		const { settings, list, session } = input;
		const { saved } = session;
		const isSameAccount = saved?.account === list.account;
		const state = !isSameAccount
			? newState(input)
			: isEqual(saved.query, list.query)
				? saved
				: withOtherList(saved, input);
		const lostBatches = state.batches.filter((batch) => session.fateOf(batch) === 'lost');
		const notLost = state.batches.filter((batch) => !lostBatches.includes(batch));
		const hasLost = lostBatches.length > 0;
		this.state = { ...state, ...(hasLost && NEEDS_SWEEP) };
		this.batchesInFlight = notLost.filter((batch) => session.fateOf(batch) === 'inFlight');

		const purpose = JSON.stringify([list.query, settings.filters]);
		const goesOn = session.progress?.purpose === purpose && isSameAccount && !hasLost;
		const waiting = isSameAccount ? waitingIn(session.progress, settings.matches) : [];
		const progress = (goesOn && session.progress) || {
			purpose,
			backlog: new Map(waiting.map((event) => [event.key, event])),
			pending: {},
		};
		this.progress = progress;

		const seen = seenKeys(state, notLost);
		const news = new Set(readKeys(state.baseline?.news ?? ''));
		const lost = new Set(lostBatches.flatMap(({ keys }) => readKeys(keys)));
		const lostHashes = new Set([...lost].map(hashOf));
		this.known = {
			mode: modeOf(state, seen, news),
			watermark: state.watermark,
			seen,
			news,
			newsFrom: state.baseline?.newsFrom ?? null,
			isWaiting: (key) =>
				progress.backlog.has(key) || progress.sweep?.findings.events.has(key) === true,
			lost,
			firstPage: new Set(state.firstPage.filter((hash) => !lostHashes.has(hash))),
			hasForgottenUndated: state.hasForgottenUndated,
			lastTotal: this.latest.total,
			lookback: settings.lookback,
			now: list.now,
		};
	}

	async run(): Promise<Outcome<Entry> | { failure: unknown; progress: Progress<Entry> }> {
		const { progress } = this;
		// Without room, nothing is read, and so nothing changes but for what is emitted.
		if (!this.hasRoom()) return this.emit({});
		const failure = (await this.readTop()) ?? (await this.readSweep());
		if (failure) return { ...failure, progress };
		return this.emit({ top: progress.top, sweep: progress.sweep });
	}

	/** While the backlog fills the memory, it is emitted before more is read. */
	private hasRoom(): boolean {
		const { backlog } = this.progress;
		return backlog.size === 0 || this.input.session.room() > bytesOf(this.progress);
	}

	/** Where nothing that is listed is known, one scan reads everything. */
	private get readsAtOnce(): boolean {
		const { mode } = this.known;
		return mode === 'firstLook' || mode === 'changedList';
	}

	/** The newest never wait for late ones: first comes the top scan, then a sweep in the time left. */
	private async readTop(): Promise<{ failure: unknown } | undefined> {
		const { progress } = this;
		if (this.readsAtOnce) return undefined;
		progress.top ??= Scan.ofTop();
		const failed = await progress.top.readOn(this.contextOf(progress.top), progress.sweep);
		if (failed?.isFirstPage) return failed;
		this.note(progress.top, failed);
		return undefined;
	}

	private async readSweep(): Promise<{ failure: unknown } | undefined> {
		const { progress } = this;
		const { top } = progress;
		// Nothing below a page that never comes can be reached. What a sweep has found there is emitted.
		if (top?.status === 'stuck' && progress.sweep) {
			this.enqueue(progress.sweep);
			progress.sweep = undefined;
		}
		if (top && (top.status === 'reading' || top.status === 'stuck' || !this.input.list.hasTime()))
			return undefined;
		if (this.readsAtOnce) progress.sweep ??= Scan.ofUnknown();
		else if (top?.status === 'caughtUp' && this.needsSweep(top))
			progress.sweep ??= top.startSweep(this.isThorough ? 'thoroughSweep' : 'sweep');
		const { sweep } = progress;
		if (!sweep) return undefined;
		const failed = await sweep.readOn(this.contextOf(sweep));
		if (failed?.isFirstPage && !top) return failed;
		this.note(sweep, failed);
		return undefined;
	}

	private needsSweep({ total, unfamiliarMet }: Scan<Entry>): boolean {
		const { lastTotal } = this.known;
		const grownBy = total !== null && lastTotal !== null ? total - lastTotal : 0;
		return isSweepDue(this.latest) || grownBy > unfamiliarMet;
	}

	private get isThorough(): boolean {
		return this.known.mode === 'baseline' || this.latest.isIncomplete;
	}

	/** The state as it would be if nothing waited. */
	private get latest(): FeedState {
		return { ...this.state, ...this.progress.pending };
	}

	private contextOf(scan: Scan<Entry>): ScanContext<Entry> {
		const { progress, known } = this;
		const { settings, list, session } = this.input;
		return {
			readPage: list.readPage,
			hasTime: list.hasTime,
			known,
			matches: settings.matches,
			room: () => session.room() - bytesOf(progress) + scan.findings.bytes,
		};
	}

	private note(scan: Scan<Entry>, failed: { failure: unknown } | undefined): void {
		if (failed) this.unread = { failure: failed.failure, isStuck: scan.status === 'stuck' };
		this.shortBy ||= scan.shortBy;
		// What belongs to the baseline counts as seen right away, so that any process can go on from there.
		for (const key of scan.findings.takeBaseline()) this.known.seen.add(key);
		if (scan.status !== 'reading') this.enqueue(scan);
	}

	private enqueue({ findings }: Scan<Entry>): void {
		for (const event of findings.takeAll())
			if (!this.known.seen.has(event.key)) this.progress.backlog.set(event.key, event);
	}

	/**
	 * Promises 2 and 6. Of the events found, only those older than the rest of the backlog count as seen. So a
	 * process that ends here loses nothing: the next one finds the backlog again.
	 */
	private emit(scans: Pick<Progress<Entry>, 'top' | 'sweep'>): Outcome<Entry> {
		const { progress, known } = this;
		const { settings, session } = this.input;
		if (progress.top?.status !== 'reading') progress.top = undefined;
		if (progress.sweep?.status !== 'reading') progress.sweep = undefined;
		const backlog = [...progress.backlog.values()].sort(byKey);
		const handled = firstBatch(backlog, settings.maxItems);
		const toEmit = handled.filter(({ record }) => record);
		const batches = this.batchesInFlight.slice();
		const emitted = toEmit.map(({ key }) => key);
		if (session.newBatch && emitted.length > 0)
			batches.push({ ...session.newBatch(), keys: writeKeys(emitted) });
		const { state, pending, forgotten } = nextState({
			state: this.state,
			known,
			pending: progress.pending,
			scans,
			backlog,
			handled: handled.length,
			isReadingTop: progress.top !== undefined,
			batches,
			emitted,
			capacity: session.capacity,
		});
		progress.pending = pending;
		for (const { key } of handled) progress.backlog.delete(key);
		return {
			events: toEmit.flatMap(({ record }) => (record ? [record] : [])),
			state,
			progress,
			backlog: [...progress.backlog.values()].filter(({ record }) => record).length,
			isBaseline: state.baseline !== undefined,
			forgotten,
			shortBy: this.shortBy,
			unread: this.unread,
		};
	}
}

/** The first `maxItems` that are to be emitted, and the others between them. */
function firstBatch<Entry>(backlog: Array<Found<Entry>>, maxItems: number): Array<Found<Entry>> {
	let left = maxItems;
	const end = backlog.findIndex(({ record }) => record && left-- === 0);
	return end < 0 ? backlog : backlog.slice(0, end);
}

/** What waits when the filters change stays, if it matches the new ones. The rest is read again. */
function waitingIn<Entry extends EventRecord>(
	progress: Progress<Entry> | undefined,
	matches: (record: Entry) => boolean,
): Array<Found<Entry>> {
	if (!progress) return [];
	const { backlog, top, sweep } = progress;
	return [backlog, top?.findings.events, sweep?.findings.events]
		.flatMap((found) => [...(found?.values() ?? [])])
		.filter(({ record }) => record && matches(record));
}

const byKey = (a: { key: SortKey }, b: { key: SortKey }): number => (a.key < b.key ? -1 : 1);
