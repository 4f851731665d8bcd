import { type Fault, faults } from './faults.mts';

/** A way of running n8n. */
export interface Mode {
	name: string;
	title: string;
	durable: boolean;
	queue: boolean;
	faults: Fault[];
}

const { mainWhilePolling, mainWhileEmitting, workerWhileExecuting, redis, postgres } = faults;

export const modes: Mode[] = [
	{
		name: 'in-memory',
		title: 'In-memory scheduler, SQLite',
		durable: false,
		queue: false,
		faults: [mainWhilePolling, mainWhileEmitting],
	},
	{
		name: 'durable',
		title: 'Durable scheduler and cursors, SQLite',
		durable: true,
		queue: false,
		faults: [mainWhilePolling, mainWhileEmitting],
	},
	{
		name: 'queue',
		title: 'Queue mode with durable cursors, PostgreSQL',
		durable: true,
		queue: true,
		faults: [mainWhilePolling, mainWhileEmitting, workerWhileExecuting, redis, postgres],
	},
];
