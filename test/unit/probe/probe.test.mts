import type { RequestListener } from 'node:http';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { License } from '../../../nodes/LicensingData/licenses/license.ts';
import { redactorFor } from '../../../nodes/LicensingData/service/connection.ts';
import { Client } from '../../../probe/client.mts';
import { askForKey } from '../../../probe/key.mts';
import { promises, report } from '../../../probe/report.mts';
import { ROWS } from '../../../probe/rows.mts';
import { survey, type Survey } from '../../../probe/survey.mts';
import {
	createSandbox,
	simulatedClock,
	type Sandbox,
	type SandboxOptions,
} from '../../../sandbox/index.mts';
import { listen } from '../../support/loopback.mts';

const MINUTE = 60_000;
/** Without licenses of other states. */
const INLAND = { rates: { withoutCounty: 0 } };
/** As the interface describes it, where it does. */
const DOCUMENTED = {
	order: 'eventTimestamp',
	cursors: 'key',
	freeText: 'everyWord',
	searchShape: 'page',
	...INLAND,
} as const;

const newClock = () => simulatedClock('2026-09-24T12:00:00Z');

type Plant = (sandbox: Sandbox, clock: ReturnType<typeof newClock>) => void;
type Case = [does: RegExp, means: RegExp, options: SandboxOptions, plant?: Plant];

/** What the probe sees of a sandbox in which time passes only while it waits. */
async function look(
	sandbox: Sandbox,
	clock: ReturnType<typeof newClock>,
	say: (line: string) => void = () => {},
) {
	onTestFinished(() => sandbox.close());
	const seen = await survey({
		say,
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.live,
		sleep: (milliseconds) => clock.advance(milliseconds),
		now: () => clock.now(),
	});
	const rows = ROWS.map(({ asked, find }) => [asked, find(seen)] as const);
	return { sandbox, seen, findings: Object.fromEntries(rows) };
}

async function probed(
	options: SandboxOptions = {},
	plant: Plant = () => {},
	clock = newClock(),
	say?: (line: string) => void,
) {
	const sandbox = await createSandbox({ records: 1000, listEvery: MINUTE, clock, ...options });
	plant(sandbox, clock);
	return await look(sandbox, clock, say);
}

const still = { listEvery: Infinity };
/** Adds a license that differs in one thing. */
const filing =
	(license: License): Plant =>
	({ register }) =>
		void register.file(license);

