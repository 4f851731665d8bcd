import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { once } from 'node:events';

interface CommandOptions {
	cwd: string;
	/** Receives everything the command prints, so that the terminal stays readable. */
	log: string;
	env?: Record<string, string>;
	/** The Node.js that scripts started by the command should find first. */
	node?: string;
}

const onWindows = process.platform === 'win32';

/** Runs a command to its end; when it does not succeed, says where to read and what it printed last. */
export async function run(command: string, args: string[], options: CommandOptions): Promise<void> {
	await mkdir(dirname(options.log), { recursive: true });
	const log = createWriteStream(options.log);
	await once(log, 'open');

	const path = [options.node && dirname(options.node), process.env.PATH].filter(Boolean);
	const child = spawn(command, args, {
		cwd: options.cwd,
		env: { ...process.env, ...options.env, PATH: path.join(delimiter) },
		stdio: ['ignore', log, log],
		// On Windows npm is a batch file, which only a shell can start.
		shell: onWindows,
	});
	const abandon = () => child.kill();
	process.once('exit', abandon);
	const [code] = (await once(child, 'close')) as [number | null];
	process.off('exit', abandon);
	log.end();
	if (code === 0) return;

	const printed = (await readFile(options.log, 'utf8')).trimEnd().split('\n').slice(-15);
	throw new Error(
		`${[command, ...args].join(' ')} ended with ${code ?? 'a signal'}. Its last lines:\n` +
			`${printed.map((line) => `    ${line}`).join('\n')}\nAll of it: ${options.log}`,
	);
}
