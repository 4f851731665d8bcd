import type { IDataObject } from 'n8n-workflow';

import { toMoment } from '../../nodes/LicensingData/filters/enteredDays.ts';
import { eventId } from '../../nodes/LicensingData/licenses/eventIdentity.ts';
import { ALL_EVENT_TYPES } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { HOUR, MINUTE } from '../../nodes/LicensingData/licenses/time.ts';
import {
	dayBefore,
	filed,
	listed,
	ListedTrigger,
	on,
	publishedOn,
	useClock,
} from '../support/listed-trigger.mts';
import { Database, type Saving } from '../support/poller.mts';

beforeEach(() => useClock());

const EVENTS = ALL_EVENT_TYPES.map(({ value }) => value);
const FIVE = ['Lee', 'Bay', 'Clay', 'Polk', 'Duval'];

describe('The polling trigger', () => {
	it('emits what is new since the last poll, oldest first, in the chosen form', async () => {
		const more = { output: 'selectedFields', fields: ['status'] };
		const trigger = await publishedOn([filed('1')], more);
		const [newer, older] = [filed('3', on(2)), filed('2', on(3))];
		trigger.records.unshift(newer, older);
		expect(await trigger.poller.poll()).toEqual([
			{ id: older.id, eventId: eventId(older), status: 'active' },
			{ id: newer.id, eventId: eventId(newer), status: 'active' },
		]);
	});

	const near = { area: { center: '33605', radius: 10, unit: 'miles' } };
	it.each<[filters: IDataObject, event: License, item?: object]>([
		[{ counties: ['St. Johns'] }, { address: { county: 'saint-johns' } }],
		[{ licenseTypes: ['allLiquor'] }, { licenseType: 'cop' }],
		[{ status: 'Active' }, { status: 'ACTIVE' }],
		[{ query: 'oyst tampa' }, { businessName: "Joe's Oyster Bar", address: { city: 'Tampa' } }],
		[{ onlyWithAddress: true }, {}],
		[{ onlyWithPhone: true }, { enrichment: { phone: '813-555-0148' } }],
		[{ filingKinds: 'notKnown' }, {}],
		[{ near }, { address: { zip: '33602' } }, { distanceMiles: expect.closeTo(2, 0) }],
	])('picks what matches itself, whatever the service lists: %j', async (filters, event, item) => {
		const trigger = new ListedTrigger([filed('0', event)], { filters });
		trigger.answer = () => ({ body: trigger.page({}) });
		await trigger.publish();
		const other = { licenseType: 'FOOD_SERVICE', status: 'expired', address: { zip: '33901' } };
		const ofAnotherEvent = filed('3', { ...event, eventType: 'renewal' });
		trigger.records.unshift(ofAnotherEvent, filed('COP-2019-2', other), filed('1', event));
		expect(await trigger.poller.poll()).toMatchObject([{ licenseNumber: '1', ...item }]);
	});

	it('asks for each known event, where none is chosen, except what the service lacks', async () => {
		const trigger = new ListedTrigger([], { eventTypes: [] });
		trigger.answer = ({ event_type }) =>
			event_type === 'address_change' ? { status: 400 } : undefined;
		await trigger.publish();
		const asked = trigger.asked.map(({ event_type }) => event_type);
		expect(asked[0]).toBe('new_filing');
		expect(asked.sort()).toEqual([...EVENTS].sort());
		expect(trigger.poller.shown).toEqual([]);
		expect(trigger.said('the next poll continues')).toEqual([]);
		trigger.records.push(filed('found', { eventType: 'cancellation' }));
		expect(await trigger.poller.fetchTestEvent()).toMatchObject([{ licenseNumber: 'found' }]);
	});

	const two = { counties: ['Lee', 'Bay'], licenseTypes: ['COP', 'SRX'] };
	it.each<[string, IDataObject, events: number, string[]]>([
		['each pair', two, 1, ['county', 'license_type']],
		['each county', { ...two, licenseTypes: ['COP', 'SRX', 'BEV'] }, 1, ['county']],
		['each type', { ...two, counties: FIVE }, 2, ['license_type']],
		['all', two, 6, []],
		['all', { counties: FIVE }, 1, []],
		['all, by nothing else', { status: 'active', query: 'oyster', cities: 'Tampa' }, 1, []],
		['all, as nothing is filled in', { counties: [], query: '', cities: '' }, 1, []],
		['the only county', { counties: ['Lee'] }, 6, ['county']],
	])(
		'asks for %s, in at most four lists, or one for each event (%j)',
		async (_, filters, events, by) => {
			const trigger = await publishedOn([], { filters, eventTypes: EVENTS.slice(0, events) });
			expect(trigger.asked.length).toBeLessThanOrEqual(Math.max(4, events));
			for (const query of trigger.asked)
				expect(Object.keys(query).sort()).toEqual([...by, 'event_type', 'limit'].sort());
		},
	);

	it('takes a missing county from the ZIP code, or else from the list', async () => {
		const trigger = await publishedOn(listed(60), { filters: { counties: ['Lee'] } });
		trigger.records.unshift(
			filed('zip', { address: { county: null, zip: '33901' } }),
			filed('odd', { address: { county: 'Lee Co' } }),
			filed('none', { address: { county: null } }),
			filed('other', { address: { county: null, zip: '32401' } }),
		);
		expect((await trigger.poll()).sort()).toEqual(['none', 'odd', 'zip']);
	});

	it('says each day how many it leaves out, without a county, or as no licenses', async () => {
		const trigger = await publishedOn(listed(60), { filters: { counties: FIVE } });
		trigger.records.unshift({ eventType: 'new_filing' }, filed('new'));
		const came: string[] = [];
		// The clock is set back in the end.
		for (const hours of [0, 1, 22, 1, -25]) {
			const number = String(trigger.records.length);
			trigger.records.splice(2, 0, filed(number, { address: { county: 'LEE CO' } }));
			came.push(...(await trigger.poll(hours * HOUR)));
		}
		expect(came).toEqual(['new']);
		expect(trigger.said('left out').sort()).toEqual([
			expect.stringMatching(/: 1 \(county not known\). Example: lic_62 \(LEE CO\)\.$/),
			...Array<unknown>(3).fill(expect.stringMatching(/: 1 .*not a license.*neither an 'id'/)),
			expect.stringMatching(/: 4 \(county not known\). Example: lic_63 /),
			expect.stringMatching(/: 5 \(county not known\). Example: lic_66 /),
		]);
	});

	it('takes records that do not say their event, or say it oddly, for one event', async () => {
		const trigger = await publishedOn(listed(60), { eventTypes: ['new_filing', 'renewal'] });
		trigger.records.unshift(
			filed('none', { eventType: null }),
			filed('odd', { eventType: 'new_filings' }),
		);
		expect((await trigger.polls(3)).sort()).toEqual(['none', 'odd']);
	});

	it.each([
		[{ filters: { counties: ['Atlantis'] } }, "'Counties'"],
		[{ eventTypes: ['opening'] }, "'Trigger On'"],
		[{ options: { lookbackDays: -1 } }, "'Lookback Days'"],
		[{ options: { lookbackDays: 3651 } }, "'Lookback Days'"],
		[{ options: { maxItems: 10_001 } }, "'Max Items'"],
		[{ options: { startFrom: 'soon' } }, "'Start From'"],
		[{ options: { startFrom: '2026-07-02' } }, "'Start From' is in the future"],
		[{ output: 'everything' }, "'Output'"],
		// Nothing is asked for, rather than everything.
		[{ eventTypes: '={{ [] }}' }, "'Trigger On' is empty: its expression returns nothing"],
		[{ filters: { counties: '={{ $workflow.missing }}' } }, "'Counties' is empty: its"],
		[{ filters: { query: '={{ "" }}' } }, "'Free Text' is empty: its"],
	])('refuses %j before it asks anything, and names the parameter', async (parameters, words) => {
		const trigger = new ListedTrigger([], parameters);
		await expect(trigger.publish()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringContaining(words),
		});
		expect(trigger.asked).toEqual([]);
	});
});

