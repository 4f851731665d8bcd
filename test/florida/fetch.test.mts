import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';

import { fetchDue } from '../../florida/fetch.mts';
import { isReady } from '../../florida/memory.mts';
import { openService } from '../../florida/service.mts';
import { listen } from '../support/loopback.mts';
import { fileOf, folder, food, foods, number } from './state-files.mts';

const quiet = { say: () => undefined, wait: async () => undefined, standsStill: 0 };
const good = fileOf('hrfood1', foods(50));

/** A server in the state's place. */
async function stateServer(answer: RequestListener) {
	const asked: string[] = [];
	const server = await listen((request, response) => {
		asked.push(`${request.url} ${request.headers['if-modified-since'] ?? ''}`.trim());
		answer(request, response);
	});
	onTestFinished(async () => await server.close());
	return { asked, address: server.baseUrl.replace('v1', 'extracts/') };
}

it.each<[string, RequestListener, string, RegExp]>([
	['403', (_, response) => response.writeHead(403).end('no'), 'refused', /refused it \(403\)/],
	['503', (_, response) => response.writeHead(503).end(), 'failed', /answered 503/],
	['a challenge', (_, response) => response.end('\n <!DOCTYPE html>'), 'refused', /web page/],
	['a dropped connection', (_, response) => response.destroy(), 'failed', /./],
	[
		'an end before the end',
		(_, response) =>
			response
				.writeHead(200, { 'Content-Length': 10_000 })
				.write(good.slice(0, 100), () => response.destroy()),
		'failed',
		/./,
	],
	['nothing at all', () => undefined, 'failed', /too long/],
	[
		'a file without an end',
		(_, response) => void endless(response),
		'refused',
		/larger than 64 MB/,
	],
])('%s is said, and leaves no file', async (_, answer, kind, why) => {
	const { address, asked } = await stateServer(answer);
	const data = folder();
	const options = { address, ...quiet, timeout: kind === 'failed' ? 500 : 60_000 };
	const { hrfood1 } = await fetchDue(['hrfood1'], {}, data, options);
	expect(hrfood1).toMatch(why);
	expect(asked).toHaveLength(kind === 'failed' ? 3 : 1);
	expect(readdirSync(data, { recursive: true }).filter((name) => /csv/.test(String(name)))).toEqual(
		[],
	);
});

function endless(response: {
	write: (bytes: Buffer) => boolean;
	once: (event: 'drain', run: () => void) => unknown;
	destroyed: boolean;
}): void {
	const bytes = Buffer.alloc(2 ** 20, 65);
	while (!response.destroyed && response.write(bytes));
	if (!response.destroyed) response.once('drain', () => endless(response));
}

/** The state's server, reached by https: what is asked of that host goes to a server on this machine. */
async function secureServer(answer: RequestListener) {
	const { asked, address } = await stateServer(answer);
	const home = 'https://state.example/extracts/';
	const { fetch } = globalThis;
	vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
		if (url.host !== 'state.example') throw new Error(`${url.href} was asked`);
		return await fetch(url.href.replace(home, address), init);
	});
	onTestFinished(() => void vi.unstubAllGlobals());
	return { asked, home };
}

it('A redirect to https of the same host is followed', async () => {
	const { asked, home } = await secureServer((request, response) =>
		request.url?.includes('moved')
			? response.end(good)
			: response.writeHead(302, { Location: '/extracts/moved/hrfood1.csv' }).end(),
	);
	const data = folder();
	const { hrfood1 } = await fetchDue(['hrfood1'], {}, data, { address: home, ...quiet });
	expect(hrfood1).toBeUndefined();
	expect(asked).toEqual(['/extracts/hrfood1.csv', '/extracts/moved/hrfood1.csv']);
	expect(readFileSync(join(data, 'raw', 'hrfood1.csv'), 'utf8')).toBe(good);
});

it.each([
	['to http of the same host', 'http://state.example/extracts/moved.csv', 1],
	['to https of another host', 'https://other.example/extracts/moved.csv', 1],
	['in a circle', 'https://state.example/extracts/hrfood1.csv', 4],
])('A redirect %s is refused', async (_, location, requests) => {
	const { asked, home } = await secureServer((__, response) =>
		response.writeHead(302, { Location: location }).end(),
	);
	const options = { address: home, ...quiet };
	const { hrfood1 } = await fetchDue(['hrfood1'], {}, folder(), options);
	expect([hrfood1, asked.length]).toEqual([
		expect.stringContaining('sends to another address (302)'),
		requests,
	]);
});

