import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';

import { redactorFor } from '../../../nodes/LicensingData/service/redaction.ts';
import { Client } from '../../../probe/client.mts';
import { askForKey } from '../../../probe/key.mts';
import { promises, report } from '../../../probe/report.mts';
import { ROWS } from '../../../probe/rows.mts';
import { survey, type Survey } from '../../../probe/survey.mts';
import {
	createSandbox,
	type Sandbox,
	simulatedClock,
	type StreamSandbox,
	type StreamOptions,
} from '../../../sandbox/index.mts';
import { listen } from '../../support/loopback.mts';

const newClock = () => simulatedClock('2026-09-24T12:00:00Z');

/** What the probe sees of a sandbox in which time passes only while it waits. */
async function look(sandbox: Sandbox | StreamSandbox, clock: ReturnType<typeof newClock>) {
	onTestFinished(() => sandbox.close());
	const seen = await survey({
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.live,
		sleep: (milliseconds) => clock.advance(milliseconds),
		now: () => clock.now(),
	});
	const rows = ROWS.map(({ asked, find }) => [asked, find(seen)] as const);
	return { sandbox, seen, findings: Object.fromEntries(rows) };
}

async function probed(
	options: StreamOptions = {},
	plant: (sandbox: StreamSandbox) => void = () => {},
) {
	const clock = newClock();
	const defaults = { kind: 'stream', records: 1000, rate: 6, clock } as const;
	const sandbox = await createSandbox({ ...defaults, ...options });
	plant(sandbox);
	return await look(sandbox, clock);
}

describe('The probe', () => {
	it('finds one limit at a register, in sixty requests that only read, and names no business', async () => {
		const clock = newClock();
		const sandbox = await createSandbox({ records: 5000, clock });
		const { seen, findings } = await look(sandbox, clock);
		const limits = Object.entries(findings).filter(([, { means }]) => means.startsWith('a limit'));
		expect(limits.map(([asked]) => asked)).toEqual(['How are counties spelled in answers?']);
		const printed = report(seen, redactorFor(sandbox.keys.live).redact);
		for (const { asked } of ROWS) expect(printed).toContain(`| ${asked} | `);
		expect(printed).toContain('Every promise of docs/trigger.md holds');

		expect(sandbox.requests.count).toBe(seen.requests);
		expect(seen.requests).toBeLessThanOrEqual(60);
		expect(sandbox.requests.entries.filter(({ method }) => method !== 'GET')).toEqual([]);
		expect(printed).not.toContain(sandbox.keys.live);
		for (const { id, licenseNumber, legalName, address } of sandbox.register.all())
			for (const text of [id, licenseNumber, legalName, address?.street])
				if (text && text.length > 5) expect(printed).not.toContain(text);
	});

	it('finds a service as the interface describes it to be so', async () => {
		const { findings } = await probed();
		const notSimply = Object.entries(findings).filter(([, { means }]) => means !== 'works');
		expect(notSimply.map(([asked]) => asked)).toEqual([
			'How often are fields null or absent?',
			'What is said about rate limits?',
		]);
	});

	it('meets the limit of five requests a minute once, and then keeps to it', async () => {
		const { seen } = await probed({ rateLimits: 'fiveAMinute' });
		expect(seen.refused).toBe(1);
	});

	it.each([
		['x-ratelimit-remaining', '57'],
		['x-api-quota-left', '57'],
		['x-throttle', 'soon'],
	])('reports whatever looks like a limit: %s', async (name, value) => {
		const { baseUrl, close } = await listen((_, response) => {
			response.setHeader(name, value).setHeader('x-powered-by', 'x').end('{}');
		});
		onTestFinished(close);
		const client = new Client({ baseUrl, apiKey: 'x', sleep: async () => {}, now: Date.now });
		await client.ask('/licenses');
		const row = ROWS.find(({ asked }) => asked === 'What is said about rate limits?');
		expect(row?.find(client as unknown as Survey)).toMatchObject({ does: `\`${name}: ${value}\`` });
	});

	it('gives up after sixty requests', async () => {
		const trouble = ({ trouble: planned }: StreamSandbox) =>
			planned.next({ kind: 'rateLimit', retryAfter: 1 }, { times: 100 });
		await expect(probed({}, trouble)).rejects.toThrow('60 requests were not enough');
	});

	it('says so if there is no list', async () => {
		const trouble = ({ trouble: planned }: StreamSandbox) => planned.next({ kind: 'htmlPage' });
		await expect(probed({}, trouble)).rejects.toThrow('answers with HTTP 502');
	});
});

