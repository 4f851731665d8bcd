import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { repository } from '../../playground/folders.mts';
import { compiled } from '../../test/support/compiled.mts';
import { runNode } from '../../test/support/host.mts';
import { Poller } from '../../test/support/poller.mts';
import { license, page } from '../../test/support/records.mts';

export interface Entered {
	what: string;
	files: string[];
	functions: number;
	requests: number;
}

const DIST = pathToFileURL(join(repository, 'dist')).href;

/** What V8 counts: the functions that ran in what is compiled, and the files that they are in. */
async function enteredBy(what: string, run: () => Promise<unknown>, requests: () => number) {
	const session = new Session();
	session.connect();
	await session.post('Profiler.enable');
	await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
	const before = requests();
	await run();
	const { result } = await session.post('Profiler.takePreciseCoverage');
	session.disconnect();
	const ours = result
		.filter(({ url }) => pathToFileURL(url).href.startsWith(DIST) || url.startsWith(DIST))
		.map(({ url, functions }) => ({
			url,
			ran: functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length,
		}))
		.filter(({ ran }) => ran > 0);
	return {
		what,
		files: ours.map(({ url }) => url.slice(url.indexOf('dist/') + 5)),
		functions: ours.reduce((sum, { ran }) => sum + ran, 0),
		requests: requests() - before,
	};
}

/** One click on Execute for fifty licenses, and one poll that finds nothing new. */
export async function countEntered(): Promise<Entered[]> {
	let requests = 0;
	const records = Array.from({ length: 50 }, (_, at) => license({ id: `lic_${at}` }));
	const server = createServer((_, response) => {
		requests++;
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify(page(records)));
	}).listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
	const credentials = { baseUrl, apiKey: 'ls_test_example' };
	const node = compiled('LicensingData');
	const click = async () =>
		await runNode({
			...node,
			credentials,
			parameters: { resource: 'license', operation: 'getAll', output: 'raw', filters: {} },
		});
	const poller = new Poller({ ...compiled('LicensingDataTrigger'), credentials, parameters: {} });
	try {
		await click();
		await poller.activate();
		await poller.poll();
		const count = () => requests;
		return [
			await enteredBy('One click on Execute', click, count),
			await enteredBy('One silent poll', async () => await poller.poll(), count),
		];
	} finally {
		server.closeAllConnections();
		server.close();
	}
}
