import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

it('Nothing that a service sends fills or blocks a process with a heap of 512 MB', async () => {
	const script = fileURLToPath(new URL('bounds-process.mts', import.meta.url));
	const options = ['--max-old-space-size=512', '--expose-gc', '--import', 'tsx'];
	const { stdout } = await execa(process.execPath, [...options, script]);
	const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
	const outcomes = lines.map((line) => JSON.parse(line) as { what: string; isHeld: boolean });
	expect(outcomes).toHaveLength(24);
	expect(outcomes.filter(({ isHeld }) => !isHeld)).toEqual([]);
});
