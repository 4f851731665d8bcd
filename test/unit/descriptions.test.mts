import type {
	INode,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { nodeOf } from '../support/host.mts';
import { credentials, nodes } from '../support/node-classes.mts';
import { OPERATIONS } from '../support/operations.mts';

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
const isSentence = (text: string) =>
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
				const required = shown.filter((property) => property.required);
				const parameters = NodeHelpers.getNodeParameters(
					properties,
					{
						...scene,
						...Object.fromEntries(required.map((property) => [property.name, filled(property)])),
					},
					true,
					false,
					node(scene),
					description,
				);
				expect(Object.keys(parameters ?? {}).sort()).toEqual(
					shown.map((property) => property.name).sort(),
				);
				const issues = NodeHelpers.getNodeParametersIssues(
					properties,
					node(parameters ?? {}),
					description,
				);
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
			for (const [other, values] of Object.entries(others)) {
				const target = properties.find(
					({ name: parameter }) => parameter === other.replace(/^\//, ''),
				);
				const known =
					target?.type === 'boolean'
						? [true, false]
						: target?.type === 'hidden'
							? [target.default]
							: choicesOf(target ?? ({} as INodeProperties)).map(({ value }) => value);
				expect(known).toEqual(expect.arrayContaining(values ?? []));
			}
		}
	});

	it('is written as n8n writes', () => {
		const titles = [
			description.displayName,
			...all.flatMap((property) => [
				...(property.type === 'notice' ? [] : [property.displayName]),
				...choicesOf(property).map((choice) => choice.name),
				...(property.modes ?? []).map((mode) => mode.displayName),
			]),
		];
		expect(titles.filter((title) => !isTitle(title))).toEqual([]);

		const sentences = [
			description.description,
			...all.flatMap((property) => [
				property.description,
				property.hint,
				...choicesOf(property).flatMap((choice) => [choice.description, choice.action]),
			]),
		].filter((text) => text !== undefined);
		expect(sentences.filter((text) => !isSentence(text))).toEqual([]);

		const placeholders = all.flatMap(({ placeholder, modes = [] }) => [
			placeholder,
			...modes.map((mode) => mode.placeholder),
		]);
		const odd = placeholders.filter((text) => text && !/^(e\.g\. |Add |Select )/.test(text));
		expect(odd).toEqual([]);
	});

	it("shows a date in the spelling that n8n's fields for dates take, which is not the American one", () => {
		for (const { type, typeOptions, placeholder } of all) {
			if (type !== 'dateTime') continue;
			const spelling = typeOptions?.dateOnly ? /^e\.g\. \d{4}-\d\d-\d\d$/ : /-\d\d \d\d:\d\d:\d\d$/;
			expect(placeholder).toMatch(spelling);
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
});

describe.each(credentials)('%s', (_, credential) => {
	it('hides what is secret, and asks for what is needed', () => {
		for (const { name, typeOptions } of credential.properties) {
			expect(typeOptions?.password === true).toBe(/key|secret|token/i.test(name));
		}
		expect(credential.properties.every(({ required }) => required)).toBe(true);
	});

	it('is written as n8n writes', () => {
		const shown = credential.properties.filter(({ type }) => type !== 'notice');
		expect(shown.filter(({ displayName }) => !isTitle(displayName))).toEqual([]);
		const sentences = credential.properties.flatMap(({ description, hint }) => [description, hint]);
		expect(sentences.filter((text) => text && !isSentence(text))).toEqual([]);
	});
});

/** Saved workflows hold these names, so a change of one breaks them. */
describe('The names that saved workflows depend on', () => {
	/** A parameter's name, and those of the groups that a fixed collection stores its values under. */
	const namesIn = ({ name, type, options = [] }: INodeProperties): string[] => [
		...(type === 'notice' ? [] : [name]),
		...options.flatMap((group) => ('values' in group ? group.name : [])),
	];
	const namesOf = (node: string): string[] => {
		const [, nodeType] = nodes.find(([name]) => name === node) ?? [];
		return nodeType
			? [nodeType.description.name, ...withNested(nodeType.description.properties).flatMap(namesIn)]
			: [];
	};

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
	])('stay in %s', (node, names) => {
		expect([...new Set(namesOf(node))].sort()).toEqual(names.split(/\s+/).sort());
	});

	it.each([
		['operation', ['count', 'export', 'get', 'getAll', 'match', 'search']],
		['output', ['simplified', 'crmLead', 'selectedFields', 'raw']],
		['format', ['csv', 'geojson', 'json', 'jsonl']],
		['groupBy', ['city', 'county', 'eventType', 'filingKind', 'licenseType', 'status']],
		['columns', ['all', 'simplified', 'crmLead', 'selectedFields']],
	])("stay among the values of '%s'", (name, values) => {
		const [, nodeType] = nodes.find(([node]) => node === 'LicensingData') ?? [];
		const property = nodeType?.description.properties.find((candidate) => candidate.name === name);
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

it('The options of an operation are shown for it alone', () => {
	const [, node] = nodes.find(([name]) => name === 'LicensingData') ?? [];
	const { properties = [] } = node?.description ?? {};
	const options = properties.find(({ name }) => name === 'options')?.options?.filter(isProperty);
	const operations = options?.map(({ name, displayOptions }) => [
		name,
		displayOptions?.show?.['/operation'],
	]);
	expect(Object.fromEntries(operations ?? [])).toEqual({
		parallelRequests: ['count', 'export', 'getAll'],
	});
});

describe('What is on screen at first', () => {
	const [, nodeType] = nodes.find(([name]) => name === 'LicensingData') ?? expect.unreachable();
	const { description } = nodeType;
	const shownAtFirst = (operation: string) => {
		const node = nodeOf(nodeType, { operation });
		const { properties } = description;
		const { parameters } = node;
		const values = NodeHelpers.getNodeParameters(
			properties,
			parameters,
			true,
			false,
			node,
			description,
		);
		return properties
			.filter(({ type }) => type !== 'hidden')
			.filter((one) => NodeHelpers.displayParameter(values ?? {}, one, node, description))
			.map(({ name }) => name);
	};

	it.each(OPERATIONS)('of %s, is at most eight parameters', (operation) => {
		expect(shownAtFirst(operation).length).toBeLessThanOrEqual(8);
	});

	it('of Match, is a switch for the finer settings', () => {
		const finer = ['minimumScore', 'candidates', 'noMatch', 'includeInput'];
		expect(shownAtFirst('match')).toContain('adjustMatching');
		expect(shownAtFirst('match')).not.toEqual(expect.arrayContaining([expect.toBeOneOf(finer)]));
	});
});
