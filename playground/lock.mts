import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import lockfile from 'proper-lockfile';

type Release = () => Promise<void>;

/** Longer than any work done under a lock. */
const MOST_SECONDS = 1800;

/**
 * Returns a function that gives the lock back, or undefined while another process holds it. A holder shows
 * every few seconds that it is alive, so the lock of a process that was killed is free again after ten.
 */
export async function takeLock(path: string, waitSeconds = 0): Promise<Release | undefined> {
	await mkdir(dirname(path), { recursive: true });
	try {
		return await lockfile.lock(path, {
			lockfilePath: path,
			realpath: false,
			retries: { retries: waitSeconds, factor: 1, minTimeout: 1000, maxTimeout: 1000 },
		});
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
		throw error;
	}
}

/** Waits its turn, works, and lets the next one in. */
export async function withLock<T>(
	path: string,
	onWait: () => void,
	work: () => Promise<T>,
	mostSeconds = MOST_SECONDS,
): Promise<T> {
	let release = await takeLock(path);
	if (!release) {
		onWait();
		release = await takeLock(path, mostSeconds);
	}
	if (!release) throw new Error(`Another run has not finished. If there is none, remove ${path}.`);
	try {
		return await work();
	} finally {
		await release();
	}
}
