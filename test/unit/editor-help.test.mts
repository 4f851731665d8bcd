import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { IDataObject, INodeType } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { LicensingDataTrigger } from '../../nodes/LicensingData/LicensingDataTrigger.node.ts';
import { simplified } from '../../nodes/LicensingData/output/flat.ts';
import { nodeOf, nodeTypesWith } from '../support/host.mts';
import { license } from '../support/records.mts';

const require = createRequire(import.meta.url);
const { loadOutputSchema } = require('n8n-core') as typeof import('n8n-core');
const nodeDir = new URL('../../nodes/LicensingData', import.meta.url).pathname;
const read = (path: string) => JSON.parse(readFileSync(`${nodeDir}/${path}`, 'utf8')) as unknown;

/** What the editor makes of an expression of the node's own description. */
function shownFor(nodeType: INodeType, parameters: IDataObject, expression: string | undefined) {
	const node = nodeOf(nodeType, parameters);
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypesWith(nodeType),
	});
	return workflow.expression.getSimpleParameterValue(node, expression, 'internal', {});
}

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
		const { subtitle } = new LicensingData().description;
		const parameters = { resource: 'license', operation };
		expect(shownFor(new LicensingData(), parameters, subtitle)).toBe(words);
	});

	it.each([
		[{}, 0],
		[{ eventTypes: ['new_filing', 'renewal'] }, 1],
		[{ filters: { counties: ['Lee', 'Bay'] } }, 1],
		[{ filters: { counties: ['Lee'], licenseTypes: ['COP'] } }, 0],
		[{ options: { lookbackHours: 73 } }, 1],
		[
			{
				eventTypes: [],
				filters: { licenseTypes: ['COP', 'SRX'] },
				options: { lookbackHours: 720 },
			},
			2,
		],
	])('says what a choice costs where it costs more: %j', (parameters, count) => {
		const nodeType = new LicensingDataTrigger();
		const shown = (nodeType.description.hints ?? []).filter(({ displayCondition }) =>
			shownFor(nodeType, parameters, displayCondition),
		);
		expect(shown).toHaveLength(count);
	});
});