describe('The probe', () => {
	it('finds two limits at a register, in sixty requests that only read, and names no business', async () => {
		const clock = newClock();
		const rates = { withoutCounty: 0.04 };
		const sandbox = await createSandbox({ records: 5000, clock, rates });
		const { seen, findings } = await look(sandbox, clock);
		const limits = Object.entries(findings).filter(([, { means }]) => means.startsWith('a limit'));
		expect(limits.map(([asked]) => asked)).toEqual([
			'What does a cursor stand for?',
			'How are counties spelled in answers?',
		]);
		const printed = report(seen, redactorFor(sandbox.keys.live).redact);
		for (const { asked } of ROWS) expect(printed).toContain(`| ${asked} | `);
		expect(printed).toContain('these promises of docs/trigger.md hold only with limits');

		expect(sandbox.requests.count).toBe(seen.requests);
		expect(seen.requests).toBeLessThanOrEqual(60);
		expect(sandbox.requests.entries.filter(({ method }) => method !== 'GET')).toEqual([]);
		expect(printed).not.toContain(sandbox.keys.live);
		for (const { id, licenseNumber, legalName, address } of sandbox.register.all())
			for (const text of [id, licenseNumber, legalName, address?.street])
				if (text && text.length > 5) expect(printed).not.toContain(text);
	});

	it('finds a service as the interface describes it to be so, but for what a register has besides', async () => {
		const { findings } = await probed(DOCUMENTED);
		const notSimply = Object.entries(findings).filter(([, { means }]) => means !== 'works');
		expect(notSimply.map(([asked]) => asked)).toEqual([
			'What does a cursor stand for?',
			'Which kinds of event?',
			'Which fields are not documented?',
			'How often are fields null or absent?',
			'What do rejections look like?',
		]);
	});

	/** Asks a service that says the same to everything. */
	async function clientOf(answer: RequestListener) {
		const { baseUrl, close } = await listen(answer);
		onTestFinished(close);
		return new Client({ baseUrl, apiKey: 'x', sleep: async () => {}, now: Date.now });
	}

	it('meets the limit of five requests a minute once, and then keeps to it', async () => {
		const { seen } = await probed({ rateLimits: 'five' });
		expect(seen.refused).toBe(1);
	});

	it.each([
		['x-api-quota-left', '57'],
		['x-throttle', 'soon'],
	])('reports whatever looks like a limit: %s', async (name, value) => {
		const client = await clientOf((_, response) => {
			response.setHeader(name, value).setHeader('x-powered-by', 'x').end('{}');
		});
		await client.ask('/licenses');
		const row = ROWS.find(({ asked }) => asked === 'What do headers say about rate limits?');
		expect(row?.find(client as unknown as Survey)).toMatchObject({ does: `\`${name}: ${value}\`` });
	});

	it('gives up after sixty requests', async () => {
		const client = await clientOf((_, response) => void response.end('{}'));
		for (let count = 0; count < 60; count++) await client.ask('/licenses');
		await expect(client.ask('/licenses')).rejects.toThrow('60 requests were not enough');
	});

	it('is never silent for more than the minutes that it announces, and ends where others use the key', async () => {
		const clock = newClock();
		const start = clock.now();
		const said: Array<[at: number, line: string]> = [];
		const trouble = ({ trouble: planned }: Sandbox) =>
			planned.next({ kind: 'rateLimit', retryAfter: 60 }, { times: 100 });
		const say = (line: string) => void said.push([clock.now() - start, line]);
		await expect(probed({}, trouble, clock, say)).rejects.toThrow(/HTTP 429 10 times.*its own key/);
		expect(said.length).toBeGreaterThan(5);
		expect(said[0]).toEqual([0, expect.stringContaining('before request 2 of at most 60')]);
		const ends = [...said.map(([at]) => at).slice(1), clock.now() - start];
		for (const [index, [at]] of said.entries()) expect(ends[index]! - at).toBeLessThan(70_000);
	});

	it('says how far it is, and what it waits for', async () => {
		const said: string[] = [];
		await probed({}, undefined, undefined, (line) => void said.push(line));
		expect(said).toContain('20 of at most 60 requests');
		expect(said).toContainEqual(expect.stringMatching(/^Waiting \d+ (?:minutes|seconds) .*cursor/));
	});

	it('knows a position by what arrives where the text of a cursor does not show it', async () => {
		const row = ROWS.find(({ asked }) => asked === 'What does a cursor stand for?');
		const cursor = { status: 200, arrived: 3, begins: 'higher' } as const;
		expect(row?.find({ cursor } as Survey)).toMatchObject({
			does: expect.stringContaining('what arrives or disappears above it moves the next page'),
			breaks: [3],
		});
	});

	it('names what it did not find out where no promise is broken', async () => {
		const { seen } = await probed({ ...still, cursors: 'key' });
		expect(report(seen, String)).toContain('Still unknown: What does a cursor stand for?');
	});

	it('says so if there is no list', async () => {
		const trouble = ({ trouble: planned }: Sandbox) => planned.next({ kind: 'htmlPage' });
		await expect(probed({}, trouble)).rejects.toThrow('could not be read (HTTP 502');
	});
});

