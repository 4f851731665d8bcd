import { describe, expect, it } from 'vitest';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { answer, answerPages, CREDENTIALS, useAnswers } from '../support/answers.mts';
import { loadOptionsOf } from '../support/host.mts';
import { license, page } from '../support/records.mts';

useAnswers();

/** Opens the locator's list as the editor does. */
async function openList(filter?: string, paginationToken?: string) {
	const nodeType = new LicensingData();
	const context = loadOptionsOf(
		{ nodeType, credentialType: new LicensingDataApi(), credentials: CREDENTIALS },
		{ resource: 'license', operation: 'get' },
	);
	return await nodeType.methods.listSearch.searchLicenses.call(context, filter, paginationToken);
}

describe('The list to choose a license from', () => {
	it('shows a name, a city and a number, and links to the source', async () => {
		const asked = answerPages(page([license()]));
		expect(await openList()).toEqual({
			results: [
				{
					name: 'The Rusty Anchor · Tampa · COP-2026-001234',
					value: 'lic_8f3k2m',
					url: 'https://records.example.com/COP-2026-001234',
				},
			],
			paginationToken: undefined,
		});
		expect(asked[0]?.query).toEqual({ limit: '50' });
	});

	it.each(['javascript:alert(1)', 'file:///etc/passwd', '//records.example.com', 7])(
		'links nowhere where the source is no web address: %j',
		async (sourceUrl) => {
			answerPages(page([license({ sourceUrl: sourceUrl as string })]));
			expect((await openList()).results[0]).not.toHaveProperty('url', expect.anything());
		},
	);

	it('finds a license number as well, in any case, and lists once what its words find, too', async () => {
		const bar = license({ id: 'lic_54', licenseNumber: 'BAR-54' });
		answer(/\/BAR-54$/, { data: bar });
		answerPages(page([license(), bar]));
		const { results } = await openList('bar-54');
		expect(results.map(({ value }) => value)).toEqual(['lic_54', 'lic_8f3k2m']);
	});

	it('is searched by the service, and goes on where the user scrolls', async () => {
		const asked = answerPages(page([license()], 'second'), page([license({ id: 'lic_2' })]));
		const first = await openList(' oyster ');
		const second = await openList(' oyster ', first.paginationToken as string);
		expect(second).toMatchObject({ results: [{ value: 'lic_2' }], paginationToken: undefined });
		expect(asked.map(({ query }) => query)).toEqual([
			{ q: 'oyster', limit: '50' },
			{ q: 'oyster', limit: '50', cursor: 'second' },
		]);
	});

	it.each([null, ''])('offers a license by its number where its ID is %j', async (id) => {
		answerPages(page([license({ id })]));
		expect((await openList()).results).toMatchObject([{ value: 'COP-2026-001234' }]);
	});

	it('says what is wrong in the same words as a run', async () => {
		answerPages([401, {}]);
		const message = 'The API key was not accepted';
		await expect(openList()).rejects.toMatchObject({ message, httpCode: '401' });
	});
});
