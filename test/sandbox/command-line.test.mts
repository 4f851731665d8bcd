import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';

import { optionsFrom } from '../../sandbox/command-line.mts';
import type { LicensePage } from '../../sandbox/index.mts';

it('npm run sandbox prints its address and a curl line that works, and stops cleanly', async () => {
	const program = fileURLToPath(new URL('../../sandbox/main.mts', import.meta.url));
	const args = ['--import', 'tsx', program, '--port', '0', '--records', '100'];
	const child = execa(process.execPath, args, { all: true });
	onTestFinished(() => void child.kill('SIGKILL'));
	let printed = '';
	child.all.on('data', (chunk: Buffer) => (printed += chunk.toString()));
	await expect.poll(() => printed).toContain('Ctrl+C stops it.');
	const [, Authorization = '', url = ''] = /curl -H '.+?: (.+)' '(.+)'/.exec(printed) ?? [];
	const response = await fetch(url, { headers: { Authorization } });
	expect(((await response.json()) as LicensePage).data).toHaveLength(2);
	child.kill('SIGINT');
	expect((await child).exitCode).toBe(0);
});

it.each([
	[['--rate-limits', 'gold'], '--rate-limits takes one of plan3000, plan600, plan120, plan60, '],
	[['--records', 'many'], '--records takes a whole number from 0 to 10000000'],
	[['--today', 'yesterday'], '--today takes a date'],
])('npm run sandbox says what is wrong with %j', (args, message) => {
	expect(() => optionsFrom(args)).toThrow(message);
});
