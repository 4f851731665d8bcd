import { type Fault, faults } from './faults.mts';

/** What n8n keeps of a trigger between polls, and when it saves it. */
export type Saving = 'memory' | 'schedule' | 'cursors';

/** A way of running n8n. */
export interface Mode {
	name: string;
	title: string;
	saving: Saving;
	database: 'sqlite' | 'postgres';
	/** Whether workers run the executions. */
	queue: boolean;
	faults: Fault[];
}

const { killPolling, killEmitting, stopPolling, stopEmitting } = faults;
const { killWorker, killRedis, killPostgres, lockDatabase, refuseWrites } = faults;

const alone = [killPolling, killEmitting, stopPolling, stopEmitting];
const sqlite: Pick<Mode, 'database' | 'queue' | 'faults'> = {
	database: 'sqlite',
	queue: false,
	faults: [...alone, lockDatabase],
};

export const modes: Mode[] = [
	{ name: 'memory', title: 'In-memory scheduler, SQLite', saving: 'memory', ...sqlite },
	{
		name: 'memory-postgres',
		title: 'In-memory scheduler, PostgreSQL',
		saving: 'memory',
		database: 'postgres',
		queue: false,
		faults: [stopEmitting, refuseWrites],
	},
	{
		name: 'schedule',
		title: 'Durable scheduler without cursors, SQLite',
		saving: 'schedule',
		...sqlite,
	},
	{ name: 'cursors', title: 'Durable scheduler and cursors, SQLite', saving: 'cursors', ...sqlite },
	{
		name: 'queue',
		title: 'Queue mode with durable cursors, PostgreSQL',
		saving: 'cursors',
		database: 'postgres',
		queue: true,
		faults: [...alone, killWorker, killRedis, killPostgres, refuseWrites],
	},
];
