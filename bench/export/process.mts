import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse } from 'csv-parse';

import { hostFolder } from '../../playground/folders.mts';
import type { Source } from '../get-many/ways.mts';
import { serve } from '../n8n/worker.mts';
import { writeCsv, type Way } from './ways.mts';

export interface Job {
	way: Way;
	source: Source;
}

export interface Reading {
	milliseconds: number;
	/** Megabytes: the most the process has had since it started, and what it had before this job. */
	peak: number;
	before: number;
	/** The file's size in megabytes. */
	size: number;
}

const packageFolder = process.argv[2] ?? '';
const { BinaryDataConfig, BinaryDataService } = await import('n8n-core');
const require = createRequire(join(hostFolder, 'package.json'));
const { Container } = require('@n8n/di') as typeof import('@n8n/di');

serve<Job, Reading>(async ({ way, source }) => {
	const storage = await mkdtemp(join(tmpdir(), 'bench-export-'));
	Object.assign(Container.get(BinaryDataConfig), {
		mode: 'filesystem',
		localStoragePath: storage,
	});
	const files = Container.get(BinaryDataService);
	await files.init();
	(globalThis as { gc?: () => void }).gc?.();
	const before = process.memoryUsage.rss() / 2 ** 20;
	const start = performance.now();
	const id = await writeCsv(way, source, packageFolder);
	const milliseconds = performance.now() - start;
	const peak = process.resourceUsage().maxRSS / 1024;

	const ids = new Set<string>();
	const rows = createReadStream(files.getPath(id)).pipe(parse({ columns: true, bom: true }));
	for await (const row of rows as AsyncIterable<{ id: string }>) ids.add(row.id);
	if (ids.size !== source.records)
		throw new Error(`${way} wrote ${ids.size} of ${source.records} licenses`);
	const { fileSize } = await files.getMetadata(id);
	await rm(storage, { recursive: true });
	return { milliseconds, peak, before, size: fileSize / 1e6 };
});
