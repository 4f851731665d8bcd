import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { inject, it } from 'vitest';

import { N8nClient } from '../../playground/client.mts';
import { startCrm } from '../../playground/crm/server.mts';
import { testFolder } from '../../playground/folders.mts';
import { installHost } from '../../playground/host.mts';
import { startN8n } from '../../playground/n8n.mts';
import { createSandbox, type License } from '../../sandbox/index.mts';
import { manifest } from '../support/manifest.mts';
import { owner } from '../support/owner.mts';
import { forwarding } from './forwarding.mts';
import { everyTenSeconds, patiently, schedulers } from './schedulers.mts';

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

it.concurrent.for(Object.entries(schedulers))(
	'loses no filing with the %s scheduler while it is updated, removed and reinstalled',
	{ timeout: 1_200_000 },
	async ([name, scheduler], { expect }) => {
		const folder = join(testFolder, `update-${name}`);
		await rm(folder, { recursive: true, force: true });
		const environment = { ...(await openRegistry(join(folder, 'registry'))), ...scheduler };
		const sandbox = await createSandbox({ records: 200 });
		const crm = await startCrm({ file: join(folder, 'leads.jsonl') });
		const host = await installHost();
		let n8n = await startN8n({ host, folder, environment });
		let client = await N8nClient.signIn(n8n.address, owner);
		const restart = async () => {
			await n8n.stop();
			n8n = await startN8n({ host, folder, environment });
			client = await N8nClient.signIn(n8n.address, owner);
		};
		/** What the buttons of Settings > Community nodes send. */
		const change = async (method: 'POST' | 'PATCH', version: string) =>
			await client.request(method, '/rest/community-packages', { name: PACKAGE, version });
		const title = async () =>
			(await client.nodeTypes()).find((type) => type.name === `${PACKAGE}.licensingDataTrigger`)
				?.displayName;
		const wanted: string[] = [];
		const leads = () => crm.book.leads as unknown as Array<License & { broughtBy?: string }>;
		const came = () => {
			const ids = leads().map(({ id }) => id);
			// In n8n's default mode, a restart or an update repeats what was emitted within the last five minutes.
			return (name === 'durable' ? ids : [...new Set(ids)]).sort();
		};
		const file = () => wanted.push(sandbox.register.file().id);
		const allCome = async () => await expect.poll(came, patiently).toEqual([...wanted].sort());
		const nobodyPolls = async () => {
			const before = sandbox.requests.count;
			await sleep(30_000);
			expect(sandbox.requests.count).toBe(before);
		};
		try {
			await change('POST', FIRST);
			expect(await title()).toBe(TITLE);
			const credential = await client.saveCredential('Licensing Data', 'licensingDataApi', {
				...sandbox.credentials,
			});
			const trigger = {
				id: 'the-trigger',
				type: `${PACKAGE}.licensingDataTrigger`,
				parameters: { pollTimes: everyTenSeconds, eventTypes: ['new_filing'], output: 'raw' },
			};
			const { id } = await client.createWorkflow(
				forwarding('New filings', credential, trigger, crm.leadsAddress),
			);
			await client.activate(id);
			const { nodes } = await client.workflow(id);
			file();
			await allCome();

			await change('PATCH', LATER);
			expect(await title()).toBe(`${TITLE} ${LATER}`);
			file();
			await allCome();
			expect(leads().find(({ id: filed }) => filed === wanted[1])?.broughtBy).toBe(LATER);
			await restart();
			file();
			await allCome();

			await client.request('DELETE', `/rest/community-packages?name=${PACKAGE}`);
			expect(await title()).toBeUndefined();
			await restart();
			file();
			await nobodyPolls();
			expect(await client.workflow(id)).toMatchObject({ nodes, active: true });
			expect(await client.credentials()).toMatchObject([{ id: credential.id }]);

			await change('POST', LATER);
			await restart();
			await nobodyPolls();
			await client.deactivate(id);
			await client.activate(id);
			await allCome();
			file();
			await allCome();
		} finally {
			await n8n.stop();
			await crm.close();
			await sandbox.close();
		}
	},
);
