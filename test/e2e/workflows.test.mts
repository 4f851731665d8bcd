import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { INode, INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Credential, Node, SavedWorkflow, Workflow } from '../../playground/client.mts';
import { repository, testFolder } from '../../playground/folders.mts';
import { createSandbox, type License, type Sandbox } from '../../sandbox/index.mts';
import { Mailbox } from './outside/mailbox.mts';
import { OutsideWorld } from './outside/world.mts';
import { openStage, type Stage } from './stage.mts';

const { NodeHelpers } = createRequire(import.meta.url)(
	'n8n-workflow',
) as typeof import('n8n-workflow');

const WORKFLOWS = join(repository, 'workflows');
const EXPORTS = join(testFolder, 'workflows-exports');
const DAY = 86_400_000;

const files = (await readdir(WORKFLOWS)).filter((name) => name.endsWith('.json'));

const read = async (file: string) =>
	JSON.parse(await readFile(join(WORKFLOWS, file), 'utf8')) as Workflow;

let sandbox: Sandbox;
let world: OutsideWorld;
let mailbox: Mailbox;
let stage: Stage;
let credentials: Map<string, Credential>;

beforeAll(async () => {
	sandbox = await createSandbox({ records: 300 });
	world = await OutsideWorld.open();
	mailbox = await Mailbox.open();
	await mkdir(EXPORTS, { recursive: true });
	stage = await openStage('workflows', {
		...world.environment,
		N8N_RESTRICT_FILE_ACCESS_TO: EXPORTS,
	});
	credentials = await createCredentials();
});
afterAll(async () => {
	await stage?.close();
	mailbox?.close();
	world?.close();
	await sandbox?.close();
});

/** What a user would enter, for services that are answered here. */
async function createCredentials(): Promise<Map<string, Credential>> {
	const { privateKey } = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	const data = {
		licensingDataApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live },
		hubspotAppToken: { appToken: 'hubspot-token-example' },
		pipedriveApi: { apiToken: 'pipedrive-token-example' },
		googleApi: { region: 'global', email: 'robot@example.com', privateKey },
		slackApi: { accessToken: 'slack-token-example' },
		openAiApi: { apiKey: 'openai-key-example', url: `${world.address}/v1` },
		smtp: { host: '127.0.0.1', port: mailbox.port, secure: false, disableStartTls: true },
	};
	const created = Object.entries(data).map(
		async ([type, fields]) =>
			await stage.client.request<Credential>('POST', '/rest/credentials', {
				name: type,
				type,
				data: fields,
			}),
	);
	return new Map((await Promise.all(created)).map((credential) => [credential.type, credential]));
}

/** The credential that a user of these workflows would choose in a node. */
function credentialTypeOf({ type, parameters }: Node): string | undefined {
	const known: Record<string, string> = {
		hubspot: 'hubspotAppToken',
		pipedrive: 'pipedriveApi',
		googleSheets: 'googleApi',
		slack: 'slackApi',
		emailSend: 'smtp',
		lmChatOpenAi: 'openAiApi',
	};
	if (type.startsWith('n8n-nodes-licensing-data.')) return 'licensingDataApi';
	return (parameters.nodeCredentialType as string) ?? known[type.split('.').at(-1) ?? ''];
}

/** Imports a workflow and does in it what its notes ask for; `changes` are by the name of the node. */
async function setUp(
	file: string,
	changes: Record<string, Record<string, unknown>> = {},
): Promise<SavedWorkflow> {
	const workflow = await read(file);
	const nodes = workflow.nodes.map((node) => {
		const credential = credentials.get(credentialTypeOf(node) ?? '');
		return {
			...node,
			parameters: { ...node.parameters, ...changes[node.name] },
			...(credential && {
				credentials: { [credential.type]: { id: credential.id, name: credential.name } },
			}),
		};
	});
	return await stage.client.createWorkflow({ ...workflow, nodes });
}

interface Execution {
	id: string;
	status: string;
}

/** Presses "Execute workflow", and waits for its end. */
async function execute({ id }: SavedWorkflow, trigger: string): Promise<void> {
	await stage.client.request('POST', `/rest/workflows/${id}/run`, {
		triggerToStartFrom: { name: trigger },
	});
	await succeeded(id);
}

