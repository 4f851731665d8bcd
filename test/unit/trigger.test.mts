import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { ALL_EVENT_TYPES as EVENT_TYPES } from '../../nodes/LicensingData/licenses/knownValues.ts';
import { eventId } from '../../nodes/LicensingData/licenses/identity.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { toMoment } from '../../nodes/LicensingData/filters/values.ts';
import { answer, answerPages, CREDENTIALS, useAnswers } from '../support/answers.mts';
import { filed, listed, publishedOn, ListedTrigger, useClock } from '../support/listed-trigger.mts';
import { page } from '../support/records.mts';
import { pollerOf } from '../support/nodes.mts';
import type { Saving } from '../support/poller.mts';

useAnswers();

const trigger = (parameters: IDataObject = {}) => pollerOf(CREDENTIALS, parameters);

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

	it('says once, when it is published, which ZIP code lies in none of the counties', async () => {
		const filters = { counties: ['Broward'], zipCodes: '33301, 33602' };
		const { poller } = await publishedOn([], { filters });
		await poller.poll();
		expect(poller.warnings.filter((line) => line.includes('33602'))).toEqual([
			expect.stringContaining("Some places are outside your 'Counties': 33602 is in Hillsborough."),
		]);
	});

	it.each<[filters: IDataObject, event: License]>([
		[{ counties: ['St. Johns'] }, { address: { county: 'saint-johns' } }],
		[{ licenseTypes: ['allLiquor'] }, { licenseType: 'cop' }],
		[{ status: 'Active' }, { status: 'ACTIVE' }],
		[{ query: 'oyst tampa' }, { businessName: "Joe's Oyster Bar", address: { city: 'Tampa' } }],
	])('picks what matches itself, whatever the service lists: %j', async (filters, event) => {
		const poller = trigger({ filters });
		const other = { address: { county: 'Polk' } };
		answerPages(
			page([filing('0', event)]),
			page([
				filing('3', { ...event, eventType: 'renewal' }),
				filing('2', other),
				filing('1', event),
			]),
		);
		await poller.activate();
		expect(await poller.poll()).toMatchObject([{ id: '1' }]);
	});

	it('asks for each event that is known, where none is chosen, new filings first', async () => {
		const asked = answerPages(...EVENT_TYPES.map(() => page([filing('1')])));
		await trigger({ eventTypes: [] }).activate();
		const events = asked.map(({ query }) => query.event_type);
		expect(events[0]).toBe('new_filing');
		expect(events.sort()).toEqual(EVENT_TYPES.map(({ value }) => value).sort());
	});

	it('goes on without an event that the interface lacks, where none is chosen, in tests as well', async () => {
		const poller = trigger({ eventTypes: [] });
		const asked = answerPages(page([]), [400, {}], page([]), page([]), page([]), page([]));
		await expect(poller.activate()).resolves.toEqual([]);
		expect(asked[1]?.query.event_type).toBe('address_change');
		expect(poller.shown).toEqual([]);
		expect(poller.notes.join()).not.toContain('still being read');
		answerPages(page([]), [400, {}], page([filing('found', { eventType: 'cancellation' })]));
		expect(await poller.fetchTestEvent()).toMatchObject([{ id: 'found' }]);
	});

	it('reads for a minute at publishing, and then as long as n8n lets it', async () => {
		onTestFinished(useClock());
		const trigger = new ListedTrigger(listed(5000));
		trigger.answer = () => void vi.setSystemTime(Date.now() + 9000);
		await trigger.publish();
		expect(trigger.asked).toHaveLength(5);
		await trigger.poll();
		expect(trigger.asked).toHaveLength(25);
	});

	it('filters by place itself, and says how far away an event is', async () => {
		const inTampa = (id: string) => ({ ...filing(id), address: { zip: '33602', city: 'Tampa' } });
		const inMiami = (id: string) => ({ ...filing(id), address: { zip: '33131', city: 'Miami' } });
		const near = { area: { center: '33605', radius: 10, unit: 'miles' } };
		const poller = trigger({ filters: { near }, output: 'raw' });
		answerPages(page([filing('0')]), page([inTampa('3'), inMiami('2'), filing('1'), filing('0')]));
		await poller.activate();
		const items = await poller.poll();
		expect(items.map(({ id, distanceMiles }) => [id, distanceMiles])).toEqual([
			['1', null],
			['3', expect.closeTo(2, 0)],
		]);
	});

	it.each([
		['waits for a rate limit, if that takes less than half of the time left', 2, 9000, 4],
		['does not wait for one that takes more', 2, 3900, 2],
		['does not wait for one that it begins with, which n8n is told of', 1, 9000, 1],
	])('%s', async (_, refused, budget, requests) => {
		onTestFinished(useClock());
		const trigger = new ListedTrigger(listed(100), {}, { budget });
		trigger.answer = () =>
			trigger.asked.length === refused
				? { status: 429, headers: { 'retry-after': '2' } }
				: undefined;
		await trigger.publish();
		expect(trigger.asked).toHaveLength(requests);
	});

	it('takes an empty filter that nobody filled for none', async () => {
		answerPages(page([filing('1')]));
		const parameters = { filters: { counties: [], query: '', cities: '' } };
		await expect(trigger(parameters).activate()).resolves.toEqual([]);
	});

	it('asks nothing where n8n leaves it no time, and says so whenever it is published', async () => {
		const poller = trigger();
		poller.budget = 50;
		for (let times = 0; times < 2; times++)
			await expect(poller.activate()).rejects.toMatchObject({
				message: expect.stringContaining('There was no time left'),
				description: expect.stringContaining('The workflow is not published. Publish it again'),
			});
	});

	it('tells why the service did not answer, where there is no time for another try', async () => {
		const trigger = new ListedTrigger([], {}, { budget: 1500 });
		trigger.answer = () => ({ status: 503, headers: { 'retry-after': '1.45' } });
		await expect(trigger.publish()).rejects.toThrow('could not answer (HTTP 503)');
	});

	it.each([
		['shows at once that a page below the first is refused', 403, 'does not allow this'],
		['shows nobody at once that a cursor is refused, which may have expired', 400, undefined],
	])('%s, and brings what stands above it', async (_, status, shown) => {
		onTestFinished(useClock());
		const trigger = await publishedOn(listed(60));
		trigger.records.unshift(filed('new'));
		trigger.answer = ({ cursor }) => (cursor ? { status } : undefined);
		expect(await trigger.poll()).toEqual(['new']);
		expect(trigger.poller.shown).toEqual(shown ? [expect.stringContaining(shown)] : []);
		const words = `New Filing: A page of the list could not be read: The API key ${shown}`;
		if (shown) expect(trigger.poller.warnings).toEqual([expect.stringContaining(words)]);
	});

	it.each<Saving>(['memory', 'scheduler', 'durable'])(
		'shows one failed execution of an outage, and says when it is over (%s)',
		async (saving) => {
			const { poller } = await publishedOn([], {}, { saving });
			// n8n's durable scheduler says that at each poll, and none is a publishing.
			const poll = async () => await poller.poll(saving === 'memory' ? 'init' : 'update');
			poller.budget = 50;
			await expect(poll()).rejects.toMatchObject({
				message: expect.stringContaining('There was no time left'),
				description: expect.stringContaining('Nothing is lost'),
			});
			expect(await poll()).toEqual([]);
			expect(poller.warnings.at(-1)).toContain('has been unreadable since');
			poller.budget = 60_000;
			await poll();
			expect(poller.notes.filter((note) => note.includes('can be read again'))).toHaveLength(1);
		},
	);

	it.each([
		[{ filters: { counties: ['Atlantis'] } }, "'Counties'"],
		[{ filters: { licenseTypes: ['WINE'] } }, "'License Types'"],
		[{ filters: { query: '&' } }, "'Free Text'"],
		[{ eventTypes: ['opening'] }, "'Events'"],
		[{ options: { lookbackDays: -1 } }, "'Lookback Days'"],
		[{ options: { maxItems: 1.5 } }, "'Max Items'"],
		[{ options: { startFrom: 'soon' } }, "'Start From'"],
		[{ output: 'everything' }, "'Output'"],
		// Nothing is asked for, rather than everything.
		[{ eventTypes: '={{ [] }}' }, "'Events' is empty: its expression returns nothing"],
		[{ filters: { counties: '={{ $workflow.missing }}' } }, "'Counties' is empty: its"],
		[{ filters: { query: '={{ "" }}' } }, "'Free Text' is empty: its"],
		[{ filters: { cities: '={{ null }}' } }, "'Cities' is empty: its"],
	])('refuses %j before it asks anything, and names the parameter', async (parameters, words) => {
		await expect(trigger(parameters).activate()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringContaining(words),
		});
	});

	it('shows the latest matching events that are chosen as a test, however deep they lie', async () => {
		const poller = trigger({ filters: { counties: ['Lee', 'Bay'] } });
		const address = { county: 'LEE COUNTY' };
		answerPages(
			page([filing('3', { address: { county: 'Polk' } })], 'further'),
			page([]),
			page([filing('4', { eventType: 'renewal', address }), filing('2', { address })]),
		);
		expect(await poller.fetchTestEvent()).toMatchObject([{ id: '2' }]);
	});

	it('shows the latest of all counties as a test, not those of the first one', async () => {
		const inCounty = (county: string, ...days: number[]) =>
			page(
				days.map((day) =>
					filing(`${county} ${day}`, {
						eventTimestamp: `2026-11-0${day}T12:00:00Z`,
						address: { county },
					}),
				),
			);
		answerPages(inCounty('Lee', 5, 3, 2), inCounty('Bay', 6, 4, 1));
		const items = await trigger({ filters: { counties: ['Lee', 'Bay'] } }).fetchTestEvent();
		expect(items?.map(({ id }) => id)).toEqual(['Lee 2', 'Lee 3', 'Bay 4', 'Lee 5', 'Bay 6']);
	});

	it('names the statuses that there are, if none of the chosen ones is there', async () => {
		const poller = trigger({ filters: { status: '={{ "actve" }}' } });
		const records = [filing('2', { status: 'pending' }), filing('1', { status: 'Active' })];
		answerPages(page(records));
		await expect(poller.fetchTestEvent()).rejects.toMatchObject({
			name: 'NodeApiError',
			failure: undefined,
			message: "No event with this 'Status' matches the other filters",
			description: expect.stringContaining('The newest licenses have: Active, pending.'),
		});
	});

	it('tells a test that found nothing from one that could not look', async () => {
		answerPages(page([]));
		expect(await trigger().fetchTestEvent()).toBeNull();
		answer('/licenses', [403, {}]);
		await expect(trigger().fetchTestEvent()).rejects.toThrow('The API key does not allow this');
	});

	it('polls on hosts that cannot say how long a poll may take', async () => {
		answerPages(page([filing('1')]));
		const change = (context: object) => void Reflect.deleteProperty(context, 'getPollBudgetMs');
		expect(await pollerOf(CREDENTIALS, {}, { change }).activate()).toEqual([]);
	});
});

