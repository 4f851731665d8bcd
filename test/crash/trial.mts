import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { Cluster } from './cluster.mts';
import { EmissionBook } from './executions.mts';
import { ANSWER_DELAY, type Fault } from './faults.mts';
import { Feed } from './feed.mts';
import type { Mode } from './modes.mts';
import type { Round } from './results.mts';
import { Sink } from './sink.mts';
import { watchingWorkflow } from './workflow.mts';

/** All at the same moments: the more triggers are busy at a kill, the more it proves. */
const SECONDS = [0, 10, 20, 30, 40, 50];
/** What turns up late is found within ten polls. */
const POLLS_UNTIL_LOST = 11;

/** One n8n that is killed round after round, and what its triggers emitted. */
export class Trial {
	private readonly id = randomUUID().slice(0, 8);
	private readonly book = new EmissionBook();
	private readonly rounds: Array<{ fault: Fault; filed: string[] }> = [];
	private readonly feed: Feed;

	private constructor(
		private readonly mode: Mode,
		readonly cluster: Cluster,
		readonly sandbox: Sandbox,
		readonly sink: Sink,
		private readonly workflows: string[],
	) {
		this.feed = new Feed(sandbox);
	}

	static async start(mode: Mode, triggers: number): Promise<Trial> {
		const sandbox = await createSandbox({ records: 300, delay: ANSWER_DELAY });
		const sink = await Sink.open(50);
		const cluster = await Cluster.start(mode);
		const client = await cluster.client();
		const credential = await client.saveCredential('Licensing Data', 'licensingDataApi', {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.keys.live,
		});
		const workflows: string[] = [];
		for (let number = 1; number <= triggers; number++) {
			const name = `Trigger ${number}`;
			const { id } = await client.createWorkflow(
				watchingWorkflow({
					name,
					credential,
					sink: sink.address,
					seconds: SECONDS,
					repeatAfterRestart: mode.repeating,
				}),
			);
			await client.activate(id);
			workflows.push(id);
		}
		return new Trial(mode, cluster, sandbox, sink, workflows);
	}

	/** Files, kills, files while n8n is down, and waits until everything has come out, or must be lost. */
	async round(fault: Fault): Promise<Round> {
		this.feed.file();
		await fault.strike(this);
		this.feed.file();
		await this.cluster.recover();
		const filed = this.feed.takeFiled();
		this.rounds.push({ fault, filed });
		await this.settle(filed);
		return this.result(this.rounds.length - 1);
	}

	/** Whether n8n emits at all, before the first kill: otherwise nothing could be lost. */
	async warmUp(): Promise<void> {
		await this.nextPolls(2);
		this.feed.file();
		const filed = this.feed.takeFiled();
		await this.settle(filed);
		const { lost, repeated } = this.count(filed);
		if (lost + repeated > 0) throw new Error(`Undisturbed: ${lost} lost, ${repeated} repeated`);
	}

	/** The rounds as they look in the end: what was emitted once may have come again since. */
	async close(): Promise<Round[]> {
		try {
			await this.nextPolls(3);
			await this.readBook();
			return this.rounds.map((_, index) => this.result(index));
		} finally {
			await this.cluster.stop();
			await this.sink.close();
			await this.sandbox.close();
		}
	}

	private result(index: number): Round {
		const { fault, filed } = this.rounds[index] ?? {};
		if (!fault || !filed) throw new Error('There was no such round');
		const id = `${this.id}-${index + 1}`;
		const triggers = this.workflows.length;
		const counts = this.count(filed);
		return {
			mode: this.mode.name,
			fault: fault.name,
			id,
			triggers,
			filed: filed.length,
			...counts,
		};
	}

	private count(filed: string[]) {
		const counts = { emitted: 0, lost: 0, repeated: 0 };
		for (const workflow of this.workflows) {
			for (const key of filed) {
				const times = this.book.timesEmitted(workflow, key);
				if (times === 0) counts.lost++;
				else counts.emitted++;
				if (times > 1) counts.repeated++;
			}
		}
		return counts;
	}

	private async settle(filed: string[]): Promise<void> {
		const lost = () => this.count(filed).lost;
		for (let polls = 0; polls <= POLLS_UNTIL_LOST; polls++) {
			await this.readBook();
			if (lost() === 0) return;
			await this.nextPolls(1);
		}
	}

	/** After a restart of its database, n8n needs a while before it answers. */
	private async readBook(): Promise<void> {
		const deadline = Date.now() + 60_000;
		for (;;) {
			try {
				await this.book.update(await this.cluster.client());
				return;
			} catch (error) {
				if (Date.now() > deadline) throw error;
				await this.cluster.recover();
				await sleep(1000);
			}
		}
	}

	/** Waits until every trigger has polled so many times more. */
	private async nextPolls(times: number): Promise<void> {
		const { requests } = this.sandbox;
		const wanted = requests.count + times * this.workflows.length;
		const deadline = Date.now() + times * 30_000;
		while (requests.count < wanted && Date.now() < deadline) await sleep(100);
		// An answer is on its way, and then an execution.
		await sleep(ANSWER_DELAY + 1000);
	}
}
