import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../../../playground/host.mts';
import { type N8n, startN8n } from '../../../playground/n8n.mts';
import { freePort } from '../../../playground/ports.mts';
import { startServices } from './daemons.mts';

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
	environment: Record<string, string>;
}

type ProcessName = 'main' | 'webhook' | `worker-${number}`;

export type Queue = Awaited<ReturnType<typeof startQueue>>;

/** n8n spread over several processes, which share a PostgreSQL and take their work from a Redis. */
export async function startQueue({ host, folder, workers, environment }: QueueOptions) {
	const services = workers > 0 ? await startServices(folder) : undefined;
	const processes = new Map<ProcessName, N8n>();
	async function startProcess(name: ProcessName): Promise<void> {
		if (processes.has(name)) return;
		const role = name === 'main' ? 'start' : name === 'webhook' ? 'webhook' : 'worker';
		const port = await freePort();
		const n8n = await startN8n({
			...{ host, folder, port, role, name },
			environment: {
				...services?.postgres.environment,
				...services?.redis.environment,
				// Only a worker reads these.
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(port),
				...environment,
			},
		});
		processes.set(name, n8n);
		void n8n.ended.then(() => processes.delete(name));
	}
	const queue = {
		...{ host, folder, services },
		process: (name: ProcessName): N8n =>
			processes.get(name) ?? expect.unreachable(`n8n's process ${name} does not run`),
		/** Starts whatever is not running, as a supervisor would. */
		async recover(): Promise<void> {
			for (const { daemon } of Object.values(services ?? {})) await daemon.start();
			// A process that has lost its database or its queue may be about to give up: a supervisor would notice.
			await sleep(1000);
			// The main process comes first, because it updates the database.
			await startProcess('main');
			if (workers === 0) return;
			const names = Array.from({ length: workers }, (_, at): ProcessName => `worker-${at + 1}`);
			await Promise.all([...names, 'webhook' as const].map(startProcess));
		},
		async stop(): Promise<void> {
			await Promise.all([...processes.values()].map(async (n8n) => await n8n.stop()));
			for (const { daemon } of Object.values(services ?? {})) await daemon.end();
		},
	};
	await queue.recover();
	return queue;
}
