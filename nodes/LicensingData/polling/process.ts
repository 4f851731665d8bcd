import { randomUUID } from 'node:crypto';

import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { bytesOf, type Poll, type Progress } from '../feed/poll';
import { restore, type Emission, type FeedState } from '../feed/state';
import type { License } from '../license/license';

/** What it needs of n8n's poll context. */
export type MemoryContext = Pick<IPollFunctions, 'getWorkflowStaticData' | '__emit'>;

/**
 * A new process repeats an emission that is younger than this, as it cannot know whether n8n got to run it.
 * docs/reliability.md has the figures behind it.
 */
export const GRACE = 5 * 60_000;

/** n8n hands over an emission, and saves it, within less than this. */
const HANDOVER = 30_000;

/** Longer than between two polls of any usual schedule. */
const IDLE = 25 * 3_600_000;

/** Of how many emissions a trigger remembers what became of them. */
const MOST_FATES = 100;

/** What all triggers of a process may hold together, in bytes. */
const MOST_BYTES = 64_000_000;

/** Errors of executions that did exist: they say how one ended, not that there was none. */
const ENDS_OF_EXECUTIONS = ['ExecutionCancelledError', 'ExecutionNotFoundError'];

type Fate = 'prepared' | 'handedOver' | 'taken' | 'lost';

/** What this process knows of one trigger beyond what n8n has saved. */
interface TriggerMemory {
	isPolling: boolean;
	polledAt: number;
	/** Whether a poll has committed in this process. */
	hasCommitted: boolean;
	/** The revision that the last successful poll was given, and the one that it returned. */
	given?: unknown;
	returned?: string;
	state?: FeedState;
	progress?: Progress<License>;
	/** When the last poll emitted; undefined if it was silent. */
	emittedAt?: number;
	fates: Map<string, Fate>;
}

/** One poll's view of the memory, and its only way to change it. */
export interface Turn
	extends Pick<Poll<License>, 'saved' | 'progress' | 'fateOf' | 'room' | 'newEmission'> {
	/** After a poll that failed: nothing changes but what it has read. */
	keep(progress: Progress<License> | undefined): void;
	commit(state: FeedState, progress: Progress<License>, hasEmitted: boolean): void;
	end(): void;
}

/**
 * What a process of n8n holds of its polling triggers. n8n saves a trigger's state in three ways, and in none
 * of them at once: docs/trigger.md tells them apart. Every state that is returned carries a revision, so that
 * the next poll sees whether it is given that state, an earlier one, or one that another process wrote.
 */
export class PollingProcess {
	private readonly triggers = new Map<string, TriggerMemory>();
	private readonly name = randomUUID();
	private revisions = 0;

	constructor(private readonly clock = () => Date.now()) {}

