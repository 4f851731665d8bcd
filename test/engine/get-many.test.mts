import { afterEach, expect, it } from 'vitest';

import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/index.mts';
import { ids, runLicense } from '../support/license-node.mts';

let sandbox: Sandbox;
afterEach(async () => await sandbox.close());

const start = async (options: SandboxOptions) => {
	sandbox = await createSandbox(options);
};

/** Get Many in n8n-core, against the sandbox. */
const getMany = async (parallelRequests: number, parameters: object = { returnAll: true }) =>
	await runLicense(
		{ operation: 'getAll', ...parameters, options: { parallelRequests } },
		{ credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live } },
	);

const inOrder = () => sandbox.live.records().map(({ id }) => id);

it.each(['key', 'position'] as const)(
	'Get Many brings a long list side by side as it stands in the service (%s cursors)',
	async (cursors) => {
		await start({ records: 3000, cursors });
		const { items, error } = await getMany(4);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(sandbox.live.records());
		const types = sandbox.requests.entries.map(({ query }) => query.license_type);
		expect(new Set(types.filter(Boolean)).size).toBe(7);
	},
);

it('Get Many loses and repeats nothing where the list moves between pages', async () => {
	await start({ records: 2000, cursors: 'key' });
	const stillThere = new Set(inOrder());
	sandbox.trouble.betweenPages((pages) => {
		if (pages > 12) return;
		sandbox.live.insert();
		const updated = sandbox.live.records()[1500];
		if (!updated) return;
		sandbox.live.update(updated.id);
		stillThere.delete(updated.id);
	});
	const read = ids(await getMany(4));
	expect(new Set(read).size).toBe(read.length);
	expect([...stillThere].filter((id) => !read.includes(id))).toEqual([]);
});

it('Get Many reads on after the service asked to slow down', async () => {
	await start({ records: 2000 });
	sandbox.trouble.next({ kind: 'rateLimit', retryAfter: 0 }, { times: 6, after: 15 });
	const { items, error } = await getMany(10);
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json.id)).toEqual(inOrder());
	expect(sandbox.trouble.pending).toBe(0);
});

it('Get Many asks for nothing more when its execution is stopped', async () => {
	await start({ records: 5000 });
	let countAtStop = Number.NaN;
	let release = () => {};
	const held = new Promise<void>((resolve) => (release = resolve));
	const { run } = await runLicense(
		{ operation: 'getAll', returnAll: true },
		{
			credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live },
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
	// Whatever these answers made it ask for would have arrived before the last of this.
	for (let turn = 0; turn < 50; turn++) await fetch(new URL('/', sandbox.baseUrl));
	// What was on its way when the execution was stopped may still arrive.
	expect(sandbox.requests.count).toBeLessThanOrEqual(countAtStop + 3);
});