async function succeeded(workflowId: string): Promise<void> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const latest = async () => {
		const { results } = await stage.client.request<{ results: Execution[] }>(
			'GET',
			`/rest/executions?filter=${filter}`,
		);
		const [execution] = results;
		return ['new', 'running', 'waiting'].includes(execution?.status ?? 'new')
			? undefined
			: execution;
	};
	await expect.poll(latest, { interval: 200 }).toBeDefined();
	const execution = await latest();
	if (execution?.status === 'success') return;
	const { data } = await stage.client.request<{ data: string }>(
		'GET',
		`/rest/executions/${execution?.id}`,
	);
	expect.unreachable(`The execution ended with ${execution?.status}: ${data.slice(0, 4000)}`);
}

describe.each(files)('%s', (file) => {
	it('is imported as it stands, with no credential, and waits to be published', async () => {
		const workflow = await read(file);
		const { id } = await stage.client.createWorkflow(workflow);
		const saved = await stage.client.workflow(id);
		expect(saved).toMatchObject({ ...workflow, active: false });
	});

	it('has only nodes that this n8n has, with parameters that they accept', async () => {
		const types = (await stage.client.nodeTypes()) as INodeTypeDescription[];
		for (const node of (await read(file)).nodes as unknown as INode[]) {
			const description = types.find(
				({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion),
			);
			expect(description, `${node.type} ${node.typeVersion}`).toBeDefined();
			if (!description) continue;
			const known = NodeHelpers.getNodeParameters(
				description.properties,
				node.parameters,
				true,
				false,
				node,
				description,
			) as INodeParameters;
			expect(known, node.name).toMatchObject(node.parameters);
			const complete = { ...node, parameters: known };
			expect(
				NodeHelpers.getNodeParametersIssues(description.properties, complete, description),
				node.name,
			).toBeNull();
		}
	});
});

describe('A new liquor license', () => {
	const LIQUOR = ['SRX', 'COP', 'BEV', 'APS'];
	let since: string;
	let filings: License[];

	beforeAll(() => {
		since = new Date(Date.now() - 60_000).toISOString();
		const filed = (businessName: string, licenseType: string, city: string, county: string) =>
			sandbox.live.insert({
				businessName,
				legalName: `${businessName} Holdings LLC`,
				licenseType,
				address: { street: '1 Bay Street', city, county, state: 'FL', zip: '33602' },
			});
		filed('Rusty Anchor', 'COP', 'Tampa', 'Hillsborough');
		filed('=Ocean & Sons', 'SRX', 'Miami', 'Miami-Dade');
		filed('Lakeside Bar', 'BEV', 'Orlando', 'Orange');
		filed('Corner Spirits', 'APS', 'Jacksonville', 'Duval');
		filed('Taco Truck', 'MOBILE_FOOD', 'Tampa', 'Hillsborough');
		sandbox.live.insert({ licenseType: 'COP', eventType: 'renewal' });
		filings = sandbox.live
			.records()
			.filter(
				({ eventType, eventTimestamp, licenseType }) =>
					eventType === 'new_filing' &&
					LIQUOR.includes(licenseType ?? '') &&
					Date.parse(eventTimestamp ?? '') >= Date.parse(since),
			);
		expect(filings).toHaveLength(4);
	});

	/** Publishes the workflow so that its first poll brings what was filed a moment ago. */
	async function publish(file: string, changes: Record<string, Record<string, unknown>> = {}) {
		const { id } = await setUp(file, {
			'New Filing': { options: { startFrom: since } },
			...changes,
		});
		await stage.client.activate(id);
		await succeeded(id);
		await stage.client.deactivate(id);
	}

	const byName = (businessName: string) =>
		filings.find((filing) => filing.businessName === businessName) as License;
	const names = (of: string[]) => [...of].sort();
	const filed = () => names(filings.map(({ businessName }) => businessName ?? ''));

	it('becomes a company in HubSpot, and its holder a contact of that company', async () => {
		await publish('new-liquor-license-to-hubspot.json');
		const companies = world.sent('api.hubapi.com', '/companies/v2/companies');
		const properties = companies.map(({ body }) =>
			Object.fromEntries(
				(body as { properties: Array<{ name: string; value: string }> }).properties.map(
					({ name, value }) => [name, value],
				),
			),
		);
		expect(names(properties.map(({ name }) => name ?? ''))).toEqual(filed());
		expect(properties.find(({ name }) => name === 'Rusty Anchor')).toMatchObject({
			address: '1 Bay Street',
			city: 'Tampa',
			state: 'FL',
			zip: '33602',
			description: expect.stringMatching(
				/^Rusty Anchor in Tampa, Hillsborough County filed for a new Consumption on Premises/,
			),
		});

		const contacts = world.sent('api.hubapi.com', '/crm/v3/objects/contacts');
		expect(contacts).toHaveLength(4);
		const at = properties.findIndex(({ name }) => name === 'Rusty Anchor');
		expect(contacts[at]?.body).toEqual({
			properties: {
				lastname: 'Rusty Anchor Holdings LLC',
				company: 'Rusty Anchor',
				address: '1 Bay Street',
				city: 'Tampa',
				state: 'FL',
				zip: '33602',
				lifecyclestage: 'lead',
			},
			associations: [
				{
					to: { id: expect.anything() },
					types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }],
				},
			],
		});
		const companyIds = contacts.map(
			({ body }) => (body as { associations: [{ to: { id: number } }] }).associations[0].to.id,
		);
		expect(new Set(companyIds).size).toBe(4);
		for (const { authorization } of [...companies, ...contacts]) {
			expect(authorization).toBe('Bearer hubspot-token-example');
		}
	});

	it('becomes a lead in Pipedrive, for an organization and with a note', async () => {
		await publish('new-liquor-license-to-pipedrive.json');
		const bodies = (path: string) =>
			world
				.sent('api.pipedrive.com', path)
				.map(({ body }) => body as Record<string, string | number>);
		const organizations = bodies('/api/v2/organizations');
		const leads = bodies('/v1/leads');
		const notes = bodies('/v1/notes');
		expect(names(organizations.map(({ name }) => String(name)))).toEqual(filed());
		const at = organizations.findIndex(({ name }) => name === 'Lakeside Bar');
		expect(leads[at]).toEqual({
			title: 'Lakeside Bar, Orlando',
			organization_id: expect.any(Number),
		});
		expect(new Set(leads.map(({ organization_id }) => organization_id)).size).toBe(4);
		expect(notes[at]).toEqual({
			lead_id: expect.stringMatching(/^lead-/),
			content: expect.stringContaining(`License: ${byName('Lakeside Bar').licenseNumber}`),
		});
	});

	it('becomes a row in Google Sheets, and stays one row when it comes again', async () => {
		const target = { 'Add Row': { authentication: 'serviceAccount' } };
		await publish('new-liquor-license-to-google-sheets.json', target);
		await publish('new-liquor-license-to-google-sheets.json', target);
		const [header = [], ...rows] = world.spreadsheet.rows;
		const leads = rows.map((row) =>
			Object.fromEntries(header.map((column, at) => [String(column), row[at]])),
		);
		expect(names(leads.map(({ company }) => String(company)))).toEqual(filed());
		expect(leads.find(({ company }) => company === '=Ocean & Sons')).toMatchObject({
			externalId: byName('=Ocean & Sons').id,
			city: 'Miami',
			county: 'Miami-Dade',
			postalCode: '33602',
			licenseType: 'SRX',
			event: 'new_filing',
		});
		const written = world.calls.filter(
			({ host, method, path }) =>
				host === 'sheets.googleapis.com' && method !== 'GET' && path.includes('/values/'),
		);
		expect(new Set(written.map(({ query }) => query.valueInputOption))).toEqual(new Set(['RAW']));
	});

	it('is announced in the Slack channel of its territory, and in one channel only', async () => {
		await publish('new-liquor-license-to-slack.json');
		const messages = world
			.sent('slack.com', '/api/chat.postMessage')
			.map(({ body }) => body as { channel: string; text: string });
		const channelOf = (name: string) =>
			messages.filter(({ text }) => text.startsWith(`*${name}*`)).map(({ channel }) => channel);
		expect(messages).toHaveLength(4);
		expect(channelOf('=Ocean & Sons')).toEqual(['#leads-south-florida']);
		expect(channelOf('Rusty Anchor')).toEqual(['#leads-tampa-bay']);
		expect(channelOf('Lakeside Bar')).toEqual(['#leads-central-florida']);
		expect(channelOf('Corner Spirits')).toEqual(['#leads-florida']);
		expect(messages[0]?.text).toContain('1 Bay Street');
	});
});

