import {
	type IDataObject,
	type INodeExecutionData,
	type IPollFunctions,
	ManualExecutionCancelledError,
	type Workflow,
	type WorkflowActivateMode,
} from 'n8n-workflow';

import { additionalDataFor, copy, type HostOptions, nodeOf, workflowOf } from './host.mts';

const { PollContext, TriggersAndPollers } = await import('n8n-core');

/**
 * How n8n keeps a polling trigger's memory. `memory` is its classic scheduler: an object that lives as long
 * as the process, copied to the database when a poll emits and after activation. `scheduler`, durable without
 * cursors, reads the database at each poll, and saves as `memory` does. With `durable` cursors, a copy is
 * staged for each poll and saved unless the poll throws, or is a silent one of an activation.
 */
export type Saving = 'memory' | 'scheduler' | 'durable';

type PollContext = InstanceType<typeof PollContext>;
type Credentials = { baseUrl: string; apiKey: string };

/** A moment at which another process may act, or this one may end. */
type Moment = () => Promise<void>;

let workflows = 0;

const atOnce: Moment = async () => {};

/** One workflow, and what is saved for it. Several processes of n8n may share it. */
export class Database {
	readonly workflowId = `workflow-${++workflows}`;
	/** The trigger's memory. */
	saved: IDataObject = {};
	/** The ids of what was emitted, in order. */
	readonly emitted: unknown[] = [];
	/** How many have polled it. */
	processes = 0;
	/** Called whenever something else is saved. */
	onSaved = () => {};
}

/** What becomes of a batch. */
export interface Fate {
	/** What the database does not take. With durable cursors, it takes both or neither. */
	losesState?: boolean;
	losesExecution?: boolean;
	/** Whether the user cancels the execution: it did exist. */
	isCanceled?: boolean;
	/** Whether the trigger is told only when the test says so. */
	isLate?: boolean;
	/** n8n stops right after what it was able to save. */
	stops?: boolean;
	/** n8n drops what the poll has returned, and saves nothing. */
	isDropped?: boolean;
}

/** One occurrence of the schedule. Its latest claim holds the lease that n8n's durable cursors check. */
export class Run {
	lease = 0;
}

export interface PollerOptions extends HostOptions {
	credentials: Credentials;
	parameters?: IDataObject;
	saving?: Saving;
	/** One of its own unless given. */
	database?: Database;
	/** Milliseconds. */
	budget?: number;
	/** Makes n8n's context that of another version. */
	change?: (context: Record<string, unknown>) => void;
}

/** What a poll is given. */
interface Given {
	activation: WorkflowActivateMode;
	/** What n8n saves: with a batch, if it is not staged. */
	data: IDataObject;
	/** With durable cursors, the copy of what is saved. */
	staged?: IDataObject;
	moment?: Moment;
}

/** The part of n8n that polls, in one process: n8n-core's own PollContext, and a database of one row. */
export class Poller {
	readonly database: Database;
	budget: number;
	credentials: Credentials;
	/** Others count from the next publishing on. */
	parameters: IDataObject;

	/** What becomes of what the next polls emit, and what the database took of the last batch. */
	fate: Fate = {};
	batch: { isExecuted: boolean; isStateSaved: boolean } | undefined;
	/** What the trigger has not yet been told about its batches. */
	private unsettled: Array<() => void> = [];

	/** What n8n made of each poll: an error's kind decides how it backs off. */
	readonly errorKinds: Array<string | undefined> = [];

	/** What it had to say to whoever runs n8n. */
	readonly warnings: string[] = [];
	readonly notes: string[] = [];

	/** What the user was shown as failed executions, apart from polls that went well. */
	readonly shown: string[] = [];

	private readonly engine = new TriggersAndPollers();
	private workflow: Workflow;
	/** What n8n's classic scheduler keeps from the activation on, and polls with until the process ends. */
	private kept: PollContext | undefined;
	private handingOver: Promise<void> | undefined;

	constructor(private readonly options: PollerOptions) {
		this.database = options.database ?? new Database();
		this.budget = options.budget ?? 60_000;
		this.credentials = options.credentials;
		this.parameters = options.parameters ?? {};
		this.workflow = this.load();
		this.engine.events.on('poll-tick-completed', (tick) => {
			this.errorKinds.push(tick.status === 'error' ? tick.errorKind : undefined);
		});
	}

	/** Under which a workflow keeps what belongs to the node. */
	private get key(): string {
		return `node:${this.options.nodeType.description.displayName}`;
	}

	/** What the database holds. */
	get saved(): IDataObject {
		return this.database.saved;
	}

	/** Publishing, or a start of n8n: one poll, and always a save. */
	async activate(): Promise<IDataObject[]> {
		this.restart();
		// A poll that comes meanwhile may have its own.
		const { staticData } = this;
		const items = await this.poll('activate');
		const { isDropped, stops } = this.fate;
		const isLost = isDropped || (this.batch !== undefined && stops);
		if (this.options.saving !== 'durable' && !isLost) this.save(staticData);
		return items;
	}

