import { serve } from '../n8n/worker.mts';
import { waysOf, type Source, type Way } from './ways.mts';

export interface Job {
	way: Way;
	parallel?: number;
	source: Source;
}

export interface Reading {
	milliseconds: number;
	/** Milliseconds of processor time, which a busy machine does not lengthen. */
	cpu: number;
	/** Megabytes: the most the process has had since it started, and what it had before this job. */
	peak: number;
	before: number;
}

const ways = waysOf(process.argv[2] ?? '');

serve<Job, Reading>(async ({ way, parallel, source }) => {
	(globalThis as { gc?: () => void }).gc?.();
	const before = process.memoryUsage.rss() / 2 ** 20;
	const cpuBefore = process.cpuUsage();
	const start = performance.now();
	const count = await ways[way](source, parallel);
	const milliseconds = performance.now() - start;
	const { user, system } = process.cpuUsage(cpuBefore);
	if (count < source.records) throw new Error(`${way} brought ${count} of ${source.records}`);
	return {
		milliseconds,
		cpu: (user + system) / 1000,
		peak: process.resourceUsage().maxRSS / 1024,
		before,
	};
});
