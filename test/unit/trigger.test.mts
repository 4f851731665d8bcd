import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingDataTrigger } from '../../nodes/LicensingData/LicensingDataTrigger.node.ts';
import type { License } from '../../nodes/LicensingData/api/types.ts';
import { parameters } from '../../nodes/LicensingData/polling/parameters.ts';
import { instant } from '../../nodes/LicensingData/polling/instant.ts';
import {
	answer,
	answerPages,
	API_KEY,
	BASE_URL,
	service,
	useAnswers,
} from '../support/answers.mts';
import { Poller } from '../support/poller.mts';
import { page } from '../support/records.mts';

useAnswers();

const trigger = (parameters: IDataObject = {}, budget?: number | null) =>
	new Poller({
		nodeType: new LicensingDataTrigger(),
		credentialType: new LicensingDataApi(),
		credentials: { baseUrl: BASE_URL, apiKey: API_KEY },
		parameters,
		budget,
	});

const filing = (id: string, more: License = {}) => ({
	id,
	eventType: 'new_filing',
	eventTimestamp: `2026-07-01T00:00:${id.padStart(2, '0')}Z`,
	...more,
});

describe('the polling trigger', () => {
	it('emits what is new since the last poll, oldest first, in the chosen form', async () => {
		const poller = trigger({ output: 'selectedFields', fields: ['status'] });
		answerPages(page([filing('1')]), page([filing('3'), filing('2'), filing('1')]));
		expect(await poller.activate()).toEqual([]);
		expect(await poller.poll()).toEqual([
			{ id: '2', status: null },
			{ id: '3', status: null },
		]);
	});

	const filters = parameters.find(({ name }) => name === 'filters')?.options as INodeProperties[];

	it.each(filters)('asks the service for the one filter chosen: $displayName', async (filter) => {
		const [choice] = (filter.options ?? []) as INodePropertyOptions[];
		const value = choice ? [choice.value] : 'some words';
		const asked = answerPages(page([]));
		await trigger({ filters: { [filter.name]: value } }).activate();
		// How many a page may hold, new filings, and the filter.
		expect(Object.keys(asked[0]?.query ?? {})).toHaveLength(3);
	});

	it('asks nothing where n8n leaves it no time, and says so', async () => {
		await expect(trigger({}, 50).activate()).rejects.toThrow('There was no time left');
	});

	it('tells why the service did not answer, where there is no time for another try', async () => {
		answerPages([503, {}, { 'retry-after': '1.45' }]);
		await expect(trigger({}, 1500).activate()).rejects.toThrow('could not answer (HTTP 503)');
	});

	it('notes in the log what it could not read below the events that it brings', async () => {
		const poller = trigger();
		answerPages(page([filing('1')]));
		await poller.activate();
		answerPages(page([filing('2')], 'second'), [403, {}]);
		expect(await poller.poll()).toMatchObject([{ id: '2' }]);
		expect(poller.warnings).toEqual([
			'The list was not read to its end, and the next poll goes on: The API key does not allow this',
		]);
	});

	describe('that goes on where a poll left off', () => {
		afterEach(() => {
			vi.useRealTimers();
		});

		it('reads the top of the list in time, where that place fails slowly and for good', async () => {
			vi.useFakeTimers({ toFake: ['Date'] });
			const answerIn = (
				seconds: number,
				cursor: string | undefined,
				body: object | undefined,
				scope = service(),
			) =>
				scope
					.get('/licenses')
					.query((query) => query.cursor === cursor)
					.reply(() => {
						vi.setSystemTime(Date.now() + seconds * 1000);
						return body ? [200, body] : [503, {}, { 'retry-after': '0' }];
					});
			const poller = trigger({}, 45_000);
			answerPages(page([filing('1')]));
			await poller.activate();
			answerIn(40, undefined, page([filing('3')], 'second'));
			expect(await poller.poll()).toMatchObject([{ id: '3' }]);

			answerIn(7, 'second', undefined, service().persist());
			answerIn(1, undefined, page([filing('4'), filing('3')], 'second'));
			expect(await poller.poll()).toMatchObject([{ id: '4' }]);
		});
	});

	it.each([
		[{ filters: { counties: ['Atlantis'] } }, "'Counties'"],
		[{ filters: { licenseTypes: ['WINE'] } }, "'License Types'"],
		[{ eventTypes: ['opening'] }, "'Event Types'"],
		[{ options: { lookbackHours: 0 } }, "'Lookback Hours'"],
		[{ options: { maxItems: 1.5 } }, "'Max Items'"],
		[{ options: { startFrom: 'soon' } }, "'Start From'"],
		[{ output: 'everything' }, "'Output'"],
	])('refuses %j before it asks anything, and names the parameter', async (parameters, name) => {
		await expect(trigger(parameters).activate()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringContaining(name),
		});
	});

	it('shows the latest matching events as a test, however deep they lie', async () => {
		const poller = trigger({ filters: { counties: ['Lee', 'Bay'] } });
		answerPages(
			page([filing('3', { address: { county: 'Polk' } })], 'further'),
			page([filing('2', { address: { county: 'LEE COUNTY' } })]),
		);
		expect(await poller.fetchTestEvent()).toMatchObject([{ id: '2' }]);
	});

	it('says why there is no test event', async () => {
		answerPages(page([]));
		await expect(trigger().fetchTestEvent()).rejects.toThrow('No license matches yet');
		answer('/licenses', [403, {}]);
		await expect(trigger().fetchTestEvent()).rejects.toThrow('The API key does not allow this');
	});

	it('polls on hosts that cannot say how long a poll may take', async () => {
		answerPages(page([filing('1')]));
		expect(await trigger({}, null).activate()).toEqual([]);
	});
});

describe('a moment that a user picks', () => {
	it.each([
		['2026-07-01T00:00:00', 'America/New_York', '2026-07-01T04:00:00.000Z'],
		['2026-01-01', 'America/New_York', '2026-01-01T05:00:00.000Z'],
		['2026-07-01 12:30', 'Asia/Kolkata', '2026-07-01T07:00:00.000Z'],
		['2026-07-01T00:00:00Z', 'America/New_York', '2026-07-01T00:00:00.000Z'],
		['2026-07-01T00:00:00.000-07:00', 'America/New_York', '2026-07-01T07:00:00.000Z'],
		[new Date('2026-07-01T00:00:00Z'), 'America/New_York', '2026-07-01T00:00:00.000Z'],
	])('%s in %s is %s', (given, timeZone, meant) => {
		expect(new Date(instant('Start From', given, timeZone) ?? 0).toISOString()).toBe(meant);
	});

	it('may be left out', () => {
		expect(instant('Start From', '', 'America/New_York')).toBeUndefined();
	});

	it.each(['soon', '2026-13-01', '01.07.2026', '2026-07-01T25:00:00', 20260701])(
		'%s is refused',
		(given) => {
			expect(() => instant('Start From', given, 'America/New_York')).toThrow(
				"'Start From' is not a date",
			);
		},
	);
});
