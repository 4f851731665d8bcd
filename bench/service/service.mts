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
	/** Takes the county off so many licenses, and says how many there are, in all or in a county. */
	prepare(wanted: { lost: number; county?: string | undefined }): Promise<number>;
	/** How many requests came since the last time this was asked. */
	countRequests(): Promise<number>;
	stop(): Promise<void>;
}

interface Told {
	requests: number;
	records: number;
}

const script = fileURLToPath(new URL('process.mts', import.meta.url));

export async function startService(options: SandboxOptions): Promise<Service> {
	const child = fork(script, [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
	const [{ baseUrl, key }] = (await once(child, 'message')) as [{ baseUrl: string; key: string }];
	const order = async (given: Order): Promise<Told> => {
		const answered = once(child, 'message') as Promise<[Told]>;
		child.send(given);
		return (await answered)[0];
	};
	return {
		baseUrl,
		key,
		file: async (count) => void (await order({ do: 'file', count })),
		prepare: async (wanted) => (await order({ do: 'prepare', ...wanted })).records,
		countRequests: async () => (await order({ do: 'reset' })).requests,
		async stop() {
			const gone = once(child, 'exit');
			child.disconnect();
			await gone;
		},
	};
}
