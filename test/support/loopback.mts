import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Loopback {
	baseUrl: string;
	server: Server;
	close(): Promise<void>;
}

/** A service that a test makes up, reached over real sockets. */
export async function listen(handle: RequestListener): Promise<Loopback> {
	const server = createServer((request, response) => {
		// Requests from this machine come as to a proxy, with the whole address.
		request.url = request.url?.replace(/^https?:\/\/[^/?]+/, '');
		handle(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}/v1`,
		server,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
