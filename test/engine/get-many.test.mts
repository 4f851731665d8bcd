import { afterEach, expect, it } from 'vitest';

import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { runLicense } from '../support/nodes.mts';

let sandbox: Sandbox;
afterEach(async () => await sandbox.close());

it('Get Many brings all of a long list by its parts, newest first', async () => {
	sandbox = await createSandbox({ records: 3000 });
	const { items, error } = await runLicense(
		{ operation: 'getAll', returnAll: true, options: { parallelRequests: 4 } },
		{ credentials: sandbox.credentials },
	);
	expect(error).toBeUndefined();
	const read = items.map(({ json }) => json);
	const times = read.map(({ eventTimestamp }) => Date.parse(String(eventTimestamp)));
	expect(times).toEqual([...times].sort((a, b) => b - a));
	// The order of records of the same moment is open.
	const byId = (records: object[]) =>
		records.map((record) => JSON.stringify(record)).sort((a, b) => (a < b ? -1 : 1));
	expect(byId(read)).toEqual(byId(sandbox.live.records()));
	const types = sandbox.requests.entries.map(({ query }) => query.license_type);
	expect(new Set(types.filter(Boolean)).size).toBe(7);
});

it('Get Many asks for nothing more when its execution is stopped', async () => {
	sandbox = await createSandbox({ records: 5000 });
	let countAtStop = Number.NaN;
	let release = () => {};
	const held = new Promise<void>((resolve) => (release = resolve));
	const { run } = await runLicense(
		{ operation: 'getAll', returnAll: true },
		{
			credentials: sandbox.credentials,
			cancel: (stop) =>
				sandbox.trouble.betweenPages(async (pages) => {
					if (pages === 10) {
						countAtStop = sandbox.requests.count;
						stop();
					}
					if (pages >= 10) await held;
				}),
		},
	);
	expect(run.status).not.toBe('success');
	release();
	// Whatever these answers made it request would have arrived before the last of this.
	for (let turn = 0; turn < 50; turn++) await fetch(new URL('/', sandbox.baseUrl));
	// What was in flight when the execution was stopped may still arrive.
	expect(sandbox.requests.count).toBeLessThanOrEqual(countAtStop + 7);
});
