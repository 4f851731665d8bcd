import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { StreamOptions } from '../../sandbox/index.mts';

export interface Service {
	baseUrl: string;
	key: string;
	/** How many requests came since the last time this was asked. */
	countRequests(): Promise<number>;
	stop(): Promise<void>;
}

const script = fileURLToPath(new URL('process.mts', import.meta.url));

export async function startService(options: StreamOptions): Promise<Service> {
	const child = fork(script, [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
	const [{ baseUrl, key }] = (await once(child, 'message')) as [{ baseUrl: string; key: string }];
	return {
		baseUrl,
		key,
		async countRequests() {
			const answered = once(child, 'message') as Promise<[{ requests: number }]>;
			child.send('how many?');
			return (await answered)[0].requests;
		},
		async stop() {
			const gone = once(child, 'exit');
			child.disconnect();
			await gone;
		},
	};
}
