import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

import { toConnection } from '../nodes/LicensingData/service/credential.ts';
import { redactorFor } from '../nodes/LicensingData/service/redactor.ts';
import { askForKey } from './key.mts';
import { Recorder } from './recorder.mts';
import { exitCode, report, rowsOf } from './report.mts';
import { survey } from './survey.mts';

const usage = `Usage: npm run probe -- <base URL> [--json] [--strict] [--record <file>]

Finds out what a service does where its documentation says nothing, and what that means for the
nodes. It only reads, with at most 60 requests. That takes about four minutes, or longer if the
service limits requests. Use a key that nothing else uses. The probe asks for the key, or takes it
from LICENSING_DATA_API_KEY. It prints neither the key nor the names of businesses.

--json     prints what it found as JSON.
--strict   exits with 10 more than the lowest number of a promise of docs/trigger.md that does not
           hold, so with 13 for the third; with 2 for any other limit, and with 0 for none.
--record   also keeps the answers, for new tests. Dates, places, types and the order stay.
           Names, streets, numbers, phones and addresses on the web are made up.`;

async function main(): Promise<void> {
	const { positionals, values } = parseArgs({
		allowPositionals: true,
		options: {
			help: { type: 'boolean', default: false },
			json: { type: 'boolean', default: false },
			strict: { type: 'boolean', default: false },
			record: { type: 'string' },
		},
	});
	const [baseUrl, ...more] = positionals;
	if (values.help) return console.log(usage);
	if (baseUrl === undefined || more.length > 0)
		throw new Error(`Give one base URL: the key is never taken from the command line.\n\n${usage}`);
	if (values.record !== undefined && existsSync(values.record))
		throw new Error(`${values.record} is there already. Choose another name for the answers.`);
	const connection = toConnection({ baseUrl, apiKey: await askForKey() });
	const wait = async (milliseconds: number) => void (await sleep(milliseconds));
	const say = (line: string) => console.error(line);
	const redactor = redactorFor(connection.apiKey);
	const recorder = values.record === undefined ? undefined : new Recorder(redactor);
	const seen = await survey({ ...connection, sleep: wait, now: () => Date.now(), say, recorder });
	const rows = rowsOf(seen, redactor.redact);
	const { requests } = seen;
	console.log(values.json ? JSON.stringify({ rows, requests }) : report(rows, requests));
	if (values.record !== undefined) writeFileSync(values.record, `${recorder}`, { flag: 'wx' });
	if (values.strict) process.exitCode = exitCode(rows);
}

main().catch((error: Error & { description?: string }) => {
	console.error([error.message, error.description].filter(Boolean).join('. '));
	process.exitCode = 1;
});
