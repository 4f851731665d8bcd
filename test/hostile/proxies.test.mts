import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as forward, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { licenses, page } from '../support/records.mts';

const LIVE_KEY = 'ls_live_proxied_example';
const TEST_KEY = 'ls_test_proxied_example';

/** What the proxy was asked for, and with which key. */
const atProxy: string[] = [];
const atService: string[] = [];
const servers: Server[] = [];

async function serve(handle: RequestListener): Promise<number> {
	const server = createServer(handle);
	servers.push(server.listen(0, '127.0.0.1'));
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}

const service: RequestListener = ({ headers, url }, response) => {
	atService.push(`${headers.authorization} ${url?.replace(/^https?:\/\/[^/]+/, '')}`);
	response.setHeader('content-type', 'application/json');
	response.end(JSON.stringify(page(licenses(1))));
};

let proxy: number;
let port: number;
beforeAll(async () => {
	port = await serve(service);
	proxy = await serve((request, response) => {
		atProxy.push(`${request.headers.authorization} ${request.url}`);
		if (request.headers.host === 'moved.example.com') {
			response.writeHead(302, { location: 'http://new.example.com/v1/licenses' }).end();
			return;
		}
		const to = { host: '127.0.0.1', port, path: request.url, headers: request.headers };
		request.pipe(forward(to, (answer) => answer.pipe(response)));
	});
});
afterAll(() => {
	for (const server of servers) server.closeAllConnections();
	for (const server of servers) server.close();
});

interface Outcome {
	licenses: number;
	error?: string;
	test: { status: string; message: string };
	request: { data?: unknown; message?: string; description?: string };
}

async function run(names: string[], baseUrl: string, apiKey: string): Promise<Outcome> {
	for (const heard of [atProxy, atService]) heard.length = 0;
	const address = `http://127.0.0.1:${proxy}`;
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['--import', 'tsx', 'test/hostile/behind-a-proxy.mts', baseUrl, apiKey],
		{
			env: {
				PATH: process.env.PATH,
				HOME: process.env.HOME,
				NO_PROXY: 'localhost,127.0.0.1',
				...Object.fromEntries(names.map((name) => [name, address])),
			},
		},
	);
	return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
}

describe('Behind a proxy that n8n is told to use', () => {
	it('a live key goes straight to this machine, which NO_PROXY names', async () => {
		const names = ['ALL_PROXY', 'HTTP_PROXY', 'http_proxy'];
		const outcome = await run(names, `http://localhost:${port}/v1`, LIVE_KEY);
		expect(outcome).toMatchObject({ licenses: 1, test: { status: 'OK' } });
		expect(outcome.request.data).toHaveLength(1);
		expect(atService).toEqual([
			`Bearer ${LIVE_KEY} /v1/licenses?limit=50`,
			`Bearer ${LIVE_KEY} /v1/licenses?limit=1`,
			`Bearer ${LIVE_KEY} /v1/licenses`,
		]);
		expect(atProxy).toEqual([]);
	});

	it('a redirect takes the key nowhere, also where HTTP Request follows it', async () => {
		const outcome = await run(['HTTP_PROXY'], 'http://moved.example.com/v1', TEST_KEY);
		expect(outcome.error).toBe('The service redirects to http://new.example.com/v1/licenses');
		expect(outcome.request.data).toHaveLength(1);
		expect(atProxy.filter((line) => line.includes('new.example.com'))).toEqual([
			'undefined http://new.example.com/v1/licenses',
		]);
	});
});
