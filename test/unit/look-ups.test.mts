import type { IDataObject } from 'n8n-workflow';

import { answer, answerPages, CREDENTIALS, useAnswers } from '../support/answers.mts';
import { ids, openList, runLicense } from '../support/nodes.mts';
import { inCounty, license, licenses, page } from '../support/records.mts';

useAnswers();

describe('Get', () => {
	const get = (licenseId: unknown) => runLicense({ operation: 'get', licenseId } as IDataObject);
	const locator = (value: unknown, mode = 'id') => ({ __rl: true, mode, value });

	it.each([
		['a license number in small letters', locator('bev0000001'), 'BEV0000001'],
		['a choice from the list', locator('lic_8f3k2m', 'list'), 'lic_8f3k2m'],
		['a bare text, as an expression or an agent gives it', 'lic_8f3k2m', 'lic_8f3k2m'],
		['an ID with blanks around it', locator('  lic_8f3k2m '), 'lic_8f3k2m'],
		['what only begins and ends as another address', locator('search-1..'), 'SEARCH-1..'],
		['characters that mean something in an address', locator('A&B=C+Ü'), 'A%26B%3DC%2B%C3%9C'],
	])('brings the license for %s', async (_, value, path) => {
		const asked = answer(/./, { data: license() });
		expect((await get(value)).items.map(({ json }) => json)).toEqual([license()]);
		expect(asked).toEqual([{ path: `/v1/licenses/${path}`, query: {} }]);
	});

	const NO_ID = "'License' is not an ID or a license number: ";
	const AWAY = 'search|..|../webhooks|lic_1/events|lic_1\\events|lic_1#top|lic 1'.split('|');

	it.each<[value: unknown, message: string]>([
		...AWAY.map((value): [unknown, string] => [locator(value), NO_ID + value]),
		[locator('/'.repeat(99)), NO_ID + '/'.repeat(60)],
		[locator('={{ $json.missing }}'), "'License' is empty"],
		['={{ null }}', "'License' is empty"],
		[locator('x'.repeat(201)), "'License' is longer than 200 characters"],
	])('refuses %j before a request', async (value, message) => {
		const advice = message.startsWith(NO_ID) ? /^An ID looks like lic_8f3k2m, .* Search/ : /./;
		const { error } = await get(value);
		expect(error).toMatchObject({ message, description: expect.stringMatching(advice) });
	});

	it('says that no license matches what was asked for', async () => {
		answer(/./, [404, { error: { type: 'not_found', message: 'No such license.' } }]);
		const { error } = await get(locator('COP-1'));
		expect(error).toMatchObject({ message: "No license matches 'COP-1'", httpCode: '404' });
		const said = /^The service says: "No such license\." .*license number looks like BEV1234567/;
		expect(error?.description).toMatch(said);
	});
});

describe('The list to choose a license from', () => {
	it('shows name, city and number, and links to a web address', async () => {
		const odd = license({ id: null, businessName: null, sourceUrl: 'javascript:alert(1)' });
		const bare = { id: 'lic_2', businessName: 'Harbor', address: null };
		const asked = answerPages(page([license(), odd, bare]));
		const [number, url] = ['COP-2026-001234', license().sourceUrl];
		const results = [
			{ name: `The Rusty Anchor · Tampa · ${number}`, value: 'lic_8f3k2m', url },
			{ name: `Tampa · ${number}`, value: number, url: undefined },
			{ name: 'Harbor', value: 'lic_2', url: undefined },
		];
		expect(await openList()).toEqual({ results, paginationToken: undefined });
		expect(asked[0]?.query).toEqual({ limit: '50' });
	});

	it('finds a license number as well, and lists it once', async () => {
		const bar = license({ id: 'lic_54', licenseNumber: 'BAR-54' });
		answer(/\/BAR-54$/, { data: bar });
		answerPages(page([license(), bar]));
		const { results } = await openList(CREDENTIALS, 'bar-54');
		expect(results.map(({ value }) => value)).toEqual(['lic_54', 'lic_8f3k2m']);
		const further = answer(/./, page([]));
		await openList(CREDENTIALS, 'bar-54', 'second');
		expect(further.map(({ path }) => path)).toEqual(['/v1/licenses']);
	});

	it('is searched by the service, and goes on where the user scrolls', async () => {
		const asked = answer(/./, page([license()], 'second'), page([license({ id: 'lic_2' })]));
		const first = await openList(CREDENTIALS, ' pier 60 ');
		const second = await openList(CREDENTIALS, ' pier 60 ', first.paginationToken as string);
		expect(second).toMatchObject({ results: [{ value: 'lic_2' }], paginationToken: undefined });
		const query = { q: 'pier 60', limit: '50' };
		expect(asked.map(({ path }) => path)).toEqual(['/v1/licenses', '/v1/licenses']);
		expect(asked.map((one) => one.query)).toEqual([query, { ...query, cursor: 'second' }]);
	});

	it('says what is wrong in the same words as a run', async () => {
		answerPages([401, {}]);
		const message = 'The API key was not accepted';
		await expect(openList()).rejects.toMatchObject({ message, httpCode: '401' });
	});
});

describe('Search', () => {
	const search = (parameters: IDataObject) =>
		runLicense({ operation: 'search', query: 'oyster', ...parameters });

	const PATH = '/licenses/search';

	it('asks the service for single words, and brings no more than the limit', async () => {
		const asked = answer(PATH, page(licenses(60)));
		expect((await search({ query: '  , oyster, miami ' })).items).toHaveLength(50);
		expect(asked[0]?.query).toEqual({ q: 'oyster miami', limit: '50' });
	});

	it('asks for each of several counties, and takes from them in turns', async () => {
		const asked = answer(PATH, inCounty('Lee', licenses(3)), inCounty('Bay', licenses(1, 11)));
		const ran = await search({ filters: { counties: 'lee county, Bay' }, limit: 3 });
		expect(asked.map(({ query }) => query.county)).toEqual(['Lee', 'Bay']);
		expect(asked.map(({ query }) => query.limit)).toEqual(['3', '3']);
		expect(ids(ran)).toEqual(['lic_1', 'lic_11', 'lic_2']);
	});

	it.each([
		['oyster', 0, 50, ["Nothing was found for 'oyster'"]],
		['pizza tampa', 2, 50, ["your service may find 'pizza tampa' only where"]],
		['pizza', 2, 50, []],
		['pizza tampa', 2, 2, []],
	])("says what may find more: '%s' found %i of at most %i", async (query, found, limit, said) => {
		answer(PATH, { data: licenses(found) });
		const { items, error, hints } = await search({ query, limit });
		expect([items.length, error]).toEqual([found, undefined]);
		expect(hints).toEqual(said.map((words) => expect.stringContaining(words)));
	});

	it('says so a few times where many items find nothing', async () => {
		const items = Array.from({ length: 9 }, (_, at) => ({ name: `oyster ${at}` }));
		answer(PATH, ...items.map(() => ({ data: [] })));
		const query = '={{ $json.name }}';
		expect((await runLicense({ operation: 'search', query }, { items })).hints).toHaveLength(3);
	});
});
