import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { releaseLock, takeLock, withLock } from '../../../playground/lock.mts';

let path: string;

beforeEach(async () => {
	path = join(await mkdtemp(join(tmpdir(), 'lock-')), 'deep', 'the.lock');
});

it('is taken by one holder at a time', async () => {
	expect(await takeLock(path)).toBe(true);
	expect(await takeLock(path)).toBe(false);
	await releaseLock(path);
	expect(await takeLock(path)).toBe(true);
});

it('is taken over from a process that was killed', async () => {
	await takeLock(path);
	// No system gives a process this number.
	await writeFile(path, '2147483646');
	expect(await takeLock(path)).toBe(true);
	expect(await readFile(path, 'utf8')).toBe(String(process.pid));
});

it('lets the next one in after work that failed', async () => {
	const failing = withLock(
		path,
		() => {},
		() => Promise.reject(new Error('no disk left')),
	);
	await expect(failing).rejects.toThrow('no disk left');
	expect(
		await withLock(
			path,
			() => {},
			() => Promise.resolve('done'),
		),
	).toBe('done');
});
