import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { ROOT } from '../support/manifest.mts';
import { nodes as ourNodes } from '../support/node-classes.mts';

const FOLDER = join(ROOT, 'workflows');
const NOTE = 'n8n-nodes-base.stickyNote';
const OURS = 'n8n-nodes-licensing-data.';

interface Workflow {
	name: string;
	nodes: INode[];
	connections: Record<string, Record<string, Array<Array<{ node: string; type: string }> | null>>>;
	[field: string]: unknown;
}

const files = readdirSync(FOLDER);
const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const read = (file: string) => JSON.parse(textOf(file)) as Workflow;
const parametersOf = ({ parameters }: INode) => parameters as Record<string, unknown>;

/** Whether a step hands its texts to something that reads markup in them. */
const showsMarkup = (node: INode): boolean => {
	const { emailFormat, resource } = parametersOf(node);
	return (
		node.type.endsWith('.slack') ||
		(node.type.endsWith('.emailSend') && emailFormat !== 'text') ||
		(node.type.endsWith('.pipedrive') && resource === 'note')
	);
};

/** Every value that is chosen from a list, even inside collections, with its list. */
function choices(
	properties: INodeProperties[],
	parameters: Record<string, unknown>,
): Array<{ parameter: string; value: unknown; known: unknown[] }> {
	return properties.flatMap((property) => {
		const value = parameters[property.name];
		if (value === undefined || (typeof value === 'string' && value.startsWith('='))) return [];
		const options = property.options ?? [];
		if (property.type === 'collection') {
			return choices(options as INodeProperties[], value as Record<string, unknown>);
		}
		if (!['options', 'multiOptions'].includes(property.type)) return [];
		const known = options.flatMap((option) => ('value' in option ? [option.value as unknown] : []));
		return [value].flat().map((one) => ({ parameter: property.name, value: one, known }));
	});
}

it('make a table with the same columns, wherever they make it', () => {
	const tables = new Map<unknown, unknown>();
	for (const { name, parameters } of files.flatMap((file) => read(file).nodes)) {
		if (parameters.resource !== 'table') continue;
		const first = tables.get(parameters.tableName) ?? parameters.columns;
		expect(parameters.columns, name).toEqual(first);
		tables.set(parameters.tableName, first);
	}
	expect(tables.size).toBeGreaterThan(0);
});

describe.each(files)('%s', (file) => {
	const workflow = read(file);
	const steps = workflow.nodes.filter(({ type }) => type !== NOTE);

	it('has a row in docs/workflows.md', () => {
		expect(readFileSync(join(ROOT, 'docs', 'workflows.md'), 'utf8')).toContain(`/${file})`);
	});

	it('connects every step, and only steps that exist', () => {
		const targets = Object.values(workflow.connections).flatMap((outputs) =>
			Object.values(outputs)
				.flat(2)
				.flatMap((link) => link?.node ?? []),
		);
		const connected = new Set([...Object.keys(workflow.connections), ...targets]);
		expect([...connected].sort()).toEqual(steps.map(({ name }) => name).sort());
	});

	it('refers in its expressions to steps that exist', () => {
		const named = [...textOf(file).matchAll(/\$\('([^']+)'\)/g)].map(([, name]) => name);
		expect(steps.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
	});

	it('escapes what a license says before it becomes HTML or a Slack message', () => {
		/** Without going through a step that escapes. */
		const reachedFrom = (name: string, seen = new Set<string>()): Set<string> => {
			if (seen.has(name) || name.startsWith('Escape for ')) return seen;
			seen.add(name);
			for (const link of Object.values(workflow.connections[name] ?? {}).flat(2)) {
				if (link) reachedFrom(link.node, seen);
			}
			return seen;
		};
		const sources = steps.filter(({ type }) => type.startsWith(OURS));
		const reached = sources.flatMap(({ name }) => [...reachedFrom(name)]);
		const marked = steps.filter(showsMarkup).map(({ name }) => name);
		expect(marked.filter((name) => reached.includes(name))).toEqual([]);
	});

	it('carries no credential, no data of a run and no key', () => {
		expect(workflow.pinData ?? {}).toEqual({});
		expect(workflow.active ?? false).toBe(false);
		for (const node of workflow.nodes) expect(node).not.toHaveProperty('credentials');
		expect(textOf(file)).not.toMatch(/ls_(live|test)_|whsec_|Bearer |xox[bp]-|sk-|pat-|BEGIN /);
		expect(textOf(file)).not.toMatch(/"(apiKey|password|token|secret|instanceId|staticData)"/i);
	});

	it('gives a model only tools that look things up: an export would leave a file behind', () => {
		for (const { type, parameters } of steps.filter(({ type }) => type.endsWith('Tool'))) {
			expect(type).toBe(`${OURS}licensingDataTool`);
			expect(['count', 'get', 'getAll', 'match', 'search']).toContain(parameters.operation);
		}
	});

	it('asks of the nodes of this package only what they offer', () => {
		const used = steps.filter(({ type }) => type.startsWith(OURS));
		// One prepares a table for the others, and one tells of their failures.
		const isForOthers = ['make-territories-table.json', 'tell-me-when-it-fails.json'].includes(
			file,
		);
		expect(used.length > 0).toBe(!isForOthers);
		for (const node of used) {
			const name = node.type.slice(OURS.length).replace(/Tool$/, '');
			const [, nodeType] = ourNodes.find(([, one]) => one.description.name === name) ?? [];
			expect(nodeType, node.type).toBeDefined();
			if (!nodeType) continue;
			const { description } = nodeType;
			expect([description.version].flat()).toContain(node.typeVersion);

			// What n8n itself adds to polling triggers and to tools.
			const { pollTimes, descriptionType, toolDescription, ...own } = parametersOf(node);
			expect(pollTimes !== undefined).toBe(description.polling === true);
			// A register is refreshed once a day.
			expect(JSON.stringify(pollTimes ?? '')).not.toMatch(/minutes|everyMinute|custom/);
			expect(descriptionType !== undefined && toolDescription !== undefined).toBe(
				node.type.endsWith('Tool'),
			);
			const known = NodeHelpers.getNodeParameters(
				description.properties,
				own as INodeParameters,
				true,
				false,
				node,
				description,
			);
			expect(known).toMatchObject(own);
			for (const { parameter, value, known: values } of choices(description.properties, own)) {
				expect(values, parameter).toContain(value);
			}
			const complete = { ...node, parameters: known ?? {} };
			expect(
				NodeHelpers.getNodeParametersIssues(description.properties, complete, description),
			).toBeNull();
		}
	});
});
