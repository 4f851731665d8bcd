import { randomUUID } from 'node:crypto';

import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { Limits, Outcome, Progress, Session } from './run';
import { restore, type Batch, type Fate, type TriggerState } from './state';

/*
 * n8n saves a trigger's state in one of three ways, none of them immediate, and tells no trigger which, or when:
 *   in-memory scheduler (the default up to 2.44): with a batch and at activation, and the execution right after it;
 *   durable scheduler without cursors (2.36 and later): likewise, and each poll is given the database's copy;
 *   durable cursors (2.36 and later, the default from 2.45): after each poll, together with the execution.
 * So every state has a revision, which tells whether the next poll is given that state, an earlier one, or that of
 * another process (`chooseState`). And without cursors, n8n may stop, or fail, between its two writes: the state names
 * each batch until n8n has said what became of it (`watchHandover`). What it could not start comes again. What a lost
 * process may not have handed over comes again within five minutes, and never after: what crashes n8n must not come
 * for ever. With durable cursors alone, everything from `Fates` on can go. docs/trigger.md has the rules.
 */

/** A start of n8n takes 30 to 60 seconds on two cores, and replacing a container about as long. */
export const GRACE = 5 * 60_000;

/** n8n takes over what a poll returns, and saves it, within less than this. */
export const HANDOVER = 30_000;

/** Longer than a week: who polls that seldom goes on with a reading that one poll could not finish. */
const IDLE = 8 * 24 * 3_600_000;

const LIMITS: Limits = { events: 15_000, pages: 400 };

/** How many batches a trigger remembers the fate of. */
const MOST_FATES = 100;

/** Errors of executions that did exist: they say how one ended, not that there was none. */
const ENDS_OF_EXECUTIONS = ['ExecutionCancelledError', 'ExecutionNotFoundError'];

export type EmitContext = Partial<Pick<IPollFunctions, '__emit'>>;

/** What this needs of n8n's poll context. `__commitCursor` is not called: n8n means it for its own engine. */
export type SessionContext = EmitContext &
	Pick<IPollFunctions, 'getWorkflowStaticData'> &
	Partial<Pick<IPollFunctions, '__commitCursor'>>;

/** Which node of which workflow polls. Two nodes may have one ID. */
export interface TriggerName {
	id: string;
	node: string;
}

/** What a successful poll leaves for the next one. */
interface LastPoll {
	/** What it went on from. */
	before: TriggerState | undefined;
	/** The revision that it was given, and the one that it wrote. */
	given: unknown;
	written: string;
	state: TriggerState;
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
	progress?: Progress;
	fates: Fates;
}

/** One poll's view of the memory, and its only way to change it. */
export interface TriggerSession extends Session {
	commit(outcome: Outcome): void;
	end(): void;
}

/** What an n8n process holds for its polling triggers. */
export class TriggerSessions {
	/** By node ID, and then by name. */
	private readonly triggers = new Map<string, Map<string, TriggerMemory>>();
	private readonly name = randomUUID();
	private revisions = 0;

	constructor(
		private readonly clock = () => Date.now(),
		private readonly limits = LIMITS,
	) {}

	/** Undefined while the trigger's last poll is running, or n8n is still saving what it emitted. */
	begin(trigger: TriggerName, context: SessionContext): TriggerSession | undefined {
		const now = this.clock();
		const data = context.getWorkflowStaticData('node');
		const memory = this.memoryOf(trigger, data.revision === undefined);
		if (memory.isPolling) return undefined;
		const given = data.revision;
		// n8n saves a durable cursor together with the execution. All other data has `__dataChanged`.
		const isCursor = !('__dataChanged' in data);
		const hasDurableCursors = isCursor && typeof context.__commitCursor === 'function';
		const choice = this.chooseState(memory, given, hasDurableCursors, now);
		if (choice === 'wait') return undefined;
		if (choice === 'given' && memory.last) memory.progress = undefined;
		memory.polledAt = now;
		memory.isPolling = true;
		// With durable cursors, n8n has not saved what a silent poll at publishing has learned.
		const saved = given === undefined ? memory.last?.before : restore(data.feed);
		const lastState = choice === 'own' ? memory.last?.state : saved;
		if (choice === 'given') setUnknown(batchesOf(lastState), memory.fates);
		return {
			lastState,
			isNew: lastState === undefined && data.feed === undefined,
			progress: memory.progress,
			newBatch: hasDurableCursors ? undefined : () => ({ id: randomUUID(), at: this.clock() }),
			fateOf: (batch) => fateOf(batch, memory.fates, now),
			limits: this.limits,
			commit: (outcome) => {
				this.commit(outcome, lastState, memory, data);
				if (outcome.batchId !== undefined) watchHandover(context, outcome.batchId, memory.fates);
			},
			end() {
				memory.isPolling = false;
			},
		};
	}

