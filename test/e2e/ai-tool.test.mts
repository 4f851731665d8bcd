import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSandbox, type License, type StreamSandbox } from '../../sandbox/index.mts';
import { licenseNode } from './run-nodes.mts';
import { connectTo, openStage, type Stage } from './stage.mts';

let sandbox: StreamSandbox;
let stage: Stage;
let agent: Client;
let records: License[];

beforeAll(async () => {
	sandbox = await createSandbox({ kind: 'stream', records: 200 });
	records = sandbox.live.records();
	stage = await openStage('ai-tool');
	const credential = await connectTo(stage, {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.live,
	});
	const path = randomUUID();
	const tool = 'n8n-nodes-licensing-data.licensingDataTool';
	const fromAgent = (name: string, what: string) =>
		`={{ $fromAI('${name}', '${what}', 'string') }}`;
	const workflow = await stage.client.createWorkflow({
		name: 'Licenses for agents',
		nodes: [
			{
				name: 'MCP Server',
				type: '@n8n/n8n-nodes-langchain.mcpTrigger',
				typeVersion: 2,
				position: [0, 0],
				webhookId: path,
				parameters: { path, authentication: 'none' },
			},
			{
				...licenseNode(credential, {
					operation: 'get',
					licenseId: { __rl: true, mode: 'id', value: fromAgent('license', 'ID or number') },
					descriptionType: 'manual',
					toolDescription: 'Look up one license',
				}),
				type: tool,
				name: 'Get License',
				position: [0, 200],
			},
			{
				...licenseNode(credential, {
					operation: 'getAll',
					limit: 3,
					filters: { counties: fromAgent('county', 'A county of Florida') },
				}),
				type: tool,
				name: 'List Licenses',
				position: [200, 200],
			},
		],
		connections: Object.fromEntries(
			['Get License', 'List Licenses'].map((name) => [
				name,
				{ ai_tool: [[{ node: 'MCP Server', type: 'ai_tool', index: 0 }]] },
			]),
		),
		settings: { executionOrder: 'v1' },
	});
	await stage.client.activate(workflow.id);

	agent = new Client({ name: 'test-agent', version: '1.0.0' });
	await agent.connect(
		new StreamableHTTPClientTransport(new URL(`${stage.client.address}/mcp/${path}`)),
	);
});
afterAll(async () => {
	await agent?.close();
	await stage?.close();
	await sandbox?.close();
});

async function call(name: string, input: Record<string, string>): Promise<string> {
	const answer = await agent.callTool({ name, arguments: input });
	return (answer.content as Array<{ text: string }>).map(({ text }) => text).join('\n');
}

it('shows an agent one tool for each node, with the parameters left to it', async () => {
	const { tools } = await agent.listTools();
	expect(
		tools
			.map(({ name, description, inputSchema }) => ({
				name,
				description,
				parameters: Object.keys(inputSchema.properties ?? {}),
			}))
			.sort((one, other) => one.name.localeCompare(other.name)),
	).toEqual([
		{ name: 'Get_License', description: 'Look up one license', parameters: ['license'] },
		{
			name: 'List_Licenses',
			description: expect.stringMatching(/licenses/i),
			parameters: ['county'],
		},
	]);
});

it('answers an agent that asks for one license', async () => {
	const { id, licenseNumber, businessName } = records[5]!;
	const answer = await call('Get_License', { license: licenseNumber });
	expect(answer).toContain(id);
	expect(answer).toContain(businessName);
});

it('answers an agent that asks for the licenses of a county, written as people write it', async () => {
	const ofCounty = records.filter(({ address }) => address?.county === 'Miami-Dade').slice(0, 3);
	const answer = await call('List_Licenses', { county: 'miami dade county' });
	for (const { id } of ofCounty) expect(answer).toContain(id);
	expect(ofCounty).toHaveLength(3);
});

it('tells an agent in words that there is no such license', async () => {
	expect(await call('Get_License', { license: 'lic_unknown' })).toMatch(/no license|not found/i);
});
