import { serve } from '../n8n/worker.mts';
import { waysOf, type Source, type Way } from './ways.mts';

export interface Job {
	way: Way;
	source: Source;
}

export interface Reading {
	milliseconds: number;
	/** Bytes that the process has taken at its peak, above what it had before. */
	memory: number;
}

const ways = waysOf(process.argv[2] ?? '');

const peak = (): number => process.resourceUsage().maxRSS * 1024;

serve<Job, Reading>(async ({ way, source }) => {
	(globalThis as { gc?: () => void }).gc?.();
	const before = peak();
	const start = performance.now();
	const count = await ways[way](source);
	const milliseconds = performance.now() - start;
	if (count !== source.records) throw new Error(`${way} brought ${count} of ${source.records}`);
	return { milliseconds, memory: peak() - before };
});
