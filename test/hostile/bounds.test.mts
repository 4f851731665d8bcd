import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const HEAP_IN_MB = 512;

interface Outcome {
	what: string;
	isHeld: boolean;
}

it('Nothing that a service sends fills or blocks a process with a heap of 512 MB', async () => {
	const script = fileURLToPath(new URL('bounds-process.mts', import.meta.url));
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[`--max-old-space-size=${HEAP_IN_MB}`, '--expose-gc', '--import', 'tsx', script],
		{ maxBuffer: 10_000_000 },
	);
	const outcomes = stdout
		.split('\n')
		.filter((line) => line.startsWith('{'))
		.map((line) => JSON.parse(line) as Outcome);
	expect(outcomes.length).toBe(24);
	expect(outcomes.filter(({ isHeld }) => !isHeld)).toEqual([]);
});
