import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';

import { API_KEY } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { listen, type Loopback } from '../support/loopback.mts';
import { licenses, page } from '../support/records.mts';

async function serve(handle: RequestListener): Promise<Loopback> {
	const service = await listen(handle);
	onTestFinished(() => service.close());
	return service;
}

/** A service that speaks as it likes: its handler gets the raw connection. */
async function serveBytes(handle: (socket: Socket) => void): Promise<string> {
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => {});
		socket.once('data', () => handle(socket));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const getMany = (baseUrl: string, options = {}) =>
	runLicense(
		{ operation: 'getAll', options: { retries: 0, timeout: 60_000, ...options } },
		{ credentials: { baseUrl, apiKey: API_KEY } },
	);

const GOOD = JSON.stringify(page(licenses(3)));
const TOO_LARGE = 'The answer is larger than 1 MB, the most that this node reads.';

describe('Answers that are too large', () => {
	const spaces = Buffer.alloc(60_000_000, ' ');

	it.for<[encoding: string, pack: (content: Buffer) => Buffer]>([
		['gzip', gzipSync],
		['deflate', deflateSync],
		['br', (content) => brotliCompressSync(content, { params: { 1: 1 } })],
	])('are not unpacked to their end: %s', async ([encoding, pack]) => {
		const bomb = pack(spaces);
		const { baseUrl } = await serve((_, response) => {
			response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
		});
		const { error } = await getMany(baseUrl);
		expect(error?.message).toBe('The service sent an answer this node cannot read');
		expect(error?.description).toContain(TOO_LARGE);
	});

	it.for([
		['in pieces', {}],
		['as announced', { 'content-length': '1000000000000' }],
		['with a status of 500', { status: 500 }],
		['with a redirect', { status: 302, location: 'https://elsewhere.example.com' }],
	] as const)('are hung up on, however long they go on: %s', async ([, given]) => {
		const { status = 200, ...headers } = given as { status?: number };
		let sent = 0;
		let hungUp = () => {};
		const closed = new Promise<void>((resolve) => (hungUp = resolve));
		const { baseUrl } = await serve((_, response) => {
			response.on('close', hungUp);
			response.writeHead(status, headers as Record<string, string>);
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
		await closed;
		expect(sent).toBeLessThan(10_000_000);
	});
});

describe('Answers that never end', () => {
	const head = 'HTTP/1.1 200 OK\r\n';

	it.for<[string, begin: string, again: string]>([
		['nothing at all', '', ''],
		['a body, byte by byte', `${head}\r\n`, ' '],
		['a body in chunks', `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
		['a status line', '', 'H'],
		['headers', head, 'X: y\r\n'],
		['one header', `${head}X: `, 'y'],
		['announcements of an answer', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
	])('hold nobody up, and are hung up on: %s', async ([name, begin, again]) => {
		let hungUp = () => {};
		const closed = new Promise<void>((resolve) => (hungUp = resolve));
		const baseUrl = await serveBytes((socket) => {
			socket.write(begin);
			const drip = setInterval(() => socket.write(again), 10);
			socket.on('close', () => {
				clearInterval(drip);
				hungUp();
			});
		});
		const { error, stored } = await getMany(baseUrl, { timeout: 200 });
		if (/body|nothing/.test(name))
			expect(error).toMatchObject({
				message: 'The service did not answer within 0.2 seconds',
				httpCode: null,
			});
		else expect(error?.message).toMatch(/did not answer within 0.2 seconds|connection .* broke/);
		expect(stored).not.toContain(API_KEY);
		await closed;
	});
});

describe('Answers that break off', () => {
	const close = 'Connection: close\r\n\r\n';
	const length = Buffer.byteLength(GOOD);

	it.for<[how: string, headers: string, body?: Buffer]>([
		['of an announced length', `Content-Length: ${length}\r\n\r\n`],
		['of no announced length', close],
		['in chunks', `Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n`],
		['packed', `Content-Encoding: gzip\r\n${close}`, gzipSync(GOOD).subarray(0, -12)],
	])('are never taken for whole ones, wherever they break: %s', async ([, headers, whole]) => {
		const body = whole ?? Buffer.from(GOOD);
		for (const part of [0, 0.05, 0.3, 0.6, 0.9, 0.99]) {
			const baseUrl = await serveBytes((socket) => {
				socket.write(`HTTP/1.1 200 OK\r\n${headers}`);
				socket.end(body.subarray(0, Math.floor(body.length * part)));
			});
			const { items, error } = await getMany(baseUrl);
			expect(items, String(part)).toEqual([]);
			expect(error?.message).toMatch(/connection .* broke|answer this node cannot read/);
		}
	});
});

describe('Redirects', () => {
	it.for([300, 301, 302, 303, 305, 307, 308])('with status %i are not followed', async (status) => {
		const heard: string[] = [];
		const { server } = await serve((request, response) => {
			heard.push(`${request.method} ${request.headers.authorization}`);
			response.end(GOOD);
		});
		const { port } = server.address() as AddressInfo;
		const host = `127.0.0.1:${port}`;
		const locations = [
			...[`http://${host}/v1/licenses`, `//${host}/v1/licenses`, `http:${host}/v1`],
			...[`http://localhost:${port}/v1/licenses`, `http://user:secret@${host}/v1/licenses`],
			...[`\\\\${host}\\v1\\licenses`, '/v1/licenses/search', '?cursor=x'],
			...['javascript:alert(1)', 'http://', ''],
		];
		let requests = 0;
		const { baseUrl } = await serve((_, response) => {
			response.writeHead(status, { location: locations[requests++] }).end(GOOD);
		});
		for (const location of locations) {
			const { items, error, stored } = await getMany(baseUrl);
			expect(items, location).toEqual([]);
			expect(error).toMatchObject({
				message: expect.stringMatching(/^The service redirects to \S/),
				httpCode: String(status),
			});
			expect(stored).not.toContain(API_KEY);
		}
		expect(requests).toBe(locations.length);
		expect(heard).toEqual([]);
	});
});
