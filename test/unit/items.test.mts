import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { answerPages, useAnswers } from '../support/answers.mts';
import type { RunOptions } from '../support/host.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { inCounty, license, licenses, page } from '../support/records.mts';

useAnswers();

const byCounty = (
	counties: string[],
	more: Partial<RunOptions> = {},
	parameters: IDataObject = {},
) =>
	runLicense(
		{ operation: 'getAll', filters: { counties: '={{ $json.county }}' }, ...parameters },
		{ items: counties.map((county) => ({ county })), ...more },
	);

const named = (id: string, county = 'Lee') => page(inCounty(county, [license({ id })]));

describe('Several items', () => {
	it('are run in order, and each license points back to its item', async () => {
		const asked = answerPages(
			page(inCounty('Lee', licenses(2))),
			named('lic_bay', 'Bay'),
			page(inCounty('Clay', licenses(1, 3))),
		);
		const ran = await byCounty(['Lee', 'Bay', 'Clay']);
		expect(asked.map(({ query }) => query.county)).toEqual(['Lee', 'Bay', 'Clay']);
		expect(ran.items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
			['lic_1', { item: 0 }],
			['lic_2', { item: 0 }],
			['lic_bay', { item: 1 }],
			['lic_3', { item: 2 }],
		]);
	});

	it('that ask the same are answered by one request', async () => {
		const asked = answerPages(named('lic_lee'), named('lic_bay', 'Bay'));
		const ran = await byCounty(['Lee', 'Bay', 'lee county', 'Lee']);
		expect(asked).toHaveLength(2);
		expect(ids(ran)).toEqual(['lic_lee', 'lic_bay', 'lic_lee', 'lic_lee']);
		expect(ran.items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
	});

	it('that ask the same get a copy each', async () => {
		answerPages(named('lic_lee'));
		const { items } = await byCounty(['Lee', 'Lee']);
		expect(items[1]?.json).toEqual(items[0]?.json);
		expect(items[1]?.json).not.toBe(items[0]?.json);
		expect(items[1]?.json.address).not.toBe(items[0]?.json.address);
	});

	it('may choose another output for the same records', async () => {
		answerPages(named('lic_lee'), named('lic_lee'));
		const ran = await runLicense(
			{ operation: 'getAll', output: '={{ $json.output }}' },
			{ items: [{ output: 'crmLead' }, { output: 'simplified' }] },
		);
		expect(ran.items.map(({ json }) => json.licenseNumber)).toEqual([
			'COP-2026-001234',
			'COP-2026-001234',
		]);
	});

	it('stop at the first that is refused, and the message names it', async () => {
		answerPages(named('lic_lee'));
		const { error, items } = await byCounty(['Lee', 'Fulton', 'Bay']);
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			message: "'Counties' has a value that is not in its list: Fulton [item 1]",
			context: { itemIndex: 1 },
		});
	});
});

describe('Continue on fail', () => {
	it('gives the failure as an item in its place, and runs the rest', async () => {
		answerPages(named('lic_lee'), [401, {}], named('lic_clay', 'Clay'));
		const { items, error } = await byCounty(['Lee', 'Bay', 'Fulton', 'Clay'], {
			continueOnFail: true,
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json, pairedItem }) => [json.id ?? json.error, pairedItem])).toEqual([
			['lic_lee', { item: 0 }],
			['The API key was not accepted [item 1]', { item: 1 }],
			["'Counties' has a value that is not in its list: Fulton [item 2]", { item: 2 }],
			['lic_clay', { item: 3 }],
		]);
		expect(items[1]?.json.message).toContain('Copy the key');
	});

	it('never passes half a list off as a whole one', async () => {
		answerPages(page(licenses(50), 'b'), [403, {}]);
		const { items } = await byCounty(['Lee'], { continueOnFail: true }, { returnAll: true });
		expect(items.map(({ json }) => Object.keys(json))).toEqual([['error', 'message']]);
	});

	it('does not ask again for what failed a moment ago', async () => {
		const asked = answerPages([403, {}]);
		const { items } = await byCounty(['Lee', 'Lee'], { continueOnFail: true });
		expect(asked).toHaveLength(1);
		expect(items.map(({ json }) => json.error)).toEqual([
			'The API key does not allow this [item 0]',
			'The API key does not allow this [item 1]',
		]);
	});

	it('tells an unknown operation in words', async () => {
		const ran = await runLicense({ operation: 'constructor' }, { continueOnFail: true });
		expect(ran.items.map(({ json }) => json)).toEqual([
			{
				error: "'Operation' has a value that this node does not know",
				message: 'Choose one of: count, export, get, getAll, match, search.',
			},
		]);
	});
});
