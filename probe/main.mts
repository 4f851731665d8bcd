import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

import { redactorFor, toConnection } from '../nodes/LicensingData/service/connection.ts';
import { askForKey } from './key.mts';
import { report } from './report.mts';
import { survey } from './survey.mts';

const usage = `Usage: npm run probe -- <base URL>

Finds out what a service does where its documentation says nothing, and what that means for the
nodes. It only reads, with at most 60 requests. That takes about four minutes, or longer if the
service limits requests. Use a key that nothing else uses. The probe asks for the key, or takes it
from LICENSING_DATA_API_KEY. It prints neither the key nor the names of businesses.`;

async function main(): Promise<void> {
	const { positionals, values } = parseArgs({
		allowPositionals: true,
		options: { help: { type: 'boolean', default: false } },
	});
	const [baseUrl, ...more] = positionals;
	if (values.help) return console.log(usage);
	if (baseUrl === undefined || more.length > 0)
		throw new Error(
			`Give the base URL, and nothing else: the key is never taken from the command line.\n\n${usage}`,
		);
	const connection = toConnection({ baseUrl, apiKey: await askForKey() });
	const wait = async (milliseconds: number) => void (await sleep(milliseconds));
	const say = (line: string) => console.error(line);
	const seen = await survey({ ...connection, sleep: wait, now: () => Date.now(), say });
	console.log(report(seen, redactorFor(connection.apiKey).redact));
}

main().catch((error: Error & { description?: string }) => {
	console.error([error.message, error.description].filter(Boolean).join('. '));
	process.exitCode = 1;
});