it('An answer that the file has not changed ends a refusal that stood', async () => {
	const statuses = [200, 403, 304];
	const { address } = await stateServer((_, response) => {
		const status = statuses.shift()!;
		response.writeHead(status).end(status === 200 ? good : undefined);
	});
	let now = Date.parse('2025-07-02T12:00:00');
	const service = await openService({
		...{ data: folder(), sources: ['hrfood1'], address },
		...{ ...quiet, now: () => now },
	});
	const refused = async (): Promise<string | undefined> => {
		await service.update();
		now += 86_400_000;
		return service.memory.snapshot.refused.hrfood1;
	};
	expect(await refused()).toBeUndefined();
	expect(await refused()).toContain('refused it (403)');
	expect(await refused()).toBeUndefined();
	expect(statuses).toEqual([]);
});

it('A file is asked for once a day, by name and with an address, and not again if it has not changed', async () => {
	const modified = 'Tue, 01 Jul 2025 10:00:00 GMT';
	let agent = '';
	const { address, asked } = await stateServer((request, response) => {
		agent = String(request.headers['user-agent']);
		if (request.headers['if-modified-since'] === modified) return response.writeHead(304).end();
		return response.writeHead(200, { 'Last-Modified': modified }).end(good);
	});
	let now = Date.parse('2025-07-02T12:00:00');
	const options = {
		...{ data: folder(), sources: ['hrfood1'], contact: 'somebody@example.com', address },
		...{ ...quiet, now: () => now },
	};
	for (let starts = 0; starts < 3; starts++) {
		await (await openService(options)).update();
	}
	expect([asked, agent]).toEqual([
		['/extracts/hrfood1.csv'],
		expect.stringContaining('somebody@example.com'),
	]);
	now += 86_400_000;
	const service = await openService(options);
	await service.update();
	await service.update();
	expect(asked).toEqual(['/extracts/hrfood1.csv', `/extracts/hrfood1.csv ${modified}`]);
	expect(service.memory.snapshot.sources.hrfood1).toMatchObject({ day: '2025-07-01', rows: 50 });
});

it('A file that cannot be used is asked for again the next day, changed or not', async () => {
	let content = good.slice(0, -9);
	const { address, asked } = await stateServer((_, response) =>
		response.writeHead(200, { 'Last-Modified': 'Tue, 01 Jul 2025 10:00:00 GMT' }).end(content),
	);
	let now = Date.parse('2025-07-02T12:00:00');
	const service = await openService({
		...{ data: folder(), sources: ['hrfood1'], address },
		...{ ...quiet, now: () => now },
	});
	await service.update();
	expect(service.memory.snapshot.refused.hrfood1).toContain('cut');
	content = good;
	now += 86_400_000;
	await service.update();
	expect([isReady(service.memory.snapshot), asked]).toEqual([
		true,
		Array(2).fill('/extracts/hrfood1.csv'),
	]);
});

it('What failed is tried three times, five and thirty minutes apart; what was refused is not', async () => {
	const { address, asked } = await stateServer((request, response) =>
		response.writeHead(request.url?.includes('hrfood1') ? 500 : 403).end(),
	);
	const waits: number[] = [];
	const data = folder();
	const wait = async (time: number) => void waits.push(time / 60_000);
	const options = { address, say: () => undefined, wait };
	const refused = await fetchDue(['hrfood1', 'hrfood2'], {}, data, options);
	expect(waits).toEqual([5, 30]);
	expect(asked.map((one) => one.slice(10))).toEqual([
		'hrfood1.csv',
		'hrfood2.csv',
		'hrfood1.csv',
		'hrfood1.csv',
	]);
	expect(refused.hrfood2).toMatch(/403.*Download .*hrfood2\.csv in a browser.*--files/);
	await fetchDue(['hrfood1', 'hrfood2', 'hrfood3'], {}, data, options);
	expect(asked.slice(4)).toEqual(['/extracts/hrfood3.csv']);
});

it('Files come one after another, and the copies of two are kept', async () => {
	let [open, most, day] = [0, 0, 0];
	const { address } = await stateServer((request, response) => {
		most = Math.max(most, ++open);
		const source = request.url!.replace(/.*\/(\w+)\.csv/, '$1');
		const rows = [...foods(40, 1000, source.replace('hrfood', 'SEA1')), food(number('SEA19', day))];
		setTimeout(() => {
			open--;
			response.end(fileOf('hrfood1', rows));
		}, 20);
	});
	let now = Date.now();
	const data = folder();
	const service = await openService({
		...{ data, sources: ['hrfood1', 'hrfood2'], address },
		...{ ...quiet, now: () => now },
	});
	for (; day < 4; day++, now += 86_400_000) await service.update();
	expect(most).toBe(1);
	const raw = readdirSync(join(data, 'raw'));
	expect(raw.filter((name) => name.startsWith('hrfood1'))).toHaveLength(2);
	expect(statSync(join(data, 'raw', raw[0]!)).mode & 0o077).toBe(0);
	expect(readFileSync(join(data, 'asked.json'), 'utf8')).toContain('hrfood2');
});
