import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/** True when taken; false while another living process holds it. What a killed process left is removed. */
export async function takeLock(path: string): Promise<boolean> {
	await mkdir(dirname(path), { recursive: true });
	try {
		await writeFile(path, String(process.pid), { flag: 'wx' });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
	}
	const holder = Number(await readFile(path, 'utf8').catch(() => ''));
	// An empty file belongs to a process that is just about to write its number into it.
	if (holder === 0 || isRunning(holder)) return false;
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
): Promise<T> {
	let told = false;
	while (!(await takeLock(path))) {
		if (!told) onWait();
		told = true;
		await sleep(1000);
	}
	try {
		return await work();
	} finally {
		await releaseLock(path);
	}
}