it('mails the ownership transfers of the last seven days, and no older ones', async () => {
	const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();
	const transfer = (businessName: string, days: number) =>
		sandbox.live.insert({
			businessName,
			eventType: 'ownership_transfer',
			eventTimestamp: daysAgo(days),
			filedDate: '2019-03-01',
		});
	transfer('Smith & Sons <Grill>', 2);
	transfer('Last Week Lounge', 8);
	const lastWeek = sandbox.live
		.records()
		.filter(
			({ eventType, eventTimestamp }) =>
				eventType === 'ownership_transfer' &&
				Date.parse(eventTimestamp ?? '') >= Date.now() - 7 * DAY,
		);

	const workflow = await setUp('ownership-transfers-to-weekly-email.json', {
		'Send Email': {
			fromEmail: 'licenses@example.com',
			toEmail: 'ann@example.com, bob@example.com',
		},
	});
	await execute(workflow, 'Every Monday');

	const [mail, ...others] = mailbox.mails;
	expect(others).toEqual([]);
	expect(mail?.recipients).toEqual(['ann@example.com', 'bob@example.com']);
	expect(mail?.subject).toMatch(
		new RegExp(`^${lastWeek.length} ownership transfers in Florida, week to \\d{4}-\\d\\d-\\d\\d$`),
	);
	expect(mail?.body.match(/<tr/g)).toHaveLength(lastWeek.length + 1);
	expect(mail?.body).toContain('<td style=');
	expect(mail?.body).toContain('Smith &amp; Sons &lt;Grill>');
	expect(mail?.body).not.toContain('Last Week Lounge');
});

