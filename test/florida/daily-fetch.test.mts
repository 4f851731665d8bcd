import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { fetchDue } from '../../florida/dailyFetch.mts';
import { isReady } from '../../florida/memory.mts';
import { openService, type FloridaOptions } from '../../florida/service.mts';
import { listen } from '../support/loopback.mts';
import { fileOf, folder, food, foods, number } from './made-up-files.mts';

const DAY = 86_400_000;
const MODIFIED = 'Tue, 01 Jul 2025 10:00:00 GMT';
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

/** A service that fetches from there. Each start is a process of its own. */
async function fetching(answer: RequestListener, more: Partial<FloridaOptions> = {}) {
	const { asked, address } = await stateServer(answer);
	const clock = { now: Date.parse('2025-07-02T12:00:00') };
	const options = { data: folder(), sources: ['hrfood1'], address, ...quiet, ...more };
	const start = async () => await openService({ ...options, now: () => clock.now });
	return { asked, clock, start, data: options.data };
}

const large = { 'Content-Length': 10_000 };
const megabytes = () => Array<Buffer>(70).fill(Buffer.alloc(2 ** 20, 65));
const halfWay: RequestListener = (_, response) =>
	response.writeHead(200, large).write(good.slice(0, 100), () => response.destroy());
const redirect = { Location: '/extracts/moved.csv' };

it.each<[string, RequestListener, string, RegExp]>([
	['403', (_, answer) => answer.writeHead(403).end('no'), 'refused', /refused it \(403\)/],
	['503', (_, answer) => answer.writeHead(503).end(), 'failed', /answered 503/],
	['302', (_, answer) => answer.writeHead(302, redirect).end(), 'refused', /another address/],
	['a challenge', (_, answer) => answer.end('\n <!DOCTYPE html>'), 'refused', /web page/],
	['a dropped connection', (_, answer) => answer.destroy(), 'failed', /./],
	['an end before the end', halfWay, 'failed', /./],
	['nothing at all', () => undefined, 'failed', /too long/],
	['70 MB', (_, answer) => Readable.from(megabytes()).pipe(answer), 'refused', /than 64 MB/],
])('%s is said, and leaves no file', async (_, answer, kind, why) => {
	const { address, asked } = await stateServer(answer);
	const data = folder();
	const options = { address, ...quiet, timeout: kind === 'failed' ? 500 : 60_000 };
	const { hrfood1 } = await fetchDue(['hrfood1'], {}, data, options);
	expect(hrfood1).toMatch(why);
	expect(asked).toHaveLength(kind === 'failed' ? 3 : 1);
	const files = readdirSync(data, { recursive: true, encoding: 'utf8' });
	expect(files.filter((name) => /csv(?!.*part$)/.test(name))).toEqual([]);
});

it.each([
	['to https of the same host is followed', 'https://state.example/extracts/moved.csv', 2],
	['to http of the same host is refused', 'http://state.example/extracts/moved.csv', 1],
	['to https of another host is refused', 'https://other.example/extracts/moved.csv', 1],
	['in a circle is refused', 'https://state.example/extracts/hrfood1.csv', 4],
])('A redirect %s', async (_, location, requests) => {
	const { asked, address } = await stateServer((request, response) =>
		request.url?.includes('moved')
			? response.end(good)
			: response.writeHead(302, { Location: location }).end(),
	);
	const home = 'https://state.example/extracts/';
	const { fetch } = globalThis;
	// What is asked of the state's host goes to the server on this machine.
	vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
		if (!url.href.startsWith(home)) throw new Error(`${url.href} was asked`);
		return await fetch(url.href.replace(home, address), init);
	});
	onTestFinished(() => void vi.unstubAllGlobals());
	const data = folder();
	const { hrfood1 } = await fetchDue(['hrfood1'], {}, data, { address: home, ...quiet });
	expect(asked).toHaveLength(requests);
	if (requests !== 2) return expect(hrfood1).toContain('sends to another address (302)');
	expect(readFileSync(join(data, 'raw', 'hrfood1.csv'), 'utf8')).toBe(good);
});

