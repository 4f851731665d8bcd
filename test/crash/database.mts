import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Queue } from '../support/queue/queue.mts';

/** n8n empties an execution that it cannot queue, or whose worker is gone. This keeps what it wrote first. */
const KEEP = {
	sqlite: `
		CREATE TRIGGER keep_first_data AFTER INSERT ON execution_data BEGIN
			INSERT INTO first_data VALUES (NEW."executionId", NEW.data);
		END`,
	postgres: `
		CREATE FUNCTION keep_first_data() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				INSERT INTO first_data VALUES (NEW."executionId", NEW.data);
				RETURN NEW;
			END
		$$;
		CREATE TRIGGER keep_first_data AFTER INSERT ON execution_data
			FOR EACH ROW EXECUTE FUNCTION keep_first_data();`,
};

/** How PostgreSQL comes to answer reads and refuse writes: its disk is full, or another server takes over. */
const readOnly = (value: 'on' | 'off') => [
	'SET default_transaction_read_only = off',
	`ALTER SYSTEM SET default_transaction_read_only = ${value}`,
	'SELECT pg_reload_conf()',
];

/** Keeps n8n from writing, and lets it write again. SQLite is locked, as by a backup. */
const STOP = {
	sqlite: { begin: ['BEGIN IMMEDIATE'], end: ['COMMIT'] },
	postgres: { begin: readOnly('on'), end: readOnly('off') },
};

interface Emission {
	id: number;
	workflowId: string;
	/** The execution as n8n first wrote it, in the form of the package "flatted". */
	data: string;
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** n8n's database, past n8n. */
export async function openDatabase({ host, folder, services }: Queue) {
	const type = services ? 'postgres' : 'sqlite';
	const source = services
		? { url: services.postgres.url, poolSize: 1 }
		: { database: join(folder, '.n8n', 'database.sqlite'), busyTimeout: 5000 };
	// In n8n's Node.js, for which its SQLite was compiled.
	const child = fork(join(import.meta.dirname, 'sql.mts'), [host.n8n], {
		execPath: host.node,
		execArgv: ['--no-warnings'],
		env: { DATABASE: JSON.stringify({ type, ...source }) },
	});
	const query = async <T,>(sql: string): Promise<T[]> => {
		const answered = once(child, 'message');
		child.send(sql);
		const [{ rows, error }] = (await answered) as [{ rows: T[]; error?: string }];
		if (error !== undefined) throw new Error(`${sql} ended with ${error}`);
		return rows;
	};
	await query('CREATE TABLE first_data ("executionId" integer PRIMARY KEY, data text)');
	await query(KEEP[type]);
	return {
		/** What the triggers have emitted, from this execution on, by n8n's own account. */
		emissions: async (from: number) =>
			await query<Emission>(`
				SELECT first_data."executionId" AS id, "workflowId", data
				FROM first_data JOIN execution_entity ON execution_entity.id = first_data."executionId"
				WHERE first_data."executionId" >= ${from}`),
		async stopWrites(meanwhile: () => Promise<void>): Promise<void> {
			for (const sql of STOP[type].begin) await query(sql);
			await meanwhile();
			for (const sql of STOP[type].end) await query(sql);
		},
		close: () => child.disconnect(),
	};
}
