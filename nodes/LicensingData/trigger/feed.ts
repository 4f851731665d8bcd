import { NEW_FILING } from '../licenses/knownValues';
import type { License } from '../licenses/license';
import { bulkAdditions } from './bulk';
import { standstill, THE_LIST, type TriggerLog } from './log';
import { KEY_LENGTH } from './memory';
import { EventQueue, type Held } from './queue';
import { ListReader } from './reader';
import { PollRun, type FeedInput, type Limits } from './run';
import type { Scan } from './scan';
import {
	newList,
	newMemory,
	type Batch,
	type Fate,
	type KeyKind,
	type Memory,
	type TriggerState,
} from './state';

/** So long without any change, a test key is said to show the same every time. */
const STANDSTILL = 7 * 86_400_000;

/** An event has two keys at most, and what has left the lists for a while stays known: a fifth more. */
const KEYS_PER_EVENT = 2.4;

/** What is left of earlier polls, and what n8n has told about it. */
export interface Session {
	/** What n8n has saved, or what the process knows better; undefined if there is nothing that can be read. */
	lastState: TriggerState | undefined;
	/** Whether there was nothing at all. */
	isNew: boolean;
	progress: Progress | undefined;
	fateOf: (batch: Batch) => Fate | 'inFlight';
	/** For the batch that this poll emits; undefined if n8n saves it together with the state. */
	newBatch: (() => Pick<Batch, 'id' | 'at'>) | undefined;
	limits: Limits;
}

/** What a process knows beyond the saved state. If it is lost, the lists are read again. */
export interface Progress extends Held {
	kind: KeyKind;
	since: number;
	/** The filters with which the readings began. */
	filters: string;
	/** Full readings that have not ended, and when the first pages were last asked for, by event. */
	scans: Map<string, Scan>;
	polledAt: Map<string, number>;
}

export interface Outcome {
	/** Oldest first; and the ID of their batch, if n8n does not save them together with the state. */
	events: License[];
	batchId?: string;
	state: TriggerState;
	progress: Progress;
	/** Why not even one first page could be read. Then nothing has changed except what was emitted. */
	failure: unknown;
}

/**
 * One poll. It reads the first page of each list, and goes on with the full readings that are due. What the lists show
 * for the first time waits in a queue, of which the oldest are emitted. It depends only on the state, the progress and
 * the pages. See docs/trigger.md.
 */
export class FeedPoll {
	private readonly progress: Progress;
	private readonly memory: Memory;
	private readonly run: PollRun;
	private readers: ListReader[];

	constructor(
		private readonly input: FeedInput,
		private readonly session: Session,
		private readonly log: TriggerLog,
	) {
		const { kind, now, filters, startFrom } = input;
		const { lastState, fateOf, limits, isNew } = session;
		const saved = lastState?.memories[kind];
		const known = session.progress;
		// n8n hands out saved data as a proxy, which cannot be cloned in any other way.
		const memory = saved ? (JSON.parse(JSON.stringify(saved)) as Memory) : newMemory(now);
		const progress = known?.kind === kind ? known : newProgress(kind, now);
		const queue = new EventQueue(memory, progress, fateOf);
		this.run = new PollRun(input, memory, queue, log, limits, progress.since);
		this.memory = memory;
		this.progress = progress;
		if (progress.filters !== filters) progress.scans.clear();
		progress.filters = filters;
		const isWatched = (event: string) => input.watched.some((list) => list.event === event);
		queue.keep(({ event, matched }) => isWatched(event) && this.run.wanted.matches(matched));
		// For the first memory of all, and for that of the first live key.
		const startsFrom = !saved && (lastState ? kind === 'live' : isNew);
		this.readers = this.newReaders(startsFrom ? startFrom : undefined);
	}

	async poll(): Promise<Outcome> {
		const { input, session, log, run, progress } = this;
		await this.readTops();
		this.readers = this.readers.filter(({ isLacking }) => !isLacking);
		for (const reader of this.inTurns()) await reader.readOn();
		const failed = this.readers.find(({ topFailure }) => topFailure !== undefined);
		const hasRead = this.readers.some((reader) => reader.hasRead);
		if (hasRead) this.aboutReaders();
		const { events, batchId } = run.queue.take(input.maxItems, session.newBatch);
		log.aboutWaiting(run.queue.size);
		progress.scans = new Map(
			this.readers.flatMap(({ list, scan }) => (scan ? [[list.event, scan]] : [])),
		);
		const failure = hasRead ? undefined : failed?.topFailure;
		return { events, batchId, state: this.nextState(), progress, failure };
	}

