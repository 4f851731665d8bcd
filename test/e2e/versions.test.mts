import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

import { leadId } from '../../nodes/LicensingData/licenses/leadKeys.ts';
import { repository } from '../../playground/folders.mts';
import { logOf } from '../../playground/n8n.mts';
import {
	answeringWebhook,
	chain,
	forwarding,
	licenseNode,
	type Step,
	using,
} from './forwarding.mts';
import { hosts } from './setup.mts';
import { everyTenSeconds, openScene, outside, type Scene } from './stage.mts';

const PREFIX = 'n8n-nodes-licensing-data';

describe.each(hosts)('In the n8n of playground/%s, the package', (name) => {
	let scene: Scene;
	let sandbox: Scene['sandbox'];
	let stage: Scene['stage'];
	let credential: Scene['credential'];

	beforeAll(async () => {
		scene = await openScene(`compatibility-${name}`, { records: 230 }, name);
		({ sandbox, stage, credential } = scene);
	});
	afterAll(async () => await scene?.close());

	/** Today's n8n says when a version of a workflow is published; older ones answer once it is turned on. */
	async function publish(id: string): Promise<void> {
		if (name === 'host') return await stage.client.activate(id);
		const { versionId } = await stage.client.workflow(id);
		await stage.client.request('PATCH', `/rest/workflows/${id}`, { active: true, versionId });
	}

	/** Runs a node as in production, and returns what n8n answers with. */
	async function answerOf(step: Step, how = {}): Promise<Response> {
		const path = randomUUID();
		const workflow = chain(`Run ${path}`, answeringWebhook(path, how), step);
		const { id } = await stage.client.createWorkflow(workflow);
		await publish(id);
		return await fetch(`${stage.client.address}/webhook/${path}`, { method: 'POST' });
	}
	const run = async (step: Step) =>
		(await (await answerOf(step)).json()) as Array<Record<string, unknown>>;

	it('is loaded with all its nodes, their icons and the credential', async () => {
		const manifest = join(repository, 'playground', name, 'package.json');
		const { dependencies } = JSON.parse(await readFile(manifest, 'utf8')) as {
			dependencies: { n8n: string };
		};
		const settings = await stage.client.request<object>('GET', '/rest/settings');
		if (outside === undefined) expect(settings).toMatchObject({ versionCli: dependencies.n8n });
		const ours = (await stage.client.nodeTypes()).filter((type) =>
			type.name.startsWith(`${PREFIX}.`),
		) as unknown as Array<{ name: string; iconUrl: { light: string; dark: string } }>;
		expect(ours.map((type) => type.name).sort()).toEqual(
			['', 'Tool', 'Trigger', 'WebhookTrigger'].map((kind) => `${PREFIX}.licensingData${kind}`),
		);
		const credentials = (await stage.client.credentialTypes()).map((type) => type.name);
		expect(credentials).toContain('licensingDataApi');
		for (const icon of ours.flatMap(({ iconUrl }) => [iconUrl.light, iconUrl.dark])) {
			const response = await fetch(`${stage.client.address}/${icon}`);
			expect(await response.text(), icon).toContain('<svg');
		}
	});

	it('tests its credential, and lets the HTTP Request node use it', async () => {
		const test = async (apiKey: string) =>
			await stage.client.testCredential(credential, { baseUrl: sandbox.baseUrl, apiKey });
		expect(await test(sandbox.keys.live)).toMatchObject({ status: 'OK' });
		expect(await test('ls_test_wrong_example')).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('key was not accepted'),
		});
		const [page] = await run({
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
		expect(page).toMatchObject({ data: sandbox.register.all().slice(0, 2) });
	});

	it('gets every license of a list of several pages as items and a file', async () => {
		const keys = (all: Array<Record<string, unknown>>) =>
			all.map(({ id, licenseNumber }) => `${id} ${licenseNumber}`).sort();
		const listed = keys(sandbox.register.all().map((license) => ({ ...license })));
		const parameters = { operation: 'getAll', returnAll: true, output: 'raw' };
		expect(keys(await run(licenseNode(credential, parameters)))).toEqual(listed);
		const file = licenseNode(credential, { operation: 'export', format: 'csv', columns: 'all' });
		const how = { responseData: 'firstEntryBinary', responseBinaryPropertyName: 'data' };
		const text = await (await answerOf(file, how)).text();
		const rows = parse(text, { columns: true, bom: true }) as Array<Record<string, unknown>>;
		expect(keys(rows)).toEqual(listed);
	});

	it('polls when it is published, quietly, and then emits a new filing once', async () => {
		const leads = () => scene.crm.book.leads.map((lead) => lead.leadId);
		sandbox.requests.reset();
		const trigger = {
			type: `${PREFIX}.licensingDataTrigger`,
			parameters: {
				...{ pollTimes: everyTenSeconds, eventTypes: ['new_filing'] },
				...{ filters: {}, output: 'crmLead', options: {} },
			},
		};
		const workflow = forwarding('New filings', credential, trigger, scene.crm.leadsAddress);
		const { id } = await stage.client.createWorkflow(workflow);
		await publish(id);
		await expect.poll(() => sandbox.requests.count).toBeGreaterThan(0);
		expect(leads()).toEqual([]);

		const filing = sandbox.register.file({ businessName: 'Rusty Anchor' });
		await expect.poll(leads, { interval: 500 }).toEqual([leadId(filing)]);

		const asked = sandbox.requests.count;
		await expect.poll(() => sandbox.requests.count, { interval: 500 }).toBeGreaterThan(asked);
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
