import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

interface Terminal {
	input: NodeJS.ReadableStream & { isTTY?: boolean };
	output: NodeJS.WritableStream;
}

/** From the environment, or typed unseen: a command line would show the key to every process, and keep it. */
export async function askForKey(
	{ input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
	const given = process.env.LICENSING_DATA_API_KEY;
	if (given) return given;
	if (!input.isTTY)
		throw new Error(
			'There is no key. Put it into LICENSING_DATA_API_KEY, or run this in a terminal and type it.',
		);
	output.write('API key (not shown): ');
	const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
	const prompt = createInterface({ input, output: unseen, terminal: true });
	try {
		return (await prompt.question('')).trim();
	} finally {
		prompt.close();
		output.write('\n');
	}
}
