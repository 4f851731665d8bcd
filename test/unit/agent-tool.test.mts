// n8n-core passes a node to an agent with this; it does not export it.
import { createNodeAsTool } from 'n8n-core/dist/execution-engine/node-execution-context/utils/create-node-as-tool.js';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { Operation } from '../../nodes/LicensingData/actions/operations.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { nodeOf } from '../support/host.mts';

function asTool(parameters: IDataObject) {
	const nodeType = new LicensingData();
	const { response } = createNodeAsTool({
		node: nodeOf(nodeType, { resource: 'license', descriptionType: 'auto', ...parameters }),
		nodeType,
		handleToolInvocation: async () => '',
	});
	return response;
}

describe('As a tool of an agent', () => {
	it('is offered at all', () => {
		expect(new LicensingData().description.usableAsTool).toBe(true);
	});

	const WORDS: Record<Operation, string> = {
		count: 'Count Florida liquor or food licenses in Licensing Data',
		export: 'Export Florida liquor or food licenses in Licensing Data',
		get: 'Get Florida liquor or food license in Licensing Data',
		getAll: 'Get many Florida liquor or food licenses in Licensing Data',
		match: 'Match business to Florida liquor or food license in Licensing Data',
		search: 'Search Florida liquor or food licenses in Licensing Data',
	};
	it.each(Object.entries(WORDS))(
		'%s introduces itself in words that say what it does',
		(operation, words) => {
			expect(asTool({ operation }).description).toBe(words);
		},
	);

	it('lets the agent fill in whatever the user leaves to it', () => {
		const { name, schema } = asTool({
			operation: 'getAll',
			limit: "={{ $fromAI('Limit', '', 'number') }}",
			filters: {
				counties: "={{ $fromAI('County', 'A Florida county', 'string') }}",
				filedAfter: "={{ $fromAI('Filed_After', '', 'string') }}",
			},
		});
		expect(name).toMatch(/^[\w-]+$/);
		expect(Object.keys(schema.shape)).toEqual(['Limit', 'County', 'Filed_After']);
	});
});
