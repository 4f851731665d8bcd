import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import {
	DAY,
	dayBefore,
	filed,
	listed,
	ListedTrigger,
	MINUTE,
	publishedOn,
	useClock,
} from '../support/listed-trigger.mts';

beforeEach(() => useClock());

const EVENTS = [
	'new_filing',
	'renewal',
	'ownership_transfer',
	'status_change',
	'cancellation',
	'address_change',
];
const day = (days: number) => `${dayBefore(-days)}T00:00:00Z`;

/** The failed executions about what was added at once. */
const said = ({ poller }: ListedTrigger) =>
	poller.shown.filter((message) => message.includes('at once'));

describe('Nothing comes again', () => {
	it('where the name of its holder is corrected', async () => {
		const trigger = await publishedOn([filed('1', { legalName: 'Oister Bar' }), filed('2')]);
		for (const legalName of ['Oyster Bar', 'Oyster Bar LLC', 'Oyster Bär LLC']) {
			trigger.records[0] = filed('1', { legalName });
			expect(await trigger.polls(2)).toEqual([]);
		}
	});

	it.each([24, 240, 1440])('where all IDs change under %i license numbers', async (count) => {
		const trigger = await publishedOn(listed(count));
		trigger.records = trigger.records.map((one) => ({ ...one, id: `${one.id}_again` }));
		expect(await trigger.polls(60)).toEqual([]);
		expect(trigger.poller.shown).toEqual([]);
	});

	it('where the base URL moves, though Start From is set', async () => {
		const trigger = new ListedTrigger(listed(60), { options: { startFrom: '2020-01-01' } });
		expect(await trigger.publish()).toHaveLength(60);
		trigger.poller.credentials.baseUrl = 'https://moved.example.com/v1';
		expect(await trigger.polls(30)).toEqual([]);
	});

	it('where renewals get a new date each day, lose their expiration date for weeks, or flip between two versions', async () => {
		const renewal = (number: string, more: License = {}) =>
			filed(number, { eventType: 'renewal', expirationDate: '2026-10-01', ...more });
		const records = ['1', '2', '3'].map((number) => renewal(number));
		const trigger = await publishedOn(records, { eventTypes: ['renewal'] });
		for (let days = 1; days <= 20; days++) {
			const isOdd = days % 2 === 1;
			trigger.records = [
				renewal('1', { eventTimestamp: day(days) }),
				renewal('2', days < 15 ? { expirationDate: null, eventTimestamp: day(days) } : {}),
				renewal('3', isOdd ? { eventTimestamp: day(-9), businessName: 'Another' } : {}),
			];
			expect(await trigger.poll(DAY)).toEqual([]);
		}
		trigger.records = [renewal('2', { expirationDate: '2027-10-01' }), ...trigger.records];
		expect(await trigger.poll(DAY)).toEqual(['2']);
	});

	it('where a day that began at midnight begins an hour earlier', async () => {
		const eventTypes = ['status_change'];
		const status = (eventTimestamp: string) =>
			filed('1', { eventType: 'status_change', eventTimestamp });
		const trigger = await publishedOn([status('2026-06-20T00:00:00Z')], { eventTypes });
		trigger.records = [status('2026-06-19T23:00:00Z')];
		expect(await trigger.polls(3)).toEqual([]);
	});
});

