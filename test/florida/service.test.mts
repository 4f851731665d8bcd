import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';

import { forget, Memory } from '../../florida/memory.mts';
import { optionsFrom } from '../../florida/options.mts';
import { refresh } from '../../florida/refresh.mts';
import { FloridaRegister } from '../../florida/register.mts';
import { openService, startFlorida, type FloridaOptions } from '../../florida/service.mts';
import type { LicensePage } from '../../server/license.mts';
import { expectInterface } from '../support/interface.mts';
import { packed } from './packed.mts';
import {
	dated,
	fileOf,
	folder,
	foods,
	holder,
	liquor,
	number,
	reissued,
	textOf,
	type Content,
} from './state-files.mts';

/** Puts files into a folder, as old as of a day at noon. */
function put(files: string, content: Record<string, Content>, day = '2025-07-01'): void {
	for (const [source, of] of Object.entries(content)) {
		const path = join(files, `${source}.csv`);
		writeFileSync(path, textOf(source, of));
		const time = new Date(`${day}T12:00:00`);
		utimesSync(path, time, time);
	}
}

async function started(files: string, more: Partial<FloridaOptions> = {}) {
	const said: string[] = [];
	const florida = await startFlorida({
		...{ data: folder(), files, say: (line: string) => void said.push(line) },
		...{ lookEvery: 20, standsStill: 0, ...more },
	});
	onTestFinished(async () => await florida.close());
	const ask = async (path: string, key: string = florida.key) => {
		const response = await fetch(florida.origin + path, {
			headers: { Authorization: `Bearer ${key}` },
		});
		const body = await response.text();
		return {
			status: response.status,
			headers: response.headers,
			body,
			json: () => JSON.parse(body) as LicensePage,
		};
	};
	const ready = async () =>
		await vi.waitFor(() => expect(florida.register.notReady).toBeUndefined(), 60_000);
	return { florida, ask, said, ready };
}

const many = foods(120);
const bars = [
	liquor(number('BEV58', 5000), { Modifier: 'SFS', 'Original Licensure Date': '06/20/2025' }),
];

it('Nobody is answered before the first files have been read', async () => {
	const [files, data] = [folder(), folder()];
	const { ask, ready } = await started(files, { data });
	const early = await ask('/v1/licenses');
	expect([early.status, early.body]).toEqual([
		503,
		expect.stringContaining('have not been read yet'),
	]);
	expect((await ask('/')).body).toContain('have not been read yet');
	put(files, { hrfood1: many });
	await ready();
	expect((await ask('/v1/licenses')).json().pagination.total).toBe(120);
	expect((await ask('/v1/licenses', 'ls_own_another')).status).toBe(401);
	expect(statSync(join(data, 'key')).mode & 0o777).toBe(0o600);
});

it('Nobody is answered between the end of the first reading and the list made of it', async () => {
	const memory = await Memory.open(folder());
	const register = new FloridaRegister(memory);
	const files = folder();
	put(files, { hrfood1: many });
	expect(register.notReady).toContain('have not been read yet');
	expect(register.page({}, { offset: 0 }, 1).total).toBe(0);
	const path = join(files, 'hrfood1.csv');
	await refresh(memory, [{ source: 'hrfood1', path, day: '2025-07-01' }]);
	expect(register.notReady).toBeUndefined();
	expect(register.page({}, { offset: 0 }, 1).total).toBe(120);
});

const full: Record<string, Content> = {
	...{ hrfood1: many, bd4006lic: bars },
	newfood: [dated(number('SEA23', 1003), '07/01/2025')],
};

it.each([
	['a register', full, 2],
	['an empty register', { hrfood1: fileOf('hrfood1', []) }, 0],
])(
	'%s is served as the interface says, each new filing with its kind',
	async (_, content, news) => {
		const files = folder();
		put(files, content);
		const { florida, ready } = await started(files);
		await ready();
		const all = await expectInterface({ baseUrl: florida.baseUrl, apiKey: florida.key });
		const filings = all.filter(({ eventType }) => eventType === 'new_filing');
		expect(filings).toHaveLength(news);
		for (const { filingKind } of filings) expect(filingKind).toMatch(/^(newLicense|notKnown)$/);
	},
);

