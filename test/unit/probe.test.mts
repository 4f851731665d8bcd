import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';

import { redactorFor } from '../../nodes/LicensingData/service/connection.ts';
import { Client } from '../../probe/client.mts';
import { askForKey } from '../../probe/key.mts';
import { exitCode, type FoundRow, report, rowsOf } from '../../probe/report.mts';
import { ROWS } from '../../probe/rows.mts';
import { survey } from '../../probe/survey.mts';
import { createSandbox, simulatedClock, type SandboxOptions } from '../../sandbox/index.mts';
import { listen } from '../support/loopback.mts';

/** A sandbox in which time passes only while the probe waits. */
async function opened(options: SandboxOptions = {}) {
	const clock = simulatedClock('2026-09-24T12:00:00Z');
	const sandbox = await createSandbox({ records: 1000, listEvery: 60_000, clock, ...options });
	onTestFinished(() => sandbox.close());
	const said: string[] = [];
	const { baseUrl, keys } = sandbox;
	const look = async () => {
		const seen = await survey({
			...{ baseUrl, apiKey: keys.live, now: () => clock.now() },
			sleep: async (milliseconds) => await clock.advance(milliseconds),
			say: (line) => void said.push(line),
		});
		const rows = ROWS.map(({ asked, find }) => [asked, find(seen).means] as const);
		const limits = rows.filter(([, means]) => means.startsWith('a limit')).map(([asked]) => asked);
		const found = rowsOf(seen, redactorFor(keys.live).redact);
		return { seen, limits, code: exitCode(found), printed: report(found, seen.requests) };
	};
	return { sandbox, said, look };
}

it('The probe finds two limits at a register, in sixty requests that only read, and names no business', async () => {
	const { sandbox, said, look } = await opened({ records: 5000, rates: { withoutCounty: 0.04 } });
	const { seen, limits, code, printed } = await look();
	expect(limits).toEqual(['What does a cursor stand for?', 'How are counties spelled in answers?']);
	expect(code).toBe(13);
	for (const { asked } of ROWS) expect(printed).toContain(`| ${asked} | `);
	expect(printed).toContain('3. A quiet start (');

	expect(sandbox.requests.count).toBe(seen.requests);
	expect(seen.requests).toBeLessThanOrEqual(60);
	expect(sandbox.requests.entries.filter(({ method }) => method !== 'GET')).toEqual([]);
	expect(said).toContainEqual(expect.stringMatching(/^Waiting \d+ (?:minutes|seconds) .*cursor/));
	expect(printed).not.toContain(sandbox.keys.live);
	for (const { id, licenseNumber, legalName, address } of sandbox.register.all())
		for (const text of [id, licenseNumber, legalName, address?.street])
			if (text && text.length > 5) expect(printed).not.toContain(text);
});

it('The probe finds no limit at a service as the interface describes it', async () => {
	const { look } = await opened({
		...{ order: 'eventTimestamp', cursors: 'key', freeText: 'everyWord', searchShape: 'page' },
		rates: { withoutCounty: 0 },
	});
	const { limits, code, printed } = await look();
	expect(limits).toEqual([]);
	expect(code).toBe(0);
	// Some other limit, such as a Get that finds nothing, breaks no promise of the trigger.
	expect(exitCode([{ asked: '', does: '', means: 'a limit: Get', breaks: [] }])).toBe(2);
	expect(printed).toContain('Every promise of docs/trigger.md holds');
});

it('The probe names whatever the nodes cannot do with a stranger service, and keeps to its rate limit', async () => {
	const { sandbox, look } = await opened({
		...{ ties: 'change', pages: 'topLevel', rateLimits: 'five', rateLimitHeaders: 'structured' },
		...{ counties: (name) => `${name} County`, countyFilter: 'asShown', freeText: 'anyWord' },
		...{ statuses: 'capitals', searchShape: () => ({ found: 1 }) },
	});
	sandbox.register.file({ licenseNumber: null, eventTimestamp: 'soon' });
	const { seen, limits, code, printed } = await look();
	expect(code).toBe(11);
	expect(limits).toEqual([
		'Do licenses have the same timestamp?',
		'What does a cursor stand for?',
		'How are counties spelled in answers?',
		'How must counties be spelled in the filter?',
		'What does the search return?',
		'How are timestamps written?',
		'How often are fields null or absent?',
	]);
	expect(printed).toContain('`ratelimit: "default";r=');
	expect(seen.refused).toBe(1);
});

it('The probe ends after sixty requests, where others use the key, and where there is no list', async () => {
	const { sandbox, look } = await opened();
	sandbox.trouble.next({ kind: 'htmlPage' });
	await expect(look()).rejects.toThrow('could not be read (HTTP 502');
	sandbox.trouble.next({ kind: 'rateLimit', retryAfter: 60 }, { times: 100 });
	await expect(look()).rejects.toThrow(/HTTP 429 10 times.*its own key/);
	sandbox.trouble.clear();
	const { baseUrl, apiKey } = sandbox.credentials;
	const client = new Client({ baseUrl, apiKey, sleep: async () => {}, now: Date.now });
	for (let count = 0; count < 60; count++) await client.ask('/licenses');
	await expect(client.ask('/licenses')).rejects.toThrow('60 requests were not enough');
});

const program = fileURLToPath(new URL('../../probe/main.mts', import.meta.url));

it.each([
	[['http://127.0.0.1:9/v1', 'ls_live_x'], 'the key is never taken from the command line'],
	[['http://127.0.0.1:9/v1'], 'Put it into LICENSING_DATA_API_KEY'],
	[['http://example.com/v1'], 'A live key is not sent over plain http', 'ls_live_example'],
])('npm run probe %j: %s', async (args, said, LICENSING_DATA_API_KEY = '') => {
	const options = { reject: false, stdin: 'ignore', env: { LICENSING_DATA_API_KEY } } as const;
	const ran = await execa(process.execPath, ['--import', 'tsx', program, ...args], options);
	expect(ran.stderr).toContain(said);
	expect(ran.exitCode).toBe(1);
});

it('The probe takes the key that is typed at its prompt, and shows none of it', async () => {
	const input = Object.assign(new PassThrough(), { isTTY: true });
	const output = new PassThrough();
	const key = askForKey({ input, output });
	input.write(' ls_live_typed\r');
	expect(await key).toBe('ls_live_typed');
	expect(String(output.read())).toBe('API key (not shown): \n');
});

it('npm run probe -- --json --strict --record: JSON, an exit code by promise, and a file that it overwrites never', async () => {
	const file = join(mkdtempSync(join(tmpdir(), 'probe-')), 'recording.json');
	const service = await listen((_, response) => {
		response.end(JSON.stringify({ data: [] }));
	});
	onTestFinished(() => service.close());
	const run = async (key = 'ls_live_example') =>
		await execa(
			process.execPath,
			['--import', 'tsx', program, service.baseUrl, '--json', '--strict', '--record', file],
			{ reject: false, stdin: 'ignore', env: { LICENSING_DATA_API_KEY: key } },
		);
	const { stdout, exitCode: code } = await run();
	const { rows, requests } = JSON.parse(stdout) as { rows: FoundRow[]; requests: number };
	// Nothing shows whether a page is the last: the first promise.
	expect(code).toBe(11);
	expect(rows.map(({ asked }) => asked)).toEqual(ROWS.map(({ asked }) => asked));
	const kept = readFileSync(file, 'utf8');
	expect(JSON.parse(kept)).toHaveLength(requests);
	expect((await run()).exitCode).toBe(1);
	expect(readFileSync(file, 'utf8')).toBe(kept);
});