describe('At publishing, the trigger', () => {
	it('reads for a minute, and then as long as n8n lets it', async () => {
		const trigger = new ListedTrigger(listed(5000));
		trigger.answer = () => void vi.setSystemTime(Date.now() + 9000);
		await trigger.publish();
		expect(trigger.asked).toHaveLength(5);
		await trigger.poll();
		expect(trigger.asked).toHaveLength(25);
	});

	it('brings what Start From asks for, and once more at the first live key', async () => {
		// The register's days begin in UTC, and the workflow's four hours later.
		const parameters = { options: { startFrom: dayBefore(60) } };
		const trigger = new ListedTrigger(listed(60), parameters, { kind: 'test' });
		expect(await trigger.publish()).toHaveLength(59);
		trigger.poller.credentials.baseUrl = 'https://moved.example.com/v1';
		expect(await trigger.polls(30)).toEqual([]);
		trigger.poller.credentials.apiKey = 'ls_live_first_of_all';
		expect(await trigger.polls(2)).toHaveLength(59);
		trigger.poller.credentials.apiKey = 'ls_live_second_one';
		expect(await trigger.polls(2)).toEqual([]);
	});

	it('brings nothing for Start From at the first test key after a live one', async () => {
		const trigger = new ListedTrigger(listed(60), { options: { startFrom: dayBefore(60) } });
		expect(await trigger.publish()).toHaveLength(59);
		trigger.poller.credentials.apiKey = 'ls_test_after_it';
		expect(await trigger.polls(2)).toEqual([]);
	});

	it('brings at most 1,000 at once, and nothing older than 90 days, unless told otherwise', async () => {
		const trigger = new ListedTrigger(listed(1100), { options: { startFrom: dayBefore(70) } });
		expect(await trigger.publish()).toHaveLength(1000);
		expect(await trigger.polls(2)).toHaveLength(100);
		trigger.records.push(filed('in time', {}, 90), filed('too old', {}, 93));
		expect(await trigger.polls(2)).toEqual(['in time']);
	});

	it('names workflow and node in every line, and each place outside the counties', async () => {
		const filters = { counties: ['Lee'], zipCodes: '33901, 33602' };
		const eventTypes = ['new_filing', 'ownership_transfer'];
		const trigger = await publishedOn(listed(60), { filters, eventTypes });
		await trigger.poll();
		for (const line of trigger.said('')) expect(line).toMatch(/workflow-\d+.*g Data Trigger/);
		expect(trigger.said("outside your 'Counties'")).toEqual([
			expect.stringContaining('33602 is in'),
		]);
		const isEmpty = expect.stringMatching(/Ownership Transfer.*is empty. Ask your provider/);
		expect(trigger.said('list is empty')).toEqual([isEmpty]);
		expect(trigger.poller.warnings).toContainEqual(isEmpty);
		expect(trigger.said('From now on, the trigger reports')).toHaveLength(2);
	});

	it('succeeds though the service limits it, twice even, and begins to read later', async () => {
		const trigger = new ListedTrigger(listed(120));
		trigger.answer = () => ({ status: 429, headers: { 'retry-after': '600' } });
		for (let times = 1; times <= 2; times++) {
			expect(await trigger.publish()).toEqual([]);
			expect(trigger.said('begins to read when')).toHaveLength(times);
		}
		trigger.answer = () => undefined;
		await trigger.poll(10 * MINUTE);
		trigger.records.unshift(filed('new'));
		expect(await trigger.poll()).toEqual(['new']);
	});

	it.each([
		['waits for a rate limit, if that takes less than half of the time left', 2, 9000, 4],
		['does not wait for one that takes more', 2, 3900, 2],
		['does not wait for one that it begins with, which n8n is told of', 1, 9000, 1],
	])('%s', async (_, refused, budget, requests) => {
		const trigger = new ListedTrigger(listed(100), {}, { budget });
		trigger.answer = () =>
			trigger.asked.length === refused
				? { status: 429, headers: { 'retry-after': '2' } }
				: undefined;
		await trigger.publish();
		expect(trigger.asked).toHaveLength(requests);
	});
});

