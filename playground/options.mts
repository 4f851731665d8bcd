import { parseArgs } from 'node:util';
import { positive } from './numbers.mts';

export interface Options {
	fresh: boolean;
	/** After how many seconds the sandbox's register lists a day's worth more. */
	day: number;
	/** The editor's port; undefined means the usual one, or another if that is taken. */
	port: number | undefined;
	/** Whether n8n runs as several processes, on PostgreSQL and Redis. */
	queue: boolean;
}

export const usage = `Usage: npm start -- [options]

  --fresh         begin anew: forget the playground's workflows, executions and leads
  --day <seconds> how long until the register lists a day's worth more (default 60)
  --port <n>      the editor's port (default 5678; the next ones serve the leads and the sandbox)
  --queue         n8n in queue mode: a main, two workers and a webhook process, on PostgreSQL and Redis
  --help          show this`;

export function readOptions(args: string[]): Options | 'help' {
	const { values } = parseArgs({
		args,
		options: {
			fresh: { type: 'boolean', default: false },
			day: { type: 'string', default: '60' },
			port: { type: 'string' },
			queue: { type: 'boolean', default: false },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) return 'help';
	return {
		fresh: values.fresh,
		day: positive('--day', values.day),
		port: values.port === undefined ? undefined : positive('--port', values.port),
		queue: values.queue,
	};
}
