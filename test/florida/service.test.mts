import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { Memory } from '../../florida/memory.mts';
import { optionsFrom } from '../../florida/options.mts';
import { openService, startFlorida, type FloridaOptions } from '../../florida/service.mts';
import { packFlorida } from '../../scripts/florida-package.mts';
import type { LicensePage } from '../../server/license.mts';
import { expectInterface } from '../support/interface.mts';
import { ROOT } from '../support/manifest.mts';
import { runLicense } from '../support/nodes.mts';
import {
	dated,
	fileOf,
	folder,
	foods,
	holder,
	liquor,
	put,
	transferred,
	type Files,
} from './made-up-files.mts';

/** Puts files into a folder, as old as of a day at noon. */
function putOn(day: string, folder: string, files: Files): void {
	const time = new Date(`${day}T12:00:00`);
	for (const { path } of put(folder, files)) utimesSync(path, time, time);
}

/** A folder with files, one for what is remembered, and what is said. */
function given(content: Files) {
	const [files, data, said] = [folder(), folder(), [] as string[]];
	putOn('2025-07-01', files, content);
	const say = (line: string) => void said.push(line);
	return { files, data, said, say, standsStill: 0 };
}

/** The service, of which `ready` waits for the first files. */
async function started(options: FloridaOptions) {
	const florida = await startFlorida({ lookEvery: 20, ...options });
	onTestFinished(async () => await florida.close());
	const ask = async (path: string, key: string = florida.key) => {
		const headers = { Authorization: `Bearer ${key}` };
		const response = await fetch(florida.origin + path, { headers });
		const body = await response.text();
		return { status: response.status, body, json: () => JSON.parse(body) as LicensePage };
	};
	const ready = async () =>
		await vi.waitFor(() => expect(florida.register.notReady).toBeUndefined(), 60_000);
	return { florida, ask, ready, memory: florida.service.memory };
}

const many = foods(120);
const later = [...many, ...foods(5, 1120)];
const bar = { Modifier: 'SFS', 'Original Licensure Date': '06/20/2025' };
const bars = [liquor('BEV5805000', bar)];

it('Nobody is answered before the first files have been read, and the nodes say why', async () => {
	const options = given({});
	const { ask, ready, florida } = await started(options);
	const credentials = { baseUrl: florida.baseUrl, apiKey: florida.key };
	const parameters = { operation: 'getAll', options: { retries: 0 } };
	const { error } = await runLicense(parameters, { credentials });
	expect(error?.message).toBe('The service could not answer (HTTP 503)');
	expect(error?.description).toContain(`says: "The state's files have not been read yet.`);
	expect((await ask('/')).body).toContain('have not been read yet');
	putOn('2025-07-01', options.files, { hrfood1: many });
	await ready();
	expect((await ask('/v1/licenses')).json().pagination.total).toBe(120);
	expect((await ask('/v1/licenses', 'ls_own_another')).status).toBe(401);
	expect(statSync(join(options.data, 'key')).mode & 0o777).toBe(0o600);
});

const full: Files = {
	...{ hrfood1: many, bd4006lic: bars },
	newfood: [dated('SEA2301003', '07/01/2025')],
};

it.each([
	['A register', full, 2],
	['An empty register', { hrfood1: fileOf('hrfood1', []) }, 0],
])('%s is served as openapi.yaml says, each filing with its kind', async (_, content, count) => {
	const { florida, ready } = await started(given(content));
	await ready();
	const all = await expectInterface({ baseUrl: florida.baseUrl, apiKey: florida.key });
	const filings = all.filter(({ eventType }) => eventType === 'new_filing');
	expect(filings).toHaveLength(count);
	for (const { filingKind } of filings) expect(filingKind).toMatch(/^(newLicense|notKnown)$/);
});