it('Lists come by date, then number; a walk loses nothing when files come in its middle', async () => {
	const files = folder();
	put(files, { hrfood1: many, bd4006lic: bars });
	const { ask, ready, florida } = await started(files);
	await ready();
	const first = (await ask('/v1/licenses?limit=30')).json();
	expect(first.data[0]).toMatchObject({
		...{ licenseNumber: 'BEV5805000', licenseType: 'SRX', licenseSeries: '2COP-SFS' },
		...{ eventType: 'new_filing', eventTimestamp: '2025-06-20T00:00:00Z', filedDate: '2025-06-20' },
	});
	put(files, { hrfood1: [...many, ...foods(5, 1120)] }, '2025-07-08');
	await vi.waitFor(() => expect(florida.service.memory.snapshot.licenses.size).toBe(126), 60_000);
	const numbers = first.data.map((one) => one.licenseNumber);
	for (let { cursor } = first.pagination; cursor !== null; ) {
		const page = (await ask(`/v1/licenses?limit=30&cursor=${encodeURIComponent(cursor)}`)).json();
		numbers.push(...page.data.map((one) => one.licenseNumber));
		({ cursor } = page.pagination);
	}
	expect(new Set(numbers).size).toBe(numbers.length);
	expect(numbers).toHaveLength(121);
	const asked = async (query: string) =>
		(await ask(`/v1/licenses?${query}`)).json().pagination.total;
	expect(await asked('event_type=new_filing')).toBe(6);
	expect(await asked('event_type=new_filing&county=miami-dade&license_type=seating')).toBe(5);
	expect(await asked('county=ORANGE&license_type=SRX&status=active&q=bar orl')).toBe(1);
	expect(await asked('q=holdings')).toBe(0);
	expect((await ask('/v1/licenses/search?q=holdings&limit=3')).json().data).toHaveLength(3);
});

it('The page and /status have counts and dates, and nobody’s name', async () => {
	const files = folder();
	put(files, { hrfood1: many, hrfood2: '<html>' });
	const { ask, ready } = await started(files);
	await ready();
	for (const path of ['/', '/status']) {
		const { body, status } = await ask(path, 'none');
		expect([status, body]).toEqual([200, expect.stringContaining('web page')]);
		expect(body).toContain('not affiliated');
		for (const name of [holder(0), 'EXAMPLE CAFE', 'SAMPLE PKWY', 'ls_own_'])
			expect(body).not.toContain(name);
	}
});

it('It answers by the names it was given, and by no other', async () => {
	const files = folder();
	put(files, { hrfood1: many });
	const { florida, ready } = await started(files, {
		host: '0.0.0.0',
		names: ['host.docker.internal'],
	});
	await ready();
	const statusAt = async (host: string) => {
		const asked = request(`${florida.baseUrl}/licenses`, {
			headers: { host, authorization: `Bearer ${florida.key}` },
		}).end();
		const [response] = (await once(asked, 'response')) as [
			{ statusCode: number; resume: () => void },
		];
		response.resume();
		return response.statusCode;
	};
	expect(await statusAt('host.docker.internal:4020')).toBe(200);
	expect(await statusAt('florida.example.com')).toBe(403);
});

it('Of two processes that use one folder, none takes back what the other has written', async () => {
	const [files, data] = [folder(), folder()];
	put(files, { hrfood1: many });
	const options = { data, files, standsStill: 0, say: (line: string) => void said.push(line) };
	const said: string[] = [];
	const [one, other] = [await openService(options), await openService(options)];
	await one.update();
	expect((await other.update())?.licenses).toBe(120);
	put(files, { hrfood1: [...many, ...foods(5, 1120)] }, '2025-07-08');
	const { memory } = one;
	const late = await Memory.open(data);
	expect((await other.update())?.events.new_filing).toBe(5);
	await expect(late.write(late.snapshot)).rejects.toThrow('Another process has written');
	await one.update();
	expect(memory.snapshot).toEqual(other.memory.snapshot);
});

it.each(['gone', 'no folder'])(
	'A memory that is %s changes nothing of what is served, and is looked for again',
	async (what) => {
		const [files, data] = [folder(), folder()];
		put(files, { hrfood1: many });
		const { florida, ready, ask, said } = await started(files, { data });
		await ready();
		const { memory } = florida.service;
		const before = memory.snapshot;
		const [snapshots, away] = [join(data, 'snapshots'), join(data, 'away')];
		renameSync(snapshots, away);
		if (what !== 'gone') writeFileSync(snapshots, '');
		put(files, { hrfood1: reissued([...many, ...foods(1, 1120)], '2') }, '2025-07-08');
		await vi.waitFor(() => expect(said.join()).toContain('could not be taken in'), 60_000);
		expect(memory.snapshot).toBe(before);
		expect((await ask('/status')).body).toContain('"failure":"');
		rmSync(snapshots, { force: true });
		renameSync(away, snapshots);
		await vi.waitFor(() => expect(memory.snapshot.licenses.size).toBe(121), 60_000);
	},
);

