import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

export interface Received {
	headers: IncomingHttpHeaders;
	body: string;
}

/** An endpoint that takes deliveries, and answers each with what the test wants. */
export async function receiver(statusOf: (delivery: number) => number = () => 200) {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
			response.writeHead(statusOf(received.length)).end();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/deliveries`, received };
}
