import type { Host } from '../../../playground/host.mts';
import { freePort, type N8n, startN8n } from '../../../playground/n8n.mts';
import { type Service, startPostgres, startRedis } from './services.mts';

/** Makes n8n keep its schedule and its triggers' memory in the database, the latter with the execution. */
export const durableScheduler = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

interface QueueOptions {
	host: Host;
	folder: string;
	workers?: number;
	environment?: Record<string, string>;
}

export type ProcessName = 'main' | 'webhook' | `worker-${number}`;

/** n8n spread over several processes, which share a PostgreSQL and take their work from a Redis. */
export class Queue {
	readonly processes = new Map<ProcessName, N8n>();

	private constructor(
		private readonly options: QueueOptions,
		readonly postgres: Service,
		readonly redis: Service,
	) {}

	static async start(options: QueueOptions): Promise<Queue> {
		const { folder, workers = 2 } = options;
		const queue = new Queue(options, await startPostgres(folder), await startRedis(folder));
		// The main process comes first, because it updates the database.
		await queue.startProcess('main');
		const others: ProcessName[] = ['webhook'];
		for (let number = 1; number <= workers; number++) others.push(`worker-${number}`);
		await Promise.all(others.map(async (name) => await queue.startProcess(name)));
		return queue;
	}

	get main(): N8n {
		const main = this.processes.get('main');
		if (!main) throw new Error('The main process does not run');
		return main;
	}

	async startProcess(name: ProcessName): Promise<N8n> {
		const { host, folder } = this.options;
		const role = name === 'main' ? 'start' : name === 'webhook' ? 'webhook' : 'worker';
		const port = await freePort();
		const n8n = await startN8n({
			host,
			folder,
			port,
			role,
			name: name === 'main' ? undefined : name,
			environment: {
				...this.postgres.environment,
				...this.redis.environment,
				...durableScheduler,
				OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
				...(role === 'worker' && {
					QUEUE_HEALTH_CHECK_ACTIVE: 'true',
					QUEUE_HEALTH_CHECK_PORT: String(port),
				}),
				...this.options.environment,
			},
		});
		this.processes.set(name, n8n);
		void n8n.ended.then(() => {
			if (this.processes.get(name) === n8n) this.processes.delete(name);
		});
		return n8n;
	}

	async stop(): Promise<void> {
		await Promise.all([...this.processes.values()].map(async (n8n) => await n8n.stop()));
		await this.redis.daemon.stop();
		await this.postgres.daemon.stop();
	}
}
