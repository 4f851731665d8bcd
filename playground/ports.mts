import { once } from 'node:events';
import { createServer } from 'node:net';

/** The wanted port when nothing listens there, else one that is free. */
export async function freePort(wanted = 0): Promise<number> {
	const server = createServer();
	try {
		server.listen(wanted, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as { port: number };
		return port;
	} catch (error) {
		if (wanted === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
		return await freePort();
	} finally {
		server.close();
	}
}
