import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { execa } from 'execa';

import { redactorFor } from '../../nodes/LicensingData/service/redactor.ts';
import { Client } from '../../probe/client.mts';
import { askForKey } from '../../probe/key.mts';
import { type Exchange, Recorder } from '../../probe/recorder.mts';
import { exitCode, type FoundRow, report, rowsOf } from '../../probe/report.mts';
import { ROWS } from '../../probe/rows.mts';
import { survey } from '../../probe/survey.mts';
import { createSandbox, simulatedClock, type SandboxOptions } from '../../sandbox/index.mts';
import { API_KEY } from '../support/answers.mts';
import { listen } from '../support/loopback.mts';
import { ROOT } from '../support/manifest.mts';

const NOW = '2026-09-24T12:00:00Z';

interface Looking {
	clock?: ReturnType<typeof simulatedClock>;
	recorder?: Recorder;
}

/** What the probe finds at a service, as time passes only while it waits. */
async function lookAt(
	{ baseUrl, apiKey }: { baseUrl: string; apiKey: string },
	{ clock = simulatedClock(NOW), recorder }: Looking = {},
) {
	const seen = await survey({
		...{ baseUrl, apiKey, recorder, now: () => clock.now() },
		sleep: async (milliseconds) => await clock.advance(milliseconds),
	});
	const found = rowsOf(seen, redactorFor(apiKey).redact);
	const limits = found.flatMap(({ asked, means }) => (means.startsWith('a limit') ? asked : []));
	return { seen, limits, code: exitCode(found), printed: report(found, seen.requests) };
}

async function opened(options: SandboxOptions = {}) {
	const clock = simulatedClock(NOW);
	const sandbox = await createSandbox({ records: 1000, listEvery: 60_000, clock, ...options });
	onTestFinished(() => sandbox.close());
	if (options.statuses) sandbox.register.file({ licenseNumber: null, eventTimestamp: 'soon' });
	const recorder = new Recorder(redactorFor(sandbox.keys.live));
	const look = async (more: Looking = {}) => await lookAt(sandbox.credentials, { clock, ...more });
	return { sandbox, recorder, look };
}

/** A service that answers as a recorded one did, if it is asked the same, one after another. */
async function replayed(exchanges: Exchange[]) {
	const left = [...exchanges];
	const service = await listen(({ url, headers: { authorization } }, response) => {
		const { path, query, isKeyKnown, status, headers, body } = left.shift()!;
		const search = new URLSearchParams(query as Record<string, string>);
		const isAsked =
			url === `/v1${path}${search.size > 0 ? '?' : ''}${search}` &&
			isKeyKnown === (authorization === `Bearer ${API_KEY}`);
		response.writeHead(isAsked ? status : 501, headers);
		response.end(body === undefined ? '' : JSON.stringify(body));
	});
	onTestFinished(() => service.close());
	return service.credentials;
}

/** A service, what the nodes cannot do with it, and the exit code that says which promise breaks first. */
const SERVICES: Array<[what: string, options: SandboxOptions, limits: string[], code: number]> = [
	[
		...(['a register', { rates: { withoutCounty: 0.04 } }] as const),
		['What does a cursor stand for?', 'How are counties spelled in answers?'],
		13,
	],
	[
		'a service as the interface describes it',
		{
			...{ order: 'eventTimestamp', cursors: 'key', freeText: 'everyWord', searchShape: 'page' },
			rates: { withoutCounty: 0 },
		},
		[],
		0,
	],
	[
		'a stranger service',
		{
			...{ ties: 'change', pages: 'topLevel', rateLimits: 'five', rateLimitHeaders: 'structured' },
			...{ counties: (name) => `${name} County`, countyFilter: 'asShown', freeText: 'anyWord' },
			...{ statuses: 'capitals', searchShape: () => ({ found: 1 }) },
		},
		[
			'Do licenses have the same timestamp?',
			'What does a cursor stand for?',
			'How are counties spelled in answers?',
			'How must counties be spelled in the filter?',
			'What does the search return?',
			'How are timestamps written?',
			'How often are fields null or absent?',
		],
		11,
	],
];

