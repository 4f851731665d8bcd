import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { freePort } from '../../../playground/ports.mts';
import { secretsOf } from '../../../playground/secrets.mts';
import { installFromDebian } from '../debian.mts';

interface DaemonOptions {
	command: string;
	args: string[];
	env: NodeJS.ProcessEnv;
	log: string;
	/** Another user to run as, for a program that refuses to be root. */
	user?: { uid: number; gid: number };
	stopSignal: NodeJS.Signals;
	isReady: () => Promise<boolean>;
}

/** Starts someone else's server next to n8n, which can be killed and started again. */
async function startDaemon({ command, args, env, log, user, stopSignal, isReady }: DaemonOptions) {
	let child: ChildProcess | undefined;
	const isRunning = () => child !== undefined && child.exitCode === null && !child.signalCode;
	// A test that fails leaves nothing running.
	process.once('exit', () => child?.kill(stopSignal));
	const daemon = {
		/** Does nothing if it is running. */
		async start(): Promise<void> {
			if (isRunning()) return;
			const deadline = Date.now() + 60_000;
			do {
				// After a kill, what it left behind may make the first tries fail.
				if (!isRunning()) {
					const file = await open(log, 'a');
					const stdio: StdioOptions = ['ignore', file.fd, file.fd];
					// Not with execa, which would carry the log through this process, and it may end first.
					child = spawn(command, args, { cwd: '/', env, stdio, ...user });
					await file.close();
				}
				if (await isReady()) return;
				await sleep(100);
			} while (Date.now() < deadline);
			throw new Error(`${command} did not start; its log: ${log}`);
		},
		/** Asks it to stop; with SIGKILL, it ends as in a power failure. */
		async end(signal = stopSignal): Promise<void> {
			if (!child || !isRunning()) return;
			const ended = once(child, 'exit');
			child.kill(signal);
			await ended;
		},
	};
	await daemon.start();
	return daemon;
}

/** What n8n needs in queue mode, and how it finds each. */
export async function startServices(folder: string) {
	return { postgres: await startPostgres(folder), redis: await startRedis(folder) };
}

/** A new PostgreSQL, reachable only from this machine. */
async function startPostgres(folder: string) {
	const env = await findPrograms();
	const user = await ordinaryUser();
	const place = placeOf(folder);
	const data = join(place, 'data');
	const passwordFile = join(place, 'password');
	const { postgres: password } = await secretsOf(folder);
	await rm(place, { recursive: true, force: true });
	await mkdir(place, { mode: 0o700 });
	await writeFile(passwordFile, password, { mode: 0o600 });
	if (user) await execa('chown', ['-R', `${user.uid}:${user.gid}`, place]);
	await execa(
		'initdb',
		[
			...['-D', data, '-U', 'n8n', `--pwfile=${passwordFile}`],
			...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8'],
		],
		{ cwd: '/', env, ...user },
	);
	const port = String(await freePort());
	const ready = ['-q', '-h', '127.0.0.1', '-p', port];
	const daemon = await startDaemon({
		command: 'postgres',
		args: [
			...['-D', data, '-p', port, '-c', 'max_connections=200'],
			...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
		],
		...{ env, user, log: join(folder, 'postgres.log') },
		// "Fast": does not wait for clients to disconnect.
		stopSignal: 'SIGINT',
		isReady: async () => !(await execa('pg_isready', ready, { env, reject: false })).failed,
	});
	return {
		daemon,
		url: `postgres://n8n:${password}@127.0.0.1:${port}/postgres`,
		environment: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: port,
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_PASSWORD: password,
		},
	};
}

/** A Redis that writes down what it is told, so that jobs survive it. */
async function startRedis(folder: string) {
	const { redis: password } = await secretsOf(folder);
	const env = { ...(await findPrograms()), REDISCLI_AUTH: password };
	// Every user of the machine can read a command line.
	const settings = join(folder, 'redis.conf');
	await writeFile(settings, `requirepass ${password}\n`, { mode: 0o600 });
	const port = String(await freePort());
	const ping = ['-h', '127.0.0.1', '-p', port, 'ping'];
	const daemon = await startDaemon({
		command: 'redis-server',
		args: [
			...[settings, '--bind', '127.0.0.1', '--port', port, '--dir', folder],
			...['--appendonly', 'yes', '--save', ''],
		],
		...{ env, log: join(folder, 'redis.log') },
		stopSignal: 'SIGTERM',
		// While it is still loading its file, it answers "LOADING".
		isReady: async () => (await execa('redis-cli', ping, { env, reject: false })).stdout === 'PONG',
	});
	return {
		daemon,
		environment: {
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: port,
			QUEUE_BULL_REDIS_PASSWORD: password,
		},
	};
}

/** The environment in which both servers can be called by name; they are installed if need be. */
async function findPrograms(): Promise<{ PATH: string }> {
	// Debian keeps PostgreSQL's programs off the PATH, in one folder per version.
	const versions = await readdir('/usr/lib/postgresql').catch(() => []);
	const debian = versions.map((version) => join('/usr/lib/postgresql', version, 'bin'));
	const env = { PATH: [process.env.PATH, ...debian].join(delimiter) };
	const asked = ['postgres', 'redis-server'].map(
		async (name) => await execa(name, ['--version'], { env, reject: false }),
	);
	if ((await Promise.all(asked)).every(({ failed }) => !failed)) return env;
	await installFromDebian(
		['postgresql', 'redis-server'],
		'Queue mode needs PostgreSQL and Redis. Install them first, e.g. with: sudo apt-get install postgresql redis-server',
	);
	return await findPrograms();
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
async function ordinaryUser(): Promise<{ uid: number; gid: number } | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const idOf = async (flag: string) => Number((await execa('id', [flag, 'postgres'])).stdout);
	return { uid: await idOf('-u'), gid: await idOf('-g') };
}

/** Users other than root may not be allowed to read the repository's folder. */
function placeOf(folder: string): string {
	const name = createHash('sha256').update(folder).digest('hex').slice(0, 12);
	return join(tmpdir(), `licensing-data-tests-${name}`);
}
