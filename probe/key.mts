import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** From the environment, or typed unseen: a command line would show the key to every process, and keep it. */
export async function askForKey(): Promise<string> {
	const given = process.env.LICENSING_DATA_API_KEY;
	if (given) return given;
	if (!process.stdin.isTTY)
		throw new Error(
			'There is no key. Put it into LICENSING_DATA_API_KEY, or run this in a terminal.',
		);
	process.stderr.write('API key (not shown): ');
	const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
	const prompt = createInterface({ input: process.stdin, output: unseen, terminal: true });
	try {
		return (await prompt.question('')).trim();
	} finally {
		prompt.close();
		process.stderr.write('\n');
	}
}
