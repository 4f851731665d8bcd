import type {
	INode,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { nodeOf } from '../support/host.mts';
import { credentials, nodes } from '../support/node-classes.mts';
import { OPERATIONS } from '../support/operations.mts';

const [, licenseNode] = nodes.find(([name]) => name === 'LicensingData') ?? expect.unreachable();

const isProperty = (
	entry: INodeProperties | INodePropertyOptions | INodePropertyCollection,
): entry is INodeProperties => 'type' in entry;

const isChoice = (entry: object): entry is INodePropertyOptions => 'value' in entry;

/** A parameter and everything inside its collections. */
function withNested(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => [
		property,
		...withNested((property.options ?? []).filter(isProperty)),
		...withNested(
			(property.options ?? []).flatMap((group) => ('values' in group ? group.values : [])),
		),
	]);
}

const choicesOf = ({ options = [] }: INodeProperties): INodePropertyOptions[] =>
	options.filter(isChoice);

/** Every combination of the parameters that others depend on: what a user can have on screen. */
function scenes({ properties }: Pick<INodeTypeDescription, 'properties'>): INodeParameters[] {
	const deciding = new Set(
		properties.flatMap(({ displayOptions }) => Object.keys(displayOptions?.show ?? {})),
	);
	let all: INodeParameters[] = [{}];
	for (const property of properties) {
		if (!deciding.has(property.name)) continue;
		const values =
			property.type === 'boolean' ? [true, false] : choicesOf(property).map(({ value }) => value);
		all = all.flatMap((scene) => values.map((value) => ({ ...scene, [property.name]: value })));
	}
	return all;
}

/** Something to put into what a user has to fill in. */
const filled = ({ type }: INodeProperties) =>
	type === 'resourceLocator' ? { __rl: true, mode: 'id', value: 'lic_1' } : 'filled in';

const SMALL_WORDS = /^(a|an|and|as|at|by|for|in|of|on|or|the|to|with)$/;

