import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { describe, expect, it, onTestFinished } from 'vitest';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { API_KEY } from '../support/answers.mts';
import { loadOptionsOf } from '../support/host.mts';
import { listen, type Loopback } from '../support/loopback.mts';
import { runLicense } from '../support/nodes.mts';
import { licenses, page } from '../support/records.mts';

async function serve(handle: RequestListener): Promise<Loopback> {
	const service = await listen(handle);
	onTestFinished(() => service.close());
	return service;
}

/** A service that speaks as it likes: its handler gets the raw connection. */
async function serveBytes(handle: (socket: Socket) => void): Promise<string> {
	const server = createServer((socket) => {
		onTestFinished(() => void socket.destroy());
		socket.on('error', () => {});
		socket.once('data', () => handle(socket));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => void server.close());
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const getMany = (baseUrl: string, options = {}) =>
	runLicense(
		{ operation: 'getAll', options: { retries: 0, timeout: 60_000, ...options } },
		{ credentials: { baseUrl, apiKey: API_KEY } },
	);

const GOOD = JSON.stringify(page(licenses(3)));
const TOO_LARGE = 'The answer is larger than 1 MB, the most that this node reads.';

it('An answer that is too large is not unpacked to its end', async () => {
	const bomb = gzipSync(Buffer.alloc(60_000_000, ' '));
	const { baseUrl } = await serve((_, response) => {
		response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
	});
	expect((await getMany(baseUrl)).error?.description).toContain(TOO_LARGE);
});

it.each([200, 302, 500])('An answer without an end is hung up on, at HTTP %i', async (status) => {
	let sent = 0;
	let isClosed = false;
	const { baseUrl } = await serve((_, response) => {
		response.on('close', () => (isClosed = true));
		response.writeHead(status, { location: 'https://elsewhere.example.com' });
		const piece = Buffer.alloc(64 * 1024, ' ');
		const more = () => {
			while (!response.destroyed && response.write(piece)) sent += piece.length;
		};
		response.on('drain', more);
		more();
	});
	const { error } = await getMany(baseUrl);
	if (status === 200) expect(error?.description).toContain(TOO_LARGE);
	else expect(error).toMatchObject({ httpCode: String(status) });
	await expect.poll(() => isClosed).toBe(true);
	expect(sent).toBeLessThan(10_000_000);
});

it.each<[string, begin: string, again: string]>([
	['nothing at all', '', ''],
	['a body, byte by byte', 'HTTP/1.1 200 OK\r\n\r\n', ' '],
	['headers', 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'],
])('An answer that never ends holds nobody up, and is hung up on: %s', async (_, begin, again) => {
	let isClosed = false;
	const baseUrl = await serveBytes((socket) => {
		socket.write(begin);
		const drip = setInterval(() => socket.write(again), 10);
		socket.on('close', () => {
			clearInterval(drip);
			isClosed = true;
		});
	});
	const { error } = await getMany(baseUrl, { timeout: 200 });
	expect(error?.message).toMatch(/did not answer within 0.2 seconds|connection .* broke/);
	await expect.poll(() => isClosed).toBe(true);
});

it.each<[how: string, headers: string, body?: Buffer]>([
	['of an announced length', `Content-Length: ${GOOD.length}\r\n\r\n`],
	['in chunks', `Transfer-Encoding: chunked\r\n\r\n${GOOD.length.toString(16)}\r\n`],
	['packed', 'Content-Encoding: gzip\r\n\r\n', gzipSync(GOOD).subarray(0, -12)],
])('An answer that breaks off is never taken for a whole one: %s', async (_, headers, packed) => {
	const body = packed ?? Buffer.from(GOOD);
	for (const part of [0, 0.3, 0.99]) {
		const baseUrl = await serveBytes((socket) => {
			socket.write(`HTTP/1.1 200 OK\r\n${headers}`);
			socket.end(body.subarray(0, Math.floor(body.length * part)));
		});
		const { items, error } = await getMany(baseUrl);
		expect(items, String(part)).toEqual([]);
		expect(error?.message).toMatch(/connection .* broke|answer this node cannot read/);
	}
});

describe('A redirect', () => {
	it.each([300, 301, 302, 303, 307, 308])('with HTTP %i is not followed', async (status) => {
		let requests = 0;
		const { baseUrl } = await serve((_, response) => {
			requests++;
			response.writeHead(status, { location: '/v1/licenses/search' }).end(GOOD);
		});
		const { items, error, stored } = await getMany(baseUrl);
		expect(items).toEqual([]);
		expect(error?.message).toBe(`The service redirects to ${baseUrl}/licenses/search`);
		expect(stored).not.toContain(API_KEY);
		expect(requests).toBe(1);
	});

	it('takes the key nowhere where HTTP Request follows it', async () => {
		const heard: unknown[] = [];
		const elsewhere = await serve(({ headers }, response) => {
			heard.push(headers.authorization);
			response.end(GOOD);
		});
		const { baseUrl, credentials } = await serve(({ headers }, response) => {
			heard.push(headers.authorization);
			const location = elsewhere.baseUrl.replace('127.0.0.1', 'localhost');
			response.writeHead(302, { location }).end();
		});
		const context = loadOptionsOf({
			...{ nodeType: new LicensingData(), credentialType: new LicensingDataApi(), credentials },
		}) as unknown as ILoadOptionsFunctions;
		await context.helpers.requestWithAuthentication.call(context, 'licensingDataApi', {
			...{ method: 'GET', uri: `${baseUrl}/licenses`, json: true },
			sendCredentialsOnCrossOriginRedirect: true,
		});
		expect(heard).toEqual([`Bearer ${API_KEY}`, undefined]);
	});
});