it('Lists come by date, then number, and lose nothing when files come meanwhile', async () => {
	const options = given({ hrfood1: many, bd4006lic: bars });
	const { ask, ready, memory } = await started(options);
	await ready();
	const first = (await ask('/v1/licenses?limit=30')).json();
	expect(first.data[0]).toMatchObject({
		...{ licenseNumber: 'BEV5805000', licenseType: 'SRX', licenseSeries: '2COP-SFS' },
		...{ eventType: 'new_filing', eventTimestamp: '2025-06-20T00:00:00Z', filedDate: '2025-06-20' },
	});
	putOn('2025-07-08', options.files, { hrfood1: later });
	await vi.waitFor(() => expect(memory.snapshot.licenses.size).toBe(126), 60_000);
	const numbers = first.data.map((one) => one.licenseNumber);
	for (let { cursor } = first.pagination; cursor !== null; ) {
		const page = (await ask(`/v1/licenses?limit=30&cursor=${encodeURIComponent(cursor)}`)).json();
		numbers.push(...page.data.map((one) => one.licenseNumber));
		({ cursor } = page.pagination);
	}
	expect([numbers.length, new Set(numbers).size]).toEqual([121, 121]);
	const totalOf = async (query: string) =>
		(await ask(`/v1/licenses?${query}`)).json().pagination.total;
	expect(await totalOf('event_type=new_filing')).toBe(6);
	expect(await totalOf('event_type=new_filing&county=miami-dade&license_type=seating')).toBe(5);
	expect(await totalOf('county=ORANGE&license_type=SRX&status=active&q=bar orl')).toBe(1);
	expect(await totalOf('q=holdings')).toBe(0);
	expect((await ask('/v1/licenses/search?q=holdings&limit=3')).json().data).toHaveLength(3);
});

it('The page and /status have counts and dates, and nobody’s name', async () => {
	const { ask, ready } = await started(given({ hrfood1: many, hrfood2: '<html>' }));
	await ready();
	for (const path of ['/', '/status']) {
		const { body, status } = await ask(path, 'none');
		expect([status, body]).toEqual([200, expect.stringContaining('web page')]);
		expect(body).toContain('not affiliated');
		for (const name of [holder(1000), 'EXAMPLE CAFE', 'SAMPLE PKWY', 'ls_own_'])
			expect(body).not.toContain(name);
	}
});

it('It answers by the names it was given and those of this machine alone', async () => {
	const options = { ...given({ hrfood1: many }), host: '0.0.0.0', names: ['Florida'] };
	const { florida, ready } = await started(options);
	await ready();
	for (const url of [`${florida.baseUrl}/licenses`, `${florida.origin}/status`]) {
		const statusAs = async (host: string) => {
			const headers = { host, authorization: `Bearer ${florida.key}` };
			const [answer] = await once(request(url, { headers }).end(), 'response');
			return (answer as IncomingMessage).destroy().statusCode;
		};
		for (const host of ['florida:4020', 'FLORIDA', 'localhost', '127.0.0.1:1', '[::1]:4020'])
			expect([host, await statusAs(host)]).toEqual([host, 200]);
		for (const host of ['evil.example', 'florida.evil.example', 'localhost:80:80', 'florida.'])
			expect([host, await statusAs(host)]).toEqual([host, 403]);
	}
});

it('Of two processes that use one folder, none takes back what the other has written', async () => {
	const options = given({ hrfood1: many });
	const [one, other] = [await openService(options), await openService(options)];
	await one.update();
	expect((await other.update())?.licenses).toBe(120);
	putOn('2025-07-08', options.files, { hrfood1: later });
	const late = await Memory.open(options.data);
	expect((await other.update())?.events.new_filing).toBe(5);
	await expect(late.write(late.snapshot)).rejects.toThrow('Another process has written');
	await one.update();
	expect(one.memory.snapshot).toEqual(other.memory.snapshot);
});

