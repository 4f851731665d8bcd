import { randomUUID } from 'node:crypto';

import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { bytesHeld } from './feed/feedPoll';
import { restore, type FeedState } from './feed/state';
import type { Limits, Outcome, Progress, Session } from './feed/types';
import { MOST_WAITING } from '../licenses/bounds';
import type { License } from '../licenses/license';
import { waitingBytes, type HeldBytes, type WaitingBytes } from '../licenses/waitingBytes';
import {
	fateOf,
	HANDOVER,
	watchHandover,
	type EmitContext,
	type Fates,
	isOffered,
	setUnknown,
} from './handover';

/** What this needs of n8n's poll context. */
type MemoryContext = EmitContext &
	Pick<IPollFunctions, 'getWorkflowStaticData'> &
	Partial<Pick<IPollFunctions, '__commitCursor'>>;

/** Longer than a week: who polls that seldom goes on with a reading that one poll could not finish. */
const IDLE = 8 * 24 * 3_600_000;

const LIMITS: Limits = { events: 15_000, pages: 400, newAtOnce: 500 };

/** What a successful poll leaves for the next one. */
interface LastPoll {
	/** The revision that it was given, and the one that it wrote. */
	given: unknown;
	written: string;
	state: FeedState;
	/** Undefined if it was silent. */
	emittedAt: number | undefined;
	batchId: string | undefined;
}

/** What this process knows of one trigger beyond what n8n has saved. */
interface TriggerMemory {
	isPolling: boolean;
	polledAt: number;
	/** Undefined in a new process, until a poll has gone well. */
	last?: LastPoll;
	/** When which revision was replaced. A poll is given one only if n8n had read it before, or saved it late. */
	replaced: Map<unknown, number>;
	progress?: Progress<License>;
	/** What that takes of what all lists and triggers of the process may hold. */
	held: HeldBytes;
	fates: Fates;
}

/** One poll's view of the memory, and its only way to change it. */
export interface TriggerSession extends Session<License> {
	/** What the process holds of this trigger until the commit, also if the poll fails. Nothing else changes. */
	keep(progress: Progress<License> | undefined): void;
	commit(outcome: Outcome<License>): void;
	end(): void;
}

/**
 * What an n8n process holds for its polling triggers. n8n saves a trigger's state in one of three ways, none
 * of them immediate; docs/trigger.md describes them. Every state that is written carries a revision, so that
 * the next poll can tell whether it is given that state, an earlier one, or one that another process wrote.
 */
export class TriggerSessions {
	private readonly triggers = new Map<string, TriggerMemory>();
	private readonly name = randomUUID();
	private revisions = 0;

	constructor(
		private readonly clock = () => Date.now(),
		private readonly limits = LIMITS,
		private readonly waiting = waitingBytes,
	) {}

	/** Undefined while the trigger's last poll is running, or n8n is still saving what it emitted. */
	begin(trigger: string, context: MemoryContext): TriggerSession | undefined {
		const now = this.clock();
		const memory = this.triggers.get(trigger) ?? newMemory(this.waiting);
		this.triggers.set(trigger, memory);
		if (memory.isPolling) return undefined;
		const data = context.getWorkflowStaticData('node');
		const given = data.revision;
		// n8n saves a durable cursor together with the execution. All other data has `__dataChanged`.
		const isCursor = !('__dataChanged' in data);
		const hasDurableCursors = isCursor && typeof context.__commitCursor === 'function';
		const { last } = memory;
		const choice = this.chooseState(memory, given, hasDurableCursors, now);
		if (choice === 'wait') return undefined;
		if (choice === 'given' && last) remember(memory, undefined);

		memory.polledAt = now;
		this.letGoOfIdle(now);
		const lastState = choice === 'own' ? last?.state : restore(data.feed);
		const batches = lastState?.accounts.flatMap((account) => account.batches) ?? [];
		if (choice === 'given') setUnknown(batches, memory.fates);
		memory.isPolling = true;
		return {
			lastState,
			isNew: lastState === undefined && data.feed === undefined,
			progress: memory.progress,
			newBatch: hasDurableCursors ? undefined : () => ({ id: randomUUID(), at: this.clock() }),
			fateOf: (batch) => fateOf(batch, memory.fates, now),
			room: () => {
				// What was kept has grown since.
				remember(memory, memory.progress);
				return MOST_WAITING - (this.waiting.bytes - memory.held.bytes);
			},
			limits: this.limits,
			keep(progress) {
				remember(memory, progress);
			},
			commit: ({ events, batchId, state, progress }) => {
				const written = `${this.name} ${++this.revisions}`;
				// Assigned as a whole, since n8n only notices assignments.
				data.feed = state as unknown as IDataObject;
				data.revision = written;
				const emittedAt = events.length > 0 ? this.clock() : undefined;
				// Of what the last poll was given and what it wrote, n8n has passed in one at most. The other is replaced.
				for (const other of last ? [last.given, last.written] : [])
					if (other !== given) memory.replaced.set(other, this.clock());
				memory.last = { given, written, state, emittedAt, batchId };
				remember(memory, progress);
				if (batchId !== undefined) watchHandover(context, batchId, memory.fates);
			},
			end() {
				memory.isPolling = false;
			},
		};
	}

	/**
	 * Whether to go on from the process's own state or from the given one, or to let n8n finish saving. The
	 * numbers are those of the table in docs/trigger.md.
	 */
	private chooseState(
		{ last, replaced, fates }: TriggerMemory,
		given: unknown,
		hasDurableCursors: boolean,
		now: number,
	): 'own' | 'given' | 'wait' {
		const isRecent = (time?: number) => time !== undefined && Math.abs(now - time) < HANDOVER;
		for (const [revision, time] of replaced) if (!isRecent(time)) replaced.delete(revision);
		/* 1 */ if (!last) return 'given';
		const { emittedAt, batchId } = last;
		const wasReadTooEarly = hasDurableCursors && replaced.has(given);
		const isOnlyOffered = batchId !== undefined && isOffered(batchId, fates);
		const isGivenTheSame = given === last.given;
		const isSavedWithEvents = hasDurableCursors && emittedAt !== undefined;
		const isOlderOwn = !hasDurableCursors && String(given).startsWith(this.name);
		const isBehind = isGivenTheSame || isOlderOwn || given === undefined;
		/* 2 */ if (wasReadTooEarly) return 'wait';
		/* 3 */ if (isOnlyOffered && isRecent(emittedAt)) return 'wait';
		/* 4 */ if (given === last.written) return 'own';
		// If n8n does not save them soon, it has discarded both.
		/* 5 */ if (isGivenTheSame && isSavedWithEvents) return isRecent(emittedAt) ? 'wait' : 'given';
		/* 6 */ if (isBehind) return 'own';
		/* 7 */ return 'given'; // Another process wrote it.
	}

	/** A trigger that is no longer published must not take room from the others. If it returns, it reads again. */
	private letGoOfIdle(now: number): void {
		for (const memory of this.triggers.values())
			if (now - memory.polledAt > IDLE) remember(memory, undefined);
	}
}

function remember(memory: TriggerMemory, progress: Progress<License> | undefined): void {
	memory.progress = progress;
	memory.held.add((progress ? bytesHeld(progress) : 0) - memory.held.bytes);
}

const newMemory = (waiting: WaitingBytes): TriggerMemory => ({
	isPolling: false,
	polledAt: 0,
	replaced: new Map(),
	held: waiting.open(),
	fates: new Map(),
});
