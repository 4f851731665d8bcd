import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Host } from '../../playground/host.mts';

/** Keeps n8n from writing; set up in advance, so that it strikes at once. */
export interface WriteStop {
	begin(): Promise<void>;
	end(): Promise<void>;
}

interface PostgresClient {
	connect(): Promise<void>;
	query(sql: string, values?: unknown[]): Promise<{ rows: Array<{ data: string }> }>;
	end(): Promise<void>;
}

/** Takes the lock when told to, and holds it until nobody is listening anymore. */
const holdLock = `
	const { DatabaseSync } = require('node:sqlite');
	const database = new DatabaseSync(process.argv[1]);
	database.exec('PRAGMA busy_timeout = 5000');
	console.log('ready');
	process.stdin
		.once('data', () => {
			database.exec('BEGIN IMMEDIATE');
			console.log('locked');
		})
		.on('end', () => process.exit());
`;

/** Takes the write lock of an SQLite database, as a backup or another program may. n8n's Node.js has SQLite. */
export async function sqliteLock(host: Host, file: string): Promise<WriteStop> {
	const child = spawn(host.node, ['--no-warnings', '-e', holdLock, file], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const ended = once(child, 'exit');
	const expectWord = async (word: string) => {
		const [said] = (await Promise.race([once(child.stdout, 'data'), ended])) as unknown[];
		if (String(said).trim() !== word) throw new Error(`${file} could not be locked`);
	};
	await expectWord('ready');
	return {
		async begin() {
			const locked = expectWord('locked');
			child.stdin.write('lock\n');
			await locked;
		},
		async end() {
			child.stdin.end();
			await ended;
		},
	};
}

/** n8n empties an execution that it cannot queue, or whose worker is gone. This keeps what it wrote first. */
export async function keepFirstData(host: Host, environment: Environment): Promise<void> {
	const client = await connectPostgres(host, environment);
	await client.query(`
		CREATE TABLE first_data ("executionId" integer PRIMARY KEY, data text);
		CREATE FUNCTION keep_first_data() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				INSERT INTO first_data VALUES (NEW."executionId", NEW.data);
				RETURN NEW;
			END
		$$;
		CREATE TRIGGER keep_first_data AFTER INSERT ON execution_data
			FOR EACH ROW EXECUTE FUNCTION keep_first_data();
	`);
	await client.end();
}

export async function firstData(
	host: Host,
	environment: Environment,
	executionId: string,
): Promise<string | undefined> {
	const client = await connectPostgres(host, environment);
	const select = 'SELECT data FROM first_data WHERE "executionId" = $1';
	const { rows } = await client.query(select, [executionId]);
	await client.end();
	return rows[0]?.data;
}

type Environment = Record<string, string>;

async function connectPostgres(host: Host, environment: Environment): Promise<PostgresClient> {
	const { Client } = createRequire(host.n8n)('pg') as {
		Client: new (options: object) => PostgresClient;
	};
	const client = new Client({
		host: environment.DB_POSTGRESDB_HOST,
		port: Number(environment.DB_POSTGRESDB_PORT),
		database: environment.DB_POSTGRESDB_DATABASE,
		user: environment.DB_POSTGRESDB_USER,
		password: environment.DB_POSTGRESDB_PASSWORD,
	});
	await client.connect();
	return client;
}

/** Lets PostgreSQL answer reads and refuse writes, as it does while its disk is full or another server takes over. */
export async function postgresRefusal(host: Host, environment: Environment): Promise<WriteStop> {
	const client = await connectPostgres(host, environment);
	const set = async (value: 'on' | 'off') => {
		await client.query('SET default_transaction_read_only = off');
		await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
		await client.query('SELECT pg_reload_conf()');
	};
	return {
		begin: async () => await set('on'),
		async end() {
			await set('off');
			await client.end();
		},
	};
}