	/** Those that had to wait longest come first. */
	private async readTops(): Promise<void> {
		const inOrder = [...this.readers].sort((a, b) => (a.polledAt ?? 0) - (b.polledAt ?? 0));
		for (const [index, reader] of inOrder.entries()) {
			const isFirst = index === 0 && this.run.queue.size === 0 && !this.run.hasStopped;
			if (!isFirst && !this.run.mayGoOn()) return;
			this.progress.polledAt.set(reader.list.event, this.input.now);
			await reader.readTop();
		}
	}

	/** First readings, then the one under way, then what was read longest ago. */
	private inTurns(): ListReader[] {
		const rank = ({ scan, isQuiet, state }: ListReader) =>
			isQuiet ? 0 : scan ? 1 : 2 + state.readAt;
		return [...this.readers].sort((a, b) => rank(a) - rank(b));
	}

	/** A list that is watched for the first time while others are known begins quietly. */
	private newReaders(startFrom: number | undefined): ListReader[] {
		const { memory, progress, input, run } = this;
		const readers = input.watched.map((list) => {
			const state = memory.lists[list.event] ?? newList(startFrom);
			// The clock was wrong then.
			if ((state.knownSince ?? 0) > input.now) delete state.knownSince;
			const scan = progress.scans.get(list.event);
			return new ListReader(list, state, scan, progress.polledAt.get(list.event), run);
		});
		memory.lists = Object.fromEntries(readers.map(({ list, state }) => [list.event, state]));
		return readers;
	}

	private aboutReaders(): void {
		const { readers, log, input, memory } = this;
		log.isReadable(THE_LIST);
		for (const { list, topFailure } of readers)
			if (topFailure !== undefined) log.pageFailed(list.event, topFailure, { isFirst: true });
		if (readers.some(({ isFirstReading }) => isFirstReading)) log.aboutFirstReading();
		log.aboutLeftOut();
		this.keepAdditions();
		const hasChanged = readers.some((reader) => reader.hasChanged) || memory.changedAt > input.now;
		if (hasChanged) Object.assign(memory, { changedAt: input.now, isStandstillSaid: false });
		if (input.kind === 'live' || memory.isStandstillSaid) return;
		memory.isStandstillSaid = input.now - memory.changedAt >= STANDSTILL;
		if (memory.isStandstillSaid) log.show(standstill());
	}

	/** Takes what the list was enlarged by out of the queue: it is known, and the user is told. */
	private keepAdditions(): void {
		const reader = this.readers.find(({ list }) => list.event === NEW_FILING);
		const { latest, listedBefore } = reader ?? {};
		if (!latest || !listedBefore) return;
		const all = bulkAdditions(latest.filings, listedBefore, latest.tally.listed);
		const additions = all.filter(({ key }) => this.run.queue.drop(key));
		if (additions.length > 0) this.log.aboutAdditions(additions);
	}

	private nextState(): TriggerState {
		const { memory, run, session, input, readers } = this;
		const mostKeys = Math.floor(session.limits.events * KEYS_PER_EVENT);
		const isAllFound = run.isAllFound(readers.map(({ state }) => state));
		const current = { ...memory, ...run.queue.save(mostKeys, isAllFound) };
		const { test } = session.lastState?.memories ?? {};
		const isTooMuch = (test?.seen.length ?? 0) + current.seen.length > mostKeys * KEY_LENGTH;
		// n8n copies it into every execution. A test key may begin again.
		const others = isTooMuch ? { test: undefined } : {};
		const memories = { ...session.lastState?.memories, ...others, [input.kind]: current };
		return { version: 5, memories };
	}
}

const newProgress = (kind: KeyKind, since: number): Progress => ({
	kind,
	since,
	filters: '',
	queue: new Map(),
	inFlight: new Map(),
	scans: new Map(),
	polledAt: new Map(),
});
