import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { leadId } from '../../nodes/LicensingData/licenses/identity.ts';
import type { Credential } from '../../playground/client.mts';
import { type Crm, startCrm } from '../../playground/crm/server.mts';
import { repository, testFolder } from '../../playground/folders.mts';
import type { HostName } from '../../playground/host.mts';
import { logOf } from '../../playground/n8n.mts';
import { createSandbox, type License, type Sandbox } from '../../sandbox/index.mts';
import { listen, type Loopback } from '../support/loopback.mts';
import { forwarding, to, using } from './forwarding.mts';
import { answeringWebhook, licenseNode, type Step } from './run-nodes.mts';
import { hosts } from './setup.mts';
import { everyTenSeconds } from './schedulers.mts';
import { connectTo, openStage, outside, type Stage } from './stage.mts';

async function versionOf(name: HostName): Promise<string> {
	const manifest = join(repository, 'playground', name, 'package.json');
	const { dependencies } = JSON.parse(await readFile(manifest, 'utf8')) as {
		dependencies: { n8n: string };
	};
	return dependencies.n8n;
}

describe.each(hosts)('In the n8n of playground/%s, the package', (name) => {
	let sandbox: Sandbox;
	let stage: Stage;
	let credential: Credential;
	let records: License[];
	let recorder: Crm;

	beforeAll(async () => {
		sandbox = await createSandbox({ records: 230, rates: { withoutCounty: 0 } });
		records = sandbox.register.all();
		const file = join(testFolder, `compatibility-${name}.jsonl`);
		await rm(file, { force: true });
		recorder = await startCrm({ file });
		stage = await openStage(`compatibility-${name}`, {}, name);
		credential = await connectTo(stage, {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.keys.live,
		});
	});
	afterAll(async () => {
		await stage?.close();
		await recorder?.close();
		await sandbox?.close();
	});

	/** Today's n8n says when a version of a workflow is published; older ones answer once it is turned on. */
	async function publish(id: string): Promise<void> {
		if (name === 'host') return await stage.client.activate(id);
		const { versionId } = await stage.client.workflow(id);
		await stage.client.request('PATCH', `/rest/workflows/${id}`, { active: true, versionId });
	}

	/** Runs a node as in production, and returns what came out. */
	async function runNode(step: Step): Promise<Array<Record<string, unknown>>> {
		const path = randomUUID();
		const { id } = await stage.client.createWorkflow({
			name: `Run ${path}`,
			// Version 2 is the latest that the oldest n8n has.
			nodes: [answeringWebhook(path, 2), { name: 'Step', position: [200, 0], ...step }],
			connections: { Webhook: to('Step') },
			settings: { executionOrder: 'v1' },
		});
		await publish(id);
		const response = await fetch(`${stage.client.address}/webhook/${path}`, { method: 'POST' });
		return (await response.json()) as Array<Record<string, unknown>>;
	}

	const run = async (parameters: Record<string, unknown>, used = credential) =>
		await runNode(
			licenseNode(used, { output: 'raw', ...parameters }, { onError: 'continueRegularOutput' }),
		);

	it('is loaded under its published name, with its three nodes, the tool and the credential', async () => {
		const { versionCli } = await stage.client.request<{ versionCli: string }>(
			'GET',
			'/rest/settings',
		);
		if (outside === undefined) expect(versionCli).toBe(await versionOf(name));
		const ours = (await stage.client.nodeTypes()).filter((type) =>
			type.name.startsWith('n8n-nodes-licensing-data.'),
		) as unknown as Array<{ name: string; iconUrl: { light: string; dark: string } }>;
		expect(ours.map((type) => type.name).sort()).toEqual([
			'n8n-nodes-licensing-data.licensingData',
			'n8n-nodes-licensing-data.licensingDataTool',
			'n8n-nodes-licensing-data.licensingDataTrigger',
			'n8n-nodes-licensing-data.licensingDataWebhookTrigger',
		]);
		const credentials = (await stage.client.credentialTypes()).map((type) => type.name);
		expect(credentials).toContain('licensingDataApi');
		for (const icon of ours.flatMap(({ iconUrl }) => [iconUrl.light, iconUrl.dark])) {
			const response = await fetch(`${stage.client.address}/${icon}`);
			expect(await response.text(), icon).toContain('<svg');
		}
	});

	it('lets the HTTP Request node use its credential', async () => {
		const [page] = await runNode({
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `${sandbox.baseUrl}/licenses?limit=2`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: credential.type,
				options: {},
			},
			credentials: using(credential),
		});
		expect(page).toMatchObject({ data: records.slice(0, 2) });
	});

	it('tests its credential, and says why it does not work', async () => {
		const test = async (baseUrl: string, apiKey: string) =>
			await stage.client.testCredential(credential, { baseUrl, apiKey });
		expect(await test(sandbox.baseUrl, sandbox.keys.live)).toMatchObject({ status: 'OK' });
		expect(await test(sandbox.baseUrl, 'ls_test_wrong_example')).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('key was not accepted'),
		});
		expect(await test(sandbox.baseUrl.replace('/v1', '/v9'), sandbox.keys.test)).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('Base URL'),
		});
	});

	it('gets many licenses across pages, one license, and what a search finds', async () => {
		const byId = (a: { id?: unknown }, b: { id?: unknown }) =>
			String(a.id).localeCompare(String(b.id));
		const all = await run({ operation: 'getAll', returnAll: true });
		expect(all.toSorted(byId)).toEqual(records.toSorted(byId));
		const hasPlainName = ({ businessName }: License) => /^[A-Z][a-z]+ [\w ]+$/.test(businessName!);
		const license = records.find(hasPlainName) as License;
		const licenseId = { __rl: true, mode: 'id', value: license.licenseNumber };
		expect(await run({ operation: 'get', licenseId, output: 'crmLead' })).toEqual([
			expect.objectContaining({ leadId: leadId(license), licenseNumber: license.licenseNumber }),
		]);
		const found = await run({ operation: 'search', query: license.address?.city, limit: 5 });
		expect(found.length).toBeGreaterThan(0);
		const county = license.address?.county;
		const filters = { counties: county?.toUpperCase() };
		const inCounty = await run({ operation: 'getAll', limit: 500, filters });
		expect(inCounty.toSorted(byId)).toEqual(
			records.filter(({ address }) => address?.county === county).toSorted(byId),
		);
	});

	it('repeats what met a rate limit or a busy service', async () => {
		sandbox.requests.reset();
		sandbox.trouble.next({ kind: 'rateLimit', retryAfter: 1 });
		expect(await run({ operation: 'getAll', limit: 3 })).toEqual(records.slice(0, 3));
		expect(sandbox.requests.count).toBe(2);
	});

	it('tells in words that a key is not accepted, without the key', async () => {
		const wrong = await stage.client.saveCredential('Wrong', 'licensingDataApi', {
			baseUrl: sandbox.baseUrl,
			apiKey: 'ls_test_wrong_example',
		});
		const answer = JSON.stringify(await run({ operation: 'getAll', limit: 1 }, wrong));
		expect(answer).toContain('The API key was not accepted');
		expect(answer).not.toContain('ls_test_wrong_example');
	});

	it('carries no key to where a redirect points', async () => {
		const elsewhere: string[] = [];
		const target = await listen((request, response) => {
			elsewhere.push(request.url ?? '');
			response.end('{}');
		});
		const redirecting: Loopback = await listen((_, response) =>
			response.writeHead(302, { location: `${target.baseUrl}/licenses` }).end(),
		);
		try {
			const moved = await stage.client.saveCredential('Moved', 'licensingDataApi', {
				baseUrl: redirecting.baseUrl,
				apiKey: sandbox.keys.live,
			});
			const answer = JSON.stringify(await run({ operation: 'getAll', limit: 1 }, moved));
			expect(answer).toContain(`The service redirects to ${new URL(target.baseUrl).origin}`);
			const { status } = await stage.client.testCredential(moved, {
				baseUrl: redirecting.baseUrl,
				apiKey: sandbox.keys.live,
			});
			expect(status).toBe('Error');
			expect(elsewhere).toEqual([]);
		} finally {
			await redirecting.close();
			await target.close();
		}
	});

	it('polls when it is published, quietly, and then emits a new filing once', async () => {
		sandbox.requests.reset();
		const trigger = {
			type: 'n8n-nodes-licensing-data.licensingDataTrigger',
			parameters: {
				pollTimes: everyTenSeconds,
				eventTypes: ['new_filing'],
				filters: {},
				output: 'crmLead',
				options: {},
			},
		};
		const { id } = await stage.client.createWorkflow(
			forwarding('New filings', credential, trigger, `${recorder.address}/leads`),
		);
		await publish(id);
		await expect.poll(() => sandbox.requests.count).toBeGreaterThan(0);
		expect(recorder.book.leads).toEqual([]);

		const filing = sandbox.register.file({ businessName: 'Rusty Anchor' });
		const leads = () => recorder.book.leads.map((lead) => lead.leadId);
		await expect.poll(leads, { interval: 500 }).toEqual([leadId(filing)]);

		const asked = sandbox.requests.count;
		const polled = async () => sandbox.requests.count > asked;
		await expect.poll(polled, { interval: 500 }).toBe(true);
		expect(leads()).toEqual([leadId(filing)]);
	});

	// What somebody else has started has its log elsewhere.
	if (outside !== undefined) return;

	it('leaves no complaint and no key in the log', async () => {
		const log = await readFile(logOf(stage.folder), 'utf8');
		expect(log).toContain('Editor is now accessible');
		expect(log).not.toMatch(/ls_live_|ls_test_|Failed to load|Error loading/i);
	});
});
