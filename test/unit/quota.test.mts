import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { Action } from '../../nodes/LicensingData/actions/action.ts';
import { getMany } from '../../nodes/LicensingData/actions/getMany.ts';
import { answer, answerPages, quotaHeaders, useAnswers } from '../support/answers.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { ListService, runAction } from '../support/list-service.mts';
import { license, licenses, page } from '../support/records.mts';

useAnswers();

/** Nearly used up for an hour. */
const LITTLE_LEFT = quotaHeaders(100, 5, 3600);

const found = { data: license() };
/** It may be in any county. */
const anywhere = license({ address: null });

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
			/licenses/,
			[
				[200, []],
				[200, [license()]],
			],
			{ operation: 'match', businessName: 'Rusty Anchor', street: '100 Bay St', city: 'Tampa' },
		],
		[
			'Search',
			/search/,
			Array.from({ length: 7 }, () => [200, [anywhere]]),
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
		expect(new Set(ids(ran))).toEqual(new Set([license().id]));
	});

	const getByCounty = (counties: string[], options: IDataObject = {}) =>
		runLicense(
			{ operation: 'getAll', filters: { counties: '={{ $json.county }}' }, options },
			{
				items: counties.map((county, item) => ({ county, requests: item || undefined })),
				continueOnFail: true,
			},
		);

	it('Get Many leaves it to triggers, also from one item to the next', async () => {
		answerPages([200, page([anywhere]), LITTLE_LEFT]);
		const { items } = await getByCounty(['Lee', 'Bay']);
		expect(items.map(({ json }) => json.id ?? json.error)).toEqual([
			license().id,
			'The quota of the plan is nearly used up [item 1]',
		]);
	});

	it('Get Many uses it where a number is given', async () => {
		const one: [number, object, typeof LITTLE_LEFT] = [200, page([anywhere]), LITTLE_LEFT];
		answerPages(one, one);
		const options = { parallelRequests: '={{ $json.requests }}' };
		expect(ids(await getByCounty(['Lee', 'Bay'], options))).toHaveLength(2);
	});
});

describe('A quota that is nearly used up for an hour', () => {
	const START = Date.parse('2026-07-01T00:00:00Z');
	/** A minute apart; the first page is half a day old. */
	const listed = Array.from({ length: 20_000 }, (_, rank) => {
		const eventTimestamp = new Date(START - rank * 60_000).toISOString();
		return license({ id: `lic_${rank}`, eventTimestamp, filedDate: eventTimestamp.slice(0, 10) });
	});

	it.each<[what: string, parameters: IDataObject, expected: number]>([
		['50 licenses that stand on the first page', { returnAll: false, limit: 50 }, 50],
		[
			'a date that the first page has passed already',
			{ returnAll: true, filters: { filedAfter: '2026-07-03' } },
			0,
		],
	])('is not asked for more than is needed: %s', async (_, parameters, expected) => {
		const service: ListService = new ListService(listed, {
			before: ({ query }) => ({
				statusCode: 200,
				headers: quotaHeaders(100, 10, 3600),
				body: service.page(query),
			}),
		});
		const { items } = await runAction(getMany as Action, service, parameters);
		expect(items).toHaveLength(expected);
		expect(service.requests).toHaveLength(1);
	});
});

describe('A quota of five requests a minute', () => {
	afterEach(() => {
		vi.useRealTimers();
	});

	/** Renewed every minute, at a moment that is given in whole seconds since 1970, rounded up. */
	function fiveAMinute(): () => IDataObject {
		const start = Date.now();
		let [minute, used] = [0, 0];
		return () => {
			const now = Math.floor((Date.now() - start) / 60_000);
			if (now > minute) [minute, used] = [now, 0];
			if (++used > 5) throw new Error('More than five requests in a minute');
			return {
				date: new Date(Date.now()).toUTCString(),
				...quotaHeaders(5, 5 - used, Math.ceil((start + (minute + 1) * 60_000) / 1000)),
			};
		};
	}

	/** Lets a node run while the clock jumps from one wait to the next. */
	async function readAll(count: number) {
		vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
		vi.setSystemTime(1_800_000_000_400);
		const headers = fiveAMinute();
		const service: ListService = new ListService(licenses(count), {
			before: ({ query }) => ({ statusCode: 200, headers: headers(), body: service.page(query) }),
		});
		let isDone = false;
		const reading = runAction(getMany as Action, service, { returnAll: true }).finally(
			() => (isDone = true),
		);
		reading.catch(() => {});
		while (!isDone) {
			await new Promise(setImmediate);
			await vi.advanceTimersByTimeAsync(1000);
		}
		return { service, reading };
	}

	it('is enough for 300 licenses, with waits that a log line announces', async () => {
		const { service, reading } = await readAll(300);
		const read = await reading;
		expect(read.items).toHaveLength(300);
		expect(service.requests).toHaveLength(6);
		expect(read.log).toEqual([
			expect.stringMatching(/^Waits 6\d seconds for the plan's quota to be renewed$/),
		]);
	});

	it('is too small for 30,000, and that is said after the first page', async () => {
		const { service, reading } = await readAll(30_000);
		await expect(reading).rejects.toThrow('The quota of the plan is too small for this list');
		expect(service.requests).toHaveLength(1);
	});
});
