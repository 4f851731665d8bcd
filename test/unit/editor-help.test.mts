import { readFileSync } from 'node:fs';
// n8n-core does not export it.
import { commonPollingParameters } from 'n8n-core/dist/nodes-loader/constants.js';
import type { IDataObject, INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { operations } from '../../nodes/LicensingData/operations/operations.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { LicensingDataTrigger } from '../../nodes/LicensingData/LicensingDataTrigger.node.ts';
import { LicensingDataWebhookTrigger } from '../../nodes/LicensingData/LicensingDataWebhookTrigger.node.ts';
import { nodeOf, workflowOf } from '../support/host.mts';
import { manifest } from '../support/manifest.mts';
import { nodes } from '../support/node-classes.mts';
import { OPERATIONS } from '../support/operations.mts';

const nodeDir = new URL('../../nodes/LicensingData', import.meta.url).pathname;
const read = (path: string) => JSON.parse(readFileSync(`${nodeDir}/${path}`, 'utf8')) as unknown;

const choicesOf = ({ description }: INodeType, isIt: (property: INodeProperties) => boolean) =>
	(description.properties.find(isIt)?.options ?? []) as INodePropertyOptions[];

/** What the editor makes of an expression in the node's own description. */
function shownFor(nodeType: INodeType, parameters: IDataObject, expression: string | undefined) {
	const node = nodeOf(nodeType, parameters);
	const { expression: expressions } = workflowOf(nodeType, node);
	return expressions.getSimpleParameterValue(node, expression, 'internal', {});
}

describe('what the editor knows before a first run', () => {
	// It looks for a parameter of this name.
	it('lists the trigger in the nodes panel once for each event, new filings first', () => {
		const events = choicesOf(
			new LicensingDataTrigger(),
			({ displayName }) => displayName === 'Events',
		);
		expect(events.map(({ action }) => action)).toEqual([
			'On new license filed',
			'On ownership transferred',
			'On license renewed',
			'On status changed',
			'On license canceled',
			'On address changed',
		]);
	});

	it('lists each operation in the nodes panel, though there is no resource to choose', () => {
		const node = new LicensingData();
		const resource = node.description.properties.find(({ name }) => name === 'resource');
		expect(resource?.type).toBe('hidden');
		const [only] = resource?.options as INodePropertyOptions[];
		const shown = choicesOf(
			node,
			({ name, displayOptions }) =>
				name === 'operation' && displayOptions?.show?.resource?.includes(only!.value) === true,
		);
		const actions = Object.values(operations).map(({ action }) => action);
		expect(shown.map(({ action }) => action)).toEqual(actions);
	});

	it('does not offer the webhook trigger while the service sends no events', () => {
		expect(new LicensingDataWebhookTrigger().description.hidden).toBe(true);
	});

	it.each(nodes)('finds %s by what people search for', (node) => {
		const { alias } = read(`${node}.node.json`) as { alias: string[] };
		const wanted =
			`license, licence, new license, permit, liquor, alcohol, beer, wine, bar, restaurant, food truck,
			leads, prospects, compliance, DBPR, Florida`.split(/,\s+/);
		const missing = wanted.filter((words) => !alias.some((name) => words.includes(name)));
		expect(missing).toEqual([]);
	});

	it.each(OPERATIONS)('names the operation %s below the node', (operation) => {
		const { subtitle } = new LicensingData().description;
		const parameters = { resource: 'license', operation };
		expect(shownFor(new LicensingData(), parameters, subtitle)).toBe(`${operation}: license`);
	});

	it.each([
		['as the trigger begins', {}, true],
		['each minute', { pollTimes: { item: [{ mode: 'everyMinute' }] } }, true],
		['each hour', { pollTimes: { item: [{ mode: 'everyHour', minute: 0 }] } }, false],
	])('says that each hour is enough where it looks %s: %j', (_, parameters, isShown) => {
		const trigger = new LicensingDataTrigger();
		// Adds Poll Times, as n8n does when it loads the node.
		trigger.description.properties.unshift(...commonPollingParameters);
		const hint = trigger.description.hints?.find(({ message }) => message.includes('Every Hour'));
		expect(shownFor(trigger, parameters, hint?.displayCondition)).toBe(isShown);
	});

	it.each([new LicensingDataTrigger(), new LicensingDataWebhookTrigger()])(
		'says below a trigger which events start it',
		(nodeType) => {
			const below = (parameters: IDataObject) =>
				shownFor(nodeType, parameters, nodeType.description.subtitle);
			expect(below({})).toBe('new_filing');
			expect(below({ eventTypes: ['renewal', 'cancellation'] })).toBe('renewal, cancellation');
		},
	);

	it.each(nodes)(
		'leads from %s to its part of the reference, whatever n8n appends to the link',
		(name, { description }) => {
			const [address = '', heading] = description.documentationUrl?.split('#') ?? [];
			const headings = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8')
				.split('\n')
				.filter((line) => line.startsWith('#'))
				.map((line) => line.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'));
			expect(headings).toContain(heading);
			const { resources } = read(`${name}.node.json`) as {
				resources: Record<string, Array<{ url: string }>>;
			};
			const links = Object.values(resources).flatMap((entries) => entries.map(({ url }) => url));
			expect(links).toContain(address);
			expect(links.filter((link) => /[?#]/.test(link))).toEqual([]);
		},
	);
});

describe("What n8n's assistant is told", () => {
	const types = nodes.map(([, { description }]) => `${manifest.name}.${description.name}`);

	// It leaves out hidden nodes.
	const offered = nodes.filter(([, { description }]) => !description.hidden);

	it.each(offered)('%s: when to use it, and which nodes of the package go with it', (_, node) => {
		const { searchHint = '', relatedNodes = [] } = node.description.builderHint ?? {};
		expect(searchHint).toMatch(/\.$/);
		expect(relatedNodes.length).toBeGreaterThan(0);
		for (const { nodeType, relationHint } of relatedNodes) {
			expect(types).toContain(nodeType);
			expect(relationHint).not.toBe('');
		}
	});
});
