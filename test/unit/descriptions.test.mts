import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// n8n-core does not export it.
import { commonPollingParameters } from 'n8n-core/dist/nodes-loader/constants.js';
import type { INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';
import { describe, expect, it, onTestFinished } from 'vitest';

import { operations } from '../../nodes/LicensingData/operations/operations.ts';
import { shownRules, withNested } from '../../scripts/verification/shown.mts';
import { nodeOf, workflowOf } from '../support/host.mts';
import { manifest, ROOT, sourceOf } from '../support/manifest.mts';
import { credentials, nodes } from '../support/node-classes.mts';

const nodeNamed = (name: string) =>
	nodes.find(([known]) => known === name)?.[1] ?? expect.unreachable();
const licenseNode = nodeNamed('LicensingData');
const trigger = nodeNamed('LicensingDataTrigger');
const webhookTrigger = nodeNamed('LicensingDataWebhookTrigger');

const choicesOf = ({ options = [] }: INodeProperties): INodePropertyOptions[] =>
	options.filter((entry) => 'value' in entry);

it.each(nodes)('%s describes every parameter that is filled in', (_, { description }) => {
	const isSelfEvident = ({ type, name, displayName }: INodeProperties) =>
		/^(?:notice|hidden|collection)$/.test(type) ||
		/^(?:resource|operation)$/.test(name) ||
		displayName === 'Trigger On';
	const all = withNested(description.properties);
	const silent = all.filter((one) => !isSelfEvident(one) && !one.description && !one.hint);
	expect(silent.map(({ displayName }) => displayName)).toEqual([]);
});

it.each(shownRules)('Every node meets the rule of n8n: $name', ({ complaints }) => {
	for (const [, { description }] of nodes) expect(complaints(description)).toEqual([]);
});

it.each(credentials)(
	'%s hides what is secret, and asks for what is needed',
	(_, { properties }) => {
		for (const { name, typeOptions, required } of properties) {
			expect(typeOptions?.password === true).toBe(/key|secret|token/i.test(name));
			expect(required === true).toBe(name !== 'webhookSecret');
		}
	},
);

describe('The editor', () => {
	const actionsOf = ({ description }: INodeType, isIt: (property: INodeProperties) => boolean) =>
		choicesOf(description.properties.find(isIt)!).map(({ action }) => action);

	it('lists each operation and each event in the nodes panel, and no webhook trigger yet', () => {
		const isShown = ({ name, displayOptions }: INodeProperties) =>
			name === 'operation' && displayOptions?.show?.resource !== undefined;
		const actions = Object.values(operations).map(({ action }) => action);
		expect(actionsOf(licenseNode, isShown)).toEqual(actions);
		// n8n looks for a parameter of this name, and its guidelines leave out a description.
		expect(actionsOf(trigger, ({ displayName }) => displayName === 'Trigger On')).toEqual([
			'On license address changed',
			'On license canceled',
			'On new license filed',
			'On license ownership transferred',
			'On license renewed',
			'On license status changed',
		]);
		expect(webhookTrigger.description.hidden).toBe(true);
	});

	it('finds each node by what people type', () => {
		for (const path of manifest.n8n.nodes) {
			const codex = readFileSync(join(ROOT, sourceOf(path).replace(/ts$/, 'json')), 'utf8');
			const { alias } = JSON.parse(codex) as { alias: string[] };
			const words = ['license', 'liquor', 'alcohol', 'restaurant', 'food service', 'leads'];
			expect(alias).toEqual(expect.arrayContaining([...words, 'permit', 'Florida', 'DBPR']));
		}
	});

	it('says below the trigger that each hour is enough', () => {
		const { description } = trigger;
		// Adds Poll Times, as n8n does when it loads the node.
		description.properties.unshift(...commonPollingParameters);
		onTestFinished(() => void description.properties.splice(0, commonPollingParameters.length));
		const hint = description.hints?.find(({ message }) => message.includes('Every Hour'));
		const isShown = ['everyMinute', 'everyHour'].map((mode) => {
			const node = nodeOf(trigger, { pollTimes: { item: [{ mode }] } });
			const { expression } = workflowOf(trigger, node);
			return expression.getSimpleParameterValue(node, hint?.displayCondition, 'internal', {});
		});
		expect(isShown).toEqual([true, false]);
	});
});
