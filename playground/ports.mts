import getPort from 'get-port';

const host = '127.0.0.1';

export const freePort = async (): Promise<number> => await getPort({ host });

export interface Ports {
	editor: number;
	crm: number;
	sandbox: number;
}

const usualPort = 5678;
/** The last that has two neighbors. */
const HIGHEST = 65_533;

/**
 * Three neighboring ports. They move together if one is taken: a workflow that is still active from an
 * earlier run then finds neither its sandbox nor its CRM, so nothing is read that could not be delivered.
 */
export async function choosePorts(wanted?: number): Promise<Ports> {
	if (wanted !== undefined) {
		if (!Number.isInteger(wanted) || wanted > HIGHEST)
			throw new Error(
				`--port takes a whole number up to ${HIGHEST}; the next two ports are used, too.`,
			);
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
	for (const port of Object.values(neighbors(first)))
		if ((await getPort({ port, host })) !== port) return false;
	return true;
}
