import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import type { Candidate } from './candidate.mts';

/** A rule for what users see of a node. n8n's linter lacks it, or sees only lists that are written out in place. */
interface ShownRule {
	name: string;
	/** Where n8n says so. */
	source: string;
	complaints(description: INodeTypeDescription): string[];
}

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

const labelOf = (entry: Entry): string => ('displayName' in entry ? entry.displayName : entry.name);

/** A parameter and everything inside its collections. */
export const withNested = (properties: INodeProperties[]): INodeProperties[] =>
	properties.flatMap((property) => [
		property,
		...(property.options ?? []).flatMap((entry) => {
			if ('type' in entry) return withNested([entry]);
			return 'values' in entry ? withNested(entry.values) : [];
		}),
	]);

/** By name, but n8n's guidelines have Simplified first among the forms of output. */
const sorted = (list: string, labels: string[]): string[] => {
	const key = (label: string) => (`${list} ${label}` === 'Output Simplified' ? '' : label);
	return labels.toSorted((a, b) => key(a).localeCompare(key(b), 'en'));
};

const actionsOf = (description: INodeTypeDescription): INodePropertyOptions[] =>
	description.properties
		.flatMap(({ options = [] }) => options)
		.filter((entry): entry is INodePropertyOptions => 'action' in entry);

const GUIDELINES = "n8n's UX guidelines";

/** The nodes as n8n loads them. */
export const descriptionsOf = ({ source, manifest }: Candidate): INodeTypeDescription[] =>
	manifest.n8n.nodes.map((path) => {
		const load = createRequire(join(source, 'package.json'));
		const classes = load(join(source, path)) as Record<string, new () => INodeType>;
		const Class = classes[basename(path, '.node.js')];
		if (!Class) throw new Error(`${path} does not export the class that it is named after`);
		return new Class().description;
	});

export const shownRules: ShownRule[] = [
	{
		name: 'A node has one credential',
		source: 'single-credential-per-node, in @n8n/eslint-plugin-community-nodes of n8n/main',
		complaints: ({ credentials = [] }) =>
			credentials.length > 1 ? [`It has ${credentials.map(({ name }) => name).join(', ')}`] : [],
	},
	{
		name: 'Lists are alphabetical',
		source: 'node-param-…-unsorted-items, in eslint-plugin-n8n-nodes-base',
		complaints: ({ properties }) =>
			withNested(properties).flatMap(({ displayName, options = [] }) => {
				const labels = options.map(labelOf);
				const right = sorted(displayName, labels);
				const wrong = labels.find((label, at) => label !== right[at]);
				return wrong === undefined ? [] : [`'${displayName}' has '${wrong}' in another place`];
			}),
	},
	{
		name: 'A trigger has Trigger On for what starts it, without a description',
		source: GUIDELINES,
		complaints: ({ group, properties: [first] }) => {
			if (!group.includes('trigger') || first === undefined) return [];
			const { displayName, description } = first;
			return displayName === 'Trigger On' && description === undefined
				? []
				: [`It has '${displayName}': ${description ?? 'no description'}`];
		},
	},
	{
		name: "Each operation's and each event's action names its object",
		source: GUIDELINES,
		complaints: (description) =>
			actionsOf(description)
				.filter(({ action }) => !/\blicenses?\b/.test(String(action)))
				.map(({ name, action }) => `'${name}' is '${action}'`),
	},
];