describe('a moment that a user picks', () => {
	it.each([
		['2026-07-01T00:00:00', 'America/New_York', '2026-07-01T04:00:00.000Z'],
		['2026-01-01', 'America/New_York', '2026-01-01T05:00:00.000Z'],
		['11/01/2026', 'America/New_York', '2026-11-01T04:00:00.000Z'],
		['2026-07-01 12:30', 'Asia/Kolkata', '2026-07-01T07:00:00.000Z'],
		['2026-03-08T05:00', 'America/New_York', '2026-03-08T09:00:00.000Z'],
		['2026-11-01T05:00', 'America/New_York', '2026-11-01T10:00:00.000Z'],
		['2026-10-04', 'Australia/Sydney', '2026-10-03T14:00:00.000Z'],
		['2026-07-01T00:00:00Z', 'America/New_York', '2026-07-01T00:00:00.000Z'],
		['2026-07-01T00:00:00.000-07:00', 'America/New_York', '2026-07-01T07:00:00.000Z'],
		[new Date('2026-07-01T00:00:00Z'), 'America/New_York', '2026-07-01T00:00:00.000Z'],
	])('%s in %s is %s', (given, timeZone, meant) => {
		expect(new Date(toMoment('Start From', given, timeZone) ?? 0).toISOString()).toBe(meant);
	});

	it('may be left out', () => {
		expect(toMoment('Start From', '', 'America/New_York')).toBeUndefined();
	});

	it.each([
		'soon',
		'2026-13-01',
		'2026-02-30',
		'13/01/2026',
		'01.07.2026',
		'2026-07-01T25:00:00',
		20260701,
	])('%s is refused, and the spelling that is meant is named', (given) => {
		const failure = expect.objectContaining({
			message: expect.stringContaining("'Start From' is not a date"),
			description: expect.stringContaining('month/day/year'),
		});
		expect(() => toMoment('Start From', given, 'America/New_York')).toThrow(failure);
	});
});
