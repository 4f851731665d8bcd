import type { IDataObject } from 'n8n-workflow';
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

const on = (days: number) => ({ eventTimestamp: `${dayBefore(days)}T00:00:00Z` });
const shownTimes = ({ poller }: ListedTrigger, words: string) =>
	poller.shown.filter((message) => message.includes(words)).length;
const AT_ONCE = 'at once';

/** So many of an event, over a year, or all of one day. */
const events = (eventType: string, count: number, more: License = {}): License[] =>
	Array.from({ length: count }, (_, at) =>
		filed(`${eventType} ${at + 1}`, { eventType, ...on(at % 365), ...more }, 400),
	);
const ofOneEvent = { eventTypes: ['renewal'] };

describe('Renewals', () => {
	const renewals = (more: License) =>
		events('renewal', 200, { expirationDate: '2026-09-30', ...more });
	it.each<[string, License]>([
		['expire a year later, and took effect on the same day', { expirationDate: '2027-09-30' }],
		['no longer say when they expire', { expirationDate: null, ...on(-365) }],
	])('of the next year come, though they %s', async (_, more) => {
		const trigger = await publishedOn(renewals(on(0)), ofOneEvent);
		trigger.records = renewals({ ...on(0), ...more });
		expect(await trigger.poll(365 * DAY)).toHaveLength(200);
		trigger.records = renewals({ ...on(0), ...more, expirationDate: null });
		expect(await trigger.poll(DAY)).toEqual([]);
	});

	it('that wait keep their expiration date, where another row lacks it', async () => {
		const options = { maxItems: 1 };
		const trigger = await publishedOn(events('renewal', 60), { ...ofOneEvent, options });
		const waiting = filed('waits', {
			eventType: 'renewal',
			expirationDate: '2027-01-01',
			...on(1),
		});
		const first = filed('first', { eventType: 'renewal', ...on(2) });
		trigger.records.unshift(first, waiting, { ...waiting, expirationDate: null });
		expect(await trigger.poll()).toEqual(['first']);
		const came = await trigger.poller.poll();
		expect(came).toMatchObject([{ licenseNumber: 'waits', expirationDate: '2027-01-01' }]);
	});

	it('have the room that other events do not need', async () => {
		const filters = { counties: ['Lee', 'Bay'] };
		const records = [...listed(600), ...events('renewal', 3600)];
		const trigger = await publishedOn(records, { filters, eventTypes: [] });
		for (let news = 0; news < 60; news++)
			trigger.records.splice(700 + 50 * news, 0, filed(`new ${news}`, { eventType: 'renewal' }));
		expect(await trigger.polls(3)).toHaveLength(60);
	});
});

it('A cancellation that is dated today each day comes once', async () => {
	const canceled = (day: number) => events('cancellation', 80, on(-day));
	const trigger = await publishedOn(canceled(0), { eventTypes: ['cancellation'] });
	for (const day of [1, 2, 3, 100]) {
		trigger.records = canceled(day);
		expect(await trigger.poll(DAY)).toEqual([]);
	}
});

describe('Filings without a date of their own', () => {
	it('come, however many a weekly file brings', async () => {
		const trigger = await publishedOn(listed(300));
		for (const week of [1, 2]) {
			const file = { filedDate: null, ...on(-7 * week) };
			trigger.records.unshift(...listed(176, `week ${week} `, file));
			expect(await trigger.poll(7 * DAY)).toHaveLength(176);
		}
	});
});

describe('An event that begins to be listed', () => {
	it('brings what is dated of these days, and the old of it is reported', async () => {
		const eventTypes = ['new_filing', 'ownership_transfer'];
		const trigger = await publishedOn(listed(60), { eventTypes });
		const old = events('ownership_transfer', 300).slice(30);
		const today = events('ownership_transfer', 25, on(0)).map((one, at) => ({
			...one,
			licenseNumber: `t${at}`,
		}));
		trigger.records.push(...old, ...today);
		expect(await trigger.poll()).toHaveLength(25);
		expect(shownTimes(trigger, `${AT_ONCE} are not reported as new (270)`)).toBe(1);
	});

	it('and was left out by a sample while publishing, is reported', async () => {
		const trigger = new ListedTrigger([], ofOneEvent);
		await trigger.publish();
		trigger.records = events('renewal', 2000, on(60));
		expect(await trigger.polls(5)).toEqual([]);
		trigger.records.unshift(
			...events('renewal', 300, on(90)).map((one) => ({
				...one,
				licenseNumber: `x ${one.licenseNumber}`,
			})),
		);
		// It was there before, so it is not judged any more.
		expect(await trigger.poll()).toHaveLength(300);
	});
});

const renumbered = (one: License) => ({ ...one, licenseNumber: `FL-${one.licenseNumber}` });
const older = Array.from({ length: 1500 }, (_, at) => filed(`older${at}`, {}, 2 + (at % 59)));
const byDate = (a: License, b: License) => (String(a.filedDate) < String(b.filedDate) ? 1 : -1);
it.each<[string, before: number, change: (records: License[]) => License[]]>([
	['numbers in another format', 2500, (records) => records.map(renumbered)],
	['many more old ones', 1000, (records) => [...records, ...older].sort(byDate)],
])('A long list that has %s is judged while it is read', async (_, before, change) => {
	const trigger = await publishedOn(listed(before));
	trigger.answer = () => void vi.setSystemTime(Date.now() + 3000);
	trigger.records = change(trigger.records);
	trigger.poller.budget = 45_000;
	expect((await trigger.polls(12)).length).toBeLessThanOrEqual(60);
});

