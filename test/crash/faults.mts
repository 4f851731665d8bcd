import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../sandbox/index.mts';
import type { Cluster } from './cluster.mts';
import type { Sink } from './sink.mts';

export interface Scene {
	cluster: Cluster;
	sandbox: Sandbox;
	sink: Sink;
}

/** Somebody's death, and its moment. */
export interface Fault {
	name: string;
	title: string;
	strike: (scene: Scene) => Promise<void>;
}

/** Every answer of the sandbox takes so long, so that a poll can be met in the middle. */
export const ANSWER_DELAY = 200;
/** By then, what a poll brought is saved and on its way. */
const EMISSION = 500;

const moment = async (within: number) => await sleep(Math.random() * within);

async function until(happened: () => boolean, patience = 60_000): Promise<void> {
	const deadline = Date.now() + patience;
	while (!happened()) {
		if (Date.now() > deadline) throw new Error('Nobody polls');
		await sleep(2);
	}
}

const nextRequest = async ({ sandbox }: Scene) => {
	const before = sandbox.requests.count;
	await until(() => sandbox.requests.count > before);
};

const nextAnswer = async (scene: Scene) => {
	await nextRequest(scene);
	const request = scene.sandbox.requests.entries.at(-1);
	await until(() => request?.status !== undefined);
};

export const faults = {
	mainWhilePolling: {
		name: 'main-polling',
		title: 'n8n killed while polling',
		async strike(scene) {
			await nextRequest(scene);
			await moment(ANSWER_DELAY * 1.5);
			await scene.cluster.kill('main');
		},
	},
	mainWhileEmitting: {
		name: 'main-emitting',
		title: 'n8n killed while emitting',
		async strike(scene) {
			await nextAnswer(scene);
			await moment(EMISSION);
			await scene.cluster.kill('main');
		},
	},
	workerWhileExecuting: {
		name: 'worker-executing',
		title: 'Worker killed while executing',
		async strike({ cluster, sink }) {
			await once(sink, 'delivery', { signal: AbortSignal.timeout(60_000) });
			await moment(EMISSION);
			await cluster.kill(Math.random() < 0.5 ? 'worker-1' : 'worker-2');
		},
	},
	redis: {
		name: 'redis',
		title: 'Redis killed and restarted',
		async strike(scene) {
			await nextAnswer(scene);
			await moment(EMISSION);
			await scene.cluster.kill('redis');
			await moment(2000);
		},
	},
	postgres: {
		name: 'postgres',
		title: 'PostgreSQL killed and restarted',
		async strike(scene) {
			await nextRequest(scene);
			await moment(ANSWER_DELAY + EMISSION);
			await scene.cluster.kill('postgres');
			await moment(2000);
		},
	},
} satisfies Record<string, Fault>;
