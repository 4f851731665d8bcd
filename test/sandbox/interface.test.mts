import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';

import { createSandbox } from '../../sandbox/index.mts';
import type { Register } from '../../server/register.mts';
import { startServer, type ServerOptions } from '../../server/server.mts';
import { expectInterface } from '../support/interface.mts';
import { runLicense } from '../support/nodes.mts';

const KEY = 'ls_own_0123456789abcdef';
const EMPTY: Register = {
	page: () => ({ data: [], next: null, total: 0 }),
	search: () => [],
	get: () => undefined,
};

async function serve(register: Register, options: Partial<ServerOptions> = {}) {
	const accounts = [{ name: 'own', key: KEY, register }];
	const server = await startServer({ accounts, ...options });
	onTestFinished(server.close);
	return server;
}

it('The sandbox answers as openapi.yaml describes it', async () => {
	const sandbox = await createSandbox({ records: 300 });
	onTestFinished(sandbox.close);
	expect(await expectInterface(sandbox.credentials)).toHaveLength(300);
});

it('So does a register in which there is nothing', async () => {
	expect(await expectInterface({ ...(await serve(EMPTY)), apiKey: KEY })).toEqual([]);
});

it('A register that is not ready says why, and the nodes pass it on', async () => {
	const { baseUrl } = await serve({ ...EMPTY, notReady: 'The files have not been read yet.' });
	const parameters = { operation: 'getAll', options: { retries: 0 } };
	const { error } = await runLicense(parameters, { credentials: { baseUrl, apiKey: KEY } });
	expect(error).toMatchObject({ message: 'The service could not answer (HTTP 503)' });
	expect(error?.description).toContain('The service says: "The files have not been read yet."');
});

it('A service answers under the names that it was given and those of this machine alone', async () => {
	const { baseUrl, origin } = await serve(EMPTY, {
		names: ['Florida'],
		extend: (server) => server.get('/status', () => ({ isReady: true })),
	});
	const ask = async (host: string, url: string) => {
		const headers = { host, authorization: `Bearer ${KEY}` };
		const [answer] = (await once(request(url, { headers }).end(), 'response')) as [IncomingMessage];
		answer.destroy();
		return answer.statusCode;
	};
	for (const url of [`${baseUrl}/licenses`, `${origin}/status`]) {
		for (const host of ['florida:4020', 'FLORIDA', 'localhost', '127.0.0.1:1', '[::1]:4020'])
			expect([host, await ask(host, url)]).toEqual([host, 200]);
		for (const host of ['evil.example', 'florida.evil.example', 'localhost:80:80', 'florida.'])
			expect([host, await ask(host, url)]).toEqual([host, 403]);
	}
});
