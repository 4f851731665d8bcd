import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { API_KEY } from './answers.mts';

export type Loopback = Awaited<ReturnType<typeof listen>>;

/** A service that a test makes up, reached over real sockets. */
export async function listen(handle: RequestListener) {
	// Without this, it may hang up on a client that is about to use the connection again.
	const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
		// Requests from this machine come as to a proxy, with the whole address.
		request.url = request.url?.replace(/^https?:\/\/[^/?]+/, '');
		handle(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const baseUrl = `http://127.0.0.1:${port}/v1`;
	return {
		baseUrl,
		/** What a user enters to have the nodes ask it. */
		credentials: { baseUrl, apiKey: API_KEY },
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** The same for all tests of a file, while they run. */
export function useService(handle: RequestListener): Loopback {
	const service = {} as Loopback;
	beforeAll(async () => void Object.assign(service, await listen(handle)));
	afterAll(async () => await service.close());
	return service;
}
