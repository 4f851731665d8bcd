import type { EventRecord } from '../../domain/eventIdentity';
import { byKey, type Found } from './findings';
import { nextState } from './nextState';
import { resume, type Resumed } from './resume';
import { Scan, type ScanContext, type UnreadPage } from './scan';
import { writeKeys } from './sortKey';
import { isSweepDue } from './state';
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
	private readonly resumed: Resumed<Entry>;
	private unread: UnreadPage | undefined;
	private shortBy = 0;

	constructor(private readonly input: FeedInput<Entry>) {
		this.resumed = resume(input);
	}

	get progress(): Progress<Entry> {
		return this.resumed.progress;
	}

	async run(): Promise<Outcome<Entry> | { failure: unknown }> {
		const { progress } = this;
		// Without room, nothing is read, and so nothing changes but for what is handled.
		if (!this.hasRoom()) return this.emit({});
		const failed = (await this.readTop()) ?? (await this.readSweep());
		if (failed) return { failure: failed.failure };
		return this.emit({ top: progress.top, sweep: progress.sweep });
	}

	/** Promise 14: while the backlog fills the memory, it is emitted before more is read. */
	private hasRoom(): boolean {
		const { backlog } = this.progress;
		return backlog.size === 0 || this.input.session.room() > bytesOf(this.progress);
	}

	/** Where nothing that is listed is known, one scan reads everything. */
	private get readsAtOnce(): boolean {
		const { mode } = this.resumed.known;
		return mode === 'firstLook' || mode === 'changedList';
	}

	/** The newest never wait for late ones: first comes the top scan, then a sweep in the time left. */
	private async readTop(): Promise<UnreadPage | undefined> {
		const { progress } = this;
		if (this.readsAtOnce) return undefined;
		progress.top ??= Scan.ofTop();
		const unread = await progress.top.readOn(this.contextOf(progress.top), progress.sweep);
		if (unread?.isFirst) return unread;
		this.note(progress.top, unread);
		return undefined;
	}

	private async readSweep(): Promise<UnreadPage | undefined> {
		const { progress } = this;
		const { top } = progress;
		// Nothing below a page that never comes can be reached. What a sweep has found there is emitted.
		if (top?.status === 'stuck' && progress.sweep) {
			this.enqueue(progress.sweep);
			progress.sweep = undefined;
		}
		if (top && (top.status === 'reading' || !this.input.list.hasTime())) return undefined;
		progress.sweep ??= this.newSweep(top);
		const { sweep } = progress;
		if (!sweep) return undefined;
		const unread = await sweep.readOn(this.contextOf(sweep));
		if (unread?.isFirst && !top) return unread;
		this.note(sweep, unread);
		return undefined;
	}

	private newSweep(top: Scan<Entry> | undefined): Scan<Entry> | undefined {
		if (!top) return Scan.ofUnknownList();
		if (top.status !== 'caughtUp' || !this.needsSweep(top)) return undefined;
		return top.startSweep(this.resumed.drained.isIncomplete ? 'thoroughSweep' : 'sweep');
	}

	/** Asks `drained`, since with a backlog the state itself always says that a sweep is due. */
	private needsSweep({ total, unfamiliarMet }: Scan<Entry>): boolean {
		const { lastTotal } = this.resumed.known;
		const grownBy = total !== null && lastTotal !== null ? total - lastTotal : 0;
		return isSweepDue(this.resumed.drained) || grownBy > unfamiliarMet;
	}

	private contextOf(scan: Scan<Entry>): ScanContext<Entry> {
		const { progress, known } = this.resumed;
		const { settings, list, session } = this.input;
		return {
			readPage: list.readPage,
			hasTime: list.hasTime,
			known,
			matches: settings.matches,
			room: () => session.room() - bytesOf(progress) + scan.findings.bytes,
		};
	}

	private note(scan: Scan<Entry>, unread: UnreadPage | undefined): void {
		this.unread = unread;
		this.shortBy ||= scan.shortBy;
		// What belongs to the baseline counts as seen right away, so that any process can go on from there.
		for (const key of scan.findings.takeBaseline()) {
			this.resumed.known.seen.add(key);
			this.resumed.known.ofBaseline.add(key);
		}
		if (scan.status !== 'reading') this.enqueue(scan);
	}

	private enqueue({ findings }: Scan<Entry>): void {
		// A new process keeps what it read in a poll that failed. It may then be given a state that another process
		// has written since, in which some of that is seen.
		for (const event of findings.takeAll())
			if (!this.resumed.known.seen.has(event.key)) this.progress.backlog.set(event.key, event);
	}

	/**
	 * Promises 2 and 6. Of the backlog, only the oldest count as seen. So a process that ends here loses nothing: the
	 * next one finds the rest again.
	 */
	private emit(scans: Pick<Progress<Entry>, 'top' | 'sweep'>): Outcome<Entry> {
		const { progress, batchesInFlight } = this.resumed;
		const { settings, session } = this.input;
		const backlog = [...progress.backlog.values()].sort(byKey);
		const handled = oldestOf(backlog, settings.maxItems);
		const rest = backlog.slice(handled.length);
		const events = handled.flatMap(({ record }) => (record ? [record] : []));
		const emitted = handled.filter(({ record }) => record).map(({ key }) => key);
		const batch = emitted.length > 0 ? session.newBatch?.() : undefined;
		const { state, unwritten, forgotten } = nextState({
			...this.resumed,
			scans,
			handled,
			emitted,
			rest,
			batches: [...batchesInFlight, ...(batch ? [{ ...batch, keys: writeKeys(emitted) }] : [])],
			capacity: session.capacity,
		});
		progress.unwritten = unwritten;
		for (const { key } of handled) progress.backlog.delete(key);
		if (progress.top?.status !== 'reading') progress.top = undefined;
		if (progress.sweep?.status !== 'reading') progress.sweep = undefined;
		return {
			events,
			batchId: batch?.id,
			state,
			progress,
			waiting: matching(rest) + matchingIn(progress.top) + matchingIn(progress.sweep),
			isReadingBaseline: state.baseline !== undefined,
			forgotten,
			shortBy: this.shortBy,
			unread: this.unread,
		};
	}
}

/** What is handled now: up to `maxItems` that match the filters, and all others that are older than the next one. */
function oldestOf<Entry>(backlog: Array<Found<Entry>>, maxItems: number): Array<Found<Entry>> {
	const next = backlog.filter(({ record }) => record)[maxItems];
	return next ? backlog.slice(0, backlog.indexOf(next)) : backlog;
}

const matching = (found: Iterable<Found<unknown>>): number =>
	[...found].filter(({ record }) => record).length;

const matchingIn = <Entry extends EventRecord>(scan: Scan<Entry> | undefined): number =>
	matching(scan?.findings.events.values() ?? []);
