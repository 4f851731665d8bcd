import { parseArgs } from 'node:util';

export const usage = `Usage: npm start -- [options]

  --fresh         start over: forget the playground's workflows, executions and leads
  --day <seconds> how long until a day's worth of new licenses is added (default 60)
  --florida       instead of made-up licenses, use the files that the state publishes (see docs/florida.md)
  --files <folder>  with --florida: take those files from this folder, and ask nobody
  --port <n>      the editor's port (default 5678; the next two serve the leads and the service)
  --help          show this`;

/** A number from a command line; throws with a sentence that says what is wrong with it. */
function positive(name: string, given: string): number {
	const number = Number(given);
	if (number > 0 && Number.isFinite(number)) return number;
	throw new Error(`${name} takes a number above 0, not "${given}"`);
}

export function whole(name: string, given: string): number {
	if (/^\d+$/.test(given)) return Number(given);
	throw new Error(`${name} takes a whole number, 0 or higher, not "${given}"`);
}

export function readOptions(args: string[]) {
	const { values } = parseArgs({
		args,
		options: {
			fresh: { type: 'boolean', default: false },
			day: { type: 'string', default: '60' },
			florida: { type: 'boolean', default: false },
			files: { type: 'string' },
			port: { type: 'string' },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) return 'help';
	const { fresh, day, port, florida, files } = values;
	if (files !== undefined && !florida)
		throw new Error("--files goes with --florida: it is the folder with the state's files");
	return {
		...{ fresh, florida, files },
		day: positive('--day', day),
		port: port === undefined ? port : positive('--port', port),
	};
}
