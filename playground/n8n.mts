import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './command.mts';
import { n8nEnvironment } from './environment.mts';
import { repository } from './folders.mts';
import type { Host } from './host.mts';
import { freePort } from './ports.mts';

export interface N8n {
	address: string;
	/** Resolves when n8n has ended, whether it was asked to or not. */
	ended: Promise<void>;
	stop(): Promise<void>;
}

interface StartOptions {
	host: Host;
	/** Holds the database, the installed packages and the log of this one n8n. */
	folder: string;
	port?: number;
	environment?: Record<string, string>;
}

export const logOf = (folder: string) => join(folder, 'n8n.log');

/** Puts the tarball where n8n keeps the packages that a user installs, the way n8n does it. */
export async function installPackage(folder: string, tarball: string): Promise<void> {
	const packages = join(folder, '.n8n', 'nodes');
	const mark = join(packages, '.tarball');
	if ((await readFile(mark, 'utf8').catch(() => '')) === tarball) return;

	await mkdir(packages, { recursive: true });
	await writeFile(
		join(packages, 'package.json'),
		'{ "name": "installed-nodes", "private": true }\n',
	);
	const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-bin-links'];
	await run(
		'npm',
		// Its peer dependency is n8n itself, which is there already; nothing needs a registry.
		['install', tarball, '--offline', '--legacy-peer-deps', '--no-package-lock', ...quietly],
		{ cwd: packages, log: join(folder, 'install-package.log') },
	);
	await writeFile(mark, tarball);
}

export async function startN8n(options: StartOptions): Promise<N8n> {
	const { host, folder, environment } = options;
	const port = options.port ?? (await freePort());
	const address = `http://127.0.0.1:${port}`;

	await mkdir(folder, { recursive: true });
	const log = await open(logOf(folder), 'a');
	const preload = join(repository, 'playground', 'stop-with-parent.mts');
	const child = spawn(host.node, ['--import', preload, host.n8n, 'start'], {
		cwd: folder,
		env: { ...n8nEnvironment(folder, port, await freePort()), ...environment },
		stdio: ['ignore', log.fd, log.fd, 'ipc'],
		// In a process group of its own, Ctrl-C reaches n8n once, through stop(), and not twice.
		detached: true,
	});
	await log.close();
	const ended = once(child, 'exit').then(() => undefined);
	const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

	async function stop() {
		if (hasEnded()) return;
		child.kill('SIGTERM');
		await Promise.race([ended, sleep(20_000, undefined, { ref: false })]);
		if (hasEnded()) return;
		child.kill('SIGKILL');
		await ended;
	}

	const deadline = Date.now() + 180_000;
	while (!(await isReady(address))) {
		if (hasEnded() || Date.now() > deadline) {
			await stop();
			throw new Error(`n8n did not start.\n${await lastLines(logOf(folder))}`);
		}
		await sleep(300);
	}
	return { address, ended, stop };
}

/** While it starts, n8n answers every path with a page and status 200; this one answers JSON when it is ready. */
async function isReady(address: string): Promise<boolean> {
	try {
		const response = await fetch(`${address}/rest/settings`, { signal: AbortSignal.timeout(5000) });
		await response.json();
		return response.ok;
	} catch {
		return false;
	}
}

async function lastLines(path: string): Promise<string> {
	const text = await readFile(path, 'utf8').catch(() => '');
	return `${text.trimEnd().split('\n').slice(-15).join('\n')}\nAll of it: ${path}`;
}
