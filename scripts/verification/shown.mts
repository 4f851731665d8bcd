import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import type { Candidate } from './candidate.mts';

/** A rule for what users see of a node. n8n's linter lacks it, or sees only lists that are written out in place. */
interface ShownRule {
	name: string;
	/** Where n8n says so. */
	source: string;
	complaints(description: INodeTypeDescription): string[];
}

/** As n8n loads them. */
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
];
