import { request as forward } from 'node:http';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

import { useService } from '../support/loopback.mts';
import { licenses, page } from '../support/records.mts';

const LIVE_KEY = 'ls_live_proxied_example';
const TEST_KEY = 'ls_test_proxied_example';

/** What the service and the proxy were asked for, and with which key. */
const atService: string[] = [];
const atProxy: string[] = [];

const service = useService(({ headers, url }, response) => {
	atService.push(`${headers.authorization} ${url}`);
	response.setHeader('content-type', 'application/json');
	response.end(JSON.stringify(page(licenses(1))));
});
const proxy = useService((request, response) => {
	const { host, authorization } = request.headers;
	atProxy.push(`${authorization} ${host}`);
	if (host === 'moved.example.com') {
		response.writeHead(302, { location: 'http://new.example.com/v1/licenses' }).end();
		return;
	}
	const { port } = new URL(service.baseUrl);
	const to = { host: '127.0.0.1', port, path: request.url, headers: request.headers };
	request.pipe(forward(to, (answer) => answer.pipe(response)));
});

interface Outcome {
	licenses: number;
	error?: string;
	test: { status: string; message: string };
	request: { data?: unknown; message?: string; description?: string };
}

async function run(names: string[], baseUrl: string, apiKey: string): Promise<Outcome> {
	const address = new URL(proxy.baseUrl).origin;
	const script = ['--import', 'tsx', 'test/hostile/behind-a-proxy.mts'];
	const { stdout } = await execa(process.execPath, [...script, baseUrl, apiKey], {
		extendEnv: false,
		env: {
			PATH: process.env.PATH,
			HOME: process.env.HOME,
			NO_PROXY: 'localhost,127.0.0.1',
			...Object.fromEntries(names.map((name) => [name, address])),
		},
	});
	return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
}

describe('Behind a proxy that n8n is told to use', () => {
	it('a live key goes straight to this machine, which NO_PROXY names', async () => {
		const names = ['ALL_PROXY', 'HTTP_PROXY', 'http_proxy'];
		const baseUrl = service.baseUrl.replace('127.0.0.1', 'localhost');
		const outcome = await run(names, baseUrl, LIVE_KEY);
		expect(outcome).toMatchObject({ licenses: 1, test: { status: 'OK' } });
		expect(outcome.request.data).toHaveLength(1);
		expect(atService).toEqual(
			['?limit=50', '?limit=1', ''].map((query) => `Bearer ${LIVE_KEY} /v1/licenses${query}`),
		);
		expect(atProxy).toEqual([]);
	});

	it('a redirect takes the key nowhere, also where HTTP Request follows it', async () => {
		const outcome = await run(['HTTP_PROXY'], 'http://moved.example.com/v1', TEST_KEY);
		expect(outcome.error).toBe('The service redirects to http://new.example.com/v1/licenses');
		expect(outcome.request.data).toHaveLength(1);
		const elsewhere = atProxy.filter((line) => line.includes('new.example.com'));
		expect(elsewhere).toEqual(['undefined new.example.com']);
	});
});
