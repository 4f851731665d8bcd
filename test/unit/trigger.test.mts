import type { IDataObject } from 'n8n-workflow';
import nock from 'nock';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { eventId } from '../../nodes/LicensingData/domain/eventIdentity.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { instant } from '../../nodes/LicensingData/parameters/instant.ts';
import {
	answer,
	answerPages,
	API_KEY,
	BASE_URL,
	CREDENTIALS,
	service,
	useAnswers,
} from '../support/answers.mts';
import { page } from '../support/records.mts';
import { pollerOf } from '../support/nodes.mts';
import { skipWaits } from '../support/waits.mts';

useAnswers();

const trigger = (parameters: IDataObject = {}, budget?: number | null) =>
	pollerOf(CREDENTIALS, parameters, { budget });

const filing = (id: string, more: License = {}) => ({
	id,
	businessName: 'The Rusty Anchor',
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
			{ id: '2', eventId: eventId(filing('2')), status: null },
			{ id: '3', eventId: eventId(filing('3')), status: null },
		]);
	});

	it.each<[filters: IDataObject, event: License]>([
		[{ counties: ['St. Johns'] }, { address: { county: 'saint-johns' } }],
		[{ licenseTypes: ['allLiquor'] }, { licenseType: 'cop' }],
		[{ status: 'Active' }, { status: 'ACTIVE' }],
		[{ query: 'oyst tampa' }, { businessName: "Joe's Oyster Bar", address: { city: 'Tampa' } }],
	])(
		'asks the service for the event alone, and picks what matches itself: %j',
		async (filters, event) => {
			const poller = trigger({ filters });
			const asked = answerPages(
				page([filing('0')]),
				page([filing('2'), filing('1', event), filing('0')]),
			);
			await poller.activate();
			expect(await poller.poll()).toMatchObject([{ id: '1' }]);
			expect(asked.map(({ query }) => query)).toEqual(
				asked.map(() => ({ event_type: 'new_filing', limit: '50' })),
			);
		},
	);

	describe('whose plan covers one county alone', () => {
		const inLee = (id: string) => filing(id, { address: { county: 'Lee' } });
		const refused = [403, {}] as [number, object];

		it('asks for that county once the service has refused the rest, and remembers it', async () => {
			const poller = trigger({ filters: { counties: ['Lee'] } });
			const asked = answerPages(refused, page([inLee('1')]), page([inLee('2'), inLee('1')]));
			expect(await poller.activate()).toEqual([]);
			expect(await poller.poll()).toMatchObject([{ id: '2' }]);
			expect(asked.map(({ query }) => query.county)).toEqual([undefined, 'Lee', 'Lee']);
		});

		it('shows a test event', async () => {
			// There are no new filings, but there are licenses.
			answerPages(page([]), refused, page([inLee('1')]));
			expect(await trigger({ filters: { counties: ['Lee'] } }).fetchTestEvent()).toMatchObject([
				{ id: '1' },
			]);
		});

		it.each([
			['where it wants everything', {}, 1],
			['where it wants more counties', { filters: { counties: ['Lee', 'Bay'] } }, 1],
			['where the key allows nothing', { filters: { counties: ['Lee'] } }, 2],
		])('is told so %s', async (_, parameters, refusals) => {
			answerPages(...Array.from({ length: refusals }, () => refused));
			await expect(trigger(parameters).activate()).rejects.toThrow(
				'The API key does not allow this',
			);
		});
	});

	it('filters by place itself, and says how far away an event is', async () => {
		const inTampa = (id: string) => ({ ...filing(id), address: { zip: '33602', city: 'Tampa' } });
		const inMiami = (id: string) => ({ ...filing(id), address: { zip: '33131', city: 'Miami' } });
		const near = { area: { center: '33605', radius: 10, unit: 'miles' } };
		const poller = trigger({ filters: { near }, output: 'raw' });
		const asked = answerPages(
			page([filing('0')]),
			page([inTampa('3'), inMiami('2'), filing('1'), filing('0')]),
		);
		await poller.activate();
		const items = await poller.poll();
		expect(items.map(({ id, distanceMiles }) => [id, distanceMiles])).toEqual([
			['1', null],
			['3', expect.closeTo(2, 0)],
		]);
		expect(asked.map(({ query }) => Object.keys(query))).toEqual(
			asked.map(() => ['event_type', 'limit']),
		);
	});

	it('takes an empty filter that nobody filled for none', async () => {
		answerPages(page([filing('1')]));
		const parameters = { eventTypes: [], filters: { counties: [], query: '', cities: '' } };
		await expect(trigger(parameters).activate()).resolves.toEqual([]);
	});

	it('asks nothing where n8n leaves it no time, and says so', async () => {
		await expect(trigger({}, 50).activate()).rejects.toThrow('There was no time left');
	});

	it('tells why the service did not answer, where there is no time for another try', async () => {
		// With a key of its own: what the service asks for holds for all triggers with the same key.
		const apiKey = 'ls_test_hurried';
		service(apiKey).get('/licenses').query(true).reply(503, {}, { 'retry-after': '1.45' });
		const poller = pollerOf({ baseUrl: BASE_URL, apiKey }, {}, { budget: 1500 });
		await expect(poller.activate()).rejects.toThrow('could not answer (HTTP 503)');
	});

	it('shows at once that a page below the first is refused, and brings what stands above it', async () => {
		const poller = trigger();
		answerPages(page([filing('1')]));
		await poller.activate();
		answerPages(page([filing('2')], 'second'), [403, {}]);
		expect(await poller.poll()).toEqual([]);
		expect(poller.shown).toEqual(['The API key does not allow this']);
		answerPages([403, {}]);
		expect(await poller.poll()).toMatchObject([{ id: '2' }]);
		expect(poller.warnings).toEqual([
			expect.stringMatching(
				/^A page of the list could not be read since 20.*: The API key does not allow this$/,
			),
		]);
	});

	it('reads from the top again where the service refuses its cursor', async () => {
		const poller = trigger();
		answerPages(page([filing('1')]));
		await poller.activate();
		const top = page([filing('3')], 'second');
		answerPages(top, [400, {}], top, page([filing('2'), filing('1')]));
		expect(await poller.poll()).toMatchObject([{ id: '2' }, { id: '3' }]);
		expect(poller.shown).toEqual([]);
	});

	describe('that goes on where a poll left off', () => {
		afterEach(() => {
			vi.useRealTimers();
			vi.restoreAllMocks();
		});

		it('brings what is new in time, where that place fails slowly and for good', async () => {
			vi.useFakeTimers({ toFake: ['Date'] });
			skipWaits();
			const answerIn = (seconds: number, cursor: string | undefined, body?: object) =>
				service()
					.persist()
					.get('/licenses')
					.query((query) => query.cursor === cursor)
					.reply(() => {
						vi.setSystemTime(Date.now() + seconds * 1000);
						return body ? [200, body] : [503, {}, { 'retry-after': '0' }];
					});
			const poller = trigger({}, 45_000);
			answerPages(page([filing('1')]));
			await poller.activate();
			answerIn(35, undefined, page([filing('4'), filing('3')], 'second'));
			answerIn(7, 'second');
			expect(await poller.poll()).toEqual([]);
			expect(await poller.poll()).toEqual([]);
			expect(await poller.poll()).toMatchObject([{ id: '3' }, { id: '4' }]);
		});
	});

	it.each([
		[{ filters: { counties: ['Atlantis'] } }, "'Counties'"],
		[{ filters: { licenseTypes: ['WINE'] } }, "'License Types'"],
		[{ filters: { query: '&' } }, "'Free Text'"],
		[{ eventTypes: ['opening'] }, "'Events'"],
		[{ options: { lookbackHours: 0 } }, "'Lookback Hours'"],
		[{ options: { maxItems: 1.5 } }, "'Max Items'"],
		[{ options: { startFrom: 'soon' } }, "'Start From'"],
		[{ output: 'everything' }, "'Output'"],
		// Nothing is asked for, rather than everything.
		[{ eventTypes: '={{ [] }}' }, "'Events' is empty: its expression gives nothing"],
		[{ filters: { counties: '={{ $workflow.missing }}' } }, "'Counties' is empty: its"],
		[{ filters: { query: '={{ "" }}' } }, "'Free Text' is empty: its"],
		[{ filters: { cities: '={{ null }}' } }, "'Cities' is empty: its"],
	])('refuses %j before it asks anything, and names the parameter', async (parameters, words) => {
		await expect(trigger(parameters).activate()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringContaining(words),
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

	it('names the statuses that there are, if none of the chosen ones is there', async () => {
		const poller = trigger({ filters: { status: '={{ "actve" }}' } });
		const records = [filing('2', { status: 'pending' }), filing('1', { status: 'Active' })];
		answerPages(page([]), page(records), page(records));
		await expect(poller.fetchTestEvent()).rejects.toMatchObject({
			name: 'NodeApiError',
			failure: undefined,
			message: "No event has this 'Status' and matches the other filters",
			description: expect.stringContaining('The newest licenses have: Active, pending.'),
		});
	});

	it.each([
		[API_KEY, ['polls with a test key']],
		['ls_live_example', []],
	])('says with the key %s whether anything will ever happen, once', async (apiKey, notes) => {
		const poller = pollerOf({ baseUrl: BASE_URL, apiKey }, {});
		nock('https://api.example.com', { reqheaders: { authorization: `Bearer ${apiKey}` } })
			.get('/v1/licenses')
			.query(true)
			.times(3)
			.reply(200, page([filing('1')]));
		await poller.activate();
		await poller.poll();
		await poller.poll();
		const ofKey = poller.notes.filter((note) => note.includes('key'));
		expect(ofKey).toEqual(notes.map((note) => expect.stringContaining(note)));
	});

	it('tells a test that found nothing from one that could not look', async () => {
		answerPages(page([]), page([]));
		expect(await trigger().fetchTestEvent()).toBeNull();
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
		['2026-03-08T05:00', 'America/New_York', '2026-03-08T09:00:00.000Z'],
		['2026-11-01T05:00', 'America/New_York', '2026-11-01T10:00:00.000Z'],
		['2026-10-04', 'Australia/Sydney', '2026-10-03T14:00:00.000Z'],
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
