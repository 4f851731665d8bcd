// n8n-core does not export it.
import { commonPollingParameters } from 'n8n-core/dist/nodes-loader/constants.js';
import type { IDataObject, INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';

import { operations } from '../../nodes/LicensingData/operations/operations.ts';
import { shownRules, withNested } from '../../scripts/verification/shown.mts';
import { evaluated } from '../support/host.mts';
import { manifest, readText, sourceOf } from '../support/manifest.mts';
import { credentials, nodes } from '../support/node-classes.mts';

const nodeNamed = (name: string) =>
	nodes.find(([known]) => known === name)?.[1] ?? expect.unreachable();
const licenseNode = nodeNamed('LicensingData');
const trigger = nodeNamed('LicensingDataTrigger');
const webhookTrigger = nodeNamed('LicensingDataWebhookTrigger');

const choicesOf = ({ options = [] }: INodeProperties): INodePropertyOptions[] =>
	options.filter((entry) => 'value' in entry);

const SMALL_WORDS = /^(a|an|and|as|at|by|for|in|of|on|or|the|to|with)$/;

const isTitle = (text: string) =>
	text
		.split(/[\s/]+/)
		.every((word, at) => /^[(]?[A-Z0-9]/.test(word) || (at > 0 && SMALL_WORDS.test(word)));

/** n8n ends a text with a period only if it has more than one sentence. */
const isSentence = (text = 'None') =>
	/^[A-Z]/.test(text) && text.endsWith('.') === /[.?!]\s/.test(text);

it.each([
	...nodes.map(([name, { description }]) => [name, description] as const),
	...credentials.map(([name, credential]) => [name, credential] as const),
])('%s is written as n8n writes', (_, { displayName, properties }) => {
	const all = withNested(properties);
	const choices = all.flatMap(choicesOf);
	const modes = all.flatMap((one) => one.modes ?? []);
	const labels = [...all.filter(({ type }) => type !== 'notice'), ...modes];
	const titles = [displayName, ...labels.map((one) => one.displayName)];
	for (const title of [...titles, ...choices.map(({ name }) => name)])
		expect([title, isTitle(title)]).toEqual([title, true]);
	const texts = [
		...all.flatMap(({ description, hint }) => [description, hint]),
		...choices.flatMap(({ description, action }) => [description, action]),
	];
	for (const text of texts) expect([text, isSentence(text)]).toEqual([text, true]);
	for (const { placeholder } of [...all, ...modes])
		expect(placeholder || 'e.g. none').toMatch(/^(e\.g\. |Add |Select )/);
});

it.each(nodes)('%s shows parameters by others that exist, at values they have', (_, nodeType) => {
	const { properties } = nodeType.description;
	for (const { displayOptions } of withNested(properties)) {
		const { '@version': _, '@tool': __, ...others } = displayOptions?.show ?? {};
		for (const [other, shownAt] of Object.entries(others)) {
			const target = properties.find(({ name }) => name === other.replace(/^\//, ''));
			const values = choicesOf(target ?? expect.unreachable()).map(({ value }) => value);
			expect([true, false, target?.default, ...values]).toEqual(
				expect.arrayContaining(shownAt ?? []),
			);
		}
	}
});

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
			const codex = readText(sourceOf(path).replace(/ts$/, 'json'));
			const words = ['license', 'liquor', 'alcohol', 'restaurant', 'food service', 'leads'];
			const alias = expect.arrayContaining([...words, 'permit', 'Florida', 'DBPR']);
			expect(JSON.parse(codex)).toMatchObject({ alias });
		}
	});

	it('shows below a node what it does, and that each hour is enough', () => {
		const shown = (nodeType: INodeType, parameters: IDataObject, words?: string) =>
			evaluated(nodeType, parameters, words ?? nodeType.description.subtitle);
		expect(shown(licenseNode, { resource: 'license', operation: 'get' })).toBe('get: license');
		for (const nodeType of [trigger, webhookTrigger]) {
			expect(shown(nodeType, {})).toBe('new_filing');
			const eventTypes = ['renewal', 'cancellation'];
			expect(shown(nodeType, { eventTypes })).toBe('renewal, cancellation');
		}
		const { description } = trigger;
		// Adds Poll Times, as n8n does when it loads the node.
		description.properties.unshift(...commonPollingParameters);
		onTestFinished(() => void description.properties.splice(0, commonPollingParameters.length));
		const hint = description.hints?.find(({ message }) => message.includes('Every Hour'));
		const isShown = (mode: string) =>
			shown(trigger, { pollTimes: { item: [{ mode }] } }, hint?.displayCondition);
		expect([isShown('everyMinute'), isShown('everyHour')]).toEqual([true, false]);
	});
});
