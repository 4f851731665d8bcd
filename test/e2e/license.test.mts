import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credential } from '../../playground/client.mts';
import { createSandbox, type License, type StreamSandbox } from '../../sandbox/index.mts';
import { using } from './forwarding.mts';
import { licenseNode, runNode } from './run-nodes.mts';
import { connectTo, openStage, type Stage } from './stage.mts';

let sandbox: StreamSandbox;
let stage: Stage;
let credential: Credential;
let records: License[];

beforeAll(async () => {
	sandbox = await createSandbox({ kind: 'stream', records: 400 });
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
});

describe('Get Many', () => {
	it('returns all licenses across pages, newest first', async () => {
		expect(await run({ operation: 'getAll', returnAll: true })).toEqual(records);
	});
});

describe('Count', () => {
	it('has an item for each group, the largest first, and numbers that are those of the list', async () => {
		const groups = await run({ operation: 'count', groupBy: ['licenseType', 'eventType'] });
		const sizes = groups.map(({ count }) => Number(count));
		expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
		for (const { count, licenseType, eventType } of groups) {
			const listed = records.filter(
				(record) => record.licenseType === licenseType && record.eventType === eventType,
			);
			expect(count, `${String(licenseType)} ${String(eventType)}`).toBe(listed.length);
		}
		expect(sizes.reduce((sum, size) => sum + size)).toBe(records.length);
	});
});

it('lets the HTTP Request node use the credential', async () => {
	const [page] = await runNode(stage.client, {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
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
