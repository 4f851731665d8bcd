import { ManualExecutionCancelledError, ObservableObject } from 'n8n-workflow';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import type { FeedInput } from '../../nodes/LicensingData/trigger/run.ts';
import type { TriggerState } from '../../nodes/LicensingData/trigger/memory.ts';
import type { Situation } from './situations.mts';

/** Settles when the execution has ended, or could not be created. */
interface DonePromise {
	resolve(value: unknown): void;
	reject(error: Error): void;
}

/** What the trigger sees of n8n. */
interface PollContext {
	/** n8n notices assignments. Only what n8n holds in memory has `__dataChanged`. */
	getWorkflowStaticData(type: 'node'): Record<string, unknown>;
	/** n8n calls it after a poll that returned records; the trigger may wrap it, to pass in a promise. */
	__emit(data: unknown, responsePromise?: unknown, donePromise?: DonePromise): void;
	/** Saves a durable cursor right away; does nothing if there is none. */
	__commitCursor(): Promise<void>;
}

export interface PollCall extends FeedInput {
	context: PollContext;
	/** The time as the poll goes on. */
	clock(): number;
}

export type PollResult =
	| { emitted: License[]; state?: TriggerState; situations: Situation[] }
	| { failure: unknown };

/** One process of n8n. A new one knows only what n8n has saved. */
export interface TriggerProcess {
	poll(call: PollCall): Promise<PollResult>;
}

/**
 * n8n's three ways of keeping a polling trigger's state:
 * - `memory`: an object of the process. The database gets it with a batch and at activation.
 * - `scheduler`, durable but without cursors: each poll gets the database's copy. A batch saves, as above.
 * - `cursors`: each poll gets a copy, which is saved together with the execution, or alone if there is none.
 */
export type Saving = 'memory' | 'scheduler' | 'cursors';

/** What becomes of a batch. */
export interface BatchFate {
	/** Whether the database takes the state. With cursors, it takes both or neither. */
	savesState: boolean;
	/** Whether the database takes the execution. */
	savesExecution: boolean;
	/** Whether the user cancels the execution: it did exist. */
	isCanceled: boolean;
	/** Whether the trigger is told only after the next poll. */
	isLate: boolean;
	/** n8n stops right after what it was able to save. */
	stops: boolean;
}

interface PollOptions {
	isAbandoned: boolean;
	/** Before how many saves of this minute n8n had read the cursor. */
	readAhead: number;
	onResult: (result: PollResult) => void;
}

export interface Polled {
	result: PollResult;
	/** Undefined if nothing was emitted. */
	batch?: { isExecuted: boolean; isStateSaved: boolean };
	/** Whether it was given another state than the last one saved. */
	wasOutdated: boolean;
}

type Data = Record<string, unknown>;

const copy = (data: Data): Data => JSON.parse(JSON.stringify(data)) as Data;

/** The part of n8n around one polling trigger, with a database of one row. */
export class FakeN8n {
	private database: Data = {};
	/** What the database has held this minute, newest last. */
	private recent: { now: number; states: Data[] } = { now: 0, states: [] };
	/** The main processes, of which one polls. The others live on, and may take over again. */
	private readonly processes = new Map<number, TriggerProcess>();
	private leader = 0;
	/** Those of which a poll went well. */
	private readonly hasPolled = new Set<number>();
	/** In memory mode, what lives as long as the workflow is active in this process. */
	private active: { data: Data; context: PollContext } | undefined;
	private isPublished = false;
	private isActivating = true;
	private batchFate: BatchFate | undefined;
	private batch: Polled['batch'];
	/** What the trigger has not yet been told about its batches. */
	private unsettled: Array<() => void> = [];

	constructor(
		private readonly saving: Saving,
		private readonly start: () => TriggerProcess,
		/** Called whenever the database has a new state. */
		private readonly onSaved: () => void,
	) {}