	async poll(
		activation: WorkflowActivateMode = 'init',
		{ run = new Run(), moment = atOnce }: { run?: Run; moment?: Moment } = {},
	): Promise<IDataObject[]> {
		const { saving = 'memory' } = this.options;
		this.batch = undefined;
		const lease = ++run.lease;
		if (saving === 'scheduler' && activation !== 'activate') this.restart();
		const staged = saving === 'durable' ? copy(this.saved) : undefined;
		const before = JSON.stringify(staged);
		const given = { activation, staged, moment, data: staged ?? this.staticData };
		await moment();
		const isKept = saving === 'memory' && moment === atOnce;
		const context = isKept ? (this.kept ??= this.newContext(given)) : this.newContext(given);
		const items = await this.runOn(context);
		await moment();
		// With nothing to save, n8n asks for no lease.
		const hasChanged = JSON.stringify(staged) !== before;
		if (this.fate.isDropped || (staged && hasChanged && run.lease !== lease)) return [];
		if (items && typeof context.__emit === 'function') context.__emit(items);
		// A version without this function takes the items over in another way.
		else if (items) this.handingOver = this.takeOver(items, given);
		else if (staged && hasChanged && activation !== 'activate') this.save(staged);
		await this.handingOver;
		return (items?.[0] ?? []).map(({ json }) => json);
	}

	/** Begins a poll that goes on only as far as it is told: so many moments, or to its end. Says whether it is there. */
	start(run?: Run): (moments?: number) => Promise<boolean> {
		let left = 0;
		let release = () => {};
		let stop = (_isDone: boolean) => {};
		const moment: Moment = async () => {
			while (left === 0) {
				stop(false);
				await new Promise<void>((resolve) => (release = resolve));
			}
			left--;
		};
		const finished = this.poll('init', { run, moment }).then(() => true);
		// A poll that stands still for good runs into its timeout, unnoticed, after the test.
		finished.catch(() => {});
		return async (moments = Number.POSITIVE_INFINITY) => {
			left += moments;
			const stopped = new Promise<boolean>((resolve) => (stop = resolve));
			release();
			return await Promise.race([finished, stopped]);
		};
	}

	/** "Fetch Test Event". With null, n8n says that nothing was found. */
	async fetchTestEvent(): Promise<IDataObject[] | null> {
		const items = await this.runOn(this.newContext({ activation: 'manual', data: {} }));
		return items && (items[0] ?? []).map(({ json }) => json);
	}

	/** The process ends; what was not saved is gone. */
	restart(): void {
		this.workflow = this.load();
		this.kept = undefined;
	}

	private load(): Workflow {
		const { nodeType, saving } = this.options;
		return workflowOf(nodeType, nodeOf(nodeType, this.parameters), {
			id: this.database.workflowId,
			staticData: saving === 'durable' ? {} : { [this.key]: copy(this.saved) },
			settings: { timezone: 'America/New_York' },
		});
	}

	private get staticData(): IDataObject {
		return this.workflow.staticData[this.key] as IDataObject;
	}

	private save(data: IDataObject): void {
		const before = JSON.stringify(this.saved);
		this.database.saved = copy(data);
		// A poll that did nothing leaves what was saved.
		if (JSON.stringify(this.saved) !== before) this.database.onSaved();
	}

	/** What became of the batches is known by now. */
	async settle(): Promise<void> {
		for (const settle of this.unsettled.splice(0)) settle();
		// The trigger hears of it in a separate turn.
		await new Promise(setImmediate);
	}

	private async runOn(context: PollContext): Promise<INodeExecutionData[][] | null> {
		return await this.engine.runPollFunction(this.workflow, context.getNode(), context as never);
	}

	private newContext(given: Given): PollContext {
		const { activation, staged, moment } = given;
		const more = additionalDataFor(this.options);
		const getDecrypted = async () => ({ ...this.credentials });
		Object.assign(more.credentialsHelper, { getDecrypted });
		const context = new PollContext(
			this.workflow,
			this.workflow.getNode(this.options.nodeType.description.displayName)!,
			more,
			activation === 'manual' ? 'manual' : 'trigger',
			activation,
			(items, _response, done) => {
				this.handingOver = this.takeOver(items, given, done);
			},
			(error) => void this.shown.push(error.message),
			async () => staged && this.save(staged),
			undefined,
			staged && (() => staged),
			() => this.budget,
		);
		const warn = (line: string) => this.warnings.push(line);
		const info = (line: string) => this.notes.push(line);
		Object.defineProperty(context, 'logger', { value: { warn, info } });
		this.options.change?.(context as never);
		if (moment) stopAtRequests(context.helpers, moment);
		return context;
	}

	private async takeOver(
		[events = []]: INodeExecutionData[][],
		{ staged, data, moment }: Given,
		done?: Parameters<IPollFunctions['__emit']>[2],
	): Promise<void> {
		const { losesState, losesExecution, isCanceled, isLate, stops } = this.fate;
		const losesOne = Boolean(losesState || losesExecution);
		const isStateSaved = !(staged ? losesOne : losesState);
		const isExecuted = !(staged ? losesOne : losesExecution);
		if (isStateSaved) this.save(data);
		// With durable cursors, both are written at once.
		if (!staged) await moment?.();
		if (isExecuted) this.database.emitted.push(...events.map(({ json }) => json.id));
		this.batch = { isExecuted, isStateSaved };
		if (stops || !done) return;
		this.unsettled.push(() => {
			if (!isExecuted) done.reject(new Error('SQLITE_BUSY: database is locked'));
			else if (isCanceled) done.reject(new ManualExecutionCancelledError('1'));
			else done.resolve(undefined);
		});
		if (!isLate) await this.settle();
	}
}

/** Makes each request wait, before and after, until it may go on. */
function stopAtRequests(helpers: IPollFunctions['helpers'], moment: Moment): void {
	const { httpRequestWithAuthentication: send } = helpers;
	helpers.httpRequestWithAuthentication = async function (...request) {
		await moment();
		const answer: unknown = await send.apply(this, request);
		await moment();
		return answer;
	};
}
