import { setTimeout as sleep } from 'node:timers/promises';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { N8nClient } from '../../playground/client.mts';
import { workspace } from '../../playground/folders.mts';
import { installHost } from '../../playground/host.mts';
import { installPackage, type N8n, startN8n } from '../../playground/n8n.mts';
import { packPackage } from '../../playground/package.mts';
import { forgetPostgres, type Service, startPostgres } from '../support/queue/services.mts';
import { durableScheduler, type ProcessName, Queue } from '../support/queue/queue.mts';
import { owner } from '../support/owner.mts';
import {
	firstData,
	keepFirstData,
	postgresRefusal,
	sqliteLock,
	type WriteStop,
} from './databases.mts';
import type { Mode, Saving } from './modes.mts';

/** n8n's own pace suits months; a round has seconds. The order of things stays the same. */
const quickly = {
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '2',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
	N8N_SCHEDULER_REAPER_INTERVAL: '3',
	// All triggers share the limits of one key: on a busy machine, their polls may take more than their turn.
	N8N_SCHEDULER_POLL_TIMEOUT: '20',
	N8N_SCHEDULER_LEASE_DURATION: '25',
	// Not too quickly: a worker that is only slow would be taken for dead, and its executions would run twice.
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
	EXECUTIONS_DATA_PRUNE: 'false',
	// No Code node runs here: a start need not start a process for them.
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'unused',
};

/** The newest n8n has all three on unless told otherwise; older ones have none. */
const schedulers: Record<Saving, Record<string, string>> = {
	memory: {
		N8N_SCHEDULER_ENABLED: 'false',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'false',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'false',
	},
	schedule: { ...durableScheduler, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'false' },
	cursors: durableScheduler,
};

export type Victim = ProcessName | 'redis' | 'postgres';

/** n8n as a mode runs it: one process, or several with PostgreSQL and Redis. */
export class Cluster {
	private alone: N8n | undefined;
	private queue: Queue | undefined;
	/** For an n8n without a queue. */
	private postgres: Service | undefined;
	private signedIn: { address: string; client: N8nClient } | undefined;

	private constructor(
		private readonly mode: Mode,
		readonly folder: string,
	) {}

	static async start(mode: Mode): Promise<Cluster> {
		const folder = join(workspace, 'crash', mode.name);
		await rm(folder, { recursive: true, force: true });
		await forgetPostgres(folder);
		await installPackage(folder, await packPackage());
		const cluster = new Cluster(mode, folder);
		await cluster.recover();
		const { database } = cluster;
		if (database) await keepFirstData(await installHost(), database.environment);
		return cluster;
	}

	/** What n8n first wrote of an execution; SQLite has no process that would empty it. */
	async firstData(executionId: string): Promise<string | undefined> {
		const { database } = this;
		return database && (await firstData(await installHost(), database.environment, executionId));
	}

	private get database(): Service | undefined {
		return this.queue?.postgres ?? this.postgres;
	}

	/** Ends the process or server as a power cut would. */
	async kill(victim: Victim): Promise<void> {
		if (victim === 'redis' || victim === 'postgres') await this.queue?.[victim].daemon.kill();
		else if (this.queue) await this.queue.processes.get(victim)?.kill();
		else await this.alone?.kill();
	}

	/** Asks the process to end, as an operator or an update would, and waits until it has. */
	async terminate(victim: ProcessName): Promise<void> {
		if (this.queue) await this.queue.processes.get(victim)?.stop();
		else await this.alone?.stop();
	}

	/** Keeps n8n from writing to its database, in a way that can happen with that kind of database. */
	async writeStop(): Promise<WriteStop> {
		const { database } = this;
		const host = await installHost();
		return database
			? await postgresRefusal(host, database.environment)
			: await sqliteLock(host, join(this.folder, '.n8n', 'database.sqlite'));
	}

	/** Starts whatever is not running, as a supervisor would. */
	async recover(): Promise<void> {
		if (this.queue) await this.recoverQueue(this.queue);
		else if (this.mode.queue) await this.startQueue();
		else if (!this.alone || (await hasEnded(this.alone))) await this.startAlone();
	}

	async client(): Promise<N8nClient> {
		const address = (this.queue?.main ?? this.alone)?.address;
		if (address === undefined) throw new Error('n8n does not run');
		if (this.signedIn?.address !== address) {
			this.signedIn = { address, client: await N8nClient.signIn(address, owner) };
		}
		return this.signedIn.client;
	}

	/** Nothing of it is needed anymore, so nobody waits for it to say goodbye. */
	async close(): Promise<void> {
		await this.alone?.kill();
		for (const n8n of this.queue?.processes.values() ?? []) await n8n.kill();
		await this.queue?.stop();
		await this.postgres?.daemon.stop();
	}

	private async startAlone(): Promise<void> {
		const host = await installHost();
		if (this.mode.database === 'postgres') this.postgres ??= await startPostgres(this.folder);
		const environment = {
			...quickly,
			...schedulers[this.mode.saving],
			...this.postgres?.environment,
		};
		this.alone = await startN8n({ host, folder: this.folder, environment });
	}

	private async startQueue(): Promise<void> {
		this.queue = await Queue.start({
			host: await installHost(),
			folder: this.folder,
			environment: { ...quickly, ...schedulers[this.mode.saving] },
		});
	}

	private async recoverQueue(queue: Queue): Promise<void> {
		for (const { daemon } of [queue.postgres, queue.redis]) {
			if (!daemon.isRunning) await daemon.start();
		}
		// A process that has lost its database or its queue may be about to give up: a supervisor would notice.
		await sleep(1000);
		if (!queue.processes.has('main')) await queue.startProcess('main');
		const names: ProcessName[] = ['worker-1', 'worker-2', 'webhook'];
		const missing = names.filter((name) => !queue.processes.has(name));
		await Promise.all(missing.map(async (name) => await queue.startProcess(name)));
	}
}

async function hasEnded({ ended }: N8n): Promise<boolean> {
	return await Promise.race([ended.then(() => true), sleep(10, false)]);
}
