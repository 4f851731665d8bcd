import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { releaseLock, takeLock, withLock } from '../../../playground/lock.mts';

let folder: string;
let path: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'lock-'));
	path = join(folder, 'deep', 'the.lock');
});
afterEach(async () => await rm(folder, { recursive: true }));

const nothing = () => {};

it('is taken by one holder at a time', async () => {
	const taken = await Promise.all(Array.from({ length: 20 }, async () => await takeLock(path)));
	expect(taken.filter(Boolean)).toHaveLength(1);
	await releaseLock(path);
	expect(await takeLock(path)).toBe(true);
});

it.each([
	// No system gives a process this number.
	['from a process that was killed', '2147483646 1'],
	['from a process whose number has been given to another', `${process.pid} 1`],
	['where it does not say who holds it', ''],
])('is taken over %s', async (_, holder) => {
	await takeLock(path);
	await writeFile(path, holder);
	expect(await takeLock(path)).toBe(true);
	expect(await takeLock(path)).toBe(false);
	expect(await readdir(dirname(path))).toEqual(['the.lock']);
});

it('lets the next one in after work that failed', async () => {
	const failing = withLock(path, nothing, () => Promise.reject(new Error('no disk left')));
	await expect(failing).rejects.toThrow('no disk left');
	expect(await withLock(path, nothing, () => Promise.resolve('done'))).toBe('done');
});

it('is not waited for without end', async () => {
	await takeLock(path);
	const waiting = withLock(path, nothing, () => Promise.resolve('done'), 0);
	await expect(waiting).rejects.toThrow(path);
});
