import { once } from 'node:events';
import { createServer } from 'node:net';

export async function freePort(): Promise<number> {
	const port = await listenOnce(0);
	if (port === undefined) throw new Error('This machine has no free port left');
	return port;
}

/** Whether nothing listens on any of the ports from this one on. */
export async function areFree(first: number, count: number): Promise<boolean> {
	for (let port = first; port < first + count; port++) {
		if ((await listenOnce(port)) === undefined) return false;
	}
	return true;
}

/** The port that could be listened on, or undefined where another program has it. */
async function listenOnce(wanted: number): Promise<number | undefined> {
	const server = createServer();
	try {
		server.listen(wanted, '127.0.0.1');
		await once(server, 'listening');
		return (server.address() as { port: number }).port;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
		throw error;
	} finally {
		server.close();
	}
}
