import { type Fault, faults } from './faults.mts';

/** A way of running n8n. */
export interface Mode {
	name: string;
	title: string;
	durable: boolean;
	queue: boolean;
	/** Whether the triggers have Repeat After Restart on. */
	repeating: boolean;
	faults: Fault[];
}

const { mainWhilePolling, mainWhileEmitting, workerWhileExecuting, redis, postgres } = faults;

export const modes: Mode[] = [
	{
		name: 'in-memory',
		title: 'In-memory scheduler, SQLite',
		durable: false,
		queue: false,
		repeating: false,
		faults: [mainWhilePolling, mainWhileEmitting],
	},
	{
		name: 'in-memory-repeating',
		title: 'The same, with _Repeat After Restart_',
		durable: false,
		queue: false,
		repeating: true,
		faults: [mainWhilePolling, mainWhileEmitting],
	},
	{
		name: 'durable',
		title: 'Durable scheduler and cursors, SQLite',
		durable: true,
		queue: false,
		repeating: false,
		faults: [mainWhilePolling, mainWhileEmitting],
	},
	{
		name: 'queue',
		title: 'Queue mode with durable cursors, PostgreSQL',
		durable: true,
		queue: true,
		repeating: false,
		faults: [mainWhilePolling, mainWhileEmitting, workerWhileExecuting, redis, postgres],
	},
];
