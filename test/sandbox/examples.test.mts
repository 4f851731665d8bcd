import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { LIST_FILTERS, POLLING_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import { createSandbox } from '../../sandbox/index.mts';
import { ROOT } from '../support/manifest.mts';
import { runLicense } from '../support/nodes.mts';
import { OPERATIONS } from '../support/operations.mts';

const reference = readFileSync(join(ROOT, 'docs', 'reference.md'), 'utf8');
/** A JSON block of the reference, and the parameters that lead to it, in a comment before it. */
const EXAMPLE = /<!-- Example: (.+) -->\s+```json\n([^`]+)```/g;
const examples = [...reference.matchAll(EXAMPLE)].map(([, parameters = '', result = '']) => ({
	parameters: JSON.parse(parameters) as IDataObject,
	result: JSON.parse(result) as unknown,
}));

it('docs/reference.md has an example of every operation, and names every filter', () => {
	const operations = examples.map(({ parameters }) => parameters.operation);
	expect(new Set(operations)).toEqual(new Set(OPERATIONS));
	const shown = [...LIST_FILTERS, ...POLLING_FILTERS].map(({ fields }) => fields[0].displayName);
	expect(shown.filter((name) => !reference.includes(name))).toEqual([]);
});

it.each(examples)(
	'docs/reference.md shows what a test key brings for $parameters',
	async ({ parameters, result }) => {
		const sandbox = await createSandbox({ records: 10 });
		onTestFinished(() => sandbox.close());
		const { items, error } = await runLicense(parameters, {
			credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.test },
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(result);
	},
);