describe('Nothing is lost', () => {
	it('of new filings beside long lists of renewals', async () => {
		const renewals = listed(8000, 'renewed', { eventType: 'renewal' });
		const eventTypes = ['new_filing', 'renewal'];
		const trigger = await publishedOn([...listed(9000), ...renewals], { eventTypes });
		await trigger.poll();
		trigger.records.splice(8500, 0, filed('deep', { filedDate: dayBefore(50) }));
		expect(await trigger.polls(3)).toEqual(['deep']);
	});

	it('of six lists that are polled daily, and comes with the next poll', async () => {
		const list = (eventType: string) => listed(200, eventType, { eventType });
		const trigger = await publishedOn(EVENTS.flatMap(list), { eventTypes: EVENTS });
		for (let days = 1; days <= 5; days++) {
			const news = EVENTS.map((eventType) =>
				filed(`new ${eventType} ${days}`, { eventType, eventTimestamp: day(days) }),
			);
			for (const [at, one] of news.entries())
				trigger.records.splice(at * (200 + days) + 120, 0, one);
			const numbers = news.map(({ licenseNumber }) => licenseNumber);
			expect((await trigger.poll(DAY)).sort()).toEqual(numbers.sort());
		}
	});

	it('of records that do not say their county, or say it oddly, in a list that was asked for by county', async () => {
		const trigger = await publishedOn(listed(60), { filters: { counties: ['Lee'] } });
		const nowhere = { street: '1 Bay St' };
		trigger.records.unshift(
			filed('zip', { address: { ...nowhere, county: null, zip: '33901' } }),
			filed('odd', { address: { ...nowhere, county: 'LEE CO' } }),
			filed('none', { address: { ...nowhere, county: null } }),
			filed('other', { address: { ...nowhere, county: null, zip: '32401' } }),
		);
		expect((await trigger.poll()).sort()).toEqual(['none', 'odd', 'zip']);
	});

	it('without a word: what cannot be placed in one of several counties is counted in the log', async () => {
		const counties = ['Lee', 'Bay', 'Clay', 'Duval', 'Polk'];
		const trigger = await publishedOn(listed(60), { filters: { counties } });
		trigger.records.unshift(filed('odd', { address: { street: '1 Bay St', county: 'LEE CO' } }));
		expect(await trigger.polls(3)).toEqual([]);
		expect(trigger.log.filter((line) => /left out/.test(line))).toEqual([
			expect.stringMatching(/1 .*LEE CO/),
		]);
	});

	it('of records that do not say their event, or say it oddly, which are one event', async () => {
		const trigger = await publishedOn(listed(60), { eventTypes: ['new_filing', 'renewal'] });
		trigger.records.unshift(
			filed('none', { eventType: null }),
			filed('odd', { eventType: 'filing' }),
		);
		expect((await trigger.polls(3)).sort()).toEqual(['none', 'odd']);
	});

	it('of what was found while the service is down: it comes', async () => {
		const trigger = await publishedOn(listed(60), { options: { maxItems: 3 } });
		trigger.records.unshift(...Array.from({ length: 8 }, (_, at) => filed(`new${at}`)));
		expect(await trigger.poll()).toHaveLength(3);
		trigger.answer = () => ({ status: 503 });
		expect(await trigger.poll()).toHaveLength(3);
		expect(await trigger.poll()).toHaveLength(2);
		expect(trigger.poller.shown.length).toBeGreaterThan(0);
	});
});

describe('Filings of two counties', () => {
	it('come from two short lists instead of one of all Florida', async () => {
		const elsewhere = { address: { county: 'Polk' } };
		const trigger = await publishedOn([...listed(120), ...listed(3000, 'polk', elsewhere)], {
			filters: { counties: ['Lee', 'Bay'] },
		});
		trigger.records.splice(90, 0, filed('new'));
		expect(await trigger.poll()).toEqual(['new']);
		expect(trigger.asked.length).toBeLessThan(8);
		expect(new Set(trigger.asked.map(({ county }) => county))).toEqual(new Set(['Lee', 'Bay']));
	});

	const few = ['Lee', 'Bay'];
	const many = ['Lee', 'Bay', 'Clay', 'Polk', 'Duval'];
	const types = ['COP', 'SRX'];
	it.each<[string, object, events: number, string[]]>([
		['each pair', { counties: few, licenseTypes: types }, 1, ['county', 'license_type']],
		['each county', { counties: few, licenseTypes: [...types, 'BEV'] }, 1, ['county']],
		['each type', { counties: many, licenseTypes: types }, 2, ['license_type']],
		['all', { counties: few, licenseTypes: types }, 6, []],
		['all', { counties: many }, 1, []],
		['all, by nothing else', { status: 'active', query: 'oyster', cities: 'Tampa' }, 1, []],
		['the only county', { counties: ['Lee'] }, 6, ['county']],
	])(
		'and others: the service is asked for %s, where that makes at most four lists, or one for each event (%j)',
		async (_, filters, events, by) => {
			const trigger = await publishedOn([], { filters, eventTypes: EVENTS.slice(0, events) });
			expect(trigger.asked.length).toBeLessThanOrEqual(Math.max(4, events));
			for (const query of trigger.asked)
				expect(Object.keys(query).sort()).toEqual([...by, 'event_type', 'limit'].sort());
		},
	);
});

