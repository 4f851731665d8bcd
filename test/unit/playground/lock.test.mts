import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeLock, withLock } from '../../../playground/steps.mts';

let folder: string;
let path: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'lock-'));
	path = join(folder, 'deep', 'the.lock');
});
afterEach(async () => await rm(folder, { recursive: true }));

it('is taken by one holder at a time', async () => {
	const taken = await Promise.all(Array.from({ length: 20 }, async () => await takeLock(path)));
	const [release, ...others] = taken.filter((one) => one !== undefined);
	expect(others).toEqual([]);
	await release!();
	await (await takeLock(path))!();
});

it('is taken over from a process that was killed', async () => {
	await mkdir(path, { recursive: true });
	const aMinuteAgo = new Date(Date.now() - 60_000);
	await utimes(path, aMinuteAgo, aMinuteAgo);
	await (await takeLock(path))!();
});

it('lets the next one in after work that failed', async () => {
	const failing = withLock(path, () => Promise.reject(new Error('no disk left')));
	await expect(failing).rejects.toThrow('no disk left');
	expect(await withLock(path, () => Promise.resolve('done'))).toBe('done');
});

it('is not waited for without end', async () => {
	const release = await takeLock(path);
	const waiting = withLock(path, () => Promise.resolve('done'), 0);
	await expect(waiting).rejects.toThrow(path);
	await release!();
});
