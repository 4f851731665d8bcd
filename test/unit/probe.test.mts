import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';

import { redactorFor } from '../../nodes/LicensingData/service/connection.ts';
import { Client } from '../../probe/client.mts';
import { askForKey } from '../../probe/key.mts';
import { pageIn, type Fields } from '../../probe/page.mts';
import { type Exchange, Recorder } from '../../probe/recorder.mts';
import { exitCode, type FoundRow, report, rowsOf } from '../../probe/report.mts';
import { ROWS } from '../../probe/rows.mts';
import { survey } from '../../probe/survey.mts';
import { createSandbox, simulatedClock, type SandboxOptions } from '../../sandbox/index.mts';
import { listen } from '../support/loopback.mts';
import { ROOT } from '../support/manifest.mts';
import { ids, pollerOf, runLicense } from '../support/nodes.mts';
import { replay } from '../support/replay.mts';

const NOW = '2026-09-24T12:00:00Z';

/** What the probe finds at a service, as time passes only while it waits. */
async function lookAt(
	{ baseUrl, apiKey }: { baseUrl: string; apiKey: string },
	{ clock = simulatedClock(NOW), recorder }: Looking = {},
) {
	const said: string[] = [];
	const seen = await survey({
		...{ baseUrl, apiKey, recorder, now: () => clock.now() },
		sleep: async (milliseconds) => await clock.advance(milliseconds),
		say: (line) => void said.push(line),
	});
	const rows = ROWS.map(({ asked, find }) => [asked, find(seen).means] as const);
	const limits = rows.filter(([, means]) => means.startsWith('a limit')).map(([asked]) => asked);
	const found = rowsOf(seen, redactorFor(apiKey).redact);
	return { seen, said, limits, code: exitCode(found), printed: report(found, seen.requests) };
}
interface Looking {
	clock?: ReturnType<typeof simulatedClock>;
	recorder?: Recorder;
}

async function opened(options: SandboxOptions = {}) {
	const clock = simulatedClock(NOW);
	const sandbox = await createSandbox({ records: 1000, listEvery: 60_000, clock, ...options });
	onTestFinished(() => sandbox.close());
	if (options.statuses) sandbox.register.file({ licenseNumber: null, eventTimestamp: 'soon' });
	const recorder = new Recorder(redactorFor(sandbox.keys.live));
	const found = async (more: Looking = {}) => await lookAt(sandbox.credentials, { clock, ...more });
	return { sandbox, recorder, look: found };
}

async function replayed(exchanges: Exchange[]) {
	const service = await listen(replay(exchanges));
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

/** The texts of a register that say whose license it is. */
const tellingTexts = (records: Iterable<object>): string[] =>
	[...records].flatMap((record) => {
		const { id, licenseNumber, businessName, legalName, dbaName, address, enrichment } =
			record as Fields;
		const { street, lat } = (address ?? {}) as Fields;
		const { phone, website } = (enrichment ?? {}) as Fields;
		return [id, licenseNumber, businessName, legalName, dbaName, street, lat, phone, website]
			.map((value) => String(value ?? ''))
			.filter(({ length }) => length > 5);
	});

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
	expect(sandbox.requests.entries.filter(({ method }) => method !== 'GET')).toEqual([]);

	const { recorder, ...other } = await opened(options);
	expect((await other.look({ recorder })).printed).toBe(printed);
	const again = await lookAt(await replayed(JSON.parse(`${recorder}`) as Exchange[]));
	expect(again.printed).toBe(printed);

	const { baseUrl, keys, register } = sandbox;
	const texts = tellingTexts(register.all());
	expect(texts.length).toBeGreaterThan(500);
	const kept = `${recorder} ${printed}`;
	expect([...texts, keys.live, baseUrl].filter((one) => kept.includes(one))).toEqual([]);
});

