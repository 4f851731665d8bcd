import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { LIST_FILTERS, POLLING_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import type { LicensePage } from '../../sandbox/index.mts';
import { ROOT } from '../support/manifest.mts';
import { runLicense } from '../support/nodes.mts';
import { OPERATIONS } from '../support/operations.mts';
import { opened } from './client.mts';

const textOf = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

describe('docs/reference.md', () => {
	const reference = textOf('docs', 'reference.md');
	/** A JSON block of the reference, and the parameters that lead to it, in a comment before it. */
	const EXAMPLE = /<!-- Example: (.+) -->\s+```json\n([^`]+)```/g;
	const examples = [...reference.matchAll(EXAMPLE)].map(([, parameters = '', result = '']) => ({
		parameters: JSON.parse(parameters) as IDataObject,
		result: JSON.parse(result) as unknown,
	}));

	it('has an example of every operation', () => {
		const operations = examples.map(({ parameters }) => parameters.operation);
		expect(new Set(operations)).toEqual(new Set(OPERATIONS));
	});

	it('describes every filter by the name that the editor shows', () => {
		const shown = [...LIST_FILTERS, ...POLLING_FILTERS].map(({ fields }) => fields[0].displayName);
		expect(shown.filter((name) => !reference.includes(name))).toEqual([]);
	});

	it.each(examples)(
		'shows what a test key brings for $parameters',
		async ({ parameters, result }) => {
			const { sandbox } = await opened();
			const { items, error } = await runLicense(parameters, {
				credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.test },
			});
			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual(result);
		},
	);
});

describe("The sandbox's readme", () => {
	const lines = [
		...textOf('sandbox', 'README.md').matchAll(/^curl -H "(.+?)" "\$base(.+?)" +# (.+)$/gm),
	];

	it('says of every line to try what it brings', async () => {
		const { sandbox, client } = await opened();
		const key = sandbox.keys.test;
		const { body: newest } = await client.list({ limit: 3 }, key);
		expect(lines).toHaveLength(8);
		for (const [, header = '', written = '', promise] of lines) {
			const path = written
				.replace('<pagination.cursor>', newest.pagination.cursor!)
				.replace('<licenseNumber>', newest.data[0]!.licenseNumber);
			const response = await fetch(sandbox.baseUrl + path, {
				headers: {
					Authorization: header === '$key' ? `Bearer ${key}` : header.replace(/^.+: /, ''),
				},
			});
			const status = Number(promise) || 200;
			expect([written, response.status]).toEqual([written, status]);
			const { data } = (await response.json()) as LicensePage;
			if (status === 200) expect([written, data]).not.toEqual([written, []]);
		}
	});
});
