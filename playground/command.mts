import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { execa } from 'execa';

interface CommandOptions {
	cwd: string;
	/** Receives everything the command prints, so that the terminal stays readable. */
	log: string;
	env?: Record<string, string>;
	/** The Node.js that scripts started by the command should find first. */
	node?: string;
}

/** Runs a command to its end; if it fails, says where to read more and what it printed last. */
export async function run(command: string, args: string[], options: CommandOptions): Promise<void> {
	await mkdir(dirname(options.log), { recursive: true });
	await writeFile(options.log, '');
	const log = { file: options.log, append: true };
	const path = [options.node && dirname(options.node), process.env.PATH].filter(Boolean);
	const { failed, shortMessage } = await execa(command, args, {
		cwd: options.cwd,
		env: { ...options.env, PATH: path.join(delimiter) },
		stdin: 'ignore',
		stdout: log,
		stderr: log,
		reject: false,
	});
	if (!failed) return;

	const printed = (await readFile(options.log, 'utf8')).trimEnd().split('\n').slice(-15);
	throw new Error(
		`${shortMessage}\nIts last lines:\n` +
			`${printed.map((line) => `    ${line}`).join('\n')}\nAll of it: ${options.log}`,
	);
}
