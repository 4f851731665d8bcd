import { once } from 'node:events';
import { createServer } from 'node:net';

export async function freePort(): Promise<number> {
	const port = await listenOnce(0);
	if (port === undefined) throw new Error('This machine has no free port left');
	return port;
}

export interface Ports {
	editor: number;
	crm: number;
	sandbox: number;
}

const usualPort = 5678;

/**
 * Three neighbors. They move together when one is taken: a workflow that is still active from an earlier
 * run then finds neither its sandbox nor its CRM, so nothing is read that could not be delivered.
 */
export async function choosePorts(wanted?: number): Promise<Ports> {
	if (wanted !== undefined) {
		if (await areFree(wanted)) return neighbors(wanted);
		throw new Error(
			`One of the ports ${wanted} to ${wanted + 2} is in use; choose another --port.`,
		);
	}
	let first = usualPort;
	while (!(await areFree(first))) first += 10;
	if (first !== usualPort)
		console.log(`Port ${usualPort} or its neighbors are in use; using ${first}.`);
	return neighbors(first);
}

const neighbors = (first: number): Ports => ({ editor: first, crm: first + 1, sandbox: first + 2 });

async function areFree(first: number): Promise<boolean> {
	for (const port of Object.values(neighbors(first))) {
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
