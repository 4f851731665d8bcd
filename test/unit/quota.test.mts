import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { answer, answerPages, useAnswers } from '../support/answers.mts';
import { ids, runLicense } from '../support/license-node.mts';
import { license, page } from '../support/records.mts';

useAnswers();

/** Nearly used up for an hour. */
const LITTLE_LEFT = {
	'x-ratelimit-limit': '100',
	'x-ratelimit-remaining': '5',
	'x-ratelimit-reset': '3600',
};

const found = { data: license() };

describe('Where less than a tenth of the quota is left', () => {
	it.each<[string, RegExp, Array<[number, object]>, IDataObject]>([
		[
			'Get',
			/COP-1$/i,
			[
				[404, {}],
				[200, found],
			],
			{ operation: 'get', licenseId: 'cop-1' },
		],
		[
			'Match',
			/search/,
			[
				[200, []],
				[200, [license()]],
			],
			{ operation: 'match', businessName: 'Rusty Anchor', street: '100 Bay St', city: 'Tampa' },
		],
		[
			'Search',
			/search/,
			Array.from({ length: 7 }, (_, at) => [200, at === 0 ? [license()] : []]),
			{
				operation: 'search',
				query: 'anchor',
				filters: { counties: 'Lee, Bay, Clay, Polk, Leon, Levy, Duval' },
			},
		],
	])('%s uses it, since it asks a few times only', async (_, path, replies, parameters) => {
		answer(
			path,
			...replies.map(([status, body]): [number, object, object] => [status, body, LITTLE_LEFT]),
		);
		const ran = await runLicense(parameters);
		expect(ran.error).toBeUndefined();
		expect(ids(ran)).toEqual([license().id]);
	});

	const getMany = (counties: string[], options: IDataObject = {}) =>
		runLicense(
			{ operation: 'getAll', filters: { counties: '={{ $json.county }}' }, options },
			{
				items: counties.map((county, item) => ({ county, requests: item || undefined })),
				continueOnFail: true,
			},
		);

	it('Get Many leaves it to triggers, also from one item to the next', async () => {
		answerPages([200, page([license()]), LITTLE_LEFT]);
		const { items } = await getMany(['Lee', 'Bay']);
		expect(items.map(({ json }) => json.id ?? json.error)).toEqual([
			license().id,
			'The quota of the plan is nearly used up [item 1]',
		]);
	});

	it('Get Many uses it where a number is given', async () => {
		const one: [number, object, typeof LITTLE_LEFT] = [200, page([license()]), LITTLE_LEFT];
		answerPages(one, one);
		const options = { parallelRequests: '={{ $json.requests }}' };
		expect(ids(await getMany(['Lee', 'Bay'], options))).toHaveLength(2);
	});
});
