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

	it('that ask the same are answered by one request, and get a copy each', async () => {
		const asked = answerPages(named('lic_lee'), named('lic_bay', 'Bay'));
		const ran = await byCounty(['Lee', 'Bay', 'lee county', 'Lee']);
		expect(asked).toHaveLength(2);
		expect(ids(ran)).toEqual(['lic_lee', 'lic_bay', 'lic_lee', 'lic_lee']);
		const [first, , second] = ran.items;
		expect(second?.json).toEqual(first?.json);
		expect(second?.json.address).not.toBe(first?.json.address);
	});

	it('may choose another output for the same records', async () => {
		answerPages(named('lic_lee'), named('lic_lee'));
		const ran = await runLicense(
			{ operation: 'getAll', output: '={{ $json.output }}' },
			{ items: [{ output: 'crmLead' }, { output: 'simplified' }] },
		);
		const numbers = ran.items.map(({ json }) => json.licenseNumber);
		expect(numbers).toEqual(['COP-2026-001234', 'COP-2026-001234']);
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
	it('gives the failure as an item in its place, runs the rest, and does not ask again for what failed', async () => {
		answerPages(named('lic_lee'), [401, {}], named('lic_clay', 'Clay'));
		const counties = ['Lee', 'Bay', 'Fulton', 'Clay', 'Bay'];
		const { items, error } = await byCounty(counties, { continueOnFail: true });
		expect(error).toBeUndefined();
		expect(items.map(({ json, pairedItem }) => [json.id ?? json.error, pairedItem])).toEqual([
			['lic_lee', { item: 0 }],
			['The API key was not accepted [item 1]', { item: 1 }],
			["'Counties' has a value that is not in its list: Fulton [item 2]", { item: 2 }],
			['lic_clay', { item: 3 }],
			['The API key was not accepted [item 4]', { item: 4 }],
		]);
		expect(items[1]?.json.message).toContain('Copy the key');
	});

	it('never passes half a list off as a whole one', async () => {
		answerPages(page(licenses(50), 'b'), [403, {}]);
		const { items } = await byCounty(['Lee'], { continueOnFail: true }, { returnAll: true });
		expect(items.map(({ json }) => Object.keys(json))).toEqual([['error', 'message']]);
	});

	it('tells an unknown operation in words', async () => {
		const ran = await runLicense({ operation: 'constructor' }, { continueOnFail: true });
		expect(ran.items[0]?.json).toEqual({
			error: "'Operation' has a value that this node does not know",
			message: 'Choose one of: count, export, get, getAll, match, search.',
		});
	});
});
