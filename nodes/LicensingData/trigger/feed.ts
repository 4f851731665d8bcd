import { standstill, THE_LIST, type TriggerLog } from './log';
import { ListReader } from './reader';
import { PollRun, type FeedInput, type Session } from './run';
import type { TriggerState } from './memory';

/** So long without any change, a test key is said to show the same every time. */
const STANDSTILL = 7 * 86_400_000;

/** An event has two keys at most, and what has left the lists for a while stays known: a fifth more. */
const KEYS_PER_EVENT = 2.4;

export type Outcome = Awaited<ReturnType<FeedPoll['poll']>>;

/**
 * One poll. It reads the first page of each list, and goes on with the full readings that are due. What the lists show
 * for the first time waits in a queue, of which the oldest are emitted. It depends only on the state, the progress and
 * the pages. See docs/trigger.md.
 */
export class FeedPoll {
	private readonly run: PollRun;
	private readers: ListReader[];

	constructor(
		private readonly input: FeedInput,
		private readonly session: Session,
		log: TriggerLog,
	) {
		this.run = new PollRun(input, session, log);
		this.readers = input.watched.map((list) => new ListReader(list, this.run));
	}

	/** What is new, oldest first, and the ID of its batch, if n8n does not save it together with the state. */
	async poll() {
		const { input, session, run } = this;
		await this.readTops();
		this.readers = this.readers.filter(({ topFailure }) => !topFailure?.isLacking);
		for (const reader of this.inTurns()) await reader.readOn();
		const hasRead = this.readers.some((reader) => reader.hasRead);
		if (hasRead) this.aboutReaders();
		const { events, batchId } = run.queue.take(input.maxItems, session.newBatch);
		const failed = this.readers.find(({ topFailure }) => topFailure);
		// Where not even one first page could be read, nothing has changed except what is emitted.
		const failure = hasRead ? undefined : failed?.topFailure?.failure;
		return { events, batchId, state: this.nextState(), progress: run.progress, failure };
	}

	/** What the last poll did not get to comes first: one list may take all the time, and fail. */
	private async readTops(): Promise<void> {
		const { run, readers } = this;
		const { progress } = run;
		const inOrder = [...readers.slice(progress.first), ...readers.slice(0, progress.first)];
		for (const [index, reader] of inOrder.entries()) {
			progress.first = readers.indexOf(reader);
			const isFirst = index === 0 && run.queue.size === 0 && !run.hasStopped;
			if (!isFirst && !run.mayGoOn()) return;
			await reader.readTop();
		}
		progress.first = 0;
	}

	/** First readings, then the one under way, then what was read longest ago. */
	private inTurns(): ListReader[] {
		const rank = ({ scan, isQuiet, state }: ListReader) =>
			isQuiet ? 0 : scan ? 1 : 2 + state.readAt;
		return [...this.readers].sort((a, b) => rank(a) - rank(b));
	}

	private aboutReaders(): void {
		const { readers, input } = this;
		const { log, memory } = this.run;
		log.isReadable(THE_LIST);
		for (const { list, topFailure } of readers)
			if (topFailure) log.pageFailed(list.event, topFailure.failure, { isFirst: true });
		if (readers.some(({ isFirstReading }) => isFirstReading)) log.aboutFirstReading();
		log.aboutLeftOut();
		for (const reader of readers) reader.keepAdditions();
		const { unchangedSince = input.now } = memory;
		const hasChanged = readers.some((one) => one.hasChanged) || unchangedSince > input.now;
		if (hasChanged) memory.unchangedSince = input.now;
		if (input.kind === 'live' || hasChanged || input.now - unchangedSince < STANDSTILL) return;
		log.show(standstill());
		// Until something changes, it is not said again.
		delete memory.unchangedSince;
	}

	private nextState(): TriggerState {
		const { memory, queue } = this.run;
		const mostKeys = Math.floor(this.session.limits.events * KEYS_PER_EVENT);
		const current = { ...memory, ...queue.save(mostKeys) };
		const memories = { ...this.session.lastState?.memories, [this.input.kind]: current };
		return { version: 5, memories };
	}
}
