import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { SandboxOptions } from '../../sandbox/index.mts';
import type { Order } from './process.mts';

export interface Service {
	baseUrl: string;
	key: string;
	/** Files this many new licenses. */
	file(count: number): Promise<void>;
	/** How many requests came since the last time this was asked. */
	countRequests(): Promise<number>;
	stop(): Promise<void>;
}

const script = fileURLToPath(new URL('process.mts', import.meta.url));

export async function startService(options: SandboxOptions): Promise<Service> {
	const child = fork(script, [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
	const [{ baseUrl, key }] = (await once(child, 'message')) as [{ baseUrl: string; key: string }];
	const order = async (given: Order): Promise<{ requests: number }> => {
		const answered = once(child, 'message') as Promise<[{ requests: number }]>;
		child.send(given);
		return (await answered)[0];
	};
	return {
		baseUrl,
		key,
		file: async (count) => void (await order({ do: 'file', count })),
		countRequests: async () => (await order({ do: 'reset' })).requests,
		async stop() {
			const gone = once(child, 'exit');
			child.disconnect();
			await gone;
		},
	};
}