it('The probe ends after sixty requests, if others use the key, and without a list', async () => {
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
	const headers = new Headers({
		'X-RateLimit-Remaining': '7',
		Server: 'secret',
		'Retry-After': '3',
	});
	recorder.keep('/licenses', {}, true, { status: 200, headers, body });
	const [kept] = JSON.parse(`${recorder}`) as Exchange[];
	expect(kept?.headers).toEqual({ 'retry-after': '3', 'x-ratelimit-remaining': '7' });
	const shown = kept?.body as { pagination: Fields; data: Fields };
	expect(shown.pagination.total).toBe(63_042);
	expect(shown.data).toEqual({
		id: expect.any(Number) as number,
		licenseNumber: expect.stringMatching(/^BEV[1-9]{7}$/) as string,
		status: 'active [hidden API key]',
		address: {
			...{ lat: 25.8, lng: -80.2, county: 'Miami-Dade' },
			zip: expect.stringMatching(/^33130-[1-9]{4}$/) as string,
		},
		sourceUrl: expect.stringMatching(/^https:\/\/example\.com\/x/) as string,
		phone: expect.stringMatching(/^\([1-9]{3}\) [1-9]{3}-[1-9]{4}$/) as string,
		...{ owner: expect.anything() as object, filedDate: '2026-09-01', isNew: true },
	});
	const gone = [apiKey.slice(8), '4711', '1234567', 'Jane', 'Roe', 'roe', '305', 'register'];
	const text = `${recorder}`;
	expect([...gone, cursor].filter((one) => text.includes(one))).toEqual([]);
});

/** What an answer to a question showed. */
const listOf = ({ status, body }: Exchange) => pageIn({ status, headers: new Headers(), body });

/** The list that was read to its end, as its questions and its records. */
function wholeList(exchanges: Exchange[]) {
	const last = exchanges.findLast(
		({ path, query, ...answer }) =>
			path === '/licenses' &&
			'license_type' in query &&
			'event_type' in query &&
			listOf({ path, query, ...answer })?.next === undefined,
	);
	const { license_type: type, event_type: event } = last?.query ?? {};
	const pages = exchanges.filter(
		({ query }) => query.license_type === type && query.event_type === event,
	);
	const ofPages = pages.flatMap((page) => listOf(page)?.records ?? []);
	return { type, event, ids: new Set(ofPages.map(({ id }) => id)) };
}

async function playThroughNodes(exchanges: Exchange[]) {
	const credentials = await replayed(exchanges.filter(({ status }) => status !== 429));
	const { type, event, ids: whole } = wholeList(exchanges);
	expect(whole.size).toBeGreaterThan(0);
	const filters = { licenseTypes: [type], eventTypes: [event] };
	const list = await runLicense({ operation: 'getAll', returnAll: true, filters }, { credentials });
	expect(new Set(ids(list))).toEqual(whole);

	const known = exchanges.find(
		({ path, status }) => /^\/licenses\/(?!search)/.test(path) && status === 200,
	);
	const licenseId = decodeURIComponent(known?.path.slice('/licenses/'.length) ?? '');
	const got = await runLicense({ operation: 'get', licenseId }, { credentials });
	const { data } = known?.body as { data: Fields };
	expect(got.items[0]?.json).toMatchObject({ id: data.id, licenseNumber: data.licenseNumber });

	const counted = await runLicense({ operation: 'count', filters }, { credentials });
	expect(counted.items[0]?.json.count).toBe(whole.size);

	const options = { startFrom: '1900-01-01', lookbackDays: 0 };
	const trigger = pollerOf(credentials, {
		...{ eventTypes: [event], filters: { licenseTypes: [type] }, options },
	});
	const events = [...(await trigger.activate()), ...(await trigger.poll())];
	expect(new Set(events.map(({ id }) => id))).toEqual(whole);
}

const FOLDER = join(ROOT, 'test/recordings');
const files = existsSync(FOLDER) ? readdirSync(FOLDER) : [];

it.each(files)('What a real service answered replays through the nodes: %s', async (file) => {
	await playThroughNodes(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Exchange[]);
});

it.each(SERVICES.slice(0, 2))(
	'What the probe has recorded replays so, too: %s',
	async (_, options) => {
		const { look, recorder } = await opened(options);
		await look({ recorder });
		await playThroughNodes(JSON.parse(`${recorder}`) as Exchange[]);
	},
);
