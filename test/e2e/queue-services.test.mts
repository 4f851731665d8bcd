import { rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testFolder } from '../../playground/folders.mts';
import {
	forgetPostgres,
	type Service,
	startPostgres,
	startRedis,
} from '../../playground/queue-services.mts';

const folder = join(testFolder, 'queue-services');
let postgres: Service;
let redis: Service;

beforeAll(async () => {
	await rm(folder, { recursive: true, force: true });
	await forgetPostgres(folder);
	postgres = await startPostgres(folder);
	redis = await startRedis(folder);
});
afterAll(async () => {
	await redis?.daemon.stop();
	await postgres?.daemon.stop();
});

it('let nobody into PostgreSQL without the password', async () => {
	const { environment } = postgres;
	const query = async (password: string) =>
		await execa('psql', ['--no-password', '--no-psqlrc', '--tuples-only', '-c', 'select 6 * 7'], {
			reject: false,
			env: {
				PGHOST: environment.DB_POSTGRESDB_HOST,
				PGPORT: environment.DB_POSTGRESDB_PORT,
				PGUSER: environment.DB_POSTGRESDB_USER,
				PGDATABASE: environment.DB_POSTGRESDB_DATABASE,
				PGPASSWORD: password,
			},
		});
	expect((await query('')).stderr).toContain('no password supplied');
	expect((await query('postgres')).stderr).toContain('password authentication failed');
	expect((await query(environment.DB_POSTGRESDB_PASSWORD!)).stdout.trim()).toBe('42');
});

it('let nobody into Redis without the password', async () => {
	const password = redis.environment.QUEUE_BULL_REDIS_PASSWORD!;
	const ask = async (...lines: string[]) => {
		const socket = createConnection(Number(redis.environment.QUEUE_BULL_REDIS_PORT), '127.0.0.1');
		socket.write([...lines, 'QUIT', ''].join('\r\n'));
		return await text(socket);
	};
	expect(await ask('GET secret')).toContain('-NOAUTH');
	expect(await ask('AUTH redis', 'GET secret')).toContain('-WRONGPASS');
	expect(await ask(`AUTH ${password}`, 'PING')).toContain('+PONG');
});