it('A broken memory changes no answer, is said, and is overcome once removed', async () => {
	const options = given({ hrfood1: many });
	const { ready, ask, memory } = await started(options);
	await ready();
	const broken = join(options.data, 'snapshots', '9.ndjson.gz');
	writeFileSync(broken, 'broken');
	await vi.waitFor(() => expect(options.said.join()).toContain('could not be taken in'), 60_000);
	expect((await ask('/status')).body).toMatch(/"failure":".*\.gz cannot be read .* remove it/);
	expect((await ask('/v1/licenses')).json().pagination.total).toBe(120);
	rmSync(broken);
	putOn('2025-07-08', options.files, { hrfood1: later });
	await vi.waitFor(() => expect(memory.snapshot.licenses.size).toBe(125), 60_000);
});

it('A file that is always being written holds up no other', async () => {
	const { say, said, ...options } = given({ hrfood1: many, hrfood2: many });
	let waits = 0;
	const wait = async () => {
		if (++waits > 100) throw new Error('It waits for ever');
		put(options.files, { hrfood2: many });
	};
	const service = await openService({ ...options, say, wait, standsStill: 60_000 });
	expect((await service.update())?.sources.map(({ name }) => name)).toEqual(['hrfood1']);
	expect(said.join()).toContain('hrfood2.csv is still being written');
});

it('What a user accepts is what was held at the start, and nothing later', async () => {
	const options = given({ hrfood1: many });
	await (await openService(options)).update();
	putOn('2025-07-08', options.files, { hrfood1: transferred(many) });
	expect((await (await openService(options)).update())?.held).toHaveLength(1);
	const service = await openService({ ...options, accept: ['hrfood1'] });
	expect(await service.update()).toMatchObject({ held: [], events: { ownership_transfer: 120 } });
	putOn('2025-07-15', options.files, { hrfood1: many.slice(20) });
	expect((await service.update())?.held).toHaveLength(1);
});

it('In a folder without the repository, its packed form runs, reports and forgets', async () => {
	const { files, data } = given({ hrfood1: many });
	const cwd = folder();
	await packFlorida(cwd);
	// Its one dependency, as the lock file has it.
	symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
	const run = (...more: string[]) => {
		const child = spawn(process.execPath, ['florida/main.mjs', '--data', data, ...more], { cwd });
		onTestFinished(() => void child.kill('SIGKILL'));
		return child;
	};
	const port = String(20_000 + (process.pid % 20_000));
	const child = run('--files', files, '--port', port);
	const [shown] = (await once(child.stdout, 'data')) as [Buffer];
	const [key = ''] = /ls_own_\w+/.exec(String(shown)) ?? [];
	const headers = { Authorization: `Bearer ${key}` };
	const list = async () => await fetch(`http://127.0.0.1:${port}/v1/licenses`, { headers });
	await expect.poll(async () => (await list()).status, { interval: 500 }).toBe(200);
	child.kill('SIGTERM');
	expect(await once(child, 'exit')).toEqual([0, null]);
	const report = await text(run('--report').stdout);
	expect(report).toContain('"20/20": 120');
	expect(report).not.toContain('HOLDINGS');
	const found = await text(run('--files', files, '--once', '--json').stdout);
	expect(JSON.parse(found)).toMatchObject({ day: '2025-07-01', licenses: 120 });
	writeFileSync(join(data, 'mine.txt'), '');
	await text(run('--forget').stdout);
	expect(readdirSync(data)).toEqual(['mine.txt']);
});

it.each([
	[['--day', '2025-02-30'], '--day takes a date'],
	[['--hour', '24'], '--hour takes a whole number from 0 to 23'],
	[['--sources', 'hrfood9'], "there is no 'hrfood9'"],
	[['--contact', 'a\nb'], '--contact takes'],
	[['--files', '/none'], 'There is no folder /none'],
	[['--nothing'], 'Unknown option'],
])('The command line says what is wrong with %j', (args, message) => {
	expect(() => optionsFrom(args)).toThrow(message);
});
