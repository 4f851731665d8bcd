import { monitorEventLoopDelay } from 'node:perf_hooks';

import { Poller } from '../../test/support/poller.mts';
import { serve } from '../n8n/worker.mts';
import { loadPackage } from '../n8n/workflow.mts';

export interface Job {
	do: 'activate' | 'catchUp';
	baseUrl: string;
}

export interface CaughtUp {
	polls: number;
	events: number;
	/** Megabytes: the most that the process had, on top of what it had before. */
	peak: number;
	/** The longest time that n8n was blocked, in milliseconds. */
	blocked: number;
	failure?: string;
}

/** A poll may end before it has found anything to emit. */
const EMPTY_POLLS = 3;

const { trigger, credential } = loadPackage(process.argv[2] ?? '');
let poller: Poller | undefined;

serve<Job, CaughtUp>(async (job) => {
	if (job.do === 'activate') {
		poller = new Poller({
			nodeType: trigger,
			credentialType: credential,
			credentials: { baseUrl: job.baseUrl, apiKey: 'ls_test_benchmark' },
			parameters: {
				output: 'raw',
				filters: { counties: ['Lee', 'Leon'] },
				// So many at once would wait for a day, if nobody had asked for them.
				options: { startFrom: '2020-01-01' },
			},
			saving: 'durable',
		});
	}
	(globalThis as { gc?: () => void }).gc?.();
	const before = process.memoryUsage.rss();
	const delay = monitorEventLoopDelay({ resolution: 1 });
	delay.enable();
	const caughtUp = job.do === 'catchUp' && poller ? await catchUp(poller) : { polls: 0, events: 0 };
	delay.disable();
	const peak = process.resourceUsage().maxRSS / 1024 - before / 2 ** 20;
	return { ...caughtUp, peak: Math.max(0, peak), blocked: delay.max / 1e6 };
});

/** Polls until nothing more comes. */
async function catchUp(poller: Poller): Promise<Pick<CaughtUp, 'polls' | 'events' | 'failure'>> {
	let polls = 0;
	let events = 0;
	for (let empty = 0; empty < EMPTY_POLLS; polls++) {
		try {
			const found = (await poller.poll()).length;
			events += found;
			empty = found === 0 ? empty + 1 : 0;
		} catch (error) {
			return { polls: polls + 1, events, failure: (error as Error).message };
		}
	}
	return { polls, events };
}