describe('Bulk additions', () => {
	it.each<[string, License[], License[]]>([
		['a source', listed(200), listed(400, 'food', { licenseType: 'FOOD_SERVICE' })],
		['a county', listed(200), listed(60, 'bay', { address: { county: 'Bay' } })],
		['the list itself, which was empty', [], listed(300)],
		['a list of which a sample was shown', listed(100), listed(2000, 'more')],
	])('are reported, not sent: %s', async (_, before, added) => {
		const isEmpty = before.length === 0;
		const trigger = await publishedOn(before, { options: { maxItems: 10_000 } });
		const middle = Math.floor(before.length / 2);
		trigger.records.splice(middle, 0, ...added);
		trigger.records.push(filed('real', { filedDate: dayBefore(0), licenseType: 'COP' }));
		const came = await trigger.polls(40);
		expect(came.filter((number) => number !== 'real').length).toBeLessThan(added.length / 10);
		expect(said(trigger)).toHaveLength(1);
		if (!isEmpty) expect(came).toContain('real');
	});

	it.each([
		[10, 20, 'come', 'twenty'],
		[10, 21, 'do not', 'more than twenty'],
		[40, 40, 'come', 'half of what is listed then'],
		[40, 41, 'do not', 'more than half of it'],
	])('beside %i listed: %i older ones %s, as they are %s', async (before, added, what) => {
		const trigger = await publishedOn(listed(before, 'old', { filedDate: dayBefore(1) }));
		trigger.records.push(...listed(added, 'older', { filedDate: dayBefore(30) }));
		expect(await trigger.polls(3)).toHaveLength(what === 'come' ? added : 0);
		expect(said(trigger)).toHaveLength(what === 'come' ? 0 : 1);
	});

	it.each([
		[150, 'come'],
		[151, 'are reported, as they are more than 150'],
	])('%i of one filing date, a new one, %s', async (count, what) => {
		const trigger = await publishedOn(listed(2000));
		const ofOneDay = listed(count, 'one', { filedDate: dayBefore(0) });
		trigger.records.splice(70, 0, ...ofOneDay);
		trigger.records.unshift(filed('real'));
		expect(await trigger.polls(30)).toHaveLength(what === 'come' ? count + 1 : 1);
		expect(said(trigger)).toHaveLength(what === 'come' ? 0 : 1);
	});

	it('are not what is filed in six weeks of a list that stood still', async () => {
		const trigger = await publishedOn(listed(1300));
		for (const [at, record] of listed(900, 'new').entries())
			trigger.records.unshift({ ...record, filedDate: dayBefore(-42 + (at % 50)) });
		vi.setSystemTime(Date.now() + 42 * DAY);
		expect(await trigger.poll()).toHaveLength(900);
		expect(said(trigger)).toEqual([]);
	});

	it.each([1, 2, 3, 4])(
		'are reported, not sent, where they appear with failure %i of a page below',
		async (failure) => {
			const trigger = await publishedOn(listed(600));
			trigger.answer = ({ cursor }) => (cursor === '300' ? { status: 500 } : undefined);
			trigger.records.unshift(filed('new'));
			for (let failures = 1; failures < failure; failures++) await trigger.poll(5 * MINUTE);
			trigger.records.unshift(...listed(90, 'added', { licenseType: 'MOBILE_FOOD' }));
			await trigger.polls(5, 5 * MINUTE);
			expect(trigger.came).toEqual(['new']);
			expect(said(trigger)).toEqual([expect.stringContaining('(90)')]);
		},
	);
});

