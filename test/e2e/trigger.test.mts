import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { inject } from 'vitest';

import { startCrm } from '../../playground/crm/server.mts';
import { testFolder } from '../../playground/folders.mts';
import { createSandbox, type License } from '../../sandbox/index.mts';
import { manifest } from '../support/manifest.mts';
import { durableScheduler } from '../support/queue/queue.mts';
import { forwarding } from './forwarding.mts';
import { connectTo, everyTenSeconds, patiently, startStage } from './stage.mts';

/** n8n's ways to run polling triggers: the current one, and the one that will be the default. */
const schedulers = {
	memory: {},
	durable: {
		...durableScheduler,
		// n8n's own pace is made for schedules of minutes.
		N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '2',
		N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
	},
};

const { name: PACKAGE, version: FIRST } = manifest as unknown as { name: string; version: string };
const LATER = '99.0.0';
const TITLE = 'Licensing Data Trigger';

/** The later version: it has another title in the editor, and says in every item that it brought it. */
const later = (code: string): string => `${code.replace(TITLE, `${TITLE} ${LATER}`)}
const { poll } = exports.LicensingDataTrigger.prototype;
exports.LicensingDataTrigger.prototype.poll = async function () {
	const output = await poll.call(this);
	for (const { json } of output?.flat() ?? []) json.broughtBy = '${LATER}';
	return output;
};
`;

const npm = (folder: string) => `#!/bin/sh
version="\${2##*@}"
case "$1 $2" in
"pack ${PACKAGE}@"*)
	cp "${folder}/${PACKAGE}-$version.tgz" . && echo "${PACKAGE}-$version.tgz" ;;
"view ${PACKAGE}@"*)
	echo "\\"$version\\"" ;;
outdated*)
	echo '{}' ;;
*)
	PATH='${process.env.PATH}' exec npm "$@" ;;
esac
`;

/**
 * n8n takes no other registry than npm's without a license. So it finds an npm here that answers for this one
 * package; everything else that n8n does to install, update and remove is its own.
 */
async function openRegistry(folder: string): Promise<Record<string, string>> {
	await mkdir(join(folder, 'bin'), { recursive: true });
	await copyFile(inject('tarball'), join(folder, `${PACKAGE}-${FIRST}.tgz`));
	await execa('tar', ['-xzf', inject('tarball'), '-C', folder]);
	const unpacked = join(folder, 'package');
	const trigger = join(unpacked, 'dist/nodes/LicensingData/LicensingDataTrigger.node.js');
	await writeFile(trigger, later(await readFile(trigger, 'utf8')));
	const withVersion = { ...manifest, version: LATER };
	await writeFile(join(unpacked, 'package.json'), JSON.stringify(withVersion));
	await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: unpacked });
	await writeFile(join(folder, 'bin', 'npm'), npm(folder));
	await chmod(join(folder, 'bin', 'npm'), 0o755);
	return {
		PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
		// What n8n asks its maker and the public registry gets no answer.
		HTTPS_PROXY: 'http://127.0.0.1:9',
	};
}

const key = ({ id, eventType, eventTimestamp }: License) => `${id} ${eventType} ${eventTimestamp}`;

it.for(Object.entries(schedulers))(
	'emits every event once with the %s scheduler: restarted, crashed, paused, updated, removed',
	{ timeout: 1_800_000 },
	async ([name, scheduler]) => {
		const folder = join(testFolder, `trigger-${name}`);
		await rm(folder, { recursive: true, force: true });
		const registry = await openRegistry(join(folder, 'registry'));
		const sandbox = await createSandbox({ records: 500 });
		const { register, requests } = sandbox;
		const crm = await startCrm({ file: join(folder, 'leads.jsonl') });
		const stage = await startStage(folder, { ...registry, ...scheduler });
		/** What the buttons of Settings > Community nodes send. */
		const change = async (method: 'POST' | 'PATCH', version: string) =>
			await stage.client.request(method, '/rest/community-packages', { name: PACKAGE, version });
		const type = `${PACKAGE}.licensingDataTrigger`;
		const title = async () =>
			(await stage.client.nodeTypes()).find((one) => one.name === type)?.displayName;
		const leads = () => crm.book.leads as unknown as Array<License & { broughtBy?: string }>;
		const emitted = () => {
			const keys = leads().map(key);
			// In n8n's default mode, a new process repeats what was emitted within the last five minutes.
			return (name === 'durable' ? keys : [...new Set(keys)]).sort();
		};
		const allArrive = async () =>
			await expect
				.poll(emitted, patiently)
				.toEqual(register.listings.map(({ license }) => key(license)).sort());
		/** Of one round of the schedule. */
		const polls = async () => {
			requests.reset();
			await sleep(11_000);
			return requests.count;
		};
		try {
			await change('POST', FIRST);
			expect(await title()).toBe(TITLE);
			const credential = await connectTo(stage, sandbox.credentials);
			const trigger = {
				// With durable cursors, a node with another ID is another trigger.
				...{ id: 'the-trigger', type },
				parameters: { pollTimes: everyTenSeconds, output: 'raw', eventTypes: [] },
			};
			const { id } = await stage.client.createWorkflow(
				forwarding('Everything', credential, trigger, crm.leadsAddress),
			);
			// The first poll learns what is already there, and emits nothing.
			await stage.client.activate(id);
			const { nodes } = await stage.client.workflow(id);
			expect(requests.count).toBeGreaterThan(0);
			expect(leads()).toEqual([]);

			// More than a page at one moment, an update, and a late arrival.
			register.fileMany(60);
			const filedDate = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
			register.file({ filedDate });
			const suspended = { eventType: 'status_change', status: 'suspended' };
			register.change(register.all().at(-1)!.id, suspended);
			await allArrive();

			await stage.restart(async () => void register.fileMany(3));
			await allArrive();
			await stage.crash(async () => void register.file());
			await allArrive();

			// n8n unpublishes a workflow some time after it says so.
			await stage.client.deactivate(id);
			await expect.poll(polls, patiently).toBe(0);
			register.file();
			await stage.client.activate(id);
			await allArrive();

			await change('PATCH', LATER);
			expect(await title()).toBe(`${TITLE} ${LATER}`);
			const updated = register.file();
			await allArrive();
			expect(leads().find((lead) => lead.id === updated.id)?.broughtBy).toBe(LATER);

			await stage.client.request('DELETE', `/rest/community-packages?name=${PACKAGE}`);
			expect(await title()).toBeUndefined();
			await stage.restart(async () => void register.file());
			expect(await polls()).toBe(0);
			expect(await stage.client.workflow(id)).toMatchObject({ nodes, active: true });
			expect(await stage.client.credentials()).toMatchObject([{ id: credential.id }]);

			await change('POST', LATER);
			await stage.restart();
			expect(await polls()).toBe(0);
			await stage.client.deactivate(id);
			await stage.client.activate(id);
			await allArrive();
			register.file();
			await allArrive();
			await expect.poll(polls, patiently).toBeGreaterThan(0);
			await allArrive();
		} finally {
			await stage.close();
			await crm.close();
			await sandbox.close();
		}
	},
);