it('exports every license of the service into one CSV file', async () => {
	const workflow = await setUp('nightly-full-export-to-csv.json', {
		'Save File': { fileName: `=${EXPORTS}/{{ $binary.data.fileName }}` },
	});
	await execute(workflow, 'Every Night');

	const [name = ''] = (await readdir(EXPORTS)).sort().reverse();
	expect(basename(name)).toMatch(/^licenses-\d{4}-\d\d-\d\d\.csv$/);
	const [header = [], ...rows] = parseCsv(await readFile(join(EXPORTS, name), 'utf8'));
	const exported = rows.map((row) =>
		Object.fromEntries(header.map((column, at) => [column, row[at]])),
	);
	expect(exported).toEqual(
		sandbox.live.records().map(({ address, ...license }) =>
			Object.fromEntries(
				header.map((column) => {
					const flat = { ...license, ...address } as Record<string, unknown>;
					return [column, String(flat[column] ?? '')];
				}),
			),
		),
	);
	expect(header).toHaveLength(19);
});

describe('An agent that is asked who opened in Tampa this week', () => {
	it('looks it up in the list, and answers with what it found', async () => {
		const monday = new Date(Date.now() - 6 * DAY).toISOString().slice(0, 10);
		const inTampa = { address: { city: 'Tampa', county: 'Hillsborough' } };
		const opened = sandbox.live.insert({ ...inTampa, businessName: 'Bayshore Oysters' });
		const old = sandbox.live.late(24 * 30, {
			...inTampa,
			businessName: 'Old Tampa Tavern',
			filedDate: '2020-01-01',
		});
		world.chatModel.toolInput = { words: 'Tampa', event: 'new_filing', filed_after: monday };
		world.chatModel.reply = 'Bayshore Oysters opened in Tampa.';

		const { id, nodes } = await setUp('ask-about-new-licenses.json', {
			Chat: { public: true, options: {} },
		});
		await stage.client.activate(id);
		sandbox.requests.reset();
		const chat = nodes.find(({ name }) => name === 'Chat');
		const response = await fetch(
			`${stage.client.address}/webhook/${String(chat?.webhookId)}/chat`,
			{
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({
					action: 'sendMessage',
					sessionId: 'session-1',
					chatInput: 'Who opened in Tampa this week?',
				}),
			},
		);
		expect(await response.text()).toContain('Bayshore Oysters opened in Tampa.');
		await succeeded(id);

		const [question, lookedUp, ...more] = world.chatModel.asked;
		expect(more).toEqual([]);
		expect(
			question?.tools.map(({ function: { name, parameters } }) => [
				name,
				Object.keys(parameters.properties).sort(),
			]),
		).toEqual([['Find_Licenses', ['county', 'event', 'filed_after', 'words']]]);
		expect(JSON.stringify(question?.messages)).toContain('Who opened in Tampa this week?');
		expect(JSON.stringify(question?.messages[0])).toMatch(/Today is \w+, \d{4}-\d\d-\d\d/);

		expect(sandbox.requests.entries.map(({ query }) => query)).toEqual([
			expect.objectContaining({ q: 'Tampa', event_type: 'new_filing' }),
		]);
		const result = JSON.stringify(lookedUp?.messages.at(-1));
		expect(result).toContain(opened.id);
		expect(result).not.toContain(old.id);
	});
});

/** Rows of texts; a quoted one may hold commas, quotes and line breaks. */
function parseCsv(text: string): string[][] {
	const rows: string[][] = [[]];
	const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
	for (const [, quoted, plain, end] of text.replace(/^\uFEFF/, '').matchAll(cells)) {
		rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
		if (end === '') break;
		if (end !== ',') rows.push([]);
	}
	return rows.filter((row) => row.length > 1);
}