	private commit(
		outcome: Outcome,
		before: TriggerState | undefined,
		memory: TriggerMemory,
		data: IDataObject,
	): void {
		const { events, batchId, state, progress } = outcome;
		const given = data.revision;
		const written = `${this.name} ${++this.revisions}`;
		// Assigned as a whole, since n8n only notices assignments.
		data.feed = state as unknown as IDataObject;
		data.revision = written;
		const emittedAt = events.length > 0 ? this.clock() : undefined;
		// Of what the last poll was given and what it wrote, n8n has passed in one at most. The other is replaced.
		const { last } = memory;
		for (const other of last ? [last.given, last.written] : [])
			if (other !== given) memory.replaced.set(other, this.clock());
		memory.last = { before, given, written, state, emittedAt, batchId };
		memory.progress = progress;
	}

	/** A node that was renamed, and has nothing saved under its new name, goes on with what the old one knew. */
	private memoryOf({ id, node }: TriggerName, hasNothing: boolean): TriggerMemory {
		const now = this.clock();
		const byName = this.triggers.get(id) ?? new Map<string, TriggerMemory>();
		this.triggers.set(id, byName);
		// What is no longer published must not fill the memory. If it returns, it reads again.
		for (const all of this.triggers.values())
			for (const memory of all.values())
				if (now - memory.polledAt > IDLE) memory.progress = undefined;
		const memory = byName.get(node) ?? newTriggerMemory(now);
		const [other] = [...byName.values()].sort((a, b) => b.polledAt - a.polledAt);
		if (!byName.has(node) && hasNothing && other?.last)
			memory.last = { ...other.last, given: undefined, emittedAt: undefined, batchId: undefined };
		byName.set(node, memory);
		return memory;
	}

	/**
	 * Whether to go on from the process's own state or from the given one, or to let n8n finish saving. The
	 * numbers are those of the list in docs/trigger.md.
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
		const isOnlyOffered = batchId !== undefined && fates.get(batchId) === OFFERED;
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
}

const newTriggerMemory = (polledAt: number): TriggerMemory => ({
	isPolling: false,
	polledAt,
	replaced: new Map(),
	fates: new Map(),
});

const batchesOf = (state: TriggerState | undefined): Batch[] =>
	Object.values(state?.memories ?? {}).flatMap((memory) => memory?.batches ?? []);

/** What is known of a trigger's batches, by ID. After `inFlightFor` without a word from n8n, the fate is `then`. */
export type Fates = Map<string, Fate | { inFlightFor: number; then: Fate }>;
/** The poll has returned it. n8n may drop it without calling `__emit`, and then it tells nobody. */
const OFFERED = { inFlightFor: HANDOVER, then: 'lost' } as const;
/** n8n has called `__emit`. It reports an execution that it could not create. */
const TAKEN = { inFlightFor: GRACE, then: 'acknowledged' } as const;

/** For what other processes have emitted. They may have ended before n8n took it over. */
export function setUnknown(batches: Batch[], fates: Fates): void {
	for (const { id } of batches) if (!fates.has(id)) fates.set(id, 'unknown');
}

export function fateOf(batch: Batch, fates: Fates, now: number): Fate | 'inFlight' {
	const { id, at, firstAt } = batch;
	const known = fates.get(id);
	const isOpen = typeof known === 'object' && Math.abs(now - at) < known.inFlightFor;
	if (isOpen) return 'inFlight';
	const fate = typeof known === 'object' ? known.then : (known ?? 'acknowledged');
	const isInDoubt = fate === 'unknown' || (fate === 'lost' && firstAt !== at);
	if (isInDoubt) return Math.abs(now - firstAt) < GRACE ? 'unknown' : 'acknowledged';
	return fate;
}

/**
 * n8n calls `__emit` itself once the poll has returned, and would tell nobody if it then could not create the
 * execution. So for this one call it is handed a promise to settle, which it does when the execution ends.
 */
export function watchHandover(context: EmitContext, id: string, fates: Fates): void {
	fates.set(id, OFFERED);
	// n8n may come back with an older state, which names batches whose fate is long known.
	for (const old of fates.keys()) if (fates.size > MOST_FATES) fates.delete(old);
	const emit = context.__emit;
	const acknowledge = () => fates.set(id, 'acknowledged');
	// Another version of n8n may not say what became of the batch.
	if (typeof emit !== 'function') return void acknowledge();
	const watched: typeof emit = (data, responsePromise, donePromise) => {
		Reflect.set(context, '__emit', emit);
		fates.set(id, TAKEN);
		const done = {
			promise: new Promise<never>(() => {}),
			resolve: acknowledge,
			reject: (error: Error) => fates.set(id, didExecutionExist(error) ? 'acknowledged' : 'lost'),
		};
		emit.call(context, data, responsePromise, donePromise ?? done);
		// This version's `__emit` takes no such promise, so nobody settles it.
		if (emit.length < 3) acknowledge();
	};
	if (!Reflect.set(context, '__emit', watched)) acknowledge();
}

/** Goes by class names, since the error may come from another copy of n8n's packages. */
function didExecutionExist(error: Error): boolean {
	for (let at: object | null = error; at; at = Object.getPrototypeOf(at) as object | null)
		if (ENDS_OF_EXECUTIONS.includes(at.constructor.name)) return true;
	return false;
}
