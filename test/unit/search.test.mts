import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { answer, useAnswers } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { inCounty, licenses, page } from '../support/records.mts';

useAnswers();

const search = (parameters: IDataObject) =>
	runLicense({ operation: 'search', query: 'oyster', ...parameters });

describe('Search', () => {
	it.each([
		['the words alone', {}, { q: 'oyster', limit: '50' }],
		[
			'words that commas stand between',
			{ query: '  , oyster, miami ' },
			{ q: 'oyster miami', limit: '50' },
		],
		[
			'a limit and a county',
			{ limit: 7, filters: { counties: 'lee county' } },
			{ q: 'oyster', county: 'Lee', limit: '7' },
		],
	])('asks for %s', async (_, parameters, query) => {
		const asked = answer('/licenses/search', page(inCounty('Lee', licenses(1))));
		expect((await search(parameters)).error).toBeUndefined();
		expect(asked.map((request) => request.query)).toEqual([query]);
	});

	it.each([
		['a page', page(licenses(2))],
		['data alone', { data: licenses(2) }],
		['a bare array', licenses(2)],
	])('understands %s', async (_, body) => {
		answer('/licenses/search', body);
		expect((await search({})).items.map(({ json }) => json)).toEqual(licenses(2));
	});

	it('says above the output that it finds nothing', async () => {
		answer('/licenses/search', { data: [] });
		const { items, error, hints } = await search({});
		expect({ items, error }).toEqual({ items: [], error: undefined });
		expect(hints).toEqual([expect.stringContaining("Nothing was found for 'oyster'")]);
	});

	it('asks for each of several counties, and takes from them in turns', async () => {
		const asked = answer(
			'/licenses/search',
			inCounty('Lee', licenses(3)),
			inCounty('Bay', licenses(1, 11)),
		);
		const { items, hints } = await search({ filters: { counties: ['Lee', 'Bay'] }, limit: 3 });
		expect(asked.map(({ query }) => query.county)).toEqual(['Lee', 'Bay']);
		expect(items.map(({ json }) => json.id)).toEqual(['lic_1', 'lic_11', 'lic_2']);
		expect(hints).toEqual([]);
	});

	it.each([
		['pizza tampa', 50, ["your service may find 'pizza tampa' only where"]],
		['pizza', 50, []],
		['pizza tampa', 2, []],
	])(
		"hints that more may have all words where it finds some by several and is below its limit: '%s', %i",
		async (query, limit, said) => {
			answer('/licenses/search', page(licenses(2)));
			const { items, hints } = await search({ query, limit });
			expect(items).toHaveLength(2);
			expect(hints).toEqual(said.map((words) => expect.stringContaining(words)));
		},
	);

	it('says so a few times where many items find nothing', async () => {
		const items = Array.from({ length: 9 }, (_, at) => ({ name: `oyster ${at}` }));
		answer('/licenses/search', ...items.map(() => ({ data: [] })));
		const { hints } = await runLicense(
			{ operation: 'search', query: '={{ $json.name }}' },
			{ items },
		);
		expect(hints).toHaveLength(3);
	});

	it('returns no more than the limit, whatever the service sends', async () => {
		answer('/licenses/search', licenses(10));
		expect((await search({ limit: 3 })).items).toHaveLength(3);
	});

	it.each([
		[{ query: '={{ $json.missing }}' }, "'Query' is empty"],
		[{ limit: 51 }, "'Limit' is not a whole number from 1 to 50"],
		[{ limit: 0 }, "'Limit' is not a whole number from 1 to 50"],
		[{ filters: { counties: 'Fulton' } }, "'Counties' has a value that is not in its list: Fulton"],
	])('refuses %o before a request', async (parameters, message) => {
		const { error } = await search(parameters as IDataObject);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
		expect(error?.description).toBeTruthy();
	});
});

it.each([
	['4COP', 'COP'],
	['3PS', 'APS'],
])(
	'Who looks for %s by Search or Free Text is led to the type that holds it',
	async (series, type) => {
		const told = expect.stringContaining(`Choose '${type}' under 'License Types'`);
		const searched = await runLicense({ operation: 'search', query: series });
		expect(searched.error).toMatchObject({ description: told });
		const listed = await runLicense({ operation: 'getAll', filters: { query: series } });
		expect(listed.error).toMatchObject({ description: told });
	},
);