describe('The trigger, on a service that fails,', () => {
	it.each<Saving>(['memory', 'scheduler', 'durable'])(
		'is not published, and shows one failed execution of a later outage (%s)',
		async (saving) => {
			const { poller } = new ListedTrigger([], {}, { saving, budget: 50 });
			const says = (description: string) => ({
				message: expect.stringContaining('There was no time left'),
				description: expect.stringContaining(description),
			});
			for (let times = 0; times < 2; times++)
				await expect(poller.activate()).rejects.toMatchObject(says('is not published. Publish it'));
			poller.budget = 60_000;
			await poller.activate();
			poller.budget = 50;
			// n8n's durable scheduler says that at each poll, and none is a publishing.
			const poll = async () => await poller.poll(saving === 'memory' ? 'init' : 'update');
			await expect(poll()).rejects.toMatchObject(says('Nothing is lost'));
			expect(await poll()).toEqual([]);
			expect(poller.warnings.at(-1)).toContain('has been unreadable since');
			poller.budget = 60_000;
			await poll();
			expect(poller.notes.at(-1)).toContain('can be read again');
		},
	);
});

it('A test key polls as any other, and seven days without change show once', async () => {
	const trigger = await publishedOn(listed(60), {}, { kind: 'test' });
	trigger.records.unshift(filed('new'));
	expect(await trigger.polls(24)).toEqual(['new']);
	await trigger.polls(6 * 24 - 2);
	expect(trigger.poller.shown).toEqual([]);
	for (const polls of [4, 60]) {
		await trigger.polls(polls);
		expect(trigger.poller.shown).toEqual([expect.stringContaining('seven days')]);
	}
});

