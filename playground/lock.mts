import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than any work under a lock takes. */
const MOST_SECONDS = 1800;

/** True when taken; false while another living process holds it. What a killed process left is removed. */
export async function takeLock(path: string): Promise<boolean> {
	await mkdir(dirname(path), { recursive: true });
	// Written beside its place and then linked, so that nobody ever meets a lock without its holder.
	const written = `${path}.${randomUUID()}`;
	await writeFile(written, await holderOf(process.pid));
	try {
		await link(written, path);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
	} finally {
		await rm(written, { force: true });
	}
	const holder = await readFile(path, 'utf8').catch(() => '');
	const pid = Number.parseInt(holder);
	if (isRunning(pid) && holder === (await holderOf(pid))) return false;
	await rm(path, { force: true });
	return await takeLock(path);
}

export async function releaseLock(path: string): Promise<void> {
	await rm(path, { force: true });
}

/** Waits for its turn, works, and lets the next one in. */
export async function withLock<T>(
	path: string,
	onWait: () => void,
	work: () => Promise<T>,
	mostSeconds = MOST_SECONDS,
): Promise<T> {
	for (let waited = 0; !(await takeLock(path)); waited++) {
		if (waited === 0) onWait();
		if (waited >= mostSeconds) {
			throw new Error(`Another run is still at it. If there is none, remove ${path}.`);
		}
		await sleep(1000);
	}
	try {
		return await work();
	} finally {
		await releaseLock(path);
	}
}

function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/**
 * After a restart another process may have the same number, but not since the same moment, which Linux tells.
 * Elsewhere the number has to do.
 */
async function holderOf(pid: number): Promise<string> {
	const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
	// The name in parentheses may hold anything; the moment is the 20th word behind it.
	const [, ...words] = status.slice(status.lastIndexOf(')')).split(' ');
	return `${pid} ${words[19] ?? ''}`;
}
