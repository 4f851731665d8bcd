import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credential } from '../../playground/client.mts';
import { createSandbox, type License, type Sandbox } from '../../sandbox/index.mts';
import { licenseNode, runNode } from './run-nodes.mts';
import { connectTo, openStage, type Stage } from './stage.mts';

let sandbox: Sandbox;
let stage: Stage;
let credential: Credential;
let records: License[];

beforeAll(async () => {
	sandbox = await createSandbox({ records: 400 });
	records = sandbox.live.records();
	stage = await openStage('license');
	credential = await connectTo(stage, { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live });
});
afterAll(async () => {
	await stage?.close();
	await sandbox?.close();
});

const run = async (parameters: Record<string, unknown>, items?: Array<Record<string, unknown>>) =>
	await runNode(stage.client, licenseNode(credential, { output: 'raw', ...parameters }), items);

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

describe('Get', () => {
	it('returns the license by its ID and by its number, as the service has it', async () => {
		const license = records[7]!;
		for (const key of [license.id, license.licenseNumber]) {
			expect(await run({ operation: 'get', licenseId: byId(key) })).toEqual([license]);
		}
	});

	it('evaluates an expression for each input item, and keeps their order', async () => {
		const wanted = [records[3]!, records[1]!, records[250]!];
		expect(
			await run(
				{ operation: 'get', licenseId: byId('={{ $json.license.id }}') },
				wanted.map(({ id }) => ({ license: { id } })),
			),
		).toEqual(wanted);
	});

	it('goes on with the other items where one is not found and the node is told to continue', async () => {
		const [first, last] = [records[0]!, records[9]!];
		const output = await runNode(
			stage.client,
			licenseNode(
				credential,
				{ operation: 'get', licenseId: byId('={{ $json.id }}'), output: 'raw' },
				{ onError: 'continueRegularOutput' },
			),
			[{ id: first.id }, { id: 'lic_unknown' }, { id: last.id }],
		);
		expect(output).toEqual([
			first,
			expect.objectContaining({ error: expect.stringContaining('[item 1]') }),
			last,
		]);
	});

	it('ends the workflow where a license is not found and the node is not told to continue', async () => {
		await expect(run({ operation: 'get', licenseId: byId('lic_unknown') })).rejects.toThrow('500');
	});
});

describe('Get Many', () => {
	it('returns all licenses across pages, newest first', async () => {
		expect(await run({ operation: 'getAll', returnAll: true })).toEqual(records);
	});

	it('returns no more than the limit', async () => {
		expect(await run({ operation: 'getAll', limit: 60 })).toEqual(records.slice(0, 60));
	});

	it('filters by county, type and event, also where an expression names them', async () => {
		const { address, licenseType, eventType } = records[0]!;
		const matching = records.filter(
			(record) =>
				record.address?.county === address?.county &&
				record.licenseType === licenseType &&
				record.eventType === eventType,
		);
		const output = await run(
			{
				operation: 'getAll',
				returnAll: true,
				filters: { county: '={{ $json.county }}', licenseType, eventType },
			},
			[{ county: `${address?.county?.toUpperCase()} COUNTY` }],
		);
		expect(output).toEqual(matching);
		expect(output.length).toBeGreaterThan(0);
	});
});

describe('Search', () => {
	it('returns what the service finds', async () => {
		const query = records[0]!.address!.city!;
		const response = await fetch(
			`${sandbox.baseUrl}/licenses/search?${new URLSearchParams({ q: query, limit: '50' })}`,
			{ headers: { authorization: `Bearer ${sandbox.keys.live}` } },
		);
		const { data } = (await response.json()) as { data: License[] };
		expect(await run({ operation: 'search', query })).toEqual(data);
		expect(data.length).toBeGreaterThan(0);
	});
});

it('turns a license into a CRM lead', async () => {
	const license = records[0]!;
	const [lead] = await run({ operation: 'get', licenseId: byId(license.id), output: 'crmLead' });
	expect(lead).toMatchObject({
		externalId: license.id,
		company: license.businessName,
		city: license.address?.city,
		licenseType: license.licenseType,
	});
});

it('lets the HTTP Request node use the credential', async () => {
	const { id, name, type } = credential;
	const [page] = await runNode(stage.client, {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url: `${sandbox.baseUrl}/licenses?limit=2`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: type,
			options: {},
		},
		credentials: { [type]: { id, name } },
	});
	expect(page).toMatchObject({ data: records.slice(0, 2) });
});