const isTitle = (text: string) =>
	text
		.split(/[\s/]+/)
		.every((word, at) => /^[(]?[A-Z0-9]/.test(word) || (at > 0 && SMALL_WORDS.test(word)));

/** n8n ends a text with a period only if it has more than one sentence. */
const isSentence = (text = 'None') =>
	/^[A-Z]/.test(text) && text.endsWith('.') === /[.?!]\s/.test(text);

describe.each(nodes)('%s', (_, nodeType) => {
	const { description } = nodeType;
	const { properties } = description;
	const all = withNested(properties);

	it.each([description.version].flat())(
		'has defaults that n8n accepts in version %d, whatever is on screen',
		(typeVersion) => {
			const node = (parameters: INodeParameters): INode =>
				nodeOf(nodeType, parameters, { typeVersion });
			for (const scene of scenes(description)) {
				const shown = properties.filter((property) =>
					NodeHelpers.displayParameter(scene, property, node(scene), description),
				);
				const required = shown
					.filter((property) => property.required)
					.map((property) => [property.name, filled(property)]);
				const given = { ...scene, ...Object.fromEntries(required) };
				const of = node(scene);
				const parameters =
					NodeHelpers.getNodeParameters(properties, given, true, false, of, description) ?? {};
				expect(Object.keys(parameters).sort()).toEqual(
					shown.map((property) => property.name).sort(),
				);
				const filledIn = node(parameters);
				const issues = NodeHelpers.getNodeParametersIssues(properties, filledIn, description);
				expect(issues).toBeNull();
			}
		},
	);

	it('offers no choice twice', () => {
		for (const property of all) {
			const values = choicesOf(property).map(({ value }) => value);
			expect(new Set(values).size).toBe(values.length);
		}
	});

	it('shows parameters by others that exist, at values that they have', () => {
		for (const { displayOptions } of all) {
			const { '@version': _, ...others } = displayOptions?.show ?? {};
			for (const [other, shownAt] of Object.entries(others)) {
				const target = properties.find(({ name }) => name === other.replace(/^\//, ''));
				if (!target) return expect.unreachable();
				const values = choicesOf(target).map(({ value }) => value);
				const known = target.type === 'boolean' ? [true, false] : [target.default, ...values];
				expect(known).toEqual(expect.arrayContaining(shownAt ?? []));
			}
		}
	});

	it('describes every parameter that a person or an agent fills in', () => {
		const silent = all.filter(
			({ type, description: words, hint, name: parameter }) =>
				!['notice', 'hidden', 'collection'].includes(type) &&
				!['resource', 'operation'].includes(parameter) &&
				!words &&
				!hint,
		);
		expect(silent.map(({ displayName }) => displayName)).toEqual([]);
	});

	it('tells a seller to restaurants which license types to choose, as the list calls them', () => {
		const fields = all.filter(({ name }) => name === 'licenseTypes');
		expect(fields.length).toBeGreaterThan(0);
		for (const field of fields) {
			expect(field.description).toContain('every restaurant');
			for (const type of ['Food Service', 'Seating', 'COP', 'SRX']) {
				expect(field.description).toContain(type);
				expect(choicesOf(field).some(({ name }) => name.startsWith(`${type}: `))).toBe(true);
			}
		}
	});
});

it.each(credentials)(
	'%s hides what is secret, and asks for what is needed',
	(_, { properties }) => {
		for (const { name, typeOptions, required } of properties) {
			expect(typeOptions?.password === true).toBe(/key|secret|token/i.test(name));
			expect(required).toBe(true);
		}
	},
);

/** Saved workflows hold these names, so a change of one breaks them. */
describe.each([
	...nodes.map(([name, { description }]) => [name, description] as const),
	...credentials.map(([name, credential]) => [name, credential] as const),
])('%s is written as n8n writes', (_, { displayName, properties }) => {
	const all = withNested(properties);
	const choices = all.flatMap(choicesOf);

	it('with titles in title case', () => {
		const labels = all.filter(({ type }) => type !== 'notice');
		const modes = all.flatMap(({ modes = [] }) => modes);
		const titles = [
			displayName,
			...[...labels, ...modes].map((one) => one.displayName),
			...choices.map(({ name }) => name),
		];
		expect(titles.filter((title) => !isTitle(title))).toEqual([]);
	});

	it('with descriptions and hints that are sentences', () => {
		const texts = [
			...all.flatMap(({ description, hint }) => [description, hint]),
			...choices.flatMap(({ description, action }) => [description, action]),
		];
		expect(texts.filter((text) => !isSentence(text))).toEqual([]);
	});

	it('with placeholders that are examples', () => {
		const texts = all.flatMap(({ placeholder, modes = [] }) => [
			placeholder,
			...modes.map((mode) => mode.placeholder),
		]);
		expect(texts.filter((text) => text && !/^(e\.g\. |Add |Select )/.test(text))).toEqual([]);
	});
});

describe('The names that saved workflows depend on', () => {
	/** A parameter's name, and those of the groups that a fixed collection stores its values under. */
	const namesIn = ({ name, type, options = [] }: INodeProperties): string[] => [
		...(type === 'notice' ? [] : [name]),
		...options.flatMap((group) => ('values' in group ? group.name : [])),
	];
	const namesOf = ({ description: { name, properties } }: INodeType): string[] => [
		name,
		...withNested(properties).flatMap(namesIn),
	];
	const TERRITORY =
		'filters cities zipCodes near area center radius keepUnlocated onlyWithAddress filingKinds';

	it.each([
		[
			'LicensingData',
			`licensingData resource operation licenseId returnAll limit ${TERRITORY}
			counties licenseTypes eventTypes status query filedAfter filedBefore happenedAfter happenedBefore
			businessName street city zip adjustMatching minimumScore candidates noMatch includeInput groupBy
			output fields options parallelRequests retries timeout
			format columns fileName`,
		],
		[
			'LicensingDataTrigger',
			`licensingDataTrigger eventTypes ${TERRITORY} counties licenseTypes status query
			output fields options startFrom lookbackDays maxItems`,
		],
		[
			'LicensingDataWebhookTrigger',
			`licensingDataWebhookTrigger eventTypes ${TERRITORY} counties licenseTypes query
			output fields options registration`,
		],
	])('stay in %s', (name, names) => {
		const [, node] = nodes.find((one) => one[0] === name) ?? expect.unreachable();
		expect([...new Set(namesOf(node))].sort()).toEqual(names.split(/\s+/).sort());
	});

	it.each([
		['operation', ['count', 'export', 'get', 'getAll', 'match', 'search']],
		['output', ['simplified', 'crmLead', 'selectedFields', 'raw']],
		['format', ['csv', 'geojson', 'json', 'jsonl']],
		['groupBy', ['city', 'county', 'eventType', 'filingKind', 'licenseType', 'status']],
		['columns', ['all', 'simplified', 'crmLead', 'selectedFields']],
	])("stay among the values of '%s'", (name, values) => {
		const property = licenseNode.description.properties.find(
			(candidate) => candidate.name === name,
		);
		expect(choicesOf(property as INodeProperties).map(({ value }) => value)).toEqual(values);
	});

	it('stay in the credentials', () => {
		const names = credentials.map(([, { name, properties }]) => [
			name,
			properties.map((property) => property.name),
		]);
		expect(Object.fromEntries(names)).toEqual({
			licensingDataApi: ['baseUrl', 'apiKey'],
			licensingDataWebhookApi: ['webhookSecret'],
		});
	});
});

it('Parallel Requests is shown for the operations that read lists alone', () => {
	const options = licenseNode.description.properties.find(
		({ name }) => name === 'options',
	)?.options;
	const shown = options
		?.filter(isProperty)
		.flatMap(({ name, displayOptions }) => (displayOptions ? [[name, displayOptions.show]] : []));
	const operations = { '/operation': ['count', 'export', 'getAll'] };
	expect(shown).toEqual([['parallelRequests', operations]]);
});

describe('What is on screen at first', () => {
	const { description } = licenseNode;
	const { properties } = description;
	const shownAtFirst = (operation: string) => {
		const node = nodeOf(licenseNode, { operation });
		const { parameters } = node;
		const values =
			NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description) ?? {};
		return properties
			.filter(({ type }) => type !== 'hidden')
			.filter((one) => NodeHelpers.displayParameter(values, one, node, description))
			.map(({ name }) => name);
	};

	it.each(OPERATIONS)('of %s, is at most eight parameters', (operation) => {
		expect(shownAtFirst(operation).length).toBeLessThanOrEqual(8);
	});

	it('of Match, is a switch for the finer settings', () => {
		const finer = ['minimumScore', 'candidates', 'noMatch', 'includeInput'];
		const shown = shownAtFirst('match').filter((name) =>
			[...finer, 'adjustMatching'].includes(name),
		);
		expect(shown).toEqual(['adjustMatching']);
	});
});