it('A file that is always being written holds up no other', async () => {
	const files = folder();
	put(files, { hrfood1: many, hrfood2: foods(5, 1000, 'SEA60') });
	const said: string[] = [];
	let waits = 0;
	const wait = async () => {
		if (++waits > 100) throw new Error('It waits for ever');
		put(files, { hrfood2: foods(5, 1000, 'SEA60') });
	};
	const options = { data: folder(), files, wait, say: (line: string) => void said.push(line) };
	const service = await openService({ ...options, standsStill: 60_000 });
	expect((await service.update())?.sources.map(({ name }) => name)).toEqual(['hrfood1']);
	expect(said.join()).toContain('hrfood2.csv is still being written');
});

it('A file that was changed before the clock was set back is read', async () => {
	const files = folder();
	put(files, { hrfood1: many });
	vi.useFakeTimers({ now: Date.now() - 86_400_000, toFake: ['Date'] });
	onTestFinished(() => void vi.useRealTimers());
	let waits = 0;
	const wait = async () => {
		if (++waits > 100) throw new Error('It waits for ever');
	};
	const service = await openService({ data: folder(), files, wait, say: () => undefined });
	expect((await service.update())?.licenses).toBe(120);
});

it('What a user accepts is what was held at the start, and nothing later', async () => {
	const [files, data] = [folder(), folder()];
	const options = { data, files, standsStill: 0, say: () => undefined };
	put(files, { hrfood1: many });
	await (await openService(options)).update();
	put(files, { hrfood1: many.slice(10) }, '2025-07-08');
	expect((await (await openService(options)).update())?.held).toHaveLength(1);
	const service = await openService({ ...options, accept: ['hrfood1'] });
	expect((await service.update())?.held).toEqual([]);
	put(files, { hrfood1: many.slice(20) }, '2025-07-15');
	expect((await service.update())?.held).toHaveLength(1);
});

it('Forgetting removes what was remembered, and nothing else', async () => {
	const [files, data] = [folder(), folder()];
	put(files, { hrfood1: many });
	const { ready, florida } = await started(files, { data });
	writeFileSync(join(data, 'mine.txt'), '');
	await ready();
	await florida.close();
	await forget(data);
	expect(readdirSync(data)).toEqual(['mine.txt']);
});

it('Looking at a memory creates nothing, and a broken file of it is said', async () => {
	const [files, data] = [folder(), folder()];
	expect((await Memory.open(join(data, 'none'))).snapshot.licenses.size).toBe(0);
	put(files, { hrfood1: many });
	const { ready, florida } = await started(files, { data });
	await ready();
	await florida.close();
	expect(readdirSync(data).sort()).toEqual(['key', 'snapshots']);
	const [name = ''] = readdirSync(join(data, 'snapshots'));
	writeFileSync(join(data, 'snapshots', `${name}.gz`), 'broken');
	await expect(Memory.open(data)).rejects.toThrow(/\.gz cannot be read .* remove it/);
	rmSync(join(data, 'snapshots', `${name}.gz`));
	expect((await Memory.open(data)).snapshot.licenses.size).toBe(120);
});

it('In a fresh folder without the repository, its packed form runs', async () => {
	const [files, data] = [folder(), folder()];
	put(files, { hrfood1: many });
	const port = String(20_000 + (process.pid % 20_000));
	const args = ['florida/main.mjs', '--files', files, '--data', data, '--port', port];
	const child = spawn(process.execPath, args, { cwd: await packed() });
	onTestFinished(() => void child.kill('SIGKILL'));
	const [shown] = (await once(child.stdout, 'data')) as [Buffer];
	const [key = ''] = /ls_own_\w+/.exec(String(shown)) ?? [];
	const list = async () =>
		await fetch(`http://127.0.0.1:${port}/v1/licenses`, {
			headers: { Authorization: `Bearer ${key}` },
		});
	await vi.waitFor(async () => expect((await list()).status).toBe(200), {
		timeout: 120_000,
		interval: 500,
	});
	child.kill('SIGTERM');
	expect(await once(child, 'exit')).toEqual([0, null]);
	const run = async (...more: string[]) => {
		const report = spawn(process.execPath, ['florida/main.mjs', '--data', data, ...more], {
			cwd: await packed(),
		});
		return await text(report.stdout);
	};
	const report = await run('--report');
	expect(report).toContain('"20/20": 120');
	expect(report).not.toContain('HOLDINGS');
	const once_ = JSON.parse(await run('--files', files, '--once', '--json')) as object;
	expect(once_).toMatchObject({
		day: '2025-07-01',
		licenses: 120,
		pending: { transfers: 0, gone: 0 },
	});
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
