import type {
	ICredentialType,
	IDataObject,
	INodeType,
	IPollFunctions,
	Workflow,
} from 'n8n-workflow';

import { loadAnew } from './compiled.mts';
import { additionalDataFor, copy, nodeOf, workflowOf } from './host.mts';
import type { Saving } from './poller.mts';

const { PollContext, TriggersAndPollers } = await import('n8n-core');

const trigger = 'nodes/LicensingData/LicensingDataTrigger.node.js';
const triggers = { 1: loadAnew<INodeType>(trigger), 2: loadAnew<INodeType>(trigger) };
const credentialType = loadAnew<ICredentialType>('credentials/LicensingDataApi.credentials.js');

let workflows = 0;

/** What all instances share: one workflow, and what is saved for it. */
export class Database {
	readonly workflowId = `workflow-${++workflows}`;
	/** The trigger's memory. */
	cursor: IDataObject = {};
	/** The events of every execution, in order. */
	readonly emitted: string[] = [];
}

/** One occurrence of the schedule. Its latest claim holds the lease that n8n's durable cursors check. */
export class Run {
	lease = 0;
}

interface InstanceOptions {
	database: Database;
	credentials: { baseUrl: string; apiKey: string };
	saving: Saving;
	options?: IDataObject;
	/** Instances of different processes share no variables. */
	process: 1 | 2;
}

/** One process of n8n: a trigger's memory in the shared database, and its own copy of the node's code. */
export class Instance {
	private readonly nodeType: INodeType;
	private readonly engine = new TriggersAndPollers();
	private workflow: Workflow;

	constructor(private readonly options: InstanceOptions) {
		this.nodeType = triggers[options.process];
		this.workflow = this.loadWorkflow();
	}

	/** Takes over: the in-memory scheduler reads the saved memory once, the durable one at every poll. */
	takeOver(): void {
		this.workflow = this.loadWorkflow();
	}

	/** A poll that goes on only as far as it is told. */
	start(run = new Run()): RunningPoll {
		return new RunningPoll(async (moment) => await this.poll(run, moment));
	}

	private async poll(run: Run, moment: Moment): Promise<void> {
		const { database, saving } = this.options;
		const lease = ++run.lease;
		const seed = JSON.stringify(database.cursor);
		const staged = saving === 'durable' ? copy(database.cursor) : undefined;
		await moment();
		const { events, handOver } = await this.pollOnce(staged, moment);
		await moment();
		if (staged) {
			// With nothing to save, n8n asks for no lease.
			if (JSON.stringify(staged) !== seed) {
				if (run.lease !== lease) return;
				database.cursor = copy(staged);
			}
		} else if (events.length > 0) {
			database.cursor = copy(this.workflow.staticData as IDataObject);
			// Between these two writes, other processes may act, or this one may end.
			await moment();
		}
		database.emitted.push(...events);
		if (events.length > 0) handOver();
	}

	private async pollOnce(
		staged: IDataObject | undefined,
		moment: Moment,
	): Promise<{ events: string[]; handOver: () => void }> {
		const node = this.workflow.getNode(this.nodeType.description.displayName);
		if (!node) throw new Error('There is nothing to poll');
		const context = new PollContext(
			this.workflow,
			node,
			additionalDataFor({
				nodeType: this.nodeType,
				credentialType,
				credentials: this.options.credentials,
			}),
			'trigger',
			'update',
			(_items, _response, done) => done?.resolve(undefined),
			undefined,
			undefined,
			undefined,
			staged && (() => staged),
			() => 60_000,
		) as unknown as IPollFunctions;
		const { helpers } = context;
		const { httpRequestWithAuthentication: send } = helpers;
		helpers.httpRequestWithAuthentication = async function (...request) {
			await moment();
			const answer: unknown = await send.apply(this, request);
			await moment();
			return answer;
		};
		const items = await this.engine.runPollFunction(this.workflow, node, context);
		return {
			events: (items?.[0] ?? []).map(({ json }) => String(json.id)),
			handOver: () => context.__emit(items ?? []),
		};
	}

	private loadWorkflow(): Workflow {
		const { database, saving, options = {} } = this.options;
		return workflowOf(this.nodeType, nodeOf(this.nodeType, { eventTypes: [], options }), {
			id: database.workflowId,
			staticData: saving === 'memory' ? copy(database.cursor) : {},
		});
	}
}

type Moment = () => Promise<void>;

/** A poll that stops at every moment at which another process may act. */
export class RunningPoll {
	isDone = false;
	private readonly finished: Promise<void>;
	private release = () => {};
	private stopped = () => {};

	constructor(work: (moment: Moment) => Promise<void>) {
		let next = this.nextStop();
		const moment: Moment = async () => {
			this.stopped();
			await new Promise<void>((resolve) => (this.release = resolve));
		};
		this.finished = work(moment).finally(() => {
			this.isDone = true;
			this.stopped();
		});
		// A poll that stands still for good runs into its timeout, unnoticed, after the test.
		this.finished.catch(() => {});
		this.step = async () => {
			await next;
			if (this.isDone) return await this.finished;
			next = this.nextStop();
			this.release();
			await next;
		};
	}

	/** Goes on to the next moment, or to the end. */
	readonly step: () => Promise<void>;

	/** This many moments further. */
	async go(moments: number): Promise<void> {
		for (let left = moments; left > 0 && !this.isDone; left--) await this.step();
	}

	async finish(): Promise<void> {
		while (!this.isDone) await this.step();
		await this.finished;
	}

	private async nextStop(): Promise<void> {
		await new Promise<void>((resolve) => (this.stopped = resolve));
	}
}
