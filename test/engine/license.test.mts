import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Filter } from '../../nodes/LicensingData/filters/filter.ts';
import { LIST_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { compiled } from '../support/compiled.mts';
import { ids, runLicense } from '../support/nodes.mts';

const RECORDS = 400;

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await createSandbox({ records: RECORDS, today: '2026-09-24' });
});
afterAll(async () => await sandbox.close());
beforeEach(() => sandbox.requests.reset());

const getMany = (filters: IDataObject) =>
	runLicense(
		{ operation: 'getAll', filters, returnAll: true },
		{ ...compiled('LicensingData'), credentials: sandbox.credentials },
	);

/** The last word of the editor's example, or a choice that some record has. */
function exampleOf(filter: Filter): string {
	const [{ placeholder, options = [] }] = filter.fields;
	if (placeholder !== undefined) return String(placeholder.split(' ').at(-1));
	const choices = (options as INodePropertyOptions[]).map(({ value }) => String(value));
	return String(choices.find((choice) => idsMatched(filter, choice).length > 0));
}

const idsMatched = (filter: Filter, example: string): string[] => {
	const wanted = filter.read(() => example);
	return sandbox.register
		.all()
		.filter((one) => filter.matches?.(one as unknown as License, wanted) ?? true)
		.map(({ id }) => id)
		.sort();
};

describe('The compiled node against the service', () => {
	it.each(LIST_FILTERS.filter(({ query }) => query !== undefined))(
		'lets the service filter by $query, of which it lists what the filter matches',
		async (filter) => {
			const name = String(filter.query);
			const example = exampleOf(filter);
			const found = ids(await getMany({ [filter.fields[0].name]: example })).sort();
			expect(found.length).toBeGreaterThan(0);
			expect(found.length).toBeLessThan(RECORDS);
			expect(sandbox.requests.entries.filter(({ query }) => !(name in query))).toEqual([]);
			if (filter.matches) expect(found).toEqual(idsMatched(filter, example));
		},
	);
});
