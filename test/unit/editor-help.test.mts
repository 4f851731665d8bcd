import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Workflow } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { simplified } from '../../nodes/LicensingData/output/flat.ts';
import { nodeOf, nodeTypesWith } from '../support/host.mts';
import { license } from '../support/records.mts';

const require = createRequire(import.meta.url);
const { loadOutputSchema } = require('n8n-core') as typeof import('n8n-core');
const nodeDir = new URL('../../nodes/LicensingData', import.meta.url).pathname;
const read = (path: string) => JSON.parse(readFileSync(`${nodeDir}/${path}`, 'utf8')) as unknown;

describe('what the editor knows before a first run', () => {
	it.each(['get', 'getAll', 'search'])('offers the fields of %s for mapping', (operation) => {
		const schema = loadOutputSchema({ nodeDir, version: 1, resource: 'license', operation });
		expect(Object.keys(schema?.properties ?? {})).toEqual(Object.keys(simplified(license())));
	});

	it('offers the fields of both triggers, which have no operation', () => {
		const schema = loadOutputSchema({ nodeDir, version: 1, versionFallback: true });
		expect(schema).toEqual(read('__schema__/v1.0.0/license/get.json'));
		expect(schema).toEqual(read('__schema__/v1.0.0.json'));
	});

	it.each(['LicensingData', 'LicensingDataTrigger', 'LicensingDataWebhookTrigger'])(
		'finds %s by what people search for',
		(node) => {
			const { alias } = read(`${node}.node.json`) as { alias: string[] };
			const words = alias.join(' ').toLowerCase();
			for (const wanted of ['liquor', 'license', 'restaurant leads', 'florida']) {
				expect(words).toContain(wanted);
			}
		},
	);

	it.each([
		['get', 'Get: License'],
		['getAll', 'Get Many: License'],
		['search', 'Search: License'],
	])('names the operation %s below the node', (operation, words) => {
		const nodeType = new LicensingData();
		const node = nodeOf(nodeType, { resource: 'license', operation });
		const workflow = new Workflow({
			nodes: [node],
			connections: {},
			active: false,
			nodeTypes: nodeTypesWith(nodeType),
		});
		const subtitle = workflow.expression.getSimpleParameterValue(
			node,
			nodeType.description.subtitle,
			'internal',
			{},
		);
		expect(subtitle).toBe(words);
	});
});
