/** Work that takes long: shown while it runs, logged, and done by one process at a time. */
import { writeFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { execa } from 'execa';
import lockfile from 'proper-lockfile';
import { makeFolder } from './folders.mts';

const clock = (milliseconds: number) => {
	const seconds = Math.round(milliseconds / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** A terminal gets one line that is rewritten; a log gets a line now and then. */
const { isTTY } = process.stdout;

/** Runs a long step, showing how long it has taken so far and what `measure` says about it. */
export async function step<T>(
	name: string,
	work: () => Promise<T>,
	measure = () => '',
): Promise<T> {
	const started = Date.now();
	const show = (text: string, end = '') =>
		process.stdout.write(isTTY ? `\r\x1b[K  ${text}${end}` : `  ${text}\n`);
	const passed = () => clock(Date.now() - started);
	show(`${name} …`);
	const timer = setInterval(
		() => show([`${name} … ${passed()}`, measure()].filter(Boolean).join(', ')),
		isTTY ? 1000 : 10_000,
	);
	try {
		const result = await work();
		show(`${name}: done in ${passed()}`, '\n');
		return result;
	} catch (error) {
		show(`${name}: stopped after ${passed()}`, '\n');
		throw error;
	} finally {
		clearInterval(timer);
	}
}

interface CommandOptions {
	cwd: string;
	/** Receives everything the command prints, so that the terminal stays readable. */
	log: string;
	env?: Record<string, string>;
	/** The Node.js that scripts started by the command should find first. */
	node?: string;
}

/** Runs a command to its end; if it fails, says where to read more and what it printed last. */
export async function run(command: string, args: string[], options: CommandOptions): Promise<void> {
	const { cwd, log, env, node } = options;
	await makeFolder(dirname(log));
	await writeFile(log, '');
	const output = ['pipe' as const, { file: log, append: true as const }];
	const path = [node && dirname(node), process.env.PATH].filter(Boolean).join(delimiter);
	const { failed, shortMessage, all } = await execa(command, args, {
		...{ cwd, env: { ...env, PATH: path }, reject: false },
		...{ stdin: 'ignore', stdout: output, stderr: output, all: true, lines: true },
	});
	if (!failed) return;
	const last = all.slice(-15).map((line) => `\n    ${line}`);
	throw new Error(`${shortMessage}\nIts last lines:${last.join('')}\nFull log: ${log}`);
}

/**
 * Returns a function that gives the lock back, or undefined while another process holds it. A holder shows
 * every few seconds that it is alive, so the lock of a process that was killed is free again after ten.
 */
export async function takeLock(path: string, waitSeconds = 0) {
	await makeFolder(dirname(path));
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

/** Waits its turn, works, and lets the next one in. Half an hour is longer than any work done here. */
export async function withLock<T>(
	path: string,
	work: () => Promise<T>,
	mostSeconds = 1800,
): Promise<T> {
	let release = await takeLock(path);
	if (!release) {
		console.log(`Waiting for another run that does the same work (lock: ${path}).`);
		release = await takeLock(path, mostSeconds);
	}
	if (!release) throw new Error(`Another run seems to be active. If none is, remove ${path}.`);
	try {
		return await work();
	} finally {
		await release();
	}
}
