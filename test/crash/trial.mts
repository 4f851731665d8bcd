import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'flatted';
import type { IRunExecutionData } from 'n8n-workflow';
import { EVENT_TYPES } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import { N8nClient } from '../../playground/client.mts';
import { type Crm, startCrm } from '../../playground/crm/server.mts';
import { workspace } from '../../playground/folders.mts';
import { installHost } from '../../playground/host.mts';
import { installPackage } from '../../playground/n8n.mts';
import { packPackage } from '../../playground/package.mts';
import { createSandbox, type License, type Sandbox } from '../../sandbox/index.mts';
import { forwarding } from '../e2e/forwarding.mts';
import { connectTo, everyTenSeconds, owner } from '../e2e/stage.mts';
import { type Queue, startQueue } from '../support/queue/queue.mts';
import { type Database, openDatabase } from './database.mts';
import type { Fault } from './faults.mts';

/** Every answer of the sandbox takes this long, so that a fault can strike in the middle of a poll. */
export const ANSWER_DELAY = 200;
/** All poll at the same moments: the more of them are busy during a fault, the more it proves. */
export const TRIGGERS = 6;
/** What comes with the next poll; on a busy machine, n8n may miss some. */
const SOON = 120_000;
/** Longer than n8n leaves anything aside that went wrong. */
const UNTIL_LOST = 600_000;

/** n8n's own pace suits months; a round has seconds. The order of things stays the same. */
const quickly = {
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '2',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
	N8N_SCHEDULER_REAPER_INTERVAL: '3',
	// All triggers share the limits of one key: on a busy machine, their polls may take more than their turn.
	N8N_SCHEDULER_POLL_TIMEOUT: '20',
	N8N_SCHEDULER_LEASE_DURATION: '25',
	EXECUTIONS_DATA_PRUNE: 'false',
	// No Code node runs here: a start need not start a process for them.
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'unused',
};

const keyOf = ({ id, eventType, eventTimestamp }: License) =>
	`${id} ${eventType} ${eventTimestamp}`;

/** Those of which there are many at once: more of a type that was not listed would be a bulk addition. */
const BURST = { licenseType: 'COP' };

/** One n8n that runs into fault after fault, and what its triggers emitted. */
export class Trial {
	/** By workflow: how often each event was emitted. */
	private readonly emitted = new Map<string, Map<string, number>>();
	private readonly read = new Set<number>();
	private readonly rounds: Array<{ fault: string; events: string[] }> = [];
	private filings = 0;

	private constructor(
		readonly queue: Queue,
		readonly database: Database,
		readonly sandbox: Sandbox,
		readonly crm: Crm,
	) {}

	static async start(
		name: string,
		environment: Record<string, string>,
		workers: number,
	): Promise<Trial> {
		const folder = join(workspace, 'crash', name);
		await rm(folder, { recursive: true, force: true });
		await installPackage(folder, await packPackage());
		const host = await installHost();
		const queue = await startQueue({
			...{ host, folder, workers },
			environment: { ...quickly, ...environment },
		});
		const trial = new Trial(
			queue,
			await openDatabase(queue),
			await createSandbox({
				records: 300,
				delay: ANSWER_DELAY,
				rateLimits: 'off',
				// Two rows of one number and one filing date are one filing.
				rates: { numberTwice: 0 },
			}),
			await startCrm({ file: join(folder, 'leads.jsonl') }),
		);
		await trial.publish();
		return trial;
	}

	private async publish(): Promise<void> {
		const { register, credentials } = this.sandbox;
		register.fileMany(10, BURST);
		this.filings = register.listings.length;
		const client = await N8nClient.signIn(this.queue.process('main').address, owner);
		const credential = await connectTo({ client }, credentials);
		for (let number = 1; number <= TRIGGERS; number++) {
			const trigger = {
				id: randomUUID(),
				type: 'n8n-nodes-licensing-data.licensingDataTrigger',
				parameters: { pollTimes: everyTenSeconds, eventTypes: [], output: 'raw' },
			};
			const address = `${this.crm.leadsAddress}?workflow=${number}`;
			const { id } = await client.createWorkflow(
				forwarding(`Trigger ${number}`, credential, trigger, address),
			);
			this.emitted.set(id, new Map());
			await client.activate(id);
		}
	}