type Case = [
	asked: string,
	does: RegExp,
	means: RegExp,
	options: StreamOptions,
	plant?: (sandbox: StreamSandbox) => void,
];

const still = { rate: 0 };

/** Of a provider that tells of no changes of status. */
const onlyListed = ({ live }: StreamSandbox) => {
	for (const { id, eventType } of live.records())
		if (eventType === 'status_change') live.remove(String(id));
};

/** For each row, a service that makes it come out otherwise. */
const CASES: Case[] = [
	['What order is the list in?', /by `filedDate`/, /^handled/, { order: 'filedDate' }],
	[
		'What order is the list in?',
		/arrival or another date.* 11 hours/,
		/^handled/,
		{ order: 'arrival' },
	],
	['Licenses of the same moment?', /order changes/, /^a limit/, { ties: 'changing' }],
	['What says that a page follows?', /`next_cursor` beside/, /^handled/, { pages: 'topLevel' }],
	['What says that a page follows?', /no cursor/, /^a limit/, { pages: 'offset' }],
	['What does a cursor stand for?', /counts records/, /^a limit/, { cursors: 'position' }],
	['What does a cursor stand for?', /nothing arrived/, /^ask the provider/, still],
	['Does a cursor live three minutes?', /HTTP 404/, /^a limit/, { cursorLife: 'minute404' }],
	['Is the total exact?', /not the number/, /^a limit/, { totals: 'capped' }],
	['Is the total exact?', /no total/, /^handled/, { totals: 'missing' }],
	['How many of each event?', /no total/, /^ask the provider/, { totals: 'missing' }],
	[
		'How many of each event?',
		/`renewal` \d+.*`status_change` 0/,
		/status_change may never/,
		still,
		onlyListed,
	],
	['How many of each license type?', /no total/, /^ask the provider/, { totals: 'missing' }],
	[
		'How many licenses a page?',
		/^50 without.*500 gives 500, 501 gets/,
		/^works/,
		{ limits: 'from50to500' },
	],
	[
		'How many licenses a page?',
		/50 gets HTTP 400/,
		/^a limit/,
		{ limits: { default: 10, largest: 25 } },
	],
	['How are counties spelled in answers?', /hyphens/, /^handled/, { counties: 'slug' }],
	[
		'How are counties spelled in answers?',
		/^1 of 200/,
		/^a limit/,
		still,
		({ live }) => live.insert({ address: { county: 'Fulton' } }),
	],
	[
		'How does the filter want them?',
		/^understands lower case/,
		/^handled/,
		{ countyFilter: 'slug' },
	],
	[
		'How does the filter want them?',
		/^understands the spelling of its answers/,
		/^a limit/,
		{ counties: (name) => `${name} County`, countyFilter: 'asShown' },
	],
	[
		'Which license types?',
		/`HOTEL`/,
		/^handled/,
		still,
		({ live }) => live.insert({ licenseType: 'HOTEL' }),
	],
	['Which kinds of event?', /`address_change`/, /^handled/, { eventTypes: 'addressChange' }],
	['Which statuses?', /`ACTIVE`/, /^handled/, { statuses: 'capitals' }],
	['What does a free text find?', /any of the words/, /^handled/, { freeText: 'anyWord' }],
	['What does a free text find?', /somewhere, whole words/, /^works/, { freeText: 'wholeWords' }],
	['What does a free text find?', /within one field/, /^handled/, { freeText: 'withinField' }],
	[
		'What does a free text find?',
		/two words of a name do not find it/,
		/^a limit/,
		{ freeText: (asked) => (text) => !asked.includes(' ') && text.includes(asked.toLowerCase()) },
	],
	['What does a free text find?', /into the next/, /^handled/, { freeText: 'withinRecord' }],
	['What does the search answer?', /bare list/, /^handled/, { searchShape: 'array' }],
	['What does the search answer?', /HTTP 403/, /^handled/, { searchShape: 'forbidden' }],
	[
		'What does the search answer?',
		/an object with/,
		/^a limit/,
		{ searchShape: () => ({ found: 1 }) },
	],
	[
		'Is one license found by ID and by number?',
		/`licenseNumber`: HTTP 404/,
		/^a limit/,
		still,
		({ live }) => live.insert({ licenseNumber: null }),
	],
	['How are timestamps written?', /at -04:00/, /^handled/, { timestamps: 'offset' }],
	[
		'How are timestamps written?',
		/without a zone/,
		/^handled: read as UTC/,
		{ timestamps: 'noZone' },
	],
	[
		'How are timestamps written?',
		/1 of 200 name no moment/,
		/^a limit/,
		still,
		({ live }) => live.insert({ eventTimestamp: 'soon' }),
	],
	['Which fields are not documented?', /`phone`/, /^handled/, { fields: 'more' }],
	['How often are fields null or absent?', /`legalName` 100 %/, /^handled/, { fields: 'fewer' }],
	[
		'What is said about rate limits?',
		/`ratelimit: "default";r=/,
		/^works/,
		{ rateLimits: 'sixtyAMinute', rateLimitHeaders: 'structured' },
	],
	['What do refusals look like?', /`code`, `message`/, /^handled/, { errors: 'code' }],
	[
		'What do refusals look like?',
		/parameter: HTTP 200/,
		/^handled/,
		{ unknownParameters: 'ignored' },
	],
];

const program = fileURLToPath(new URL('../../../probe/main.mts', import.meta.url));

describe('npm run probe', () => {
	it.each([
		[['http://127.0.0.1:9/v1', 'ls_live_x'], 'the key is never taken from the command line'],
		[['http://127.0.0.1:9/v1', '--key=ls_live_x'], "Unknown option '--key'"],
		[[], 'Give the base URL'],
		[['http://127.0.0.1:9/v1'], 'Put it into LICENSING_DATA_API_KEY'],
		[['http://example.com/v1'], 'A live key is not sent over plain http', 'ls_live_example'],
	])('%j: %s', async (args, said, LICENSING_DATA_API_KEY = '') => {
		const options = { reject: false, stdin: 'ignore', env: { LICENSING_DATA_API_KEY } } as const;
		const ran = await execa(process.execPath, ['--import', 'tsx', program, ...args], options);
		expect(ran.stderr).toContain(said);
		expect(ran.exitCode).toBe(1);
	});

	it('takes the key that is typed at its prompt, and shows none of it', async () => {
		const input = Object.assign(new PassThrough(), { isTTY: true });
		const output = new PassThrough();
		const key = askForKey({ input, output });
		input.write(' ls_live_typed\r');
		expect(await key).toBe('ls_live_typed');
		expect(String(output.read())).toBe('API key (not shown): \n');
	});
});

describe('What the probe asks', () => {
	it.each(CASES)('is: %s (%s: %s)', async (asked, does, means, options, plant) => {
		const { findings } = await probed(options, plant);
		expect(findings[asked]?.does).toMatch(does);
		expect(findings[asked]?.means).toMatch(means);
		for (const number of findings[asked]?.breaks ?? []) expect(promises().has(number)).toBe(true);
	});

	it('has a case for each of its questions', () => {
		const tried = new Set(CASES.map(([asked]) => asked));
		expect(ROWS.map(({ asked }) => asked).filter((asked) => !tried.has(asked))).toEqual([]);
	});

	it('knows promises of docs/trigger.md only by their numbers there', async () => {
		const known = promises();
		expect([...known.keys()]).toEqual([...known.keys()].sort((a, b) => a - b));
		expect(known.size).toBeGreaterThan(10);
		const { seen } = await probed({ cursors: 'position' });
		expect(report(seen, String)).toContain('2. A quiet start (');
	});
});
