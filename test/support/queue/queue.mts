import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../../../playground/host.mts';
import { type N8n, startN8n } from '../../../playground/n8n.mts';
import { freePort } from '../../../playground/ports.mts';
import { type Service, startPostgres, startRedis } from './daemons.mts';

/** Makes n8n keep its schedule and its triggers' memory in the database, the latter with the execution. */
export const durableScheduler = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

interface QueueOptions {
	host: Host;
	folder: string;
	/** Without any, n8n is a single process with SQLite. */
	workers: number;
	environment?: Record<string, string>;
}

type ProcessName = 'main' | 'webhook' | `worker-${number}`;

/** n8n spread over several processes, which share a PostgreSQL and take their work from a Redis. */
export class Queue {
	private readonly processes = new Map<ProcessName, N8n>();

	private constructor(
		readonly options: QueueOptions,
		readonly services?: { postgres: Service & { url: string }; redis: Service },
	) {}

	static async start(options: QueueOptions): Promise<Queue> {
		const { folder, workers } = options;
		const services = workers > 0 && {
			postgres: await startPostgres(folder),
			redis: await startRedis(folder),
		};
		const queue = new Queue(options, services || undefined);
		await queue.recover();
		return queue;
	}

	get main(): N8n {
		return this.process('main');
	}

	process(name: ProcessName): N8n {
		const n8n = this.processes.get(name);
		if (!n8n) throw new Error(`n8n's process ${name} does not run`);
		return n8n;
	}

	/** Starts whatever is not running, as a supervisor would. */
	async recover(): Promise<void> {
		for (const { daemon } of Object.values(this.services ?? {})) await daemon.start();
		// A process that has lost its database or its queue may be about to give up: a supervisor would notice.
		await sleep(1000);
		// The main process comes first, because it updates the database.
		await this.startProcess('main');
		const { workers } = this.options;
		if (workers === 0) return;
		const names = Array.from({ length: workers }, (_, at): ProcessName => `worker-${at + 1}`);
		await Promise.all(
			[...names, 'webhook' as const].map(async (name) => await this.startProcess(name)),
		);
	}

	async stop(): Promise<void> {
		await Promise.all([...this.processes.values()].map(async (n8n) => await n8n.stop()));
		for (const { daemon } of Object.values(this.services ?? {})) await daemon.end();
	}

	private async startProcess(name: ProcessName): Promise<void> {
		if (this.processes.has(name)) return;
		const { host, folder, environment } = this.options;
		const role = name === 'main' ? 'start' : name === 'webhook' ? 'webhook' : 'worker';
		const port = await freePort();
		const n8n = await startN8n({
			...{ host, folder, port, role },
			name: name === 'main' ? undefined : name,
			environment: {
				...this.services?.postgres.environment,
				...this.services?.redis.environment,
				...durableScheduler,
				...(role === 'worker' && {
					QUEUE_HEALTH_CHECK_ACTIVE: 'true',
					QUEUE_HEALTH_CHECK_PORT: String(port),
				}),
				...environment,
			},
		});
		this.processes.set(name, n8n);
		void n8n.ended.then(() => this.processes.delete(name));
	}
}
