import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { installHost } from '../../playground/host.mts';

/** A process that works in the playground's n8n, and does one job after another. */
export interface Worker<Job, Result> {
	do(job: Job): Promise<Result>;
	stop(): Promise<void>;
}

const resolve = fileURLToPath(new URL('resolve.mts', import.meta.url));

export async function startWorker<Job extends object, Result>(
	script: URL,
	...args: string[]
): Promise<Worker<Job, Result>> {
	const { node } = await installHost();
	const child = fork(fileURLToPath(script), args, {
		execPath: node,
		execArgv: [
			...['--expose-gc', '--experimental-transform-types'],
			...['--disable-warning=ExperimentalWarning', '--import', resolve],
		],
	});
	const gone = once(child, 'exit');
	const answered = async (): Promise<object> => {
		const [answer] = (await Promise.race([once(child, 'message'), gone])) as [unknown];
		if (typeof answer !== 'object' || answer === null) throw new Error('A worker has ended');
		return answer;
	};
	await answered();
	return {
		async do(job) {
			child.send(job);
			const answer = await answered();
			if ('error' in answer) throw new Error(String(answer.error));
			return answer as Result;
		},
		async stop() {
			if (child.connected) child.disconnect();
			await gone;
		},
	};
}

/** The other end: answers every job it gets, and ends with the process that sent them. */
export function serve<Job, Result>(work: (job: Job) => Promise<Result>): void {
	process.once('disconnect', () => process.exit());
	process.on('message', (job: Job) => {
		work(job).then(
			(result) => process.send?.(result),
			(error: Error) => process.send?.({ error: error.stack }),
		);
	});
	process.send?.({ ready: true });
}
