import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { freePort } from '../../../playground/n8n.mts';
import { secretsOf } from '../../../playground/secrets.mts';
import { installFromDebian } from '../debian.mts';
import { Daemon } from './daemon.mts';

export interface Service {
	daemon: Daemon;
	/** How n8n finds it. */
	environment: Record<string, string>;
}

interface Programs {
	/** The folder of `postgres`, `initdb` and `pg_isready`. */
	postgres: string;
	redis: string;
}

const database = { user: 'n8n', name: 'postgres' };

/** A PostgreSQL of its own: its data in a folder, on a free port, reachable only from this machine. */
export async function startPostgres(folder: string): Promise<Service> {
	const { postgres: programs } = await findPrograms();
	const user = await ordinaryUser();
	const data = join(user ? privateFolder(folder) : folder, 'postgres');
	const { postgres: password } = await secretsOf(folder);
	if (!existsSync(join(data, 'PG_VERSION'))) {
		await mkdir(data, { recursive: true, mode: 0o700 });
		const passwordFile = join(dirname(data), 'postgres-password');
		await writeFile(passwordFile, password, { mode: 0o600 });
		if (user) {
			const paths = [privateFolder(folder), data, passwordFile];
			for (const path of paths) await chown(path, user.uid, user.gid);
		}
		const form = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8'];
		await execa(
			join(programs, 'initdb'),
			['-D', data, '-U', database.user, `--pwfile=${passwordFile}`, ...form],
			{ cwd: '/', ...user },
		);
		await rm(passwordFile);
	}
	const port = await freePort();
	const daemon = new Daemon({
		name: 'PostgreSQL',
		command: join(programs, 'postgres'),
		args: [
			...['-D', data, '-p', String(port)],
			...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
			...['-c', 'max_connections=200'],
		],
		log: join(folder, 'postgres.log'),
		user,
		// "Fast": does not wait for clients to disconnect.
		stopSignal: 'SIGINT',
		isReady: async () =>
			!(
				await execa(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)], {
					reject: false,
				})
			).failed,
	});
	await daemon.start();
	return {
		daemon,
		environment: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: database.name,
			DB_POSTGRESDB_USER: database.user,
			DB_POSTGRESDB_PASSWORD: password,
		},
	};
}

/** What PostgreSQL keeps outside the folder. */
export async function forgetPostgres(folder: string): Promise<void> {
	await rm(privateFolder(folder), { recursive: true, force: true });
}

/** A Redis that writes down what it is told, so that jobs survive it. */
export async function startRedis(folder: string): Promise<Service> {
	const { redis } = await findPrograms();
	const data = join(folder, 'redis');
	await mkdir(data, { recursive: true });
	const { redis: password } = await secretsOf(folder);
	// Every user of the machine can read a command line.
	const settings = join(data, 'redis.conf');
	await writeFile(settings, `requirepass ${password}\n`, { mode: 0o600 });
	const port = await freePort();
	const daemon = new Daemon({
		name: 'Redis',
		command: redis,
		args: [
			settings,
			...['--bind', '127.0.0.1', '--port', String(port), '--dir', data],
			...['--appendonly', 'yes', '--save', ''],
		],
		log: join(folder, 'redis.log'),
		isReady: async () => await answersPing(port, password),
	});
	await daemon.start();
	return {
		daemon,
		environment: {
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(port),
			QUEUE_BULL_REDIS_PASSWORD: password,
		},
	};
}

async function answersPing(port: number, password: string): Promise<boolean> {
	const socket = connect(port, '127.0.0.1');
	socket.setTimeout(1000, () => socket.destroy());
	socket.write(`AUTH ${password}\r\nPING\r\nQUIT\r\n`);
	// While it is still loading its file, it answers "-LOADING".
	return await text(socket).then(
		(answer) => answer.includes('+PONG'),
		() => false,
	);
}

async function findPrograms(): Promise<Programs> {
	const found = await search();
	if (found) return found;
	await installFromDebian(
		['postgresql', 'redis-server'],
		'Queue mode needs PostgreSQL and Redis. Install them first, e.g. with: sudo apt-get install postgresql redis-server',
	);
	const installed = await search();
	if (!installed) throw new Error("Debian's packages brought no PostgreSQL or no Redis.");
	return installed;
}

async function search(): Promise<Programs | undefined> {
	const path = (process.env.PATH ?? '').split(delimiter);
	// Debian keeps the server's programs off the PATH, in one folder per version.
	const versions = await readdir('/usr/lib/postgresql').catch(() => []);
	const debian = versions.map((version) => join('/usr/lib/postgresql', version, 'bin'));
	const holds =
		(...names: string[]) =>
		(folder: string) =>
			names.every((name) => existsSync(join(folder, name)));
	const postgres = [...path, ...debian.sort().reverse()].find(
		holds('initdb', 'postgres', 'pg_isready'),
	);
	const redis = [...path, '/usr/local/bin', '/usr/bin'].find(holds('redis-server'));
	return postgres && redis ? { postgres, redis: join(redis, 'redis-server') } : undefined;
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
async function ordinaryUser(): Promise<{ uid: number; gid: number } | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const idOf = async (flag: string) => Number((await execa('id', [flag, 'postgres'])).stdout);
	return { uid: await idOf('-u'), gid: await idOf('-g') };
}

/** Users other than root may not be allowed to read the repository's folder. */
function privateFolder(folder: string): string {
	const name = createHash('sha256').update(folder).digest('hex').slice(0, 12);
	return join(tmpdir(), `licensing-data-tests-${name}`);
}