it('A file is asked for once a day, if it has changed, with an address', async () => {
	let agent = '';
	const answer: RequestListener = ({ headers }, response) => {
		agent = String(headers['user-agent']);
		if (headers['if-modified-since'] === MODIFIED) return response.writeHead(304).end();
		return response.writeHead(200, { 'Last-Modified': MODIFIED }).end(good);
	};
	const { asked, clock, start } = await fetching(answer, { contact: 'somebody@example.com' });
	for (let starts = 0; starts < 3; starts++) await (await start()).update();
	expect(asked).toEqual(['/extracts/hrfood1.csv']);
	expect(agent).toContain('somebody@example.com');
	clock.now += DAY;
	const service = await start();
	await service.update();
	await service.update();
	expect(asked).toEqual(['/extracts/hrfood1.csv', `/extracts/hrfood1.csv ${MODIFIED}`]);
	expect(service.memory.snapshot.sources.hrfood1).toMatchObject({ day: '2025-07-01', rows: 50 });
});

it('A refusal ends with a whole file, or when the file has not changed', async () => {
	const answers = [good.slice(0, -9), good, 403, 304];
	const { asked, clock, start } = await fetching((_, response) => {
		const answer = answers.shift()!;
		if (typeof answer === 'number') return response.writeHead(answer).end();
		return response.writeHead(200, { 'Last-Modified': MODIFIED }).end(answer);
	});
	const service = await start();
	for (const why of [/cut/, undefined, /refused it \(403\)/, undefined]) {
		await service.update();
		clock.now += DAY;
		const { refused } = service.memory.snapshot;
		if (why) expect(refused.hrfood1).toMatch(why);
		else expect(refused.hrfood1).toBeUndefined();
	}
	// What cannot be used is asked for whether it has changed or not.
	expect(asked.map((one) => one.includes('2025'))).toEqual([false, false, true, false]);
	expect(isReady(service.memory.snapshot)).toBe(true);
});

it('What failed is tried again after five and thirty minutes; what was refused is not', async () => {
	const { address, asked } = await stateServer((request, response) =>
		response.writeHead(request.url?.includes('hrfood1') ? 500 : 403).end(),
	);
	const waits: number[] = [];
	const data = folder();
	const wait = async (time: number) => void waits.push(time / 60_000);
	const options = { address, say: () => undefined, wait };
	const refused = await fetchDue(['hrfood1', 'hrfood2'], {}, data, options);
	expect(waits).toEqual([5, 30]);
	expect(asked.map((url) => url.at(-5))).toEqual(['1', '2', '1', '1']);
	expect(refused.hrfood2).toMatch(/403.*Download .*hrfood2\.csv in a browser.*--files/);
	await fetchDue(['hrfood1', 'hrfood2', 'hrfood3'], {}, data, options);
	expect(asked.slice(4)).toEqual(['/extracts/hrfood3.csv']);
});

it('Files come one after another, and the copies of two are kept', async () => {
	let [open, most, day] = [0, 0, 0];
	const answer: RequestListener = (request, response) => {
		most = Math.max(most, ++open);
		const rows = [...foods(40, 1000, `SEA1${request.url!.at(-5)}`), food(number('SEA19', day))];
		setTimeout(() => {
			open--;
			response.end(fileOf('hrfood1', rows));
		}, 20);
	};
	const { start, data, clock } = await fetching(answer, { sources: ['hrfood1', 'hrfood2'] });
	const service = await start();
	for (; day < 4; day++, clock.now += DAY) await service.update();
	expect(most).toBe(1);
	const raw = readdirSync(join(data, 'raw'));
	expect(raw.filter((name) => name.startsWith('hrfood1'))).toHaveLength(2);
	expect(statSync(join(data, 'raw', raw[0]!)).mode & 0o077).toBe(0);
});
