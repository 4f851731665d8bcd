import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../sandbox/index.mts';
import type { Cluster } from './cluster.mts';
import type { Sink } from './sink.mts';

export interface Scene {
	cluster: Cluster;
	sandbox: Sandbox;
	sink: Sink;
	/** How many triggers poll. */
	triggers: number;
}

/** What goes wrong, and when. */
export interface Fault {
	title: string;
	strike: (scene: Scene) => Promise<void>;
}

/** Every answer of the sandbox takes this long, so that a fault can strike in the middle of a poll. */
export const ANSWER_DELAY = 200;
/** Within this long, the steps of a batch or of an execution cannot be told apart. */
const STEP = 200;

const moment = async (within: number) => await sleep(Math.random() * within);

async function until(happened: () => boolean, patience = 180_000): Promise<void> {
	const deadline = Date.now() + patience;
	while (!happened()) {
		if (Date.now() > deadline) throw new Error('Nobody polls');
		await sleep(2);
	}
}

async function nextRequest({ sandbox }: Scene): Promise<void> {
	const before = sandbox.requests.count;
	await until(() => sandbox.requests.count > before);
}

async function nextAnswer(scene: Scene): Promise<void> {
	await nextRequest(scene);
	const request = scene.sandbox.requests.entries.at(-1);
	await until(() => request?.status !== undefined);
}

/** Between the request of the first trigger and the answer to the last. */
async function whilePolling(scene: Scene): Promise<void> {
	await nextRequest(scene);
	await moment(ANSWER_DELAY * 1.5);
}

/**
 * All triggers poll at the same moment, and emit one after another: once new leads of some have reached the
 * CRM, the others are caught at every step before that, however fast the machine is.
 */
async function whileEmitting(scene: Scene): Promise<void> {
	const done = new Set<string>();
	const note = (trigger: string) => done.add(trigger);
	const wanted = Math.floor(Math.random() * scene.triggers);
	await nextAnswer(scene);
	scene.sink.on('delivery', note);
	// Some may have nothing to emit: then the moment comes a little later.
	const deadline = Date.now() + 5000;
	while (done.size < wanted && Date.now() < deadline) await sleep(2);
	scene.sink.off('delivery', note);
	await moment(STEP);
}

/** From before the answers come until the batches are over, and this much longer. */
async function stopWrites(scene: Scene, longer: number): Promise<void> {
	const writeStop = await scene.cluster.writeStop();
	await nextRequest(scene);
	await writeStop.begin();
	await sleep(ANSWER_DELAY + longer);
	await moment(3000);
	await writeStop.end();
}

/** Something that ends at a moment. */
const fault = (
	title: string,
	reach: (scene: Scene) => Promise<void>,
	end: (cluster: Cluster) => Promise<void>,
): Fault => ({
	title,
	async strike(scene) {
		await reach(scene);
		await end(scene.cluster);
	},
});

const kill = async (cluster: Cluster) => await cluster.kill('main');
const stop = async (cluster: Cluster) => await cluster.terminate('main');
const killServer = (server: 'redis' | 'postgres') => async (cluster: Cluster) => {
	await cluster.kill(server);
	await moment(2000);
};

export const faults = {
	killPolling: fault('n8n killed while polling', whilePolling, kill),
	killEmitting: fault('n8n killed while emitting', whileEmitting, kill),
	stopPolling: fault('n8n stopped while polling', whilePolling, stop),
	stopEmitting: fault('n8n stopped while emitting', whileEmitting, stop),
	killRedis: fault('Redis killed and restarted', whileEmitting, killServer('redis')),
	killPostgres: fault('PostgreSQL killed and restarted', whileEmitting, killServer('postgres')),
	killWorker: {
		title: 'Worker killed while executing',
		async strike({ cluster, sink }) {
			await once(sink, 'delivery', { signal: AbortSignal.timeout(60_000) });
			await moment(STEP);
			await cluster.kill(Math.random() < 0.5 ? 'worker-1' : 'worker-2');
		},
	},
	lockDatabase: {
		title: 'Database locked while emitting',
		// n8n gives up on a write after a second; several writes may be waiting for each other.
		strike: async (scene) => await stopWrites(scene, 2000),
	},
	refuseWrites: {
		title: 'Database refuses writes while emitting',
		strike: async (scene) => await stopWrites(scene, 0),
	},
} satisfies Record<string, Fault>;