	/** Undefined while an earlier poll of the trigger goes on (promise 10), or while n8n still saves what it emitted. */
	begin(trigger: string, context: MemoryContext): Turn | undefined {
		const now = this.clock();
		const memory = this.triggers.get(trigger) ?? newMemory();
		this.triggers.set(trigger, memory);
		if (memory.isPolling) return undefined;
		const data = context.getWorkflowStaticData('node');
		const given = data.revision;
		// n8n saves a durable cursor together with the execution. What it keeps otherwise has `__dataChanged`.
		const hasDurableCursors = !('__dataChanged' in data);
		const isOurs = given === memory.returned;
		// n8n did not save what the last poll returned, or not yet.
		// Without durable cursors, that may be any state of this process, as when a workflow is published again.
		const isOlder = !hasDurableCursors && String(given).startsWith(this.name);
		const isUnsaved = !isOurs && (given === memory.given || isOlder);
		// The node has another name now, and n8n keeps nothing under that.
		const isRenamed = given === undefined && !isUnsaved;
		const { emittedAt } = memory;
		const isDiscarded = hasDurableCursors && isUnsaved && emittedAt !== undefined;
		if (isDiscarded && Math.abs(now - emittedAt) < HANDOVER) return undefined;
		const isCurrent = isOurs || isRenamed || (isUnsaved && !isDiscarded);
		const goesOn = memory.hasCommitted && isCurrent;
		if (memory.hasCommitted && !goesOn) memory.progress = undefined;

		memory.isPolling = true;
		memory.polledAt = now;
		this.letGoOfIdle(now);
		// Decided now, as this poll may fail until the grace period is over.
		for (const emission of restore(data.feed)?.emissions ?? []) fateOf(emission, memory, now);
		let emissionId: string | undefined;
		return {
			saved: goesOn ? memory.state : data.feed,
			progress: memory.progress,
			newEmission: hasDurableCursors
				? undefined
				: () => ({ id: (emissionId = randomUUID()), at: this.clock() }),
			fateOf: (emission) => fateOf(emission, memory, now),
			room: () => MOST_BYTES - this.bytesOfOthers(trigger),
			keep(progress) {
				memory.progress = progress;
			},
			commit: (state, progress, emits) => {
				const returned = `${this.name} ${++this.revisions}`;
				// Assigned whole, as n8n notices assignments.
				data.feed = state as unknown as IDataObject;
				data.revision = returned;
				const emittedAt = emits ? this.clock() : undefined;
				Object.assign(memory, { hasCommitted: true, given, returned, state, progress, emittedAt });
				if (emissionId !== undefined) watchHandover(context, emissionId, memory.fates);
			},
			end() {
				memory.isPolling = false;
			},
		};
	}

	/** A trigger that is no longer published must not take room from the others. What it had read is read again. */
	private letGoOfIdle(now: number): void {
		for (const memory of this.triggers.values())
			if (!memory.isPolling && now - memory.polledAt > IDLE) memory.progress = undefined;
	}

	private bytesOfOthers(trigger: string): number {
		let bytes = 0;
		for (const [name, { progress }] of this.triggers)
			if (name !== trigger && progress) bytes += bytesOf(progress);
		return bytes;
	}
}

const newMemory = (): TriggerMemory => ({
	isPolling: false,
	polledAt: 0,
	hasCommitted: false,
	fates: new Map(),
});

function fateOf(
	{ id, at }: Emission,
	memory: TriggerMemory,
	now: number,
): 'taken' | 'lost' | 'open' {
	const age = Math.abs(now - at);
	const fate = memory.fates.get(id);
	// Of another process: one that ended, if this one is new, or else one that polls in turn with it.
	if (fate === undefined && !memory.hasCommitted && age < GRACE) {
		// n8n may drop what this poll repeats, too, and then give the same state once more.
		memory.fates.set(id, 'lost');
		return 'lost';
	}
	if (fate === undefined) return 'taken';
	// n8n can also drop what a poll returns, and then it tells nobody.
	if (fate === 'prepared') return age < HANDOVER ? 'open' : 'lost';
	if (fate === 'handedOver') return age < GRACE ? 'open' : 'taken';
	return fate;
}

/**
 * n8n calls `__emit` itself once the poll has returned, and would tell nobody if it then could not create the
 * execution. So for this one call it is handed a promise to settle, which it does when the execution ends.
 */
function watchHandover(context: MemoryContext, id: string, fates: Map<string, Fate>): void {
	const settle = (fate: Fate) => fates.set(id, fate);
	settle('prepared');
	// n8n may come back with an older state, which names emissions that are long settled.
	for (const old of fates.keys()) if (fates.size > MOST_FATES) fates.delete(old);
	const emit = context.__emit;
	context.__emit = (data, responsePromise, donePromise) => {
		context.__emit = emit;
		settle('handedOver');
		const done = {
			promise: new Promise<never>(() => {}),
			resolve: () => settle('taken'),
			reject: (error: Error) => settle(didExecutionExist(error) ? 'taken' : 'lost'),
		};
		emit.call(context, data, responsePromise, donePromise ?? done);
	};
}

/** By the names of its classes: the error may come from another copy of n8n's packages. */
function didExecutionExist(error: Error): boolean {
	for (let at: object | null = error; at; at = Object.getPrototypeOf(at) as object | null)
		if (ENDS_OF_EXECUTIONS.includes(at.constructor.name)) return true;
	return false;
}