describe('A service that limits or fails', () => {
	it('does not keep a workflow from being published, twice even', async () => {
		const trigger = new ListedTrigger(listed(120));
		trigger.answer = () => ({ status: 429, headers: { 'retry-after': '600' } });
		for (let times = 1; times <= 2; times++) {
			expect(await trigger.publish()).toEqual([]);
			expect(trigger.log.join().split('begins to read when')).toHaveLength(times + 1);
		}
		trigger.answer = () => undefined;
		await trigger.poll(10 * MINUTE);
		trigger.records.unshift(filed('new'));
		expect(await trigger.poll()).toEqual(['new']);
	});

	it('that shows an empty first page with a total makes no sense, and nothing is known of it', async () => {
		const trigger = await publishedOn(listed(300));
		trigger.answer = () => ({
			status: 200,
			body: { data: [], pagination: { cursor: null, hasMore: false, total: 300 } },
		});
		await trigger.poll();
		expect(trigger.failures).toHaveLength(1);
		trigger.answer = () => undefined;
		expect(await trigger.polls(30)).toEqual([]);
	});

	it('of which one server has a sample alone brings all the same what is new', async () => {
		const trigger = await publishedOn(listed(600));
		let asked = 0;
		trigger.answer = (query) => {
			if (![3, 5, 9].includes(++asked % 10)) return undefined;
			return { status: 200, body: trigger.page(query, trigger.records.slice(0, 270)) };
		};
		for (let days = 0; days < 3; days++) {
			trigger.records.splice(400, 0, filed(`new${days}`, { filedDate: dayBefore(20) }));
			await trigger.polls(24);
		}
		expect(trigger.came.sort()).toEqual(['new0', 'new1', 'new2']);
	});
});

describe('A test key', () => {
	it('polls as any other, and is told of once, after seven days without any change', async () => {
		const trigger = await publishedOn(listed(60), {}, { kind: 'test' });
		trigger.records.unshift(filed('new'));
		expect(await trigger.polls(24)).toEqual(['new']);
		await trigger.polls(6 * 24 - 2);
		expect(trigger.poller.shown).toEqual([]);
		await trigger.polls(60);
		expect(trigger.poller.shown).toEqual([expect.stringContaining('seven days')]);
	});

	it('lets Start From count for the first publishing, and once more at the first live key', async () => {
		const parameters = { options: { startFrom: '2020-01-01' } };
		const trigger = new ListedTrigger(listed(60), parameters, { kind: 'test' });
		expect(await trigger.publish()).toHaveLength(60);
		trigger.poller.credentials.apiKey = 'ls_live_first_of_all';
		expect(await trigger.polls(2)).toHaveLength(60);
		trigger.poller.credentials.apiKey = 'ls_live_second_one';
		expect(await trigger.polls(2)).toEqual([]);
	});
});

it("n8n's log names workflow and node in every line, and at publishing each chosen event without a record", async () => {
	const { log } = await publishedOn(listed(60), {
		eventTypes: ['new_filing', 'ownership_transfer'],
	});
	expect(log.length).toBeGreaterThan(1);
	for (const line of log) expect(line).toMatch(/workflow-\d+.*Licensing Data Trigger/);
	expect(log.filter((line) => /list is empty/.test(line))).toEqual([
		expect.stringContaining('Ownership Transfer'),
	]);
});

it('Two nodes of one ID do not share a memory', async () => {
	const one = await publishedOn(listed(60));
	const two = new ListedTrigger(listed(60), {}, { database: one.poller.database });
	two.poller.nodeName = 'Another Trigger';
	two.poller.restart();
	two.poller.saved = {};
	await two.publish();
	for (const number of ['a', 'b', 'c'])
		for (const trigger of [one, two]) {
			trigger.records.unshift(filed(number));
			expect(await trigger.poll()).toEqual([number]);
		}
});