it('A renamed node, or one with the ID of another, begins quietly', async () => {
	const first = await publishedOn(listed(60));
	const { workflowId } = first.poller.database;
	const database = Object.assign(new Database(), { workflowId });
	const change = (context: Record<string, unknown>) => {
		const node = (context.getNode as () => object)();
		context.getNode = () => ({ ...node, name: 'Renamed' });
	};
	const records = [...listed(60), filed('meanwhile')];
	const renamed = new ListedTrigger(records, {}, { database, change });
	expect(await renamed.polls(3)).toEqual([]);
	first.records.push(filed('new'));
	expect(await first.poll()).toEqual(['new']);
});

describe('A test event', () => {
	it('is one of the latest that match, however deep they lie, and of all lists', async () => {
		const inCounty = (county: string, ...days: number[]) =>
			days.map((days) => filed(`${county} ${days}`, { ...on(days), address: { county } }));
		const filters = { counties: ['Lee', 'Bay'], status: 'pending' };
		const records = [...listed(60), ...inCounty('Lee', 2, 4, 5), ...inCounty('Bay', 1, 3, 6)];
		for (const record of records.slice(60)) record.status = 'pending';
		const items = await new ListedTrigger(records, { filters }).poller.fetchTestEvent();
		const numbers = items?.map(({ licenseNumber }) => licenseNumber);
		expect(numbers).toEqual(['Lee 5', 'Lee 4', 'Bay 3', 'Lee 2', 'Bay 1']);
	});

	it('is shown though a page below it cannot be read', async () => {
		const records = [filed('found'), ...listed(60, 'other', { status: 'expired' })];
		const trigger = new ListedTrigger(records, { filters: { status: 'active' } });
		trigger.answer = ({ cursor }) => (cursor ? { status: 500 } : undefined);
		expect(await trigger.poller.fetchTestEvent()).toMatchObject([{ licenseNumber: 'found' }]);
	});

	it('names the statuses that there are, if none of the chosen ones is', async () => {
		const records = [filed('2', { status: 'pending' }), filed('1', { status: 'Active' })];
		const { poller } = new ListedTrigger(records, { filters: { status: '={{ "actve" }}' } });
		await expect(poller.fetchTestEvent()).rejects.toMatchObject({
			name: 'NodeApiError',
			failure: undefined,
			message: "No event with this 'Status' matches the other filters",
			description: expect.stringContaining('The newest licenses have: Active, pending.'),
		});
	});

	it('that is not found says how far the test has looked', async () => {
		const { poller } = new ListedTrigger(listed(600), { filters: { zipCodes: '33602' } });
		const words = 'None of the newest 500 entries matches the filters';
		await expect(poller.fetchTestEvent()).rejects.toThrow(words);
	});

	it('that is not found is no failure, but one that cannot be looked for is', async () => {
		const trigger = new ListedTrigger([]);
		expect(await trigger.poller.fetchTestEvent()).toBeNull();
		trigger.answer = () => ({ status: 403 });
		await expect(trigger.poller.fetchTestEvent()).rejects.toThrow('does not allow this');
	});
});

it.each([
	['2026-01-01', 'America/New_York', '2026-01-01T05:00:00.000Z'],
	['11/01/2026', 'America/New_York', '2026-11-01T04:00:00.000Z'],
	['2026-07-01 12:30', 'Asia/Kolkata', '2026-07-01T07:00:00.000Z'],
	['2026-03-08T05:00', 'America/New_York', '2026-03-08T09:00:00.000Z'],
	['2026-11-01T05:00', 'America/New_York', '2026-11-01T10:00:00.000Z'],
	['2026-07-01T00:00:00.000-07:00', 'America/New_York', '2026-07-01T07:00:00.000Z'],
	[new Date('2026-07-01T00:00:00Z'), 'America/New_York', '2026-07-01T00:00:00.000Z'],
])('The moment that a user picks as %s in %s is %s', (given, timeZone, meant) => {
	expect(new Date(toMoment('Start From', given, timeZone) ?? 0).toISOString()).toBe(meant);
});

it.each(['soon', '2026-02-30', '13/01/2026', '01.07.2026', '2026-07-01T25:00:00', 20260701])(
	'As a moment, %s is refused, and the spelling that is meant is named',
	(given) => {
		const failure = expect.objectContaining({
			message: expect.stringContaining("'Start From' is not a date"),
			description: expect.stringContaining('month/day/year'),
		});
		expect(() => toMoment('Start From', given, 'America/New_York')).toThrow(failure);
	},
);
