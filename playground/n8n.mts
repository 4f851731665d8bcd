import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
	/** As in a power failure. */
	kill(): Promise<void>;
}

/** n8n's commands: `start` is the editor and the triggers and, without a queue, everything else, too. */
export type Role = 'start' | 'worker' | 'webhook';

interface StartOptions {
	host: Host;
	/** Holds the database, the installed packages and the log of this one n8n. */
	folder: string;
	port?: number;
	environment?: Record<string, string>;
	role?: Role;
	/** Tells apart the logs of several processes in one folder. */
	name?: string;
}

export const logOf = (folder: string, name = 'n8n') => join(folder, `${name}.log`);

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
		// Its peer dependency is n8n itself, which is already there, so no registry is needed.
		['install', tarball, '--offline', '--legacy-peer-deps', '--no-package-lock', ...quietly],
		{ cwd: packages, log: join(folder, 'install-package.log') },
	);
	await writeFile(mark, tarball);
}

export async function startN8n(options: StartOptions): Promise<N8n> {
	const { host, folder, environment, role = 'start', name } = options;
	const port = options.port ?? (await freePort());
	const address = `http://127.0.0.1:${port}`;

	await mkdir(folder, { recursive: true });
	await linkWorkflowModule(host, folder);
	await keepEditorFromLinter(folder);
	const log = await open(logOf(folder, name), 'a');
	const preload = join(repository, 'playground', 'stop-with-parent.mts');
	// Not with execa, which would carry the log through this process, and it may end first.
	const child = spawn(host.node, ['--import', preload, host.n8n, role], {
		cwd: folder,
		env: { ...n8nEnvironment(folder, port, await freePort()), ...environment },
		stdio: ['ignore', log.fd, log.fd, 'ipc'],
		// In its own process group, n8n gets Ctrl-C once, through stop(), and not twice.
		detached: true,
	});
	await log.close();
	const ended = once(child, 'exit').then(() => undefined);
	const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

	async function stop() {
		if (!hasEnded()) child.kill('SIGTERM');
		await Promise.race([ended, sleep(20_000, undefined, { ref: false })]);
		await kill();
	}

	async function kill() {
		// The whole group, so that none of its helpers lives on.
		if (child.pid !== undefined && !hasEnded()) process.kill(-child.pid, 'SIGKILL');
		await ended;
	}

	const deadline = Date.now() + 180_000;
	while (!(await isReady(`${address}${signOfLife[role]}`))) {
		if (hasEnded() || Date.now() > deadline) {
			await stop();
			throw new Error(`n8n did not start.\n${await lastLines(logOf(folder, name))}`);
		}
		await sleep(300);
	}
	return { address, ended, stop, kill };
}

/**
 * Installed packages find n8n-workflow in n8n, but look first in the folders above their own. Inside this
 * repository, that would be its development dependency: another version, with its own error classes.
 */
async function linkWorkflowModule(host: Host, folder: string): Promise<void> {
	const target = join(dirname(host.n8n), '..', '..', 'n8n-workflow');
	await link(join(folder, '.n8n', 'nodes', 'node_modules', 'n8n-workflow'), target);
}

/**
 * n8n unpacks its editor into .cache, and ESLint reads every script but those below a node_modules: `npm run lint`
 * would take an hour after the end-to-end tests.
 */
async function keepEditorFromLinter(folder: string): Promise<void> {
	const target = join(folder, 'node_modules', 'cache');
	await mkdir(target, { recursive: true });
	await link(join(folder, '.cache'), target);
}

async function link(path: string, target: string): Promise<void> {
	if ((await readlink(path).catch(() => '')) === target) return;
	await mkdir(dirname(path), { recursive: true });
	await rm(path, { recursive: true, force: true });
	await symlink(target, path, 'junction');
}

/** While it starts, n8n answers every path with a page and status 200; these then answer with JSON. */
const signOfLife: Record<Role, string> = {
	start: '/rest/settings',
	worker: '/healthz/readiness',
	webhook: '/healthz/readiness',
};

export async function isReady(address: string): Promise<boolean> {
	try {
		const response = await fetch(address, { signal: AbortSignal.timeout(5000) });
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
