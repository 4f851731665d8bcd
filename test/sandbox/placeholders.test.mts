import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { started } from './client.mts';

/** The search texts that the node suggests, in its fields and in nested ones. */
const suggestionsIn = (fields: Array<INodeProperties | INodePropertyCollection>): string[] =>
	fields.flatMap((field) => [
		...('placeholder' in field && field.name === 'query' ? [`${field.placeholder}`] : []),
		...suggestionsIn(
			('options' in field ? (field.options ?? []) : []).filter((option) => 'displayName' in option),
		),
	]);

const suggestions = [...new Set(suggestionsIn(new LicensingData().description.properties))];

it('has a suggestion for the list and one for the search', () => {
	expect(suggestions).toHaveLength(2);
});

it.each(suggestions)('finds something with a test key for "%s"', async (suggestion) => {
	const { client, sandbox } = await started();
	const q = suggestion.replace(/^e\.g\. /, '');
	expect((await client.list({ q }, sandbox.keys.test)).body.pagination.total).toBeGreaterThan(0);
});