/** For each row, services that make it come out otherwise. */
const CASES: Record<string, Case[]> = {
	'What order is the list in?': [
		[/arrival or another date.* \d+ hours/, /^handled/, { order: 'arrival' }],
	],
	'Do licenses have the same timestamp?': [[/order changes/, /^a limit/, { ties: 'change' }]],
	'What shows that another page follows?': [
		[/`next_cursor` beside/, /^handled/, { pages: 'topLevel' }],
		[/no cursor/, /^a limit/, { pages: 'offset' }],
	],
	'What does a cursor stand for?': [
		[/marks a place/, /^works/, { order: 'arrival', cursors: 'key' }],
		[/counts records.*it contains 10, then 20/, /^a limit/, still],
	],
	'Does a cursor last three minutes?': [
		[
			/HTTP 404/,
			/^a limit/,
			{},
			({ trouble }, clock) => {
				const begin = clock.now();
				const isLate = () => clock.now() > begin + 2 * MINUTE;
				trouble.next({ kind: 'error', status: 404 }, { withCursor: true, where: isLate });
			},
		],
	],
	'Is the total exact?': [[/not the number/, /^a limit/, { totals: 'capped' }]],
	'How many of each event?': [
		[
			/`renewal` \d+.*`status_change` 0/,
			/status_change may never/,
			still,
			({ register }) => {
				for (const { id, eventType } of register.all())
					if (eventType === 'status_change') register.leaveOut(String(id));
			},
		],
	],
	'How many of each license type?': [[/no total/, /^ask the provider/, { totals: 'missing' }]],
	'How many licenses does a page have?': [
		[
			/limit=50: HTTP 400/,
			/^a limit/,
			{},
			({ trouble }) => {
				const where = ({ query }: { query: Record<string, unknown> }) => Number(query.limit) >= 50;
				const refusal = { kind: 'error', status: 400, type: 'invalid_request' } as const;
				trouble.next(refusal, { times: Infinity, where });
			},
		],
	],
	'How are counties spelled in answers?': [
		[/^1 of 200/, /^a limit/, { ...still, ...INLAND }, filing({ address: { county: 'Fulton' } })],
	],
	'How must counties be spelled in the filter?': [
		[
			/^understands the spelling in its answers/,
			/^a limit/,
			{ counties: (name) => `${name} County`, countyFilter: 'asShown' },
		],
	],
	'Which license types?': [[/`HOTEL`/, /^handled/, still, filing({ licenseType: 'HOTEL' })]],
	'Which kinds of event?': [
		[
			/`address_change`/,
			/^handled/,
			{ order: 'eventTimestamp', rates: { addressChangesADay: 50 } },
		],
	],
	'Which statuses?': [[/`ACTIVE`/, /^handled/, { statuses: 'capitals' }]],
	'What does the free-text filter look for?': [
		[/any of the words/, /^handled/, { freeText: 'anyWord' }],
		[/somewhere \(whole words/, /^works/, { freeText: 'wholeWords' }],
		[/in one field/, /^handled/, { freeText: 'withinField' }],
		[
			/one word of a name finds the business, two do not/,
			/^a limit/,
			{ freeText: (asked) => (text) => !asked.includes(' ') && text.includes(asked.toLowerCase()) },
		],
	],
	'What does the search return?': [
		[/an object with/, /^a limit/, { searchShape: () => ({ found: 1 }) }],
	],
	'Is a license found by ID, and by number?': [
		[
			/`licenseNumber`: HTTP 404/,
			/^a limit/,
			{ ...still, order: 'arrival' },
			filing({ licenseNumber: null }),
		],
	],
	'How are timestamps written?': [
		[/1 of 200 cannot be read/, /^a limit/, still, filing({ eventTimestamp: 'soon' })],
	],
	'Which fields are not documented?': [[/`enrichment`/, /^handled/, {}]],
	'How often are fields null or absent?': [[/`legalName` \d+ %/, /^handled/, {}]],
	'What do headers say about rate limits?': [
		[
			/`ratelimit: "default";r=/,
			/^works/,
			{ rateLimits: 'plan60', rateLimitHeaders: 'structured' },
		],
	],
	'What do rejections look like?': [[/parameter: HTTP 200/, /^handled/, {}]],
};

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
	const cases = Object.entries(CASES).flatMap(([asked, all]) =>
		all.map((one): [string, ...Case] => [asked, ...one]),
	);

	it.each<[asked: string, ...Case]>(cases)(
		'is: %s (%s: %s)',
		async (asked, does, means, options, plant) => {
			const { findings } = await probed(options, plant);
			expect(findings[asked]?.does).toMatch(does);
			expect(findings[asked]?.means).toMatch(means);
			for (const number of findings[asked]?.breaks ?? []) expect(promises().has(number)).toBe(true);
		},
	);

	it('has a case for each of its questions', () => {
		expect(ROWS.map(({ asked }) => asked).filter((asked) => !(asked in CASES))).toEqual([]);
	});

	it('knows promises of docs/trigger.md only by their numbers there', async () => {
		const known = promises();
		expect([...known.keys()]).toEqual([...known.keys()].sort((a, b) => a - b));
		expect(known.size).toBeGreaterThan(10);
		const { seen } = await probed({ order: 'arrival' });
		expect(report(seen, String)).toContain('3. A quiet start (');
	});
});
