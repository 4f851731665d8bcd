import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { API_KEY } from '../support/answers.mts';
import { loadOptionsOf } from '../support/host.mts';
import { listen } from '../support/loopback.mts';
import { runLicense } from '../support/nodes.mts';
import { licenses, page } from '../support/records.mts';

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

const getMany = (baseUrl: string, timeout = 60_000) =>
	runLicense(
		{ operation: 'getAll', options: { retries: 0, timeout } },
		{ credentials: { baseUrl, apiKey: API_KEY } },
	);

const GOOD = JSON.stringify(page(licenses(3)));
const OK = 'HTTP/1.1 200 OK\r\n';

const TOO_LARGE = /The answer is larger than 1 MB/;
const LATE = /did not answer within 0.2 seconds|connection .* broke/;
const GOES_ON = ' '.repeat(500_000);
const GZIP = 'Content-Encoding: gzip\r\n\r\n';
const PACKED = Buffer.concat([Buffer.from(OK + GZIP), gzipSync(Buffer.alloc(60_000_000, ' '))]);
it.each<[what: string, begin: string | Buffer, again: string, words: RegExp, timeout?: number]>([
	['that is packed', PACKED, '', TOO_LARGE],
	['of spaces', `${OK}\r\n`, GOES_ON, TOO_LARGE],
	['of a refusal', 'HTTP/1.1 500 Oh\r\n\r\n', GOES_ON, /could not answer \(HTTP 500\)/],
	['of a redirect', 'HTTP/1.1 302 Go\r\n\r\n', GOES_ON, /redirects to another address/],
	['that does not begin', '', '', LATE, 200],
	['byte by byte', `${OK}\r\n`, ' ', LATE, 200],
	['of headers', OK, 'X: y\r\n', LATE, 200],
])('An answer without an end is hung up on: one %s', async (_, begin, again, words, timeout) => {
	let isClosed = false;
	let sent = 0;
	const baseUrl = await serveBytes((socket) => {
		socket.write(begin);
		const drip = setInterval(() => socket.write(again, () => (sent += again.length)), 10);
		socket.on('close', () => {
			clearInterval(drip);
			isClosed = true;
		});
	});
	const { error } = await getMany(baseUrl, timeout);
	expect(`${error?.message} ${error?.description}`).toMatch(words);
	await expect.poll(() => isClosed).toBe(true);
	expect(sent).toBeLessThan(20_000_000);
});

it.each<[how: string, headers: string, body?: Buffer]>([
	['of an announced length', `Content-Length: ${GOOD.length}\r\n\r\n`],
	['in chunks', `Transfer-Encoding: chunked\r\n\r\n${GOOD.length.toString(16)}\r\n`],
	['packed', GZIP, gzipSync(GOOD).subarray(0, -12)],
])('An answer that breaks off is never taken for a whole one: %s', async (_, headers, packed) => {
	const body = packed ?? Buffer.from(GOOD);
	for (const part of [0, 0.3, 0.99]) {
		const baseUrl = await serveBytes((socket) => {
			socket.write(OK + headers);
			socket.end(body.subarray(0, Math.floor(body.length * part)));
		});
		const { items, error } = await getMany(baseUrl);
		expect(items, String(part)).toEqual([]);
		expect(error?.message).toMatch(/connection .* broke|answer this node cannot read/);
	}
});

it('A redirect is not followed and, where HTTP Request follows it, takes no key along', async () => {
	const heard: unknown[] = [];
	const { baseUrl, credentials, close } = await listen(({ headers }, response) => {
		heard.push(headers.authorization);
		if (headers.host?.startsWith('localhost')) response.end(GOOD);
		else response.writeHead(302, { location: baseUrl.replace('127.0.0.1', 'localhost') }).end();
	});
	onTestFinished(close);
	expect((await getMany(baseUrl)).error?.message).toMatch(/^The service redirects to /);
	const context = loadOptionsOf({
		...{ nodeType: new LicensingData(), credentialType: new LicensingDataApi(), credentials },
	}) as unknown as ILoadOptionsFunctions;
	await context.helpers.requestWithAuthentication.call(context, 'licensingDataApi', {
		...{ method: 'GET', uri: `${baseUrl}/licenses`, json: true },
		sendCredentialsOnCrossOriginRedirect: true,
	});
	expect(heard).toEqual([`Bearer ${API_KEY}`, `Bearer ${API_KEY}`, undefined]);
});
