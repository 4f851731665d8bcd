import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repository, workspace } from './folders.mts';
import type { Host } from './host.mts';
import { freePort } from './ports.mts';
import { run } from './steps.mts';

/** What a shell or a test runner may set that would make a playground's n8n behave unlike anyone else's. */
const foreign = /^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_|GENERIC_|NODE_|VITEST|npm_)/;

const quiet = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_AI_GATEWAY_ENABLED: 'false',
	// The catalog of verified packages comes from n8n's servers; installed packages do not need it.
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	// These parts ask n8n's servers at every start, or need a model.
	N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,agents,chat-hub,quick-connect',
	N8N_PYTHON_ENABLED: 'false',
	// The sandbox and the editor are on this machine.
	NO_PROXY: 'localhost,127.0.0.1,[::1]',
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	// A browser keeps a secure cookie only on https.
	N8N_SECURE_COOKIE: 'false',
	GENERIC_TIMEZONE: 'America/New_York',
	// Code that was compiled for an earlier start.
	NODE_COMPILE_CACHE: join(workspace, 'compiled'),
};

/** The environment of a quiet n8n: reachable only from this machine, and calling nobody else's servers. */
function n8nEnvironment(folder: string, port: number, brokerPort: number) {
	const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
	return {
		...Object.fromEntries(inherited),
		...quiet,
		N8N_USER_FOLDER: folder,
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
	};
}

export interface N8n {
	address: string;
	/** Resolves when n8n has ended, whether it was asked to or not. */
	ended: Promise<void>;
	stop(): Promise<void>;
	/** Ends it as a power failure would. */
	kill(): Promise<void>;
}

interface StartOptions {
	host: Host;
	/** Holds the database, the installed packages and the log of this one n8n. */
	folder: string;
	port?: number;
	environment?: Record<string, string>;
	/** n8n's command: `start` is the editor and the triggers and, without a queue, everything else, too. */
	role?: 'start' | 'worker' | 'webhook';
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
	const manifest = '{ "name": "installed-nodes", "private": true }\n';
	await writeFile(join(packages, 'package.json'), manifest);
	const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-bin-links'];
	// Its peer dependency is n8n itself, which is already there, so no registry is needed.
	const alone = ['--offline', '--legacy-peer-deps', '--no-package-lock'];
	const log = join(folder, 'install-package.log');
	await run('npm', ['install', tarball, ...alone, ...quietly], { cwd: packages, log });
	await writeFile(mark, tarball);
}

export async function startN8n(options: StartOptions): Promise<N8n> {
	const { host, folder, environment, role = 'start', name } = options;
	const port = options.port ?? (await freePort());
	const address = `http://127.0.0.1:${port}`;

	// Installed packages find n8n-workflow in n8n, but look first in the folders above their own. Inside this
	// repository, that would be its development dependency: another version, with its own error classes.
	const workflowModule = join(dirname(host.n8n), '..', '..', 'n8n-workflow');
	await link(join(folder, '.n8n', 'nodes', 'node_modules', 'n8n-workflow'), workflowModule);
	// n8n unpacks its editor into .cache, and ESLint reads every script but those below a node_modules: the
	// linter would take an hour after the end-to-end tests.
	const cache = join(folder, 'node_modules', 'cache');
	await mkdir(cache, { recursive: true });
	await link(join(folder, '.cache'), cache);

	const log = await open(logOf(folder, name), 'a', 0o600);
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
	// While it starts, n8n answers every path with a page and status 200; these then answer with JSON.
	const signOfLife = role === 'start' ? '/rest/settings' : '/healthz/readiness';
	while (!(await isReady(`${address}${signOfLife}`))) {
		if (hasEnded() || Date.now() > deadline) {
			await stop();
			const path = logOf(folder, name);
			const lines = (await readFile(path, 'utf8')).trimEnd().split('\n').slice(-15).join('\n');
			throw new Error(`n8n did not start.\n${lines}\nFull log: ${path}`);
		}
		await sleep(300);
	}
	return { address, ended, stop, kill };
}

async function link(path: string, target: string): Promise<void> {
	if ((await readlink(path).catch(() => '')) === target) return;
	await mkdir(dirname(path), { recursive: true });
	await rm(path, { recursive: true, force: true });
	await symlink(target, path, 'junction');
}

export async function isReady(address: string): Promise<boolean> {
	try {
		const response = await fetch(address, { signal: AbortSignal.timeout(5000) });
		await response.json();
		return response.ok;
	} catch {
		return false;
	}
}