	/** A poll and what n8n makes of its result. It never returns if the process is lost meanwhile. */
	async poll(
		call: Omit<PollCall, 'context'>,
		fate: BatchFate,
		{ isAbandoned, readAhead, onResult }: PollOptions,
	): Promise<Polled> {
		const heardAfterwards = this.unsettled;
		this.unsettled = [];
		if (this.recent.now !== call.now) this.recent = { now: call.now, states: [this.database] };
		const { data, context } = this.open(readAhead);
		const before = JSON.stringify(data);
		const wasOutdated = this.saving === 'cursors' && before !== JSON.stringify(this.database);
		const isActivating = this.isActivating;
		const { process } = this;
		const result = await process.poll({ ...call, context });
		onResult(result);
		if (!('failure' in result)) this.hasPolled.add(this.leader);
		this.batch = undefined;
		if (isAbandoned) {
			if (this.saving === 'memory') this.publish();
		} else if (!('failure' in result)) {
			this.isActivating = false;
			this.isPublished = true;
			if (result.emitted.length > 0) {
				this.batchFate = fate;
				// Through the context, where the trigger may have put its own function.
				context.__emit([result.emitted.map((json) => ({ json }))]);
			} else if (this.saving === 'cursors' && !isActivating && JSON.stringify(data) !== before) {
				this.save(data);
			}
			if (isActivating && this.saving !== 'cursors' && !this.hasStopped(fate)) this.save(data);
		}
		if (!fate.isLate) heardAfterwards.push(...this.unsettled.splice(0));
		for (const settle of heardAfterwards) settle();
		// The trigger hears of it in a separate turn.
		if (heardAfterwards.length > 0) await new Promise(setImmediate);
		return { result, batch: this.batch, wasOutdated };
	}

	/** Another poll of the same node while one is running. */
	async overlap(call: Omit<PollCall, 'context'>): Promise<PollResult> {
		return await this.process.poll({ ...call, context: this.open().context });
	}

	/** The size of what would be saved now, or is saved. */
	get bytes(): number {
		return Buffer.byteLength(JSON.stringify(this.active?.data ?? this.database));
	}

	/** The workflow is republished, for instance with other filters, in the same process. */
	publish(): void {
		this.active = undefined;
		this.isActivating = this.saving === 'memory' || !this.isPublished;
	}

	/** What became of the batches is known by now. */
	settle(): void {
		for (const settle of this.unsettled.splice(0)) settle();
	}

	loseProcess(): void {
		this.processes.delete(this.leader);
		this.hasPolled.delete(this.leader);
		this.unsettled = [];
		this.lead(this.leader);
	}

	/** Another main process polls from now on, one that has done so before or a new one. Says which. */
	lead(main: number): 'new' | 'returning' {
		this.settle();
		this.publish();
		this.recent.states = [];
		this.leader = main;
		return this.hasPolled.has(main) ? 'returning' : 'new';
	}

	private get process(): TriggerProcess {
		const process = this.processes.get(this.leader) ?? this.start();
		this.processes.set(this.leader, process);
		return process;
	}

	private hasStopped({ stops }: BatchFate): boolean {
		return stops && this.batch !== undefined;
	}

	private open(readAhead = 0): { data: Data; context: PollContext } {
		if (this.saving === 'cursors') return this.contextWith(this.read(readAhead));
		if (this.saving !== 'memory') return this.contextWith(this.stored());
		return (this.active ??= this.contextWith(this.stored()));
	}

	/** A poll that had to wait for its turn is given what n8n had read for it before. */
	private read(readAhead: number): Data {
		const { states } = this.recent;
		return copy(states[Math.max(0, states.length - 1 - readAhead)] ?? this.database);
	}

	private stored(): Data {
		return ObservableObject.create(copy(this.database) as never) as Data;
	}

	private contextWith(data: Data): { data: Data; context: PollContext } {
		const context: PollContext = {
			getWorkflowStaticData: () => data,
			__emit: (_, __, donePromise) => this.emit(data, donePromise),
			__commitCursor: async () => {
				if (this.saving === 'cursors') this.save(data);
			},
		};
		return { data, context };
	}

	private emit(data: Data, donePromise?: DonePromise): void {
		const fate = this.batchFate as BatchFate;
		const isOneTransaction = this.saving === 'cursors';
		const isBoth = fate.savesState && fate.savesExecution;
		const isStateSaved = isOneTransaction ? isBoth : fate.savesState;
		const isExecuted = isOneTransaction ? isBoth : fate.savesExecution;
		if (isStateSaved) this.save(data);
		this.batch = { isExecuted, isStateSaved };
		if (fate.stops || !donePromise) return;
		this.unsettled.push(() => {
			if (!isExecuted) donePromise.reject(new Error('SQLITE_BUSY: database is locked'));
			else if (fate.isCanceled) donePromise.reject(new ManualExecutionCancelledError('1'));
			else donePromise.resolve(undefined);
		});
	}

	private save(data: Data): void {
		// A poll that did nothing leaves what was saved, which may be less than the process knows.
		const isNews = JSON.stringify(data) !== JSON.stringify(this.database);
		this.database = copy(data);
		this.recent.states.push(this.database);
		if (isNews) this.onSaved();
	}
}
