import { Poller } from '../../test/support/poller.mts';
import { serve } from '../n8n/worker.mts';
import { loadPackage } from '../n8n/workflow.mts';

export type Job =
	| { do: 'activate'; baseUrl: string; key: string }
	| { do: 'poll'; hoursLater?: number };

export interface Polled {
	milliseconds: number;
	events: number;
}

const { trigger, credential } = loadPackage(process.argv[2] ?? '');
let poller: Poller | undefined;

/** What the trigger takes for the time. */
const { now } = Date;
let ahead = 0;
Date.now = () => now() + ahead;

serve<Job, Polled>(async (job) => {
	const start = performance.now();
	if (job.do === 'activate') {
		poller = new Poller({
			nodeType: trigger,
			credentialType: credential,
			credentials: { baseUrl: job.baseUrl, apiKey: job.key },
			parameters: { output: 'raw', options: { maxItems: 10_000 } },
			saving: 'durable',
		});
		const events = (await poller.activate()).length;
		return { milliseconds: performance.now() - start, events };
	}
	ahead += 3_600_000 * (job.hoursLater ?? 0);
	const events = (await poller?.poll())?.length ?? 0;
	return { milliseconds: performance.now() - start, events };
});
