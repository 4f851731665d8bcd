import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';

const BEAT = 10_000;
/** A lock that has not been touched for so long was left behind. */
const STALE = 60_000;

export interface Lock {
	/** Throws if another process has it by now. */
	check: () => Promise<void>;
	release: () => Promise<void>;
}

/** One process at a time uses a folder. What a killed process left does not keep the next one out. */
export async function lockFolder(path: string): Promise<Lock> {
	const token = `${process.pid} ${hostname()} ${randomBytes(8).toString('hex')}`;
	await removeStale(path);
	try {
		await writeFile(path, token, { flag: 'wx', mode: 0o600 });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
		throw new Error(
			`Another process uses this folder (${path}). Stop it, or choose another folder with --data; after a crash of another machine, wait a minute.`,
		);
	}
	const isOwn = async (): Promise<boolean> =>
		(await readFile(path, 'utf8').catch(() => '')) === token;
	const beat = setInterval(() => {
		const now = new Date();
		void isOwn().then(async (own) => own && (await utimes(path, now, now).catch(() => undefined)));
	}, BEAT);
	beat.unref();
	return {
		check: async () => {
			if (!(await isOwn())) throw new Error(`Another process has taken over the folder (${path}).`);
		},
		release: async () => {
			clearInterval(beat);
			if (await isOwn()) await rm(path, { force: true });
		},
	};
}

async function removeStale(path: string): Promise<void> {
	const token = await readFile(path, 'utf8').catch(() => undefined);
	if (token === undefined || !(await isStale(path, token))) return;
	// Renamed first, so that of two processes one alone removes it.
	const aside = `${path}.${randomBytes(4).toString('hex')}`;
	await rename(path, aside).catch(() => undefined);
	await rm(aside, { force: true });
}

async function isStale(path: string, token: string): Promise<boolean> {
	const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
	if (Math.abs(Date.now() - mtimeMs) > STALE) return true;
	const [pid, host] = token.split(' ');
	// A container that is started again has the same process numbers.
	return host === hostname() && (Number(pid) === process.pid || !isAlive(Number(pid)));
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
