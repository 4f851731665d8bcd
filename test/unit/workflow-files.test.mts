import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { readText, ROOT } from '../support/manifest.mts';
import { nodes as ourNodes } from '../support/node-classes.mts';

const OURS = 'n8n-nodes-licensing-data.';

type Workflow = Record<string, unknown> & {
	nodes: INode[];
	connections: Record<string, Record<string, Array<Array<{ node: string }> | null>>>;
};

const files = readdirSync(join(ROOT, 'workflows'));
const textOf = (file: string) => readText(`workflows/${file}`);
const read = (file: string) => JSON.parse(textOf(file)) as Workflow;

/** A step that hands its texts to something that reads markup in them. */
const showsMarkup = ({ type, parameters: { emailFormat, resource } }: INode): boolean =>
	type.endsWith('.slack') ||
	(type.endsWith('.emailSend') && emailFormat !== 'text') ||
	(type.endsWith('.pipedrive') && resource === 'note');

it('Workflows make a table with the same columns, wherever they make it', () => {
	const tables = new Map<unknown, unknown>();
	for (const { name, parameters } of files.flatMap((file) => read(file).nodes)) {
		if (parameters.resource !== 'table') continue;
		const first = tables.get(parameters.tableName) ?? parameters.columns;
		expect(parameters.columns, name).toEqual(first);
		tables.set(parameters.tableName, first);
	}
	expect(tables.size).toBeGreaterThan(0);
	// n8n finds a table by a part of its name, and takes the one that was changed last.
	const names = [...tables.keys()].map(String);
	for (const name of names) expect(names.filter((one) => one.includes(name))).toEqual([name]);
});

describe.each(files)('%s', (file) => {
	const workflow = read(file);
	const steps = workflow.nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
	const linksFrom = (name: string) =>
		Object.values(workflow.connections[name] ?? {})
			.flat(2)
			.flatMap((link) => link?.node ?? []);

	it('is in docs/workflows.md, connects every step, and refers only to steps that exist', () => {
		expect(readText('docs/workflows.md')).toContain(`/${file})`);
		const names = steps.map(({ name }) => name);
		const sources = Object.keys(workflow.connections);
		const connected = new Set([...sources, ...sources.flatMap(linksFrom)]);
		expect([...connected].sort()).toEqual(names.sort());
		const referred = [...textOf(file).matchAll(/\$\('([^']+)'\)/g)].map(([, name]) => name);
		expect(names).toEqual(expect.arrayContaining(referred));
	});

	it('says the oldest n8n that it needs: for a missed run, or for tables', () => {
		const has = (type: string) => steps.some((step) => step.type === `n8n-nodes-base.${type}`);
		for (const { type, typeVersion } of steps)
			if (type.endsWith('.scheduleTrigger')) expect(typeVersion).toBe(1.4);
		const oldest = has('scheduleTrigger') ? '2.36' : has('dataTable') ? '2' : undefined;
		if (oldest) expect(textOf(file)).toContain(`\\n\\nNeeds n8n ${oldest}.`);
	});

	it('escapes what a license says before it becomes HTML or a Slack message', () => {
		const marked = steps.filter(showsMarkup).map(({ name }) => name);
		const hasLeads = ({ type, parameters: { operation } }: INode) =>
			type.startsWith(OURS) || (type.endsWith('.dataTable') && operation === 'get');
		const reached = new Set(steps.filter(hasLeads).map(({ name }) => name));
		for (const name of reached) {
			if (name.startsWith('Escape for ')) continue;
			expect(marked).not.toContain(name);
			for (const next of linksFrom(name)) reached.add(next);
		}
	});

	it('carries no credential, no data of a run and no key', () => {
		expect(workflow.pinData ?? {}).toEqual({});
		expect(workflow.active ?? false).toBe(false);
		for (const node of workflow.nodes) expect(node).not.toHaveProperty('credentials');
		expect(textOf(file)).not.toMatch(/ls_(live|test)_|whsec_|Bearer |xox[bp]-|sk-|pat-|BEGIN /);
		expect(textOf(file)).not.toMatch(/"(apiKey|password|token|secret|instanceId|staticData)"/i);
	});

	it('uses nothing that n8n 3 removes or changes', () => {
		const removed = ['function', 'functionItem', 'itemLists', 'aiTransform'];
		const types = removed.map((name) => `n8n-nodes-base.${name}`);
		for (const { type, typeVersion, parameters, alwaysOutputData } of steps) {
			expect([...types, '@n8n/n8n-nodes-langchain.code']).not.toContain(type);
			if (type.endsWith('.agent')) expect(typeVersion).toBeGreaterThanOrEqual(2);
			if (type.endsWith('.executeWorkflow')) expect(parameters.mode).not.toBe('each');
			// With several outputs, it no longer fills each.
			if (alwaysOutputData) expect(type).not.toMatch(/\.(if|switch|filter|splitInBatches)$/);
		}
		expect(textOf(file)).not.toMatch(/\$getPairedItem|\$evaluateExpression/);
	});

	it('gives a model only tools that look things up', () => {
		for (const { type, parameters } of steps.filter(({ type }) => type.endsWith('Tool'))) {
			expect(type).toBe(`${OURS}licensingDataTool`);
			expect(['count', 'get', 'getAll', 'match', 'search']).toContain(parameters.operation);
		}
	});

	it('asks of our nodes only what they offer, and not every few minutes', () => {
		for (const node of steps.filter(({ type }) => type.startsWith(OURS))) {
			const name = node.type.slice(OURS.length).replace(/Tool$/, '');
			const [, nodeType] = ourNodes.find(([, one]) => one.description.name === name) ?? [];
			const { description } = nodeType ?? expect.unreachable(node.type);
			expect([description.version].flat()).toContain(node.typeVersion);
			// What n8n itself adds to polling triggers and to tools.
			const { pollTimes, descriptionType, toolDescription, ...own } =
				node.parameters as INodeParameters;
			expect(JSON.stringify(pollTimes ?? '')).not.toMatch(/minutes|everyMinute|custom/);
			const { properties } = description;
			const known = NodeHelpers.getNodeParameters(properties, own, true, false, node, description);
			expect(known).toMatchObject(own);
			const complete = { ...node, parameters: known ?? {} };
			expect(NodeHelpers.getNodeParametersIssues(properties, complete, description)).toBeNull();
		}
	});
});