it.each(SERVICES)('The probe finds the limits of %s, and names nobody', async (...service) => {
	const [, options, limits, code] = service;
	const { sandbox, look } = await opened(options);
	const { seen, printed, ...found } = await look();
	expect(found).toMatchObject({ limits, code });
	for (const { asked } of ROWS) expect(printed).toContain(`| ${asked} | `);
	expect(printed.includes('Every promise of docs/trigger.md holds')).toBe(code === 0);
	expect(sandbox.requests.count).toBe(seen.requests);
	expect(seen.requests).toBeLessThanOrEqual(60);
	expect(seen.refused).toBeLessThanOrEqual(1);
	expect(seen.whole?.count).toBeGreaterThan(0);
	expect(sandbox.requests.entries.filter(({ method }) => method !== 'GET')).toEqual([]);

	const { recorder, ...other } = await opened(options);
	expect((await other.look({ recorder })).printed).toBe(printed);
	const recorded = JSON.parse(`${recorder}`) as Exchange[];
	expect((await lookAt(await replayed(recorded))).printed).toBe(printed);

	const { baseUrl, keys, register } = sandbox;
	const texts = register
		.all()
		.flatMap((one) => [
			one.id,
			one.licenseNumber,
			one.businessName,
			one.legalName,
			one.address?.street,
		])
		.map((text) => text ?? '')
		.filter(({ length }) => length > 5);
	expect(texts.length).toBeGreaterThan(500);
	const kept = `${recorder} ${printed}`;
	const told = [...texts, keys.live, baseUrl].filter((one) => kept.includes(one));
	// By chance, a made-up number is that of another license.
	expect(told.filter((one) => !/^[A-Z]{3}\d{7}$/.test(one))).toEqual([]);
	expect(told.length).toBeLessThan(4);
});

it('The probe ends after sixty requests, if others use the key, and without a list', async () => {
	const { sandbox, look } = await opened();
	sandbox.trouble.next({ kind: 'htmlPage' });
	await expect(look()).rejects.toThrow('could not be read (HTTP 502');
	sandbox.trouble.next({ kind: 'rateLimit', retryAfter: 60 }, { times: 100 });
	await expect(look()).rejects.toThrow(/HTTP 429 10 times.*its own key/);
	sandbox.trouble.clear();
	const client = new Client({ ...sandbox.credentials, sleep: async () => {}, now: Date.now });
	for (let count = 0; count < 60; count++) await client.ask('/licenses');
	await expect(client.ask('/licenses')).rejects.toThrow('60 requests were not enough');
});

const probe = async (args: string[], LICENSING_DATA_API_KEY: string) =>
	await execa(process.execPath, ['--import', 'tsx', join(ROOT, 'probe/main.mts'), ...args], {
		...{ reject: false, stdin: 'ignore', env: { LICENSING_DATA_API_KEY } },
	});

it.each([
	[['http://127.0.0.1:9/v1', 'ls_live_x'], 'the key is never taken from the command line'],
	[['http://127.0.0.1:9/v1'], 'Put it into LICENSING_DATA_API_KEY'],
	[['http://example.com/v1'], 'A live key is not sent over plain http', 'ls_live_example'],
])('npm run probe %j: %s', async (args, said, key = '') => {
	const ran = await probe(args, key);
	expect(ran.stderr).toContain(said);
	expect(ran.exitCode).toBe(1);
});

it('The probe takes the key that is typed at its prompt, and hides it', async () => {
	const input = Object.assign(new PassThrough(), { isTTY: true });
	const output = new PassThrough();
	const key = askForKey({ input, output });
	input.write(' ls_live_typed\r');
	expect(await key).toBe('ls_live_typed');
	expect(String(output.read())).toBe('API key (not shown): \n');
});

it('npm run probe -- --json --strict --record prints JSON, and overwrites no file', async () => {
	const file = join(mkdtempSync(join(tmpdir(), 'probe-')), 'recording.json');
	const service = await listen((_, response) => void response.end('{"data":[]}'));
	onTestFinished(() => service.close());
	const run = async () =>
		await probe([service.baseUrl, '--json', '--strict', '--record', file], 'ls_live_example');
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

it('--record keeps no key, host, phone, exact position or text of unknown fields', () => {
	const apiKey = 'ls_live_0123456789';
	const recorder = new Recorder(redactorFor(apiKey));
	const address = { zip: '33130-1234', lat: 25.7654321, lng: -80.1987654, county: 'Miami-Dade' };
	const data = {
		...{ id: 4711, licenseNumber: 'BEV1234567', status: `active ${apiKey}`, address },
		...{ sourceUrl: 'https://www.register.example.gov/4711', phone: '(305) 555-0142' },
		...{ owner: { 'Jane Roe': 'jane@roe.example' }, filedDate: '2026-09-01', isNew: true },
	};
	const cursor = Buffer.from('{"after":"BEV1234567"}').toString('base64url');
	const body = { pagination: { cursor, total: 63_042 }, data };
	const headers = new Headers({ 'X-RateLimit-Remaining': '7', Server: 'secret' });
	recorder.keep('/licenses', {}, true, { status: 200, headers, body });
	const text = `${recorder}`;
	const gone = [apiKey.slice(8), '4711', '1234', '.7654', 'Jane', 'Roe', 'roe', '305', 'register'];
	expect([...gone, 'secret', cursor].filter((one) => text.includes(one))).toEqual([]);
	const kept = ['"BEV', '"33130-', '25.8', '-80.2', 'Miami-Dade', '2026-09-01', '63042', '"7"'];
	expect([...kept, 'active [hidden'].filter((one) => !text.includes(one))).toEqual([]);
});
