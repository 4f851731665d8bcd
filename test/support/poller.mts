import type {
	ICredentialType,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IPollFunctions,
	Workflow,
} from 'n8n-workflow';

import { additionalDataFor, copy, nodeOf, workflowOf } from './host.mts';
import { type Moment, RunningPoll } from './running-poll.mts';

const { PollContext, TriggersAndPollers } = await import('n8n-core');

/**
 * How n8n keeps a polling trigger's memory. `memory` is its classic scheduler: an object that lives as long
 * as the process, copied to the database when a poll emits and after activation. `scheduler`, durable without
 * cursors, reads the database at each poll, and saves as `memory` does. With `durable` cursors, a copy is
 * staged for each poll and saved unless the poll throws, or is a silent one of an activation.
 */
export type Saving = 'memory' | 'scheduler' | 'durable';

let workflows = 0;

const atOnce: Moment = async () => {};

/** What n8n hands to a poll, and the handover of what that returned. */
interface Host {
	context: InstanceType<typeof PollContext>;
	handingOver: Promise<void> | undefined;
}

/** One workflow, and what is saved for it. Several processes of n8n may share it. */
export class Database {
	readonly workflowId = `workflow-${++workflows}`;
	/** The trigger's memory. */
	saved: IDataObject = {};
	/** The ids of what was emitted, in order. */
	readonly emitted: unknown[] = [];
}

/** One occurrence of the schedule. Its latest claim holds the lease that n8n's durable cursors check. */
export class Run {
	lease = 0;
}

export interface PollerOptions {
	nodeType: INodeType;
	credentialType: ICredentialType;
	credentials: { baseUrl: string; apiKey: string };
	parameters?: IDataObject;
	saving?: Saving;
	/** One of its own unless given. */
	database?: Database;
	/** Milliseconds. */
	budget?: number;
	/** Makes n8n's context that of another version. */
	change?: (context: Record<string, unknown>) => void;
}

/** The part of n8n that polls, in one process: n8n-core's own PollContext, and a database of one row. */
export class Poller {
	readonly database: Database;
	parameters: IDataObject;
	nodeName: string;
	budget: number;
	credentials: { baseUrl: string; apiKey: string };

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
	private kept: Host | undefined;

	constructor(private readonly options: PollerOptions) {
		this.database = options.database ?? new Database();
		this.parameters = options.parameters ?? {};
		this.nodeName = options.nodeType.description.displayName;
		this.budget = options.budget ?? 60_000;
		this.credentials = options.credentials;
		this.workflow = this.load();
		this.engine.events.on('poll-tick-completed', (tick) => {
			this.errorKinds.push(tick.status === 'error' ? tick.errorKind : undefined);
		});
	}

	/** What the database holds. */
	get saved(): IDataObject {
		return this.database.saved;
	}

	set saved(memory: IDataObject) {
		this.database.saved = memory;
	}

	/** Publishing, or a start of n8n: one poll, and always a save. */
	async activate(): Promise<IDataObject[]> {
		this.workflow = this.load();
		const items = await this.poll('activate');
		if (this.options.saving !== 'durable')
			this.saved = copy(this.workflow.staticData as IDataObject);
		return items;
	}

	async poll(
		activation: 'activate' | 'init' | 'update' = 'init',
		{ run = new Run(), moment = atOnce }: { run?: Run; moment?: Moment } = {},
	): Promise<IDataObject[]> {
		const { saving } = this.options;
		const lease = ++run.lease;
		if (saving === 'scheduler' && activation !== 'activate') this.workflow = this.load();
		const staged = saving === 'durable' ? copy(this.saved) : undefined;
		const before = JSON.stringify(staged);
		await moment();
		const { items, handOver } = await this.run('trigger', activation, staged, moment);
		await moment();
		// With nothing to save, n8n asks for no lease.
		const hasChanged = JSON.stringify(staged) !== before;
		if (staged && hasChanged && run.lease !== lease) return [];
		if (items) await handOver();
		else if (staged && hasChanged && activation !== 'activate') this.saved = copy(staged);
		return (items?.[0] ?? []).map(({ json }) => json);
	}

	/** A poll that goes on only as far as it is told. */
	start(run?: Run): RunningPoll {
		return new RunningPoll(async (moment) => await this.poll('init', { run, moment }));
	}

	/** "Fetch Test Event". With null, n8n says that nothing was found. */
	async fetchTestEvent(): Promise<IDataObject[] | null> {
		const { items } = await this.run('manual', 'manual');
		return items && (items[0] ?? []).map(({ json }) => json);
	}

	/** The process ends; what was not saved is gone. */
	restart(): void {
		this.workflow = this.load();
	}

	private load(): Workflow {
		this.kept = undefined;
		const { nodeType } = this.options;
		return workflowOf(nodeType, nodeOf(nodeType, this.parameters, { name: this.nodeName }), {
			id: this.database.workflowId,
			staticData: this.options.saving === 'durable' ? {} : copy(this.saved),
			settings: { timezone: 'America/New_York' },
		});
	}

	private async run(
		mode: 'trigger' | 'manual',
		activation: 'activate' | 'init' | 'update' | 'manual',
		staged?: IDataObject,
		moment?: Moment,
	) {
		const node = this.workflow.getNode(this.nodeName);
		if (!node) throw new Error('There is nothing to poll');
		const { saving = 'memory' } = this.options;
		const isKept = saving === 'memory' && mode === 'trigger' && moment === atOnce;
		const host = (isKept && this.kept) || this.host(node, mode, activation, staged, moment);
		if (isKept) this.kept = host;
		const { context } = host;
		const items = await this.engine.runPollFunction(this.workflow, node, context as never);
		const handOver = async () => {
			context.__emit(items ?? []);
			await host.handingOver;
		};
		return { items, handOver };
	}

	private host(
		node: INode,
		mode: 'trigger' | 'manual',
		activation: 'activate' | 'init' | 'update' | 'manual',
		staged?: IDataObject,
		moment?: Moment,
	): Host {
		const credentials = async () => ({ ...this.credentials });
		const more = additionalDataFor(this.options);
		Object.assign(more.credentialsHelper, { getDecrypted: credentials });
		const context = new PollContext(
			this.workflow,
			node,
			more,
			mode,
			activation,
			([events = []], _response, done) => {
				host.handingOver = this.takeOver(events, staged, moment, done);
			},
			(error) => void this.shown.push(error.message),
			async () => {
				if (staged) this.saved = copy(staged);
			},
			undefined,
			staged && (() => staged),
			() => this.budget,
		);
		const host: Host = { context, handingOver: undefined };
		const warn = (line: string) => this.warnings.push(line);
		const info = (line: string) => this.notes.push(line);
		Object.defineProperty(context, 'logger', { value: { warn, info } });
		this.options.change?.(context as never);
		if (moment) stopAtRequests(context.helpers, moment);
		return host;
	}

	private async takeOver(
		events: INodeExecutionData[],
		staged?: IDataObject,
		moment?: Moment,
		done?: Parameters<IPollFunctions['__emit']>[2],
	): Promise<void> {
		this.saved = copy(staged ?? (this.workflow.staticData as IDataObject));
		// With durable cursors, both are written at once.
		if (!staged) await moment?.();
		this.database.emitted.push(...events.map(({ json }) => json.id));
		done?.resolve(undefined);
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
