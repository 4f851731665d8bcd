import getPort from 'get-port';

export const freePort = async (): Promise<number> => await getPort({ host: '127.0.0.1' });

/**
 * Three neighboring ports. They move together if one is taken: a workflow that is still active from an
 * earlier run then finds neither its service nor its CRM, so nothing is read that could not be delivered.
 */
export async function choosePorts(wanted?: number) {
	if (wanted !== undefined && !(Number.isInteger(wanted) && wanted <= 65_533))
		throw new Error('--port takes a whole number up to 65533; the next two ports are used, too.');
	const usual = 5678;
	let editor = wanted ?? usual;
	for (; !(await areFree(editor)); editor += 10)
		if (wanted !== undefined)
			throw new Error(`Port ${wanted} or one of the next two is in use; choose another --port.`);
	if (editor !== (wanted ?? usual))
		console.log(`Port ${usual} or its neighbors are in use; using ${editor}.`);
	return { editor, crm: editor + 1, service: editor + 2 };
}

async function areFree(first: number): Promise<boolean> {
	for (const port of [first, first + 1, first + 2])
		if ((await getPort({ port, host: '127.0.0.1' })) !== port) return false;
	return true;
}
