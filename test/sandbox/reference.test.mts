import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
	LIST_FILTERS,
	POLLING_FILTERS,
} from '../../nodes/LicensingData/parameters/licenseFilters.ts';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { runLicense } from '../support/nodes.mts';
import { ROOT } from '../support/manifest.mts';

/** A JSON block of the reference, and the parameters that lead to it, in a comment before it. */
const EXAMPLE = /<!-- Example: (.+) -->\s+```json\n([^`]+)```/g;

const reference = readFileSync(join(ROOT, 'docs', 'reference.md'), 'utf8');

const examples = [...reference.matchAll(EXAMPLE)].map(([, parameters = '', result = '']) => ({
	parameters: JSON.parse(parameters) as IDataObject,
	result: JSON.parse(result) as unknown,
}));

describe('docs/reference.md', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox({ records: 1 });
	});
	afterAll(async () => await sandbox.close());

	it('has an example of every operation', () => {
		const operations = examples.map(({ parameters }) => parameters.operation);
		expect(new Set(operations)).toEqual(new Set(['count', 'get', 'getAll', 'match', 'search']));
	});

	it('describes every filter by the name that the editor shows', () => {
		const shown = [...LIST_FILTERS, ...POLLING_FILTERS].map(({ fields }) => fields[0].displayName);
		expect(shown.filter((name) => !reference.includes(name))).toEqual([]);
	});

	it.each(examples)(
		'shows what a test key brings for $parameters',
		async ({ parameters, result }) => {
			const { items, error } = await runLicense(parameters, {
				credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.test },
			});
			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual(result);
		},
	);
});
