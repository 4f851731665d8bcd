import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { unpackPackage } from './n8n/package.mts';
import { startWorker } from './n8n/worker.mts';
import type { CaughtUp, Job } from './polling/memory.mts';
import type { List } from './polling/strange-service.mts';
import type { Subject } from './subject.mts';
import { count, duration, table } from './table.mts';

const script = new URL('polling/memory.mts', import.meta.url);
const service = fileURLToPath(new URL('polling/strange-service.mts', import.meta.url));

const LISTS: Record<string, List> = {
	'20,000 new licenses': { news: 20_000, pageSize: 50 },
	'130,000 new licenses, a thousand a page, none of which fits the filters': {
		news: 130_000,
		pageSize: 1000,
		county: 'Elsewhere',
	},
	'200 new licenses of 1.9 MB': {
		news: 200,
		pageSize: 1,
		more: { bytes: 1_900_000, of: 'text' },
	},
	'10 new licenses with 1.9 MB of JSON that is slow to read': {
		news: 10,
		pageSize: 1,
		more: { bytes: 1_900_000, of: 'parts' },
	},
	'a license of 10 MB': { news: 50, pageSize: 1, more: { bytes: 10_000_000, of: 'text' } },
};

export const pollMemory: Subject = {
	title: 'Peak memory of the trigger',
	async measure({ progress }) {
		const folder = await unpackPackage();
		const rows: string[][] = [];
		for (const [name, list] of Object.entries(LISTS)) {
			const { polls, events, requests, peak, blocked, failure } = await meet(list, folder);
			rows.push([
				name,
				count(polls),
				count(requests),
				count(events),
				`${peak.toFixed(0)} MB`,
				duration(blocked),
				failure ?? '',
			]);
			progress(name);
		}
		return [
			"The polling trigger under n8n-core's own PollContext, asked for what is there by _Start From_ and polled until three polls in a row bring nothing, each time in a fresh process. Memory is what the process took above what it had before; blocked is the longest time in which n8n could do nothing else.",
			table(['what came', 'polls', 'requests', 'events', 'peak', 'blocked', 'failed with'], rows),
		].join('\n\n');
	},
};

async function meet(list: List, folder: string): Promise<CaughtUp & { requests: number }> {
	const child = fork(service, [JSON.stringify(list)], { execArgv: ['--import', 'tsx'] });
	const answered = async <T,>(): Promise<T> => ((await once(child, 'message')) as [T])[0];
	const { baseUrl } = await answered<{ baseUrl: string }>();
	const requestsSinceLast = async () => {
		child.send({});
		return (await answered<{ requests: number }>()).requests;
	};
	const worker = await startWorker<Job, CaughtUp>(script, folder);
	try {
		await worker.do({ do: 'activate', baseUrl });
		await requestsSinceLast();
		const caughtUp = await worker.do({ do: 'catchUp', baseUrl });
		return { ...caughtUp, requests: await requestsSinceLast() };
	} finally {
		await worker.stop();
		child.disconnect();
	}
}
