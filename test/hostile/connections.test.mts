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

describe('Answers that never come', () => {
	it('are waited for as long as the timeout says', async () => {
		const { baseUrl } = await serve(() => {});
		const { error, stored } = await getMany(baseUrl, { timeout: 100 });
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'The service did not answer within 0.1 seconds',
			description:
				"Try again later. To make a Licensing Data node wait longer, increase 'Timeout' under 'Options'.",
			httpCode: null,
		});
		expect(stored).not.toContain(API_KEY);
	});
});

describe('Answers that never end', () => {
	it.for<[string, (socket: Socket) => void]>([
		['a body, byte by byte', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n')],
		[
			'a body in chunks',
			(socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
		],
	])('are hung up on when the time is over: %s', async ([name, begin]) => {
		let hungUp = () => {};
		const closed = new Promise<void>((resolve) => (hungUp = resolve));
		const baseUrl = await serveBytes((socket) => {
			begin(socket);
			const drip = setInterval(
				() => socket.write(name.includes('chunks') ? '1\r\n \r\n' : ' '),
				10,
			);
			socket.on('close', () => {
				clearInterval(drip);
				hungUp();
			});
		});
		const { error } = await getMany(baseUrl, { timeout: 200 });
		expect(error?.message).toBe('The service did not answer within 0.2 seconds');
		await closed;
	});

	it.for<[string, string, string]>([
		['a status line', '', 'H'],
		['headers', 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'],
		['one header', 'HTTP/1.1 200 OK\r\nX: ', 'y'],
		['announcements of an answer', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
	])('hold nobody up: %s', async ([, begin, again]) => {
		const baseUrl = await serveBytes((socket) => {
			socket.write(begin);
			const drip = setInterval(() => socket.write(again), 10);
			socket.on('close', () => clearInterval(drip));
		});
		const { error } = await getMany(baseUrl, { timeout: 200 });
		expect(error?.message).toMatch(/did not answer within 0.2 seconds|connection .* broke/);
	});
});

describe('Answers that break off', () => {
	it('are never taken for whole ones, wherever they break', async () => {
		const heads = [
			`HTTP/1.1 200 OK\r\nContent-Length: ${GOOD.length}\r\n\r\n`,
			`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n`,
			`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${GOOD.length.toString(16)}\r\n`,
		];
		const packed = gzipSync(GOOD);
		const gzip = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n`;
		const cuts = [0, 0.05, 0.3, 0.6, 0.9, 0.99].flatMap((part) => [
			...heads.map((head) => head + GOOD.slice(0, Math.floor(GOOD.length * part))),
			Buffer.concat([
				Buffer.from(gzip),
				packed.subarray(0, Math.floor((packed.length - 12) * part)),
			]),
		]);
		let cut: Buffer | string = '';
		const baseUrl = await serveBytes((socket) => socket.end(cut));
		for (cut of cuts) {
			const { items, error } = await getMany(baseUrl);
			expect(items, String(cut).slice(0, 200)).toEqual([]);
			expect(error?.message).toMatch(/connection .* broke|answer this node cannot read/);
		}
	});
});

describe('Redirects', () => {
	const heard: string[] = [];
	const elsewhere = async () => {
		heard.length = 0;
		const { server } = await serve((request, response) => {
			heard.push(`${request.method} ${request.headers.authorization}`);
			response.end(GOOD);
		});
		return `127.0.0.1:${(server.address() as AddressInfo).port}`;
	};

	const LOCATIONS = (host: string) => [
		`http://${host}/v1/licenses`,
		`//${host}/v1/licenses`,
		`http://localhost:${host.split(':')[1]}/v1/licenses`,
		`http://user:secret@${host}/v1/licenses`,
		`\\\\${host}\\v1\\licenses`,
		`http:${host}/v1`,
		'/v1/licenses/search',
		'?cursor=x',
		'javascript:alert(1)',
		'http://',
		'',
	];

	it.for([300, 301, 302, 303, 305, 307, 308])('with status %i are not followed', async (status) => {
		const host = await elsewhere();
		for (const location of LOCATIONS(host)) {
			let requests = 0;
			const { baseUrl } = await serve((_, response) => {
				requests++;
				response.writeHead(status, { location }).end(GOOD);
			});
			const { items, error, stored } = await getMany(baseUrl);
			expect(items).toEqual([]);
			expect(error).toMatchObject({
				message: expect.stringMatching(/^The service redirects to \S/),
				httpCode: String(status),
			});
			expect(stored).not.toContain(API_KEY);
			expect(requests).toBe(1);
		}
		expect(heard).toEqual([]);
	});
});