describe('A first reading', () => {
	it('reads once more what it has missed, as records left', async () => {
		const trigger = new ListedTrigger(listed(3000));
		trigger.answer = ({ cursor }) => {
			if (cursor === '1000' && trigger.records.length === 3000) trigger.records.splice(0, 40);
		};
		await trigger.publish();
		expect(await trigger.polls(31)).toEqual([]);
	});

	it('says how many of how many it has shown, and reads no third time', async () => {
		const trigger = new ListedTrigger(listed(120));
		trigger.answer = (query) => {
			const page = trigger.page(query);
			page.pagination.total = 130;
			return { status: 200, body: page };
		};
		await trigger.publish();
		expect(trigger.asked).toHaveLength(7);
		expect(trigger.log.join()).toContain('It showed 120 of 130 entries');
	});
});

it('A list that had entries and is empty shows one failed execution', async () => {
	const records = [...listed(60), ...events('renewal', 9)];
	const trigger = await publishedOn(records, { eventTypes: ['new_filing', 'renewal'] });
	const before = trigger.records.splice(0, 60);
	await trigger.polls(48);
	const isEmpty = 'New Filing: the list is empty';
	expect(trigger.poller.shown).toEqual([isEmpty]);
	trigger.answer = ({ event_type }) => (event_type === 'new_filing' ? { status: 403 } : undefined);
	await trigger.poll();
	trigger.answer = () => undefined;
	await trigger.poll();
	expect(shownTimes(trigger, isEmpty)).toBe(1);
	trigger.records = [...listed(30, 'new'), ...before];
	expect(await trigger.polls(31)).toHaveLength(30);
});

it('A page that cannot be read is said with what is missing, since when, and until when', async () => {
	const trigger = await publishedOn(listed(120));
	trigger.records.push(filed('below'));
	trigger.answer = ({ cursor }) => (cursor ? { status: 500 } : undefined);
	await trigger.polls(4);
	expect(trigger.poller.warnings.join()).toMatch(
		/What is new below this page has been missing since 2026-07-01T12:00.* It comes once a poll can read that far/,
	);
});

it('A page of another list is said with both lengths', async () => {
	const trigger = await publishedOn(listed(600));
	trigger.records.push(filed('new'));
	trigger.answer = (query) =>
		query.cursor === '100'
			? { status: 200, body: trigger.page(query, trigger.records.slice(0, 270)) }
			: undefined;
	await trigger.polls(3);
	expect(trigger.poller.warnings.join()).toContain(
		'the list has 270 entries, and its first page said 601',
	);
});

it('Each record that is no license is counted', async () => {
	const trigger = await publishedOn(listed(60));
	trigger.records.unshift(...Array.from({ length: 30 }, () => ({ eventType: 'new_filing' })));
	await trigger.polls(2);
	expect(trigger.log.join()).toContain('Records left out: 30 (not a license)');
});

it('Changed filters are said in one line, with what they mean for what is listed', async () => {
	const bay = { address: { county: 'Bay' } };
	const first = await publishedOn([...listed(60), ...listed(60, 'bay', bay)], {
		filters: { counties: ['Lee'] },
	});
	const { database } = first.poller;
	const other = new ListedTrigger(
		first.records,
		{ filters: { counties: ['Lee', 'Bay'] } },
		{ database },
	);
	expect(await other.polls(3)).toEqual([]);
	expect(other.log.filter((line) => line.includes('The filters have changed'))).toEqual([
		expect.stringContaining(
			'Those that only the new filters select, and that are listed now, are not.',
		),
	]);
});

it('A test event that is not found says how far the test has looked', async () => {
	const { poller } = new ListedTrigger(listed(600), { filters: { zipCodes: '33602' } });
	await expect(poller.fetchTestEvent()).rejects.toThrow(
		'None of the newest 500 entries matches the filters',
	);
});

it('Start From in the future is refused before anything is asked', async () => {
	const trigger = new ListedTrigger([], { options: { startFrom: '2026-07-02' } });
	await expect(trigger.publish()).rejects.toThrow("'Start From' is in the future");
	expect(trigger.asked).toEqual([]);
});

it('With a key that is not accepted, publishing asks once', async () => {
	const trigger = new ListedTrigger([], { eventTypes: [] } as IDataObject);
	trigger.answer = () => ({ status: 401 });
	await expect(trigger.publish()).rejects.toThrow('The API key was not accepted');
	expect(trigger.asked).toHaveLength(1);
});

it('A full reading is repeated once an hour at most where sixty pages change each minute', async () => {
	const trigger = await publishedOn(listed(3000));
	let requests = 0;
	for (let minute = 0; minute < 120; minute++) {
		trigger.records[0] = filed('old1', on(-minute));
		await trigger.poll(MINUTE);
		requests += trigger.asked.length;
	}
	expect(requests).toBe(120 + 2 * 59);
});
