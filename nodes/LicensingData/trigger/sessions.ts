import { randomUUID } from 'node:crypto';
import type { IPollFunctions } from 'n8n-workflow';

import { fateOf, type Fates, HANDOVER, OFFERED, watchHandover } from './handover';
import type { Progress } from './progress';
import { type Batch, restoreState, type TriggerState } from './stateFormat';

/*
 * n8n saves a trigger's state in one of three ways, none of them immediate, and tells no trigger which, or when:
 *   in-memory scheduler (the default up to 2.44): with a batch and at activation, and the execution right after it;
 *   durable scheduler without cursors (2.36 and later): likewise, and each poll is given the database's copy;
 *   durable cursors (2.36 and later, the default from 2.45): after each poll, together with the execution.
 * So every state has a revision, which tells whether the next poll is given that state, an earlier one, or that of
 * another process (`chooseState`). And without cursors, n8n may stop, or fail, between its two writes: the state names
 * each batch until n8n has said what became of it (`watchHandover`). What it could not start comes again. What a lost
 * process may not have handed over comes again within five minutes, and never after: what crashes n8n must not come
 * for ever. With durable cursors alone, handover.ts can go. docs/trigger.md has the rules.
 */

/** What this needs of n8n's poll context. `__commitCursor` is not called: n8n means it for its own engine. */
export type SessionContext = Pick<IPollFunctions, 'getWorkflowStaticData'> &
	Partial<Pick<IPollFunctions, '__emit' | '__commitCursor'>>;

/** What a successful poll leaves for the next one, and how n8n's states and the process's own have followed each other. */
interface LastPoll {
	batchId: string | undefined;
	state: TriggerState;
	progress: Progress;
	at: number;
	/** What it went on from. */
	before: TriggerState | undefined;
	/** The revision that it was given, and the latest one that another process wrote, or none. */
	given: unknown;
	taken: unknown;
	written: string;
}

/** What this process knows of one trigger beyond what n8n has saved. */
interface TriggerMemory {
	isPolling: boolean;
	/** Undefined in a new process, until a poll has gone well. */
	last?: LastPoll;
	fates: Fates;
}

/** What is left of earlier polls, what n8n has told about it, and a poll's only way to change it. */
export type TriggerSession = NonNullable<ReturnType<TriggerSessions['begin']>>;

/** What an n8n process holds for its polling triggers. */
export class TriggerSessions {
	/** By workflow, ID and name of the node: two nodes may have one ID. */
	private readonly triggers = new Map<string, TriggerMemory>();
	private readonly name = randomUUID();
	private revisions = 0;

	constructor(private readonly clock = () => Date.now()) {}

	/** Undefined while the trigger's last poll is running, or n8n is still saving what it emitted. */
	begin(trigger: string, context: SessionContext) {
		const data = context.getWorkflowStaticData('node');
		const given = data.revision;
		const fresh: TriggerMemory = { isPolling: false, fates: new Map() };
		const memory = this.triggers.get(trigger) ?? fresh;
		this.triggers.set(trigger, memory);
		const { last, fates } = memory;
		// n8n saves a durable cursor together with the execution. All other data has `__dataChanged`.
		const isDurable = !('__dataChanged' in data) && typeof context.__commitCursor === 'function';
		const choice = this.chooseState(memory, given, isDurable);
		if (memory.isPolling || choice === 'wait') return undefined;
		memory.isPolling = true;
		// With durable cursors, n8n has not saved what a silent poll at publishing has learned.
		const saved = given === undefined ? last?.before : restoreState(data.feed);
		const lastState = choice === 'own' ? last?.state : saved;
		// What was found is kept, as it may have left the list. What was read has to be read again.
		if (choice === 'refused') last?.progress?.scans.clear();
		return {
			/** What n8n has saved, or what the process knows better; undefined if there is nothing that can be read. */
			lastState,
			/** True if there was nothing at all. */
			isNew: lastState === undefined && data.feed === undefined,
			progress: choice === 'given' ? undefined : last?.progress,
			/** For the batch that this poll emits; undefined if n8n saves it together with the state. */
			newBatch: isDurable ? undefined : () => ({ id: randomUUID(), at: this.clock() }),
			fateOf: (batch: Batch) => fateOf(batch, fates, this.clock()),
			commit: (outcome: Pick<LastPoll, 'batchId' | 'state' | 'progress'>) => {
				const taken = this.hasWritten(given) ? last?.taken : given;
				const written = `${this.name} ${++this.revisions}`;
				// Assigned as a whole, since n8n only notices assignments.
				Object.assign(data, { feed: outcome.state, revision: written });
				memory.last = { ...outcome, at: this.clock(), before: lastState, given, taken, written };
				if (outcome.batchId) watchHandover(context, outcome.batchId, fates);
			},
			end: () => void (memory.isPolling = false),
		};
	}

	private hasWritten(revision: unknown): boolean {
		return String(revision).startsWith(this.name);
	}

	/**
	 * Chooses whether to go on from the process's own state or from the given one, or to let n8n finish saving. The
	 * numbers are those of the list in docs/trigger.md.
	 */
	private chooseState({ last, fates }: TriggerMemory, given: unknown, isDurable: boolean) {
		/* 1 */ if (!last) return 'given';
		const isRecent = Math.abs(this.clock() - last.at) < HANDOVER;
		const isGivenTheSame = given === last.given;
		const isOurs = this.hasWritten(given) || given === last.taken;
		const isOlder = isOurs && given !== last.written && !isGivenTheSame;
		const isOnlyOffered = fates.get(last.batchId ?? '') === OFFERED;
		/* 2 */ if (isDurable && isOlder && isRecent) return 'wait';
		/* 3 */ if (isOnlyOffered && isRecent) return 'wait';
		/* 4 */ if (given === last.written) return 'own';
		// If n8n does not save them soon, it has discarded both.
		/* 5 */ if (isGivenTheSame && isDurable && last.batchId !== undefined)
			return isRecent ? 'wait' : 'refused';
		/* 6 */ if (isGivenTheSame || given === undefined || (isOlder && !isDurable)) return 'own';
		/* 7 */ return 'given'; // Another process wrote it.
	}
}
