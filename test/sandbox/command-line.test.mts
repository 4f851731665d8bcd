import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';

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