	/** Files licenses, lets something go wrong, and files more meanwhile. What is late is waited for at the end. */
	async round({ title, when, what }: Fault): Promise<void> {
		this.file();
		// More than a page, and few enough not to be taken for a bulk addition, even with those of another round.
		if (this.rounds.length % 2 === 1) this.sandbox.register.fileMany(55, BURST);
		await when(this);
		await what(this);
		this.file();
		const events = this.takeFiled();
		this.rounds.push({ fault: title, events });
		await this.comeWithin(SOON, events);
	}

	/** Sees that n8n emits at all, before the first fault: otherwise nothing could be lost. */
	async warmUp(): Promise<void> {
		this.file();
		const events = this.takeFiled();
		await this.comeWithin(SOON, events);
		const troubles = this.timesOf(events).filter((times) => times !== 1);
		if (troubles.length > 0) throw new Error(`Undisturbed, events came ${troubles.join()} times`);
	}

	/** How many events there were in all triggers, and the faults after which one never came, or came again. */
	async judge() {
		await this.comeWithin(
			UNTIL_LOST,
			this.rounds.flatMap(({ events }) => events),
		);
		// What was emitted once may still come again.
		await sleep(30_000);
		await this.noteEmissions();
		const all = this.rounds.flatMap(({ fault, events }) =>
			this.timesOf(events).map((times) => ({ fault, times })),
		);
		const faultsWhere = (isSo: (times: number) => boolean) =>
			all.filter(({ times }) => isSo(times)).map(({ fault }) => fault);
		const lost = faultsWhere((times) => times === 0);
		return { events: all.length, lost, repeated: faultsWhere((times) => times > 1) };
	}

	async close(): Promise<void> {
		this.database.close();
		await this.queue.stop();
		await this.crm.close();
		await this.sandbox.close();
	}

	/** A few events, each of any kind. */
	private file(): void {
		const { register } = this.sandbox;
		const upTo = (most: number) => Math.floor(Math.random() * most) + 1;
		for (let left = upTo(3); left > 0; left--)
			register.file({ eventType: EVENT_TYPES[upTo(EVENT_TYPES.length) - 1]?.value });
	}

	private takeFiled(): string[] {
		const { listings } = this.sandbox.register;
		const events = listings.slice(this.filings).map(({ license }) => keyOf(license));
		this.filings = listings.length;
		return events;
	}

	private timesOf(events: string[]): number[] {
		return [...this.emitted.values()].flatMap((times) => events.map((key) => times.get(key) ?? 0));
	}

	/** Waits until every trigger has emitted these events, but no longer than this. */
	private async comeWithin(patience: number, events: string[]): Promise<void> {
		const deadline = Date.now() + patience;
		do {
			// After a kill, n8n may end once more right after it starts.
			await this.queue.recover();
			await this.noteEmissions();
		} while (this.timesOf(events).includes(0) && Date.now() < deadline);
	}

	private async noteEmissions(): Promise<void> {
		// Executions that begin at the same time may appear in another order than that of their numbers.
		const from = Math.max(...this.read, 100) - 100;
		for (const { id, workflowId, data } of await this.database.emissions(from)) {
			if (this.read.has(id)) continue;
			this.read.add(id);
			const times = this.emitted.get(workflowId);
			for (const key of eventsIn(data)) times?.set(key, (times.get(key) ?? 0) + 1);
		}
	}
}

/** Until it begins, an execution holds what it is to start with. */
function eventsIn(data: string): string[] {
	const { executionData } = parse(data) as IRunExecutionData;
	const items = executionData?.nodeExecutionStack[0]?.data.main?.[0] ?? [];
	return items.map(({ json }) => keyOf(json as unknown as License));
}
