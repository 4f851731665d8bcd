import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { forwarding } from '../e2e/forwarding.mts';
import { everyTenSeconds } from '../e2e/schedulers.mts';
import { Cluster } from './cluster.mts';
import { EmissionBook } from './executions.mts';
import { ANSWER_DELAY, type Fault } from './faults.mts';
import { Feed } from './feed.mts';
import type { Mode } from './modes.mts';
import { Sink } from './sink.mts';

/**
 * What turns up late, below the first page, comes with the next full reading of its list. Lists take turns, at a page
 * a minute: a quarter of an hour is more than they have pages.
 */
const POLLS_UNTIL_LOST = 90;
/** Longer than from one poll to the next, and to its leads. */
const PATIENCE = 20_000;
/** A first poll learns what is there and brings nothing, so one license may not be enough to tell. */
const MOST_MARKS = 4;
/** What came of one fault. */
export interface Round {
	fault: Fault;
	lost: number;
	repeated: number;
	/** When events that came more than once were emitted, and what never came, one line for all that came together. */
	troubles: Set<string>;
}

/** One n8n that runs into fault after fault, and what its triggers emitted. */
export class Trial {
	private readonly book: EmissionBook;
	private readonly rounds: Array<{ fault: Fault; filed: string[] }> = [];

	private constructor(
		readonly cluster: Cluster,
		readonly sandbox: Sandbox,
		readonly sink: Sink,
		private readonly workflows: string[],
		private readonly feed: Feed,
	) {
		this.book = new EmissionBook(async (id) => await cluster.firstData(id));
	}

	get triggers(): number {
		return this.workflows.length;
	}

	static async start(mode: Mode, triggers: number): Promise<Trial> {
		const sandbox = await createSandbox({
			records: 300,
			delay: ANSWER_DELAY,
			rateLimits: 'off',
			// Two rows of one number and one filing date are one filing.
			rates: { numberTwice: 0 },
		});
		const feed = new Feed(sandbox);
		const sink = await Sink.open(50);
		const cluster = await Cluster.start(mode);
		const client = await cluster.client();
		const credential = await client.saveCredential('Licensing Data', 'licensingDataApi', {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.keys.live,
		});
		const workflows: string[] = [];
		for (let index = 0; index < triggers; index++) {
			const name = nameOf(index);
			const trigger = {
				id: randomUUID(),
				type: 'n8n-nodes-licensing-data.licensingDataTrigger',
				// All at the same moments: the more triggers are busy during a fault, the more it proves.
				parameters: { pollTimes: everyTenSeconds, eventTypes: [], output: 'raw' },
			};
			const { id } = await client.createWorkflow(
				forwarding(name, credential, trigger, sink.addressFor(name)),
			);
			await client.activate(id);
			workflows.push(id);
		}
		return new Trial(cluster, sandbox, sink, workflows, feed);
	}

	/**
	 * Files licenses, lets something go wrong, files more meanwhile, and goes on as soon as every trigger has
	 * polled again: what is late is waited for once, at the end.
	 */
	async round(fault: Fault): Promise<void> {
		this.feed.file();
		await fault.strike(this);
		this.feed.file();
		await this.cluster.recover();
		this.rounds.push({ fault, filed: this.feed.takeFiled() });
		await this.nextPolls(1);
	}

	/** Whether n8n emits at all, before the first fault: otherwise nothing could be lost. */
	async warmUp(): Promise<void> {
		await this.nextPolls(2);
		this.feed.file();
		const filed = this.feed.takeFiled();
		await this.settle([filed]);
		// On a busy machine, n8n may fail to start an execution by itself: what was in it comes again.
		const { lost, repeated } = this.count(filed);
		if (lost + repeated > 0) throw new Error(`Undisturbed: ${lost} lost, ${repeated} repeated`);
	}

	/** Waits until everything has come out, or must be lost. */
	async judge(): Promise<Round[]> {
		await this.settle(this.rounds.map(({ filed }) => filed));
		// What was emitted once may still come again.
		await this.nextPolls(2);
		await this.noteEmissions();
		return this.rounds.map(({ fault, filed }) => ({
			fault,
			troubles: new Set(this.troublesOf(filed)),
			...this.count(filed),
		}));
	}

	async close(): Promise<void> {
		await this.cluster.close();
		await this.sink.close();
		await this.sandbox.close();
	}

	private count(filed: string[]): { lost: number; repeated: number } {
		return this.book.count(this.workflows, filed);
	}

	private *troublesOf(filed: string[]): Generator<string> {
		for (const [index, workflow] of this.workflows.entries()) {
			for (const key of filed) {
				const times = this.book.batches(workflow, key);
				if (times.length === 1) continue;
				const when = times.map((time) => new Date(time).toISOString()).join(', ');
				yield `${nameOf(index)}: ${when || `${key} never came`}`;
			}
		}
	}

	private async settle(rounds: string[][]): Promise<void> {
		const hasAll = () => rounds.every((filed) => this.count(filed).lost === 0);
		for (let polls = 0; polls <= POLLS_UNTIL_LOST; polls++) {
			await this.noteEmissions();
			if (hasAll()) return;
			await this.nextPolls(1);
		}
	}

	/** After a restart of its database, n8n needs a while before it answers. */
	private async noteEmissions(): Promise<void> {
		const deadline = Date.now() + 60_000;
		for (;;) {
			try {
				await this.book.update(await this.cluster.client(), this.workflows);
				return;
			} catch (error) {
				if (Date.now() > deadline) throw error;
				await this.cluster.recover();
				await sleep(1000);
			}
		}
	}

	/** Waits until every trigger has completed this many more polls: each brings the license that marks it. */
	private async nextPolls(times: number): Promise<void> {
		for (let poll = 0; poll < times; poll++) {
			const marks: string[] = [];
			const hasPolled = (_: string, index: number) =>
				marks.some((event) => this.sink.has({ trigger: nameOf(index), event }));
			while (!this.workflows.every(hasPolled) && marks.length < MOST_MARKS) {
				// After a kill, n8n may end once more right after it starts: a supervisor would start it again.
				if (marks.length > 0) await this.cluster.recover();
				marks.push(this.feed.mark());
				const deadline = Date.now() + PATIENCE;
				while (!this.workflows.every(hasPolled) && Date.now() < deadline) await sleep(100);
			}
		}
	}
}

const nameOf = (index: number): string => `Trigger ${index + 1}`;
