import {
	type IDataObject,
	type IPollFunctions,
	ManualExecutionCancelledError,
	ObservableObject,
} from 'n8n-workflow';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import type { SessionContext } from '../../nodes/LicensingData/trigger/savedState.ts';
import type { TriggerState } from '../../nodes/LicensingData/trigger/memory.ts';
import type { PollInput } from '../../nodes/LicensingData/trigger/pollRun.ts';
import type { BatchFate, PollStep } from './history.mts';

export interface PollCall extends PollInput {
	context: SessionContext;
	/** The time as the poll goes on. */
	clock(): number;
}

export interface PollResult {
	emitted: License[];
	state?: TriggerState;
	failure?: unknown;
}

/** One process of n8n. A new one knows only what n8n has saved. */
export type TriggerProcess = (call: PollCall) => Promise<PollResult>;

/**
 * n8n's three ways of keeping a polling trigger's state:
 * - `memory`: an object of the process. The database gets it with a batch and at activation.
 * - `scheduler`, durable but without cursors: each poll gets the database's copy. A batch saves, as above.
 * - `cursors`: each poll gets a copy, which is saved together with the execution, or alone if there is none.
 */
export type Saving = 'memory' | 'scheduler' | 'cursors';

/** What n8n holds in memory notices assignments, and has `__dataChanged`. */
type Data = ReturnType<SessionContext['getWorkflowStaticData']>;
type DonePromise = Parameters<IPollFunctions['__emit']>[2];

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
	private active: { data: Data; context: SessionContext } | undefined;
	private isPublished = false;
	private isActivating = true;
	private fate: BatchFate = {};
	private batch: { isExecuted: boolean; isStateSaved: boolean } | undefined;
	/** What the trigger has not yet been told about its batches. */
	private unsettled: Array<() => void> = [];

	constructor(
		private readonly saving: Saving,
		private readonly start: () => TriggerProcess,
		/** Called whenever the database has a new state. */
		private readonly onSaved: () => void,
	) {}

	/** A poll and what n8n makes of its result: no batch, if nothing was emitted. It never returns if the process is lost. */
	async poll(
		call: Omit<PollCall, 'context'>,
		{ fate = {}, isAbandoned, readAhead }: PollStep,
		onResult: (result: PollResult) => void,
	) {
		const heardAfterwards = this.unsettled.splice(0);
		if (this.recent.now !== call.now) this.recent = { now: call.now, states: [this.database] };
		const { data, context } = this.open(readAhead);
		const before = JSON.stringify(data);
		const { isActivating, process } = this;
		const result = await process({ ...call, context });
		onResult(result);
		const hasFailed = result.failure !== undefined;
		if (!hasFailed) this.hasPolled.add(this.leader);
		if (isAbandoned) {
			if (this.saving === 'memory') this.publish();
		} else if (!hasFailed) {
			this.isActivating = false;
			this.isPublished = true;
			if (result.emitted.length > 0) {
				this.fate = fate;
				// Through the context, where the trigger may have put its own function.
				context.__emit?.([result.emitted.map((json) => ({ json: json as IDataObject }))]);
			} else if (this.saving === 'cursors' && !isActivating && JSON.stringify(data) !== before) {
				this.save(data);
			}
			const hasStopped = fate.stops && result.emitted.length > 0;
			if (isActivating && this.saving !== 'cursors' && !hasStopped) this.save(data);
		}
		if (!fate.isLate) heardAfterwards.push(...this.unsettled.splice(0));
		for (const settle of heardAfterwards) settle();
		// The trigger hears of it in a separate turn.
		if (heardAfterwards.length > 0) await new Promise(setImmediate);
		const { batch } = this;
		this.batch = undefined;
		return { result, batch };
	}

	/** Another poll of the same node while one is running. */
	async overlap(call: Omit<PollCall, 'context'>): Promise<void> {
		await this.process({ ...call, context: this.open().context });
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

	/** Another main process polls from now on. Says whether it has done so before. */
	lead(main: number): boolean {
		this.settle();
		this.publish();
		this.recent.states = [];
		this.leader = main;
		return this.hasPolled.has(main);
	}

	private get process(): TriggerProcess {
		const process = this.processes.get(this.leader) ?? this.start();
		this.processes.set(this.leader, process);
		return process;
	}

	/** A poll that had to wait for its turn is given what n8n had read for it so many saves before. */
	private open(readAhead = 0): { data: Data; context: SessionContext } {
		if (this.active) return this.active;
		const { states } = this.recent;
		const read = copy(states[Math.max(0, states.length - 1 - readAhead)] ?? this.database);
		const stored = () => ObservableObject.create(copy(this.database)) as Data;
		const data = this.saving === 'cursors' ? read : stored();
		const context: SessionContext = {
			getWorkflowStaticData: () => data,
			__emit: (_items, _response, done) => this.emit(data, done),
			__commitCursor: async () => {},
		};
		if (this.saving === 'memory') this.active = { data, context };
		return { data, context };
	}

	private emit(data: Data, done: DonePromise): void {
		const { losesState, losesExecution, isCanceled, stops } = this.fate;
		const isOneTransaction = this.saving === 'cursors';
		const losesOne = Boolean(losesState || losesExecution);
		const isStateSaved = !(isOneTransaction ? losesOne : losesState);
		const isExecuted = !(isOneTransaction ? losesOne : losesExecution);
		if (isStateSaved) this.save(data);
		this.batch = { isExecuted, isStateSaved };
		if (stops || !done) return;
		this.unsettled.push(() => {
			if (!isExecuted) done.reject(new Error('SQLITE_BUSY: database is locked'));
			else if (isCanceled) done.reject(new ManualExecutionCancelledError('1'));
			else done.resolve(undefined);
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
