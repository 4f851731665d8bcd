import { describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { Failure } from '../../nodes/LicensingData/domain/failure.ts';
import { findTestEvents } from '../../nodes/LicensingData/trigger/feed/testEvents.ts';
import { isDated, readKeys } from '../../nodes/LicensingData/trigger/feed/sortKey.ts';
import type { FeedState } from '../../nodes/LicensingData/trigger/feed/state.ts';
import { readWatch } from '../../nodes/LicensingData/trigger/watch.ts';
import { FakeService } from '../support/fake-service.mts';
import {
	alike,
	type Done,
	FeedTrigger,
	filed,
	HOUR,
	list,
	MINUTE,
	NOON,
	SECOND,
	series,
	triggerOn,
	watching,
} from '../support/feed-trigger.mts';

const both = ['key', 'position'] as const;
const DAY = 24 * HOUR;

const undated = (count: number) => alike(count, undefined);

/** Answers the first page as the service does, and every other one like this. */
const below =
	<T,>(answer: T) =>
	(cursor: string | null) =>
		cursor === null ? undefined : answer;

const failsAt = (number: number) => (_: unknown, request: number) =>
	request === number ? { failure: new Error('fault') } : undefined;

/** The service is there, and lists nothing. */
const emptyPage = () => ({ records: [], cursor: null });

const rejected = ({ reject }: Done) => reject(new Error('The database is locked'));
const accepted = ({ resolve }: Done) => resolve(undefined);

const stateOf = ({ saved }: FeedTrigger) => (JSON.parse(saved ?? '') as { feed: FeedState }).feed;
const savedBytes = ({ saved }: FeedTrigger) => Buffer.byteLength(saved ?? '');

describe('Lists that are a little different', () => {
	it.each([
		['2059-05-25T00:00:00Z', true],
		['2059-05-26T00:00:00Z', false],
	])(
		'may date an event %s: it comes, and its date has room in a sort key: %s',
		async (date, has) => {
			const { service, trigger } = await watching(series(60, HOUR));
			const far = list(service, [filed(NOON - Date.parse(date))]);
			expect(await trigger.drain()).toEqual(far);
			const { seen, batches } = stateOf(trigger);
			const undated = readKeys([seen, ...batches.map(({ keys }) => keys)].join('')).filter(
				(key) => !isDated(key),
			);
			expect(undated).toHaveLength(has ? 0 : 1);
		},
	);

	it('may show thousands without a date above the others: what is there stays quiet', async () => {
		const { service, trigger } = triggerOn([...series(100, HOUR), ...undated(4000)], {
			undated: 'first',
		});
		expect(await trigger.pollTimes(25)).toEqual([]);
		const news = list(service, [filed(undefined), filed(0)]);
		expect((await trigger.drain()).toSorted()).toEqual(news.toSorted());
	});

	it('may show so many without a date that no scan gets below them: what is there stays quiet', async () => {
		const records = [...series(100, HOUR), ...undated(5020)];
		const { trigger } = triggerOn(records, { undated: 'first' });
		expect(await trigger.pollTimes(25)).toEqual([]);
	});

	it('may hold one old date in the middle: one new event is one event', async () => {
		const records = Array.from({ length: 400 }, (_, index) =>
			filed(HOUR + (400 - index) * SECOND + (index === 350 ? 25 * HOUR : 0)),
		);
		const { service, trigger } = triggerOn(records, { sortedBy: 'arrival' });
		expect(await trigger.poll()).toEqual([]);
		const news = list(service, [filed(0)]);
		expect(await trigger.drain()).toEqual(news);
		expect(await trigger.pollTimes(12)).toEqual([]);
	});

	it('may be sorted by another date within the lookback, with late ones among them', async () => {
		const jittered = (index: number, before: number) =>
			filed(before, {
				filedDate: new Date(NOON - before + (((index * 7919) % 41) - 20) * HOUR).toISOString(),
			});
		const { service, trigger } = await watching(
			Array.from({ length: 900 }, (_, index) => jittered(index, 2 * DAY + index * 4 * MINUTE)),
			{ sortedBy: 'filedDate' },
		);
		const ids: string[] = [];
		const emitted: string[] = [];
		for (let round = 0; round < 60; round++) {
			const before = 2 * DAY - round * 4 * MINUTE + (round % 6 === 0 ? 3 * HOUR : 0);
			const three = [0, 1, 2].map((index) => jittered(round * 3 + index, before));
			ids.push(...list(service, three));
			emitted.push(...(await trigger.poll()));
		}
		emitted.push(...(await trigger.drain()), ...(await trigger.pollTimes(20)));
		expect(emitted.toSorted()).toEqual(ids.toSorted());
	});

	it.each([
		[30, 6, 15],
		[50, 27, 7],
	])(
		'may show pages of events of %d hours ago above a late one, where they go by another date',
		async (hours, from, minutes) => {
			const by = (filedBefore: number, before: number) =>
				filed(before, { filedDate: new Date(NOON - filedBefore).toISOString() });
			const { service, trigger } = await watching(
				[
					by(0, 0),
					by(6 * HOUR, 30 * HOUR),
					...Array.from({ length: 20 }, () => by(7 * HOUR, 5 * HOUR)),
					...Array.from({ length: 130 }, (_, index) =>
						by(from * HOUR + index * minutes * MINUTE, hours * HOUR),
					),
				],
				{ sortedBy: 'filedDate', totals: false },
			);
			const late = list(service, [by(44 * HOUR, 20 * HOUR)]);
			expect(await trigger.pollTimes(10)).toEqual(late);
		},
	);

	it.each([
		[3800, 12],
		[4500, 40],
	])('may give %d records one moment, and %d more come', async (there, more) => {
		const { service, trigger } = await watching(alike(there, HOUR), { ties: 'mixed' });
		const news = list(service, alike(more, HOUR));
		expect((await trigger.drain()).toSorted()).toEqual(news.toSorted());
		expect(trigger.log).toEqual([]);
	});

	it('may give all one moment: what is new comes at once, though the total has not grown', async () => {
		const there = alike(200, HOUR);
		const { service, trigger } = await watching(there, { ties: 'mixed' });
		const news = list(service, alike(40, HOUR));
		for (const record of there.slice(0, 40)) service.remove(record);
		expect((await trigger.poll()).toSorted()).toEqual(news.toSorted());
	});

	it.each([true, false])(
		'may never show a page: what stands above it comes, and the user is told hourly (totals: %s)',
		async (totals) => {
			const { service, trigger } = await watching(series(60, HOUR), { totals });
			const news = list(service, series(130, MINUTE));
			const before = below({ failure: new Error('Page 2 is forbidden') });
			expect(await trigger.pollTimes(2, { before })).toEqual(news.slice(-50));
			expect(trigger.shown).toEqual(['Page 2 is forbidden']);
			expect(await trigger.pollTimes(90, { before })).toEqual([]);
			expect(trigger.shown).toHaveLength(2);
			const newest = list(service, [filed(0)]);
			expect(await trigger.poll({ before })).toEqual([]);
			expect(await trigger.poll({ before })).toEqual(newest);
			// Once the page can be read, what it lists comes with the next poll.
			expect(await trigger.poll()).toEqual(news.slice(0, -50));
		},
	);

	it('may fail for some polls: the first poll that can read brings what is new', async () => {
		const { service, trigger } = await watching(series(60, HOUR));
		const news = list(service, [filed(0)]);
		const before = () => ({ failure: new Error('fault') });
		for (let polls = 0; polls < 3; polls++)
			await expect(trigger.poll({ before })).rejects.toThrow('fault');
		expect(await trigger.poll()).toEqual(news);
	});

	it('may fail twice in different places: nothing is torn apart for that', async () => {
		const { service, trigger } = await watching(series(100, 9 * HOUR));
		const news = list(service, series(400, HOUR));
		expect(await trigger.poll({ before: failsAt(3) })).toEqual([]);
		expect(await trigger.poll({ pages: 3 })).toEqual([]);
		expect(await trigger.poll({ before: failsAt(1) })).toEqual([]);
		expect(await trigger.poll()).toEqual(news);
	});

	it('may fail at its top while a scan starts over: a page below still gets a second try', async () => {
		const { service, trigger } = await watching(series(500, HOUR));
		const news = list(service, series(300, MINUTE));
		const failure = { failure: new Error('fault') };
		const before = (_: unknown, request: number) =>
			request === 4 ? { expired: true as const } : request === 5 ? failure : undefined;
		await expect(trigger.poll({ before })).rejects.toThrow('fault');
		expect(await trigger.poll({ before: below(failure) })).toEqual([]);
		expect(await trigger.poll({ before: below(failure) })).toEqual(news.slice(150));
		expect(await trigger.drain()).toEqual(news.slice(0, 150));
	});

	it.each([
		['that a sweep could not read, either: what is above it comes at once', failsAt(4), 4, 151],
		['where a sweep had no trouble: nothing is torn apart for that', failsAt(4), 3, 0],
		['where a sweep had no more time: nothing is torn apart for that', undefined, 4, 0],
	])('may fail in a place %s', async (_, before, request, count) => {
		const { service, trigger } = await watching(series(500, HOUR), {
			cursors: 'position',
			totals: false,
		});
		const news = list(service, [filed(HOUR + 120.5 * SECOND)]);
		await trigger.pollTimes(10, { pages: 3, ...(before && { before, pages: Infinity }) });
		news.push(...list(service, series(200, MINUTE)));
		const emitted = await trigger.poll({ before: failsAt(request) });
		expect(emitted).toHaveLength(count);
		emitted.push(...(await trigger.drain()));
		expect(emitted.toSorted()).toEqual(news.toSorted());
	});

	it('may fail in one place twice, with another cursor: what is above it comes', async () => {
		const { service, trigger } = await watching(series(100, 9 * HOUR), { totals: false });
		const news = list(service, series(200, HOUR));
		expect(await trigger.poll({ before: failsAt(3) })).toEqual([]);
		service.expireCursors();
		expect(await trigger.poll({ before: failsAt(4) })).toEqual(news.slice(-100));
		expect(await trigger.poll()).toEqual(news.slice(0, -100));
	});

	it('may fail at its top while a sweep starts again: what is new comes all the same', async () => {
		const { service, trigger } = await watching(series(500, HOUR), { totals: false });
		await trigger.pollTimes(9);
		const news = list(service, [filed(0)]);
		const before = (_: unknown, request: number) =>
			request === 3 ? ({ expired: true } as const) : failsAt(4)(_, request);
		expect(await trigger.poll({ before })).toEqual(news);
	});

	it('may have a page of old records entered on top: what is new below them comes', async () => {
		const { service, trigger } = await watching(series(200, HOUR), { sortedBy: 'arrival' });
		const news = list(service, series(5, MINUTE));
		list(
			service,
			Array.from({ length: 120 }, (_, index) => filed(1000 * DAY + index * HOUR)),
		);
		expect(await trigger.drain()).toEqual(news);
		await trigger.poll();
		expect(trigger.requests).toBe(1);
	});

	it('may be dated in seconds with parts of a millisecond: all is remembered as it is', async () => {
		const record = filed(undefined, {
			eventTimestamp: ((NOON - HOUR) / 1000 + 0.0001234) as never,
		});
		const { service, trigger } = await watching([record, ...series(5, MINUTE)]);
		const news = list(service, [filed(0)]);
		expect(await trigger.poll()).toEqual(news);
		trigger.loseProcess();
		expect(await trigger.drain()).toEqual([]);
		expect(stateOf(trigger).seen).toHaveLength(7 * 16);
	});

	it.each(['1960', '1970', '2100'])(
		'may be dated %s: what is there stays quiet, and what is new comes once',
		async (year) => {
			const then = (hour: number) => filed(NOON - Date.parse(year) - hour * HOUR);
			const { service, trigger } = triggerOn(Array.from({ length: 60 }, (_, hour) => then(hour)));
			expect(await trigger.drain()).toEqual([]);
			const news = list(service, [then(70)]);
			expect(await trigger.drain()).toEqual(news);
			trigger.loseProcess();
			expect(await trigger.drain()).toEqual([]);
		},
	);

	it.each([
		[[], 100],
		[[...undated(3000), ...series(50, HOUR)], 161],
	])(
		'may hold thousands without a date: a scan ends after a hundred pages in a row',
		async (others, requests) => {
			const records = [...undated(6000), ...others, ...undated(3000)];
			const { trigger } = await watching(records, { sortedBy: 'arrival' });
			expect(trigger.requests).toBe(requests);
		},
	);

	it('may show what has no date below old records: all that is new there comes', async () => {
		const { service, trigger } = await watching([...series(30, HOUR), ...series(40, 90 * DAY)]);
		const news = list(service, undated(60));
		expect((await trigger.drain()).toSorted()).toEqual(news.toSorted());
	});

	it('may fail for a while: the user is told if the second poll fails as well', async () => {
		const { service, trigger } = await watching(series(60, HOUR));
		list(service, series(60, MINUTE));
		const failure = new Failure('status', 'The service is busy', 'Wait.', { isTransient: true });
		await trigger.poll({ before: below({ failure }) });
		expect(trigger.requests).toBe(2);
		expect(trigger.shown).toEqual([]);
		await trigger.poll({ before: below({ failure }) });
		expect(trigger.shown).toEqual(['The service is busy']);
	});
});

/** As the node reads its parameters. */
function watched(eventTypes: string[]) {
	const parameters: Record<string, unknown> = { eventTypes, filters: {} };
	const getNodeParameter = (name: string, fallback: unknown) => parameters[name] ?? fallback;
	const { query, ...settings } = readWatch({ getNodeParameter } as never);
	return { ...settings, query: query as Record<string, string> };
}

describe('The filters', () => {
	it('keep what waits where its record does not say the event that the service was asked for', async () => {
		const { service, trigger } = await watching(series(60, HOUR), { maxItems: 1 });
		const news = list(service, series(3, MINUTE));
		const emitted = await trigger.poll();
		emitted.push(...(await trigger.drain({ filters: 'others', matchesAll: () => false })));
		expect(emitted).toEqual(news);
	});

	it.each([
		{ before: ['new_filing', 'renewal'], pages: Infinity, emitted: 10 },
		{ before: ['new_filing'], pages: Infinity, emitted: 10 },
		{ before: [], pages: Infinity, emitted: 10 },
		{ before: ['new_filing'], pages: 1, emitted: 0 },
	])('keep what waits back once another event is wanted: %j', async ({ before, ...first }) => {
		const { service, trigger } = triggerOn(series(60, HOUR), { maxItems: 10 });
		await trigger.poll(watched(before));
		list(service, series(130, MINUTE));
		const emitted = await trigger.poll({ ...watched(before), pages: first.pages });
		expect(emitted).toHaveLength(first.emitted);
		expect(await trigger.drain(watched(['renewal']))).toEqual([]);
	});

	const inCounty = (county: string) => ({ address: { county } });
	const inLee = inCounty('Lee');
	const inBay = inCounty('Bay');
	const onlyLee = { query: { county: 'Lee' } };
	const everywhere = { query: {} };
	const matches = (counties: string[]) => ({
		filters: counties.join(),
		matches: (record: { address?: { county?: string | null } | null }) =>
			counties.includes(record.address?.county ?? ''),
	});

	it('may change while an event waits: it comes if it fits the new ones', async () => {
		const { service, trigger } = triggerOn(series(100, HOUR, inLee));
		await trigger.poll(matches(['Lee']));
		const news = list(service, [filed(MINUTE, inBay)]);
		expect(await trigger.poll(matches(['Lee', 'Bay']))).toEqual(news);
	});

	it.each([
		['where a poll has time for one page', { pages: 1 }, series(300, MINUTE)],
		[
			'where old records stand between',
			{},
			[...series(50, MINUTE), ...series(120, 1000 * DAY), ...series(5, 60 * MINUTE)],
		],
	])('may change while news are read: all that is new comes, %s', async (_, later, news) => {
		const { service, trigger } = await watching(series(200, DAY), { sortedBy: 'arrival' });
		const isNew = ({ eventTimestamp }: License) => Date.parse(eventTimestamp ?? '') > NOON - DAY;
		list(service, news);
		const ids = news.filter(isNew).map(({ id }) => id);
		const emitted = await trigger.poll({ pages: 1 });
		emitted.push(...(await trigger.pollTimes(60, { ...later, filters: 'other' })));
		expect(emitted.toSorted()).toEqual(ids.toSorted());
	});

	it('may make the service list something else: what is newer than the newest seen comes, and no more', async () => {
		const { service, trigger } = triggerOn([
			...series(300, HOUR, inBay),
			...series(20, 30 * MINUTE, inLee),
			filed(-DAY, inBay),
		]);
		await trigger.poll(onlyLee);
		list(service, [filed(40 * MINUTE, inBay)]);
		const news = list(service, [filed(-2 * MINUTE, inBay)]);
		expect(await trigger.drain(everywhere)).toEqual(news);
		const late = list(service, [filed(40 * MINUTE, inBay)]);
		expect(await trigger.drain(everywhere)).toEqual(late);
	});

	it('may make the service list something else right after the newest came: what is older stays quiet', async () => {
		const { trigger } = triggerOn([filed(-90 * SECOND, inBay), filed(-2 * MINUTE, inLee)]);
		await trigger.poll(onlyLee);
		expect(await trigger.drain(everywhere)).toEqual([]);
	});

	it('may make the service list something else during the first look: no flood either', async () => {
		const { trigger } = triggerOn([...series(100, 2 * HOUR, inLee), ...series(100, HOUR, inBay)]);
		await trigger.poll({ ...onlyLee, pages: 1 });
		expect(await trigger.drain(everywhere)).toEqual([]);
	});

	it('may stay the same for another account: what waits and what is there stay quiet', async () => {
		const { service, trigger } = await watching(series(60, HOUR), { maxItems: 1 });
		list(service, series(3, MINUTE));
		expect(await trigger.poll()).toHaveLength(1);
		const another = { account: 'another' };
		expect(await trigger.drain(another)).toEqual([]);
		const news = list(service, [filed(0)]);
		expect(await trigger.poll(another)).toEqual(news);
	});

	it('may make the service list something else where nothing was listed: no flood either', async () => {
		const { service, trigger } = triggerOn(series(300, 2 * DAY, inBay));
		await trigger.poll(onlyLee);
		const news = list(service, [filed(MINUTE, inBay)]);
		expect(await trigger.drain(everywhere)).toEqual(news);
	});

	it('may make the service list something else after days in which nothing was listed: no flood', async () => {
		const { service, trigger } = await watching([], onlyLee);
		trigger.now += 3 * DAY;
		await trigger.poll(onlyLee);
		list(service, series(300, -DAY, inBay));
		const news = list(service, [filed(-3 * DAY, inBay)]);
		expect(await trigger.drain(everywhere)).toEqual(news);
	});

	it('may make the service list something else: what is of the same moment as the newest seen is no news', async () => {
		const { trigger } = await watching(
			[...alike(9, HOUR, inLee), ...alike(9, HOUR, inBay)],
			onlyLee,
		);
		expect(await trigger.drain(everywhere)).toEqual([]);
	});

	it('may make the service list something else: what n8n still takes over counts as seen', async () => {
		const { service, trigger } = await watching(series(20, HOUR, inLee), onlyLee);
		trigger.execution = () => {};
		const news = list(service, [filed(MINUTE, inLee)]);
		expect(await trigger.poll(onlyLee)).toEqual(news);
		list(service, series(20, 30 * MINUTE, inBay));
		expect(await trigger.drain(everywhere)).toEqual([]);
	});

	it('may make the service list something else when the newest seen is old: no flood either', async () => {
		const { service, trigger } = await watching(
			[...series(20, 10 * DAY, inLee), ...series(20, 5 * DAY, inBay)],
			onlyLee,
		);
		const news = list(service, [filed(MINUTE, inBay)]);
		expect(await trigger.drain(everywhere)).toEqual(news);
	});

	it.each([
		['some had no date: no flood', { undated: 'first' }, []],
		['Start From asked for some: they come', { startFrom: NOON - 3 * HOUR }, [HOUR, 2 * HOUR]],
	] as const)(
		'may make the service list something else before the baseline has been read, where %s',
		async (_, options, asked) => {
			const there = asked.map((before) => filed(before, inBay)).reverse();
			const { service, trigger } = triggerOn(
				[
					...series(100, 4 * HOUR, inLee),
					...series(100, 5 * HOUR, inBay),
					...there,
					...alike(60, undefined, inLee),
				],
				options,
			);
			expect(await trigger.poll({ ...onlyLee, pages: 1 })).toEqual([]);
			expect(await trigger.drain(everywhere)).toEqual(there.map(({ id }) => id));
			const late = list(service, [filed(20 * HOUR, inBay)]);
			expect(await trigger.drain(everywhere)).toEqual(late);
		},
	);

	it('may make the service list something else while a scan has found something late: it comes', async () => {
		const { service, trigger } = await watching(series(200, HOUR, inLee), {
			...onlyLee,
			totals: false,
		});
		const news = list(service, [filed(HOUR + 10.5 * SECOND, inLee), ...series(60, MINUTE, inLee)]);
		expect(await trigger.poll({ ...onlyLee, pages: 2 })).toEqual([]);
		expect(await trigger.drain(everywhere)).toEqual(news);
	});

	it('may make the service list something else, and first show an empty page: nothing late is lost', async () => {
		const { service, trigger } = triggerOn([
			...series(20, HOUR, inLee),
			...series(300, 2 * DAY, inBay),
		]);
		await trigger.poll(onlyLee);
		expect(await trigger.poll({ ...everywhere, before: emptyPage })).toEqual([]);
		const late = list(service, [filed(23 * HOUR, inBay)]);
		expect(await trigger.drain(everywhere)).toEqual(late);
	});

	it('may make the service list something else while a sweep goes on: the late event that it has found comes', async () => {
		const { service, trigger } = triggerOn(series(500, HOUR, inLee), { totals: false });
		await trigger.pollTimes(10, onlyLee);
		const late = list(service, [filed(HOUR + 120.5 * SECOND, inLee)]);
		expect(await trigger.poll({ ...onlyLee, pages: 3 })).toEqual([]);
		expect(await trigger.poll(everywhere)).toEqual(late);
	});

	it('may make the service list the same again: a late event comes with the next poll', async () => {
		const { service, trigger } = triggerOn(series(500, HOUR, inLee));
		await trigger.poll(onlyLee);
		expect(await trigger.poll(everywhere)).toEqual([]);
		const late = list(service, [filed(HOUR + 400.5 * SECOND, inLee)]);
		expect(await trigger.poll(everywhere)).toEqual(late);
	});

	it('may make the service list something else when n8n has lost a batch: it comes again', async () => {
		const { service, trigger } = triggerOn(series(20, HOUR, inLee));
		await trigger.poll(onlyLee);
		const news = list(service, [filed(MINUTE, inLee)]);
		trigger.execution = rejected;
		expect(await trigger.poll(onlyLee)).toEqual(news);
		trigger.execution = accepted;
		expect(await trigger.drain(everywhere)).toEqual(news);
	});

	it('may make the service list something else while n8n takes over a late event: refused, it comes again', async () => {
		const inLee = { query: { county: 'Lee' } };
		const { service, trigger } = triggerOn(series(99, HOUR, inCounty('Lee')), { totals: false });
		await trigger.poll(inLee);
		const [late, newest] = list(service, [
			filed(23.9 * HOUR, inCounty('Lee')),
			filed(-HOUR, inCounty('Lee')),
		]);
		trigger.now += HOUR;
		const fates: Done[] = [];
		trigger.execution = (fate) => void fates.push(fate);
		const emitted: string[] = [];
		while (!emitted.includes(String(late))) emitted.push(...(await trigger.poll(inLee)));
		expect(emitted).toContain(newest);
		trigger.execution = accepted;
		await trigger.poll({ query: {} });
		for (const fate of fates) rejected(fate);
		expect(await trigger.drain({ query: {} })).toContain(late);
	});

	it('may make the service list something else after days with a backlog: what is older than a day stays quiet', async () => {
		const inLee = { query: { county: 'Lee' }, maxItems: 1 };
		const { service, trigger } = triggerOn(series(20, HOUR, inCounty('Lee')));
		await trigger.poll(inLee);
		const waiting = list(service, series(10, MINUTE, inCounty('Lee')));
		const emitted = await trigger.poll(inLee);
		for (let day = 0; day < 3; day++) {
			const filedThen = series(40, 30 * MINUTE, inCounty('Bay')).map((record) => ({
				...record,
				eventTimestamp: new Date(Date.parse(record.eventTimestamp ?? '') + day * DAY).toISOString(),
			}));
			list(service, filedThen);
			trigger.now += DAY;
			emitted.push(...(await trigger.poll(inLee)));
		}
		const since = trigger.now - DAY;
		emitted.push(...(await trigger.drain({ query: {} })));
		const isTooOld = ({ id, eventTimestamp }: License) =>
			!waiting.includes(String(id)) && Date.parse(eventTimestamp ?? '') < since - HOUR;
		const old = service.records.filter(isTooOld).map(({ id }) => id);
		expect(emitted.filter((id) => old.includes(id))).toEqual([]);
		expect(emitted).toEqual(expect.arrayContaining(waiting));
	});

	it('may make the service list something else while a backlog waits: what matches comes', async () => {
		const { service, trigger } = triggerOn(series(60, HOUR, inLee), { maxItems: 100 });
		await trigger.poll(onlyLee);
		const backlog = Array.from({ length: 1500 }, (_, index) =>
			filed(30 * MINUTE - index * SECOND, { ...inLee, status: `${index % 2}` }),
		);
		const ids = list(service, backlog);
		const emitted = await trigger.poll(onlyLee);
		expect(emitted).toHaveLength(100);
		list(service, series(300, 10 * MINUTE, inBay));
		ids.push(...list(service, [filed(0, { ...inBay, status: '1' })]));
		const isOdd = (id: string) =>
			service.records.find((record) => record.id === id)?.status === '1';
		const changed = {
			...everywhere,
			filters: 'odd',
			matches: ({ status }: License) => status === '1',
		};
		const rest = ids.filter((id) => !emitted.includes(id) && isOdd(id));
		expect(await trigger.drain({ ...changed, pages: 7 })).toEqual(rest);
	});

	it('may be of another account for one poll that fails: what waits in another list still comes', async () => {
		const { service, trigger } = await watching(series(600, HOUR), { maxItems: 7 });
		const late = list(service, series(20, HOUR + 30.5 * SECOND));
		const emitted = await trigger.poll();
		const query = { event_type: 'new_filing' };
		emitted.push(...(await trigger.poll({ query, pages: 3 })));
		const before = () => ({ failure: new Error('The key is not valid') });
		await expect(trigger.poll({ query, account: 'another', before })).rejects.toThrow('key');
		emitted.push(...(await trigger.pollTimes(12, { query })));
		expect(emitted).toEqual(late);
	});

	it('may be of another account for one poll that fails: what it read of that is not kept', async () => {
		const { service, trigger } = await watching(series(60, HOUR));
		const record = filed(0);
		const before = (_: unknown, request: number) =>
			[{ records: [record], cursor: 'next' }, { expired: true as const }][request - 1] ?? {
				failure: new Error('fault'),
			};
		await expect(trigger.poll({ account: 'another account', before })).rejects.toThrow('fault');
		expect(await trigger.drain()).toEqual([]);
		const news = list(service, [record]);
		expect(await trigger.drain()).toEqual(news);
	});
});

describe('A scan', () => {
	it.each([true, false])(
		'finds what is new below any number of old records that were entered on top (totals: %s)',
		async (totals) => {
			const { service, trigger } = await watching(series(200, HOUR), {
				sortedBy: 'arrival',
				totals,
			});
			const news = list(service, series(5, MINUTE));
			list(service, series(1200, 400 * DAY));
			expect(await trigger.drain()).toEqual(news);
		},
	);

	it('finds what is new below a page of old records, though as many have left the list', async () => {
		const there = series(200, HOUR);
		const { service, trigger } = await watching(there, { sortedBy: 'arrival' });
		const [older] = list(service, [filed(2 * MINUTE)]);
		list(service, alike(49, 90 * DAY));
		const [newer] = list(service, [filed(MINUTE)]);
		service.remove(there[0] as License);
		expect(await trigger.poll()).toEqual([older, newer]);
	});

	it('finds what is new below a page that ends with what is newer, though as many have left the list', async () => {
		const by = (before: number, event = before) =>
			filed(event, { filedDate: new Date(NOON - before).toISOString() });
		const there = Array.from({ length: 99 }, (_, index) => by(HOUR + index * SECOND));
		const { service, trigger } = await watching(there, { sortedBy: 'filedDate' });
		const news = list(service, [by(HOUR + 70.5 * SECOND, 6 * HOUR), by(1, 5 * HOUR), by(0)]);
		service.remove(there[98] as License);
		expect(await trigger.poll()).toEqual(news);
	});

	it('finds what is new below old records also where one without a date stands above them', async () => {
		const by = (filedBefore: number, before?: number) =>
			filed(before, { filedDate: new Date(NOON - filedBefore).toISOString() });
		const there = Array.from({ length: 200 }, (_, index) => by(2 * HOUR - index, 2 * HOUR - index));
		const { service, trigger } = await watching([...there, by(-DAY)], { sortedBy: 'filedDate' });
		const news = list(service, [by(2 * MINUTE, 2 * MINUTE), by(MINUTE, MINUTE)]);
		list(
			service,
			Array.from({ length: 200 }, (_, index) => by(SECOND, 400 * DAY - index)),
		);
		expect(await trigger.poll()).toEqual(news);
	});

	it('starts again as often as it gets further down', async () => {
		const { service, trigger } = await watching(series(100, 9 * HOUR));
		const news = list(service, series(400, HOUR));
		const before = (_: unknown, request: number) =>
			request === 3 || request === 7 ? ({ expired: true } as const) : undefined;
		expect(await trigger.poll({ before })).toEqual(news);
	});

	it('tells other triggers of the process while it runs how much it holds', async () => {
		const { trigger } = triggerOn(series(500, HOUR), { startFrom: NOON - DAY });
		const rooms: number[] = [];
		await trigger.poll({ before: () => void rooms.push(trigger.roomForOthers()) });
		expect(rooms.at(-1)).toBeLessThan(rooms[0] as number);
	});

	it.each(both)('bears events that arrive between its pages (%s cursors)', async (cursors) => {
		const { service, trigger } = await watching(series(30, 2 * HOUR), { cursors });
		const ids = list(service, series(200, HOUR));
		const emitted = await trigger.poll({
			before: () => void ids.push(...list(service, [filed(MINUTE)])),
		});
		emitted.push(...(await trigger.drain()));
		expect(emitted.toSorted()).toEqual(ids.toSorted());
	});

	it.each([true, false])(
		'starts again from the top when the service has dropped its cursor (totals: %s)',
		async (totals) => {
			const { service, trigger } = await watching(series(30, 2 * HOUR), { totals });
			const ids = list(service, series(200, HOUR));
			expect(await trigger.poll({ pages: 2 })).toEqual([]);
			service.expireCursors();
			expect(await trigger.drain()).toEqual(ids);
		},
	);

	it('brings what it can where the service drops every cursor at once', async () => {
		const { service, trigger } = await watching(series(30, 2 * HOUR), {
			before: below({ expired: true }),
		});
		const ids = list(service, series(20, HOUR));
		expect(await trigger.drain()).toEqual(ids);
		const burst = list(service, series(80, MINUTE));
		expect(await trigger.drain()).toEqual(burst.slice(-50));
		expect(trigger.shown[0]).toBe('The list of the service cannot be read to its end');
	});

	it('reads a list whose cursor stays the same from page to page', async () => {
		const { service, trigger } = await watching(series(300, HOUR), { totals: false });
		const news = list(service, series(200, MINUTE));
		let read = 0;
		const before = (cursor: string | null) => {
			if (cursor === null) read = 0;
			const records = service.records.slice(read, (read += 50));
			return { records, cursor: read < service.records.length ? 'scroll' : null };
		};
		expect(await trigger.drain({ before })).toEqual(news);
	});

	it('is not misled by a page that moves under the next cursor', async () => {
		const options = { cursors: 'position', totals: false } as const;
		const { service, trigger } = await watching(series(60, HOUR), options);
		const news = list(service, series(150, 2 * MINUTE));
		const before = (_: unknown, request: number) => {
			if (request === 2) news.push(...list(service, series(50, MINUTE)));
			return undefined;
		};
		expect(await trigger.poll({ before })).toEqual(news.slice(0, 150));
		expect(await trigger.drain()).toEqual(news.slice(150));
	});

	it('ends where a list leads in a circle', async () => {
		const { service, trigger } = await watching(series(30, 2 * HOUR));
		const news = list(service, series(60, HOUR));
		const before = () => ({ records: service.records.slice(0, 50), cursor: 'the same' });
		expect(await trigger.drain({ before })).toEqual(news.slice(-50));
	});

	it.each([
		['with the next poll where the total tells of it', true, 1],
		['within ten polls where no total tells of it', false, 10],
	])('finds a late event %s', async (_, totals, most) => {
		const { service, trigger } = await watching(series(500, HOUR), { totals });
		for (const seconds of [400.5, 300.5]) {
			const late = list(service, [filed(HOUR + seconds * SECOND)]);
			let polls = 1;
			let emitted: string[] = [];
			while ((emitted = await trigger.poll()).length === 0) polls++;
			expect(emitted).toEqual(late);
			expect(polls).toBeLessThanOrEqual(most);
		}
	});

	it('finds a late event by the total, also where another process has to read on', async () => {
		const { service, trigger } = await watching(series(500, HOUR), { hasDurableCursors: true });
		const late = list(service, [filed(HOUR + 400.5 * SECOND)]);
		expect(await trigger.poll({ pages: 3 })).toEqual([]);
		trigger.loseProcess();
		expect(await trigger.poll()).toEqual(late);
	});

	it('finds a late event that has left the window meanwhile, also where the service showed empty pages', async () => {
		const { service, trigger } = await watching(series(500, HOUR), { totals: false });
		const news = list(service, [filed(24.9 * HOUR), filed(-HOUR)]);
		trigger.now += HOUR;
		const emitted = await trigger.poll();
		emitted.push(...(await trigger.pollTimes(2, { before: emptyPage })));
		emitted.push(...(await trigger.pollTimes(12)));
		expect(emitted.toSorted()).toEqual(news.toSorted());
	});

	it('finds a late event below one with an old date', async () => {
		const by = (before: number, event = before) =>
			filed(event, { filedDate: new Date(NOON - before).toISOString() });
		const records = Array.from({ length: 300 }, (_, minutes) =>
			by(minutes * MINUTE, minutes === 70 ? 90 * DAY : undefined),
		);
		const { service, trigger } = await watching(records, { sortedBy: 'filedDate', totals: false });
		const late = list(service, [by(250.5 * MINUTE)]);
		expect(await trigger.pollTimes(10)).toEqual(late);
	});

	it('finds a late event below pages without a date', async () => {
		const by = (before: number) =>
			filed(before, { filedDate: new Date(NOON - before).toISOString() });
		const dated = Array.from({ length: 300 }, (_, minutes) => by(minutes * MINUTE));
		const others = alike(120, undefined, {
			filedDate: new Date(NOON - 60 * MINUTE).toISOString(),
		});
		const { service, trigger } = await watching([...dated, ...others], {
			sortedBy: 'filedDate',
			totals: false,
		});
		const late = list(service, [by(200.5 * MINUTE)]);
		expect(await trigger.pollTimes(10)).toEqual(late);
	});

	it('finds a late event that a removal hid from one sweep, though the window has moved on', async () => {
		const { service, trigger } = await watching(series(99, HOUR), {
			cursors: 'position',
			totals: false,
		});
		// It begins the third page, which only a sweep reads.
		const late = list(service, [filed(24.9 * HOUR)]);
		const news = list(service, [filed(-HOUR)]);
		trigger.now += HOUR;
		let isHidden = false;
		const before = (_: unknown, request: number): undefined => {
			if (request !== 3 || isHidden) return;
			isHidden = true;
			service.remove(service.records[50] as License);
		};
		expect(await trigger.pollTimes(25, { before })).toEqual([...news, ...late]);
	});

	it.each([true, false])(
		'finds an event that a removal hid from it below old records (totals: %s)',
		async (totals) => {
			const { service, trigger } = await watching(series(200, HOUR), {
				sortedBy: 'arrival',
				cursors: 'position',
				totals,
			});
			const ids = list(service, series(10, MINUTE));
			list(service, series(150, 1000 * DAY));
			const gone = service.records[70] as License;
			const before = (_: unknown, request: number) => {
				if (request === 4) service.remove(gone);
				return undefined;
			};
			const emitted = await trigger.poll({ before });
			emitted.push(...(await trigger.pollTimes(30)));
			expect(emitted.toSorted()).toEqual(ids.toSorted());
		},
	);

	it('finds a late event by the total, also where it took two polls to read what is new', async () => {
		const { service, trigger } = await watching(series(500, HOUR));
		const late = list(service, [filed(HOUR + 400.5 * SECOND)]);
		const news = list(service, series(80, MINUTE));
		expect(await trigger.poll({ pages: 1 })).toEqual([]);
		expect(await trigger.poll()).toEqual([...late, ...news]);
	});

	it('does not wait for a sweep with what is new around its findings', async () => {
		const { service, trigger } = await watching(series(500, HOUR), { totals: false });
		await trigger.pollTimes(9);
		const [late] = list(service, [filed(HOUR + 120.5 * SECOND)]);
		expect(await trigger.poll({ pages: 3 })).toEqual([]);
		expect(trigger.log).toEqual(['1 event found and waiting for the next poll']);
		const news = list(service, [filed(HOUR + 60.5 * SECOND), filed(0)]);
		expect(await trigger.poll({ pages: 3 })).toEqual(news);
		expect(await trigger.drain()).toEqual([late]);
	});

	it('does not believe for ever a total that grows without reason', async () => {
		const { service, trigger } = await watching(series(500, HOUR));
		let requests = 0;
		for (let polls = 0; polls < 20; polls++) {
			list(service, [filed(90 * DAY)]);
			expect(await trigger.poll()).toEqual([]);
			requests += trigger.requests;
		}
		// Twice a sweep of eleven pages for the total, twice because it is due.
		expect(requests).toBeLessThanOrEqual(20 + 4 * 12);
	});

	it.each([0, 1])(
		'warns where the list is shorter than its total (after poll %d)',
		async (polls) => {
			const { service, trigger } = triggerOn(series(80, HOUR));
			await trigger.pollTimes(polls);
			await trigger.poll({
				before: (cursor) => {
					const page = service.page({ limit: '50', ...(cursor !== null && { cursor }) });
					return page && { records: page.data, cursor: page.pagination.cursor, total: 90 };
				},
			});
			expect(trigger.log).toEqual([
				'The list ended 10 licenses short of the total that the service gives.',
			]);
		},
	);

	it('does not take a list that grew while it was read for a short one', async () => {
		const { service, trigger } = triggerOn(series(80, HOUR));
		const before = (cursor: string | null): undefined => {
			if (cursor !== null) list(service, [filed(0)]);
		};
		await trigger.poll({ before });
		expect(trigger.log).toEqual([]);
	});
});

describe('What a poll costs', () => {
	it.each(both)('is about one request for fifty new events (%s cursors)', async (cursors) => {
		const { service, trigger } = await watching(series(1000, 2 * HOUR), {
			cursors,
			maxItems: 10_000,
		});
		const few = list(service, series(3, HOUR));
		expect(await trigger.poll()).toEqual(few);
		expect(trigger.requests).toBe(1);
		const ids = list(service, series(2500, MINUTE));
		expect(await trigger.poll()).toEqual(ids);
		expect(trigger.requests).toBeLessThanOrEqual(52);
	});

	it('is no sweep where the total tells of a late event that is not far down', async () => {
		const { service, trigger } = await watching(series(1000, HOUR));
		const news = list(service, [filed(HOUR + 70.5 * SECOND), filed(MINUTE)]);
		expect(await trigger.poll()).toEqual(news);
		expect(trigger.requests).toBe(2);
	});

	it('is one request where nothing is new, also when the newest has left the list', async () => {
		const newest = filed(HOUR);
		const { service, trigger } = await watching([...series(1000, 30 * DAY), newest]);
		service.remove(newest);
		await trigger.pollTimes(2);
		expect(trigger.requests).toBe(1);
	});

	it.each([0, 5])(
		'is two requests at most where nothing that is listed was news, but for %d without a date',
		async (others) => {
			const { service, trigger } = await watching(undated(others));
			list(service, series(1000, 90 * DAY));
			await trigger.poll();
			for (let polls = 0; polls < 20; polls++) {
				await trigger.poll();
				expect(trigger.requests).toBeLessThanOrEqual(2);
			}
		},
	);

	it('is the whole list at each sweep while nothing that was seen is listed', async () => {
		const newest = filed(HOUR);
		const { service, trigger } = await watching([...series(1000, 3 * DAY), newest]);
		service.remove(newest);
		const mostOfTwenty = async () => {
			const requests: number[] = [];
			for (let polls = 0; polls < 20; polls++) {
				await trigger.poll();
				requests.push(trigger.requests);
			}
			return Math.max(...requests);
		};
		expect(await mostOfTwenty()).toBe(20);
		list(service, [filed(0)]);
		await trigger.poll();
		expect(await mostOfTwenty()).toBeLessThanOrEqual(2);
	});

	it('is one request where the same is asked for in another order', async () => {
		const record = { address: { county: 'Lee' }, status: 'active' };
		const { trigger } = triggerOn(series(100, HOUR, record));
		await trigger.poll({ query: { status: 'active', county: 'Lee' } });
		await trigger.poll({ query: { county: 'Lee', status: 'active' } });
		expect(trigger.requests).toBe(1);
	});

	it('is one request where a backlog waits and nothing is new', async () => {
		const { service, trigger } = await watching(series(100, 2 * HOUR), { maxItems: 100 });
		list(service, series(500, HOUR));
		await trigger.poll();
		for (let polls = 0; polls < 3; polls++) {
			expect(await trigger.poll()).toHaveLength(100);
			expect(trigger.requests).toBe(1);
		}
	});

	it('is no more where reading takes several polls', async () => {
		const { service, trigger } = await watching(series(1000, 2 * HOUR));
		const news = list(service, series(300, HOUR));
		const requests: number[] = [];
		const emitted: string[] = [];
		for (const pages of [2, 2, Infinity, Infinity]) {
			emitted.push(...(await trigger.poll({ pages })));
			requests.push(trigger.requests);
		}
		expect(emitted).toEqual(news);
		expect(requests).toEqual([2, 2, 3, 1]);
	});

	it('is two requests where the first page is always empty, and leads to another', async () => {
		const { service, trigger } = triggerOn(series(300, HOUR));
		const top = 'the page below';
		const before = (cursor: string | null) => {
			if (cursor === null) return { records: [], cursor: top };
			const page = service.page({ limit: '50', ...(cursor !== top && { cursor }) });
			return page && { records: page.data, cursor: page.pagination.cursor };
		};
		await trigger.poll({ before });
		const costs: number[] = [];
		for (let polls = 0; polls < 20; polls++) {
			await trigger.poll({ before });
			costs.push(trigger.requests);
		}
		expect(costs.filter((requests) => requests > 2).length).toBeLessThanOrEqual(2);
	});

	it('is one request where one old record is entered', async () => {
		const { service, trigger } = await watching(series(500, HOUR), { sortedBy: 'arrival' });
		list(service, [filed(90 * DAY)]);
		await trigger.poll();
		expect(trigger.requests).toBe(1);
	});

	it('is one request where n8n lost what a list of one page has', async () => {
		const { service, trigger } = await watching(series(20, HOUR));
		const lost = list(service, [filed(0)]);
		trigger.execution = rejected;
		await trigger.poll();
		expect(await trigger.poll()).toEqual(lost);
		expect(trigger.requests).toBe(1);
	});

	it('is one walk more where the service refuses the cursor of a sweep', async () => {
		const { trigger } = await watching(series(500, HOUR), { totals: false });
		await trigger.pollTimes(9);
		await trigger.poll({ before: below({ expired: true }) });
		expect(trigger.requests).toBe(4);
	});

	it('is ten pages of old records at most, also with pages without a date between them', async () => {
		const pages = Array.from({ length: 20 }, () => [...series(50, 90 * DAY), ...undated(50)]);
		const { trigger } = await watching([...pages.flat(), ...series(50, HOUR)], {
			sortedBy: 'arrival',
		});
		expect(trigger.requests).toBe(21);
	});

	it('is one request for each page of a list that the service shows for other filters', async () => {
		const { trigger } = triggerOn(
			[...series(220, 2 * HOUR), ...series(100, HOUR, { address: { county: 'Lee' } })],
			{ pages: 2 },
		);
		await trigger.poll({ query: { county: 'Lee' } });
		let requests = 0;
		for (let polls = 0; polls < 4; polls++) {
			await trigger.poll();
			requests += trigger.requests;
		}
		expect(requests).toBe(7);
	});

	it('is ten pages of old records at most, also where the list changes before any of it is the baseline', async () => {
		const old = Array.from({ length: 3000 }, (_, hour) => filed((3050 - hour) * HOUR));
		const { trigger } = triggerOn([...old, ...series(100, HOUR)], { startFrom: NOON - 2 * HOUR });
		await trigger.poll({ pages: 1 });
		expect(await trigger.poll({ query: { event_type: 'new_filing' } })).toHaveLength(100);
		// Two of news, one of the window.
		expect(trigger.requests).toBe(13);
	});

	it('is less for a sweep once what is old has left the window for two others', async () => {
		const { service, trigger } = await watching(series(500, HOUR), { totals: false });
		await trigger.pollTimes(9);
		trigger.now += 3 * DAY;
		list(service, [filed(-3 * DAY)]);
		const costs: number[] = [];
		for (let polls = 0; polls < 21; polls++) {
			await trigger.poll();
			costs.push(trigger.requests);
		}
		expect(costs.filter((requests) => requests > 2)).toHaveLength(2);
	});

	it.each([30, 150])(
		'is at most one request a page of the window, and one below: %d events',
		async (events) => {
			const { trigger } = await watching([...series(2000, 30 * DAY), ...series(events, HOUR)]);
			// The baseline goes on for ten pages.
			expect(trigger.requests).toBeLessThanOrEqual(Math.ceil(events / 50) + 10);
			for (let polls = 0; polls < 20; polls++) {
				await trigger.poll();
				expect(trigger.requests).toBeLessThanOrEqual(Math.ceil(events / 50) + 1);
			}
		},
	);

	it('is the same where many events share a moment', async () => {
		const { trigger } = await watching([...series(500, 30 * HOUR), ...alike(150, HOUR)]);
		for (let polls = 0; polls < 20; polls++) {
			await trigger.poll();
			expect(trigger.requests).toBeLessThanOrEqual(4);
		}
	});

	it('is no more than its time allows, also when it is to read further down', async () => {
		const { trigger } = await watching(series(500, HOUR));
		for (let polls = 0; polls < 12; polls++) {
			// A page is read in any case.
			await trigger.poll({ pages: polls % 2 });
			expect(trigger.requests).toBe(1);
		}
	});
});

describe('A backlog', () => {
	it('comes oldest first from one batch to the next, late arrivals with it', async () => {
		const { service, trigger } = await watching(series(100, 9 * HOUR), { maxItems: 700 });
		const ids = list(service, series(20_000, MINUTE));
		const emitted = await trigger.poll();
		expect(emitted).toEqual(ids.slice(0, 700));
		const [late] = list(service, [filed(8 * HOUR)]);
		emitted.push(...(await trigger.drain()));
		expect(emitted.filter((id) => id !== late)).toEqual(ids);
		expect(emitted.indexOf(String(late))).toBeLessThan(11 * 700);
		expect(savedBytes(trigger)).toBeLessThan(256 * 1024);
	});

	it('has none of what another process has emitted while the polls of this one failed', async () => {
		const { service, trigger: other } = await watching(series(60, HOUR));
		const trigger = new FeedTrigger(service);
		trigger.goOnFrom(other);
		const news = list(service, series(60, MINUTE));
		const before = (_: unknown, request: number) =>
			[undefined, { expired: true } as const, { failure: new Error('fault') }][request - 1];
		await expect(trigger.poll({ before })).rejects.toThrow('fault');
		expect(await other.poll()).toEqual(news);
		other.now += HOUR;
		trigger.goOnFrom(other);
		expect(await trigger.drain()).toEqual([]);
	});

	it('goes on in another process, with a filter of the trigger', async () => {
		const isOdd = (id: unknown) => Number(String(id).slice(4)) % 2 === 1;
		const { service, trigger } = await watching(series(100, 9 * HOUR), {
			maxItems: 100,
			matches: ({ id }) => isOdd(id),
		});
		const ids = list(service, series(2000, MINUTE)).filter(isOdd);
		const emitted: string[] = [];
		for (let polls = 0; polls < 15; polls++) {
			emitted.push(...(await trigger.poll()));
			trigger.loseProcess();
		}
		expect(emitted).toEqual(ids);
	});

	it('goes on in another process, also below pages of old records', async () => {
		const { service, trigger } = await watching(series(200, HOUR), {
			sortedBy: 'arrival',
			maxItems: 10,
		});
		const news = list(service, series(60, MINUTE));
		list(service, alike(100, 1000 * DAY));
		const emitted = await trigger.poll();
		expect(emitted).toEqual(news.slice(0, 10));
		trigger.loseProcess();
		emitted.push(...(await trigger.drain()));
		expect(emitted).toEqual(news);
	});

	it('goes on in another process below any number of old records', async () => {
		const { service, trigger } = await watching(series(200, HOUR), { sortedBy: 'arrival' });
		const ids = list(service, series(40, MINUTE));
		const emitted = await trigger.poll({ maxItems: 5 });
		list(service, series(600, 1000 * DAY));
		emitted.push(...(await trigger.poll({ maxItems: 5 })));
		trigger.loseProcess();
		emitted.push(...(await trigger.drain()), ...(await trigger.pollTimes(12)));
		expect([...new Set(emitted)].toSorted()).toEqual(ids.toSorted());
	});

	it('that n8n could not run comes again from below any number of old records', async () => {
		const { service, trigger } = await watching(series(200, HOUR), { sortedBy: 'arrival' });
		const fates: Done[] = [];
		trigger.execution = (fate) => void fates.push(fate);
		const ids = list(service, [filed(MINUTE)]);
		await trigger.poll();
		trigger.execution = accepted;
		list(service, series(600, 1000 * DAY));
		await trigger.poll();
		for (const fate of fates) rejected(fate);
		expect(await trigger.pollTimes(12)).toEqual(ids);
	});

	it('that n8n could not run comes again, and all that was read meanwhile, a page at a time', async () => {
		const { service, trigger } = await watching(series(60, HOUR));
		const fates: Done[] = [];
		trigger.execution = (fate) => void fates.push(fate);
		const ids = list(service, [filed(10 * MINUTE)]);
		await trigger.poll({ pages: 1 });
		trigger.execution = accepted;
		ids.push(...list(service, series(300, MINUTE)));
		await trigger.poll({ pages: 1 });
		for (const fate of fates) rejected(fate);
		const emitted = await trigger.pollTimes(60, { pages: 1 });
		expect(emitted.toSorted()).toEqual(ids.toSorted());
	});

	it('that n8n may have lost comes again, however long the poll took that emitted it', async () => {
		const { service, trigger } = await watching([]);
		const [id] = list(service, [filed(0)]);
		const slowly = (): undefined => void (trigger.now += 10 * MINUTE);
		expect(await trigger.poll({ before: slowly })).toEqual([id]);
		trigger.loseProcess(MINUTE);
		expect(await trigger.poll()).toEqual([id]);
		trigger.loseProcess(HOUR);
		expect(await trigger.poll()).toEqual([]);
	});

	it('that n8n could not run comes again, also from below newer events and old ones', async () => {
		const { service, trigger } = await watching(series(30, 9 * HOUR), { sortedBy: 'arrival' });
		const executions: Done[] = [];
		trigger.execution = (done) => void executions.push(done);
		const lost = list(service, [filed(HOUR)]);
		expect(await trigger.poll()).toEqual(lost);
		trigger.execution = accepted;
		list(service, alike(120, 1000 * DAY));
		const newer = list(service, [filed(0)]);
		expect(await trigger.poll()).toEqual(newer);
		list(service, series(60, 1000 * DAY));
		executions.forEach(rejected);
		expect(await trigger.poll()).toEqual(lost);
	});

	it('that n8n could not run comes again, though the window has moved on', async () => {
		const { service, trigger } = await watching(series(500, HOUR), { totals: false });
		const news = list(service, [filed(-HOUR)]);
		trigger.now += HOUR;
		expect(await trigger.pollTimes(11)).toEqual(news);
		const late = list(service, [filed(24.5 * HOUR), filed(23 * HOUR)]);
		trigger.execution = rejected;
		let emitted: string[] = [];
		while (emitted.length === 0) emitted = await trigger.poll();
		expect(emitted).toEqual(late);
		trigger.execution = accepted;
		expect(await trigger.poll()).toEqual(late);
	});

	it('that n8n could not run comes again, also without a date and when there are too many', async () => {
		const { service, trigger } = await watching(undated(60), { undated: 'first', capacity: 40 });
		const lost = list(service, undated(10)).toSorted();
		trigger.execution = rejected;
		expect((await trigger.poll()).toSorted()).toEqual(lost);
		trigger.execution = accepted;
		expect((await trigger.poll()).toSorted()).toEqual(lost);
		expect(await trigger.poll()).toEqual([]);
	});

	it('that n8n could not run comes again, also while newer ones wait', async () => {
		const { service, trigger } = await watching(series(100, 9 * HOUR), {
			maxItems: 60,
			totals: false,
		});
		const executions: Done[] = [];
		trigger.execution = (done) => void executions.push(done);
		const lost = list(service, series(10, HOUR));
		expect(await trigger.poll()).toEqual(lost);
		trigger.execution = accepted;
		const newer = list(service, series(61, MINUTE));
		expect(await trigger.poll()).toEqual(newer.slice(0, 60));
		executions.forEach(rejected);
		expect(await trigger.poll()).toEqual([...lost, ...newer.slice(60)]);
	});

	it('that n8n could not run comes again, also where the next poll has no room to read', async () => {
		const { service, trigger } = await watching(series(100, 9 * HOUR), { maxItems: 1 });
		const [lost, other] = list(service, series(2, HOUR));
		trigger.execution = rejected;
		expect(await trigger.poll()).toEqual([lost]);
		trigger.execution = accepted;
		expect(await trigger.poll({ room: () => 0 })).toEqual([other]);
		expect(await trigger.drain()).toEqual([lost]);
	});

	it('goes on in another process above more without a date than are remembered', async () => {
		const { service, trigger } = await watching(undated(1000), {
			sortedBy: 'arrival',
			capacity: 140,
			maxItems: 10,
		});
		const news = list(service, series(60, MINUTE));
		await trigger.poll();
		trigger.loseProcess(MINUTE);
		const emitted = await trigger.pollTimes(2);
		expect(stateOf(trigger).firstPage.length).toBeLessThanOrEqual(50);
		emitted.push(...(await trigger.drain()));
		expect(emitted).toEqual(news);
	});

	it('comes as far as it can be read, where no cursor lasts until the next poll', async () => {
		const { service, trigger } = await watching(series(100, DAY));
		const ids = list(service, series(400, 0));
		const emitted: string[] = [];
		for (let poll = 0; poll < 5; poll++) {
			service.expireCursors();
			emitted.push(...(await trigger.poll({ pages: 4 })));
		}
		expect(emitted).toEqual(ids.slice(-200));
		expect(trigger.shown).toEqual(['The list of the service cannot be read to its end']);
	});

	it.each([
		['one long text', { legalName: 'x'.repeat(1_000_000) }, 64, 80],
		['a million small parts', { more: Array.from({ length: 1_000_000 }, () => 0) }, 8, 20],
		['parts that take more than their letters', { more: Array(300_000).fill({}) }, 4, 10],
	])('is held in parts of 64 MB where each license has %s', async (_, more, most, count) => {
		// Only the fact that something was dropped shows that there is more.
		const { service, trigger } = await watching(series(100, 9 * HOUR), { totals: false });
		const ids = list(service, series(count, MINUTE, more));
		const batches: string[][] = [];
		for (let polls = 0; polls < 10; polls++) {
			batches.push(await trigger.poll());
			expect(trigger.roomForOthers()).toBeGreaterThanOrEqual(0);
		}
		expect(batches.flat()).toEqual(ids);
		expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(most);
	});

	it('comes oldest first where the memory is full and the service refuses a cursor', async () => {
		const { service, trigger } = await watching(series(100, 9 * HOUR), { totals: false });
		const ids = list(service, series(100, MINUTE, { legalName: 'x'.repeat(100_000) }));
		const before = (_: unknown, request: number) =>
			request === 3 ? ({ expired: true } as const) : undefined;
		const emitted = await trigger.poll({ room: () => 6_000_000, before });
		expect(emitted.length).toBeLessThan(100);
		expect([...emitted, ...(await trigger.drain())]).toEqual(ids);
	});

	it('is counted in the log while it is read', async () => {
		const { service, trigger } = await watching(series(60, HOUR));
		list(service, series(1000, MINUTE));
		expect(await trigger.poll({ pages: 3 })).toEqual([]);
		expect(trigger.log).toEqual(['150 events found and waiting for the next poll']);
	});

	it('is held for a day without a poll, and then read again', async () => {
		const { service, trigger } = await watching(series(60, HOUR), { maxItems: 1 });
		const nothing = trigger.roomForOthers();
		const news = list(service, series(3, MINUTE));
		expect(await trigger.poll()).toEqual(news.slice(0, 1));
		trigger.now += DAY;
		expect(trigger.roomForOthers()).toBeLessThan(nothing);
		trigger.now += 2 * HOUR;
		expect(trigger.roomForOthers()).toBe(nothing);
		expect(await trigger.drain()).toEqual(news.slice(1));
	});

	it.each([true, false])(
		'comes in order, though the items of its first batch could not be made (durable cursors: %s)',
		async (hasDurableCursors) => {
			const { service, trigger } = await watching(series(60, HOUR), {
				maxItems: 10,
				hasDurableCursors,
			});
			const news = list(service, series(150, MINUTE));
			const prepare = () => {
				throw new Error('No items');
			};
			await expect(trigger.poll({ prepare })).rejects.toThrow('No items');
			expect(await trigger.drain()).toEqual(news);
		},
	);

	it('that n8n could not run comes again, also if n8n says so while the next poll reads', async () => {
		const { service, trigger } = await watching(series(60, HOUR));
		const executions: Done[] = [];
		trigger.execution = (done) => void executions.push(done);
		const lost = list(service, [filed(MINUTE)]);
		expect(await trigger.poll()).toEqual(lost);
		trigger.execution = accepted;
		const newer = list(service, [filed(0)]);
		const before = () => void executions.splice(0).forEach(rejected);
		expect(await trigger.poll({ before })).toEqual(newer);
		expect(await trigger.poll()).toEqual(lost);
	});

	it('counts as held from the moment it is found until it is emitted', async () => {
		const { service, trigger } = triggerOn(series(100, 9 * HOUR), { maxItems: 25 });
		const nothing = trigger.roomForOthers();
		const held = async (pages: number) => {
			await trigger.poll({ pages });
			return Math.round((nothing - trigger.roomForOthers()) / 100_000);
		};
		expect(await held(Infinity)).toBe(0);
		list(service, series(75, HOUR, { legalName: 'x'.repeat(100_000) }));
		// Read in part, then in the backlog, then emitted.
		expect(await held(1)).toBe(50);
		expect(await held(Infinity)).toBe(50);
		expect(await held(Infinity)).toBe(25);
		expect(await held(Infinity)).toBe(0);
	});

	it('is gone at once where the filters leave all of it out', async () => {
		const { service, trigger } = await watching(series(60, HOUR), { matches: () => false });
		list(service, series(20, MINUTE));
		await trigger.poll();
		expect(stateOf(trigger).isIncomplete).toBe(false);
	});

	it('is read on where what has been read of it fills the memory', async () => {
		const { service, trigger } = await watching(series(60, HOUR));
		list(service, series(120, MINUTE));
		const room = () => 0;
		expect(await trigger.poll({ pages: 1, room })).toEqual([]);
		expect(await trigger.poll({ room })).toHaveLength(1);
	});

	it('comes with the next poll where a sweep found more than it may hold', async () => {
		const { service, trigger } = await watching(series(500, HOUR));
		const late = list(service, [filed(HOUR + 410.5 * SECOND), filed(HOUR + 400.5 * SECOND)]);
		expect(await trigger.poll({ room: () => 1 })).toEqual(late.slice(0, 1));
		expect(await trigger.poll()).toEqual(late.slice(1));
	});

	it('and what is found while it waits are held in the same room', async () => {
		const { service, trigger } = await watching(series(60, HOUR), { maxItems: 1 });
		const nothing = trigger.roomForOthers();
		const large = { legalName: 'x'.repeat(100_000) };
		list(service, series(50, 10 * MINUTE, large));
		await trigger.poll();
		list(service, series(50, MINUTE, large));
		await trigger.poll({ room: () => 6_000_000 });
		expect(nothing - trigger.roomForOthers()).toBeLessThanOrEqual(6_000_000);
	});

	it('takes up its room once: a sweep has the rest', async () => {
		const { service, trigger } = await watching(series(500, HOUR));
		const large = { legalName: 'x'.repeat(100_000) };
		const late = Array.from({ length: 10 }, (_, index) =>
			filed(HOUR + (410.5 - index) * SECOND, large),
		);
		const ids = list(service, [...late, ...series(50, MINUTE, large)]);
		expect(await trigger.poll({ room: () => 8_000_000 })).toEqual(ids);
	});

	it('counts as held also where the filters leave it out', async () => {
		const { service, trigger } = await watching(series(60, HOUR), { matches: () => false });
		const nothing = trigger.roomForOthers();
		list(service, series(75, MINUTE));
		await trigger.poll({ pages: 1 });
		expect(nothing - trigger.roomForOthers()).toBeGreaterThan(50 * 16);
	});

	it('comes even if one event takes more memory than there is', async () => {
		const { service, trigger } = await watching([]);
		const news = list(service, series(2, MINUTE, { legalName: 'x'.repeat(65_000_000) }));
		expect(await trigger.drain()).toEqual(news);
	});

	it('is not remembered any longer as one that n8n may have lost, once five minutes are over', async () => {
		const { service, trigger } = await watching([]);
		trigger.execution = () => {};
		const news = list(service, [filed(0)]);
		expect(await trigger.poll()).toEqual(news);
		expect(await trigger.pollTimes(6)).toEqual([]);
		list(service, [filed(-MINUTE)]);
		trigger.execution = accepted;
		await trigger.pollTimes(2);
		expect(stateOf(trigger)).toMatchObject({ batches: [] });
	});
});

describe('The baseline', () => {
	it('takes in what is there, however many polls and processes it takes', async () => {
		const { service, trigger } = triggerOn(series(1000, HOUR), { pages: 3 });
		expect(await trigger.poll()).toEqual([]);
		const news = list(service, [filed(MINUTE)]);
		expect(await trigger.poll()).toEqual(news);
		expect(await trigger.pollTimes(4)).toEqual([]);
		trigger.loseProcess();
		expect(await trigger.pollTimes(8)).toEqual([]);
	});

	it('brings what Start From asks for, and no more', async () => {
		// More pages below the window than the baseline puts up with.
		const asked = [...series(700, 48 * HOUR), filed(HOUR)];
		const { trigger } = triggerOn([...series(50, 100 * HOUR), ...asked, ...undated(1)], {
			startFrom: NOON - 49 * HOUR,
			pages: 10,
		});
		expect(await trigger.drain()).toEqual(asked.map(({ id }) => id));
		expect(await trigger.pollTimes(12)).toEqual([]);
	});

	it('brings no more than that where many were filed on the day before', async () => {
		const asked = filed(HOUR);
		const { trigger } = triggerOn([...series(700, 26 * HOUR), asked], {
			startFrom: NOON - 2 * HOUR,
		});
		expect(await trigger.drain()).toEqual([asked.id]);
		expect(await trigger.pollTimes(12)).toEqual([]);
	});

	it('takes in what is between pages of old records', async () => {
		const pages = Array.from({ length: 3 }, () => [...series(50, HOUR), ...series(450, 90 * DAY)]);
		const { trigger } = triggerOn(pages.flat(), { sortedBy: 'arrival' });
		expect(await trigger.pollTimes(12)).toEqual([]);
		expect(stateOf(trigger).seen).toHaveLength(3 * 50 * 16);
	});

	it('is taken in also where there is no room for what is found', async () => {
		const { trigger } = triggerOn(series(300, HOUR));
		expect(await trigger.poll({ room: () => 1000 })).toEqual([]);
		expect(await trigger.pollTimes(12)).toEqual([]);
	});

	it('is not led into the archive by one old record that is entered before it is over', async () => {
		const hourly = Array.from({ length: 1500 }, (_, hour) => filed((1500 - hour) * HOUR));
		const { service, trigger } = triggerOn(hourly, { sortedBy: 'arrival' });
		expect(await trigger.poll({ pages: 2 })).toEqual([]);
		const old = list(service, [filed(5000 * DAY)]);
		expect(await trigger.drain()).toEqual(old);
		expect(await trigger.pollTimes(12)).toEqual([]);
	});

	it('is saved at once where n8n has durable cursors, and no other silent poll is', async () => {
		const { service, trigger } = triggerOn(series(300, HOUR), { hasDurableCursors: true });
		const commits = async (more = {}) => {
			await trigger.poll(more);
			return trigger.commits;
		};
		expect(await commits({ pages: 2 })).toBe(1);
		expect(await commits()).toBe(2);
		expect(await commits()).toBe(2);
		list(service, [filed(0)]);
		expect(await commits()).toBe(2);
		expect(await commits({ account: 'another' })).toBe(3);
	});

	it('brings what comes late among its news, also by another process', async () => {
		const { service, trigger } = triggerOn(series(1000, HOUR), { pages: 3 });
		expect(await trigger.poll()).toEqual([]);
		const news = list(service, series(60, 10 * MINUTE));
		expect(await trigger.poll()).toEqual(news);
		trigger.loseProcess();
		const late = list(service, [filed(10 * MINUTE + 55 * SECOND + 1)]);
		expect(await trigger.drain({ pages: 30 })).toEqual(late);
	});

	it('loses none of its news where they are further apart than the window is long', async () => {
		const { service, trigger } = triggerOn(series(60, HOUR), {
			sortedBy: 'arrival',
			lookback: HOUR,
			maxItems: 1,
		});
		await trigger.poll({ pages: 1 });
		const news = list(service, [filed(20 * MINUTE), filed(10 * MINUTE), filed(-2 * HOUR)]);
		trigger.now += 2 * HOUR;
		const emitted = await trigger.poll();
		trigger.loseProcess();
		emitted.push(...(await trigger.drain()));
		expect(emitted).toEqual(news);
	});

	it('brings again what n8n refused, though what came since has moved the window on', async () => {
		const { service, trigger } = triggerOn(series(300, HOUR), {
			sortedBy: 'arrival',
			lookback: HOUR,
		});
		await trigger.poll({ pages: 3 });
		const executions: Done[] = [];
		trigger.execution = (done) => void executions.push(done);
		const older = list(service, [filed(110 * MINUTE)]);
		expect(await trigger.poll({ pages: 2 })).toEqual(older);
		trigger.execution = accepted;
		const newer = list(service, [filed(0)]);
		expect(await trigger.poll({ pages: 2 })).toEqual(newer);
		expect(await trigger.poll()).toEqual([]);
		executions.forEach(rejected);
		expect(await trigger.poll()).toEqual(older);
	});

	it('brings what comes late among its news while they wait', async () => {
		const { service, trigger } = triggerOn(series(1000, HOUR), { pages: 3, maxItems: 10 });
		expect(await trigger.poll()).toEqual([]);
		const news = list(service, series(40, 10 * MINUTE));
		const emitted = await trigger.poll();
		expect(emitted).toEqual(news.slice(0, 10));
		const late = list(service, [filed(10 * MINUTE + 20 * SECOND + 1)]);
		emitted.push(...(await trigger.drain()));
		expect(emitted.toSorted()).toEqual([...news, ...late].toSorted());
	});

	it('brings nothing from before Start From, though what it brings is more than one batch', async () => {
		const { service, trigger } = triggerOn([filed(100 * HOUR), filed(50 * HOUR), filed(HOUR)], {
			startFrom: NOON - 101 * HOUR,
			maxItems: 1,
		});
		expect(await trigger.poll()).toHaveLength(1);
		list(service, [filed(110 * HOUR)]);
		expect(await trigger.drain()).toHaveLength(2);
	});

	it('brings what turns up late where Start From asked for all that was there', async () => {
		const asked = filed(120 * HOUR);
		const { service, trigger } = triggerOn([asked], { startFrom: NOON - 121 * HOUR });
		expect(await trigger.poll()).toEqual([asked.id]);
		const late = list(service, [filed(130 * HOUR)]);
		expect(await trigger.drain()).toEqual(late);
	});

	it('may find an empty list', async () => {
		const { service, trigger } = triggerOn([]);
		expect(await trigger.pollTimes(2)).toEqual([]);
		const news = list(service, [filed(MINUTE)]);
		expect(await trigger.poll()).toEqual(news);
	});

	it('reads no further down where it takes several polls', async () => {
		const { trigger } = triggerOn([...series(5000, 10 * DAY), ...series(300, HOUR)]);
		let requests = 0;
		for (let polls = 0; polls < 12; polls++) {
			expect(await trigger.poll({ pages: 4 })).toEqual([]);
			requests += trigger.requests;
		}
		// Six pages of the window, ten below it, and the first page once a poll.
		expect(requests).toBeLessThanOrEqual(6 + 10 + 12);
	});

	it('may find an empty page that announces 300: what is old stays quiet when it shows', async () => {
		const { service, trigger } = triggerOn([]);
		const before = () => ({ ...emptyPage(), total: 300 });
		expect(await trigger.poll({ before })).toEqual([]);
		list(service, series(300, 2 * DAY));
		const news = list(service, [filed(HOUR)]);
		expect(await trigger.drain()).toEqual(news);
	});

	it('brings no more than what is new where the service drops its cursor while it is read', async () => {
		const { service, trigger } = triggerOn(series(200, HOUR));
		const news: string[] = [];
		const before = (_: unknown, request: number) => {
			if (request !== 3) return undefined;
			news.push(...list(service, [filed(0)]));
			return { expired: true } as const;
		};
		expect(await trigger.poll({ before })).toEqual(news);
		expect(await trigger.drain()).toEqual([]);
	});

	it('may find an empty page with a cursor that the service refuses: what is there stays quiet', async () => {
		const { trigger } = triggerOn(series(100, HOUR));
		const before = (_: unknown, request: number) =>
			[undefined, { records: [], cursor: 'below' }, { expired: true } as const][request];
		expect(await trigger.poll({ before })).toEqual([]);
		expect(await trigger.drain()).toEqual([]);
	});

	it('brings what is added on top while the service drops its cursor', async () => {
		const { service, trigger } = triggerOn(series(60, HOUR));
		expect(await trigger.poll({ before: below({ expired: true }) })).toEqual([]);
		service.expireCursors();
		const news = list(service, series(110, 10 * MINUTE));
		const emitted = await trigger.poll();
		news.push(...list(service, [filed(MINUTE)]));
		const before = (_: unknown, request: number) => {
			if (request !== 3) return undefined;
			news.push(...list(service, [filed(0)]));
			return { expired: true } as const;
		};
		emitted.push(...(await trigger.poll({ before })), ...(await trigger.drain()));
		expect(emitted).toEqual(news);
	});

	it('is over once the list has been read, though its news wait: what comes late is news', async () => {
		const { service, trigger } = triggerOn(series(60, HOUR), { maxItems: 5 });
		await trigger.poll({ pages: 1 });
		const news = list(service, series(20, MINUTE));
		const emitted = await trigger.poll();
		const late = list(service, [filed(HOUR + 30.5 * SECOND)]);
		emitted.push(...(await trigger.drain()));
		expect(emitted.toSorted()).toEqual([...news, ...late].toSorted());
	});

	it('is over once the list has been read, also by another process', async () => {
		const { trigger } = triggerOn(series(60, HOUR));
		await trigger.poll({ pages: 1 });
		expect(trigger.log).toEqual([
			'The baseline is still being read; the next poll goes on with it',
		]);
		trigger.loseProcess();
		await trigger.poll();
		expect(trigger.log).toHaveLength(1);
	});

	it.each([false, true])(
		'may have more without a date than are remembered: no news above it comes twice (restarts: %s)',
		async (restarts) => {
			const { service, trigger } = triggerOn(undated(4500), { undated: 'first', pages: 60 });
			const emitted = await trigger.poll();
			const news: string[] = [];
			for (let round = 0; round < 4; round++) {
				news.push(...list(service, undated(60)));
				emitted.push(...(await trigger.poll({ pages: 5 })));
				if (restarts) trigger.loseProcess();
			}
			emitted.push(...(await trigger.pollTimes(10)));
			expect(emitted.toSorted()).toEqual(news.toSorted());
		},
	);

	it('may have an old record above it, and a full memory: what is filed below that record comes', async () => {
		const by = (before: number, event: number) =>
			filed(event, { filedDate: new Date(NOON - before).toISOString() });
		const records = series(400, HOUR).map(({ eventTimestamp: filedDate, ...rest }) => ({
			...rest,
			eventTimestamp: filedDate,
			filedDate,
		}));
		const { service, trigger } = triggerOn(records, { sortedBy: 'filedDate', capacity: 60 });
		await trigger.pollTimes(1, { pages: 2 });
		list(service, [by(0, 5 * HOUR)]);
		await trigger.poll({ pages: 2 });
		const news = list(service, [by(MINUTE, 0)]);
		expect(await trigger.pollTimes(10, { pages: 10 })).toEqual(news);
	});
});

describe('The memory', () => {
	it('stays below 256 KB with 30,000 events a day, and loses none that is on time', async () => {
		const { service, trigger } = await watching(series(16_000, HOUR), { maxItems: 10_000 });
		for (let round = 25; round > 0; round--) {
			const ids = list(service, series(800, round * MINUTE, { legalName: `round ${round}` }));
			expect((await trigger.poll()).toSorted()).toEqual(ids.toSorted());
			expect(savedBytes(trigger)).toBeLessThan(256 * 1024);
		}
		expect(trigger.log[0]).toMatch(/^More events arrived than the trigger can remember/);
	});

	it('changes in nothing where there is no room to read', async () => {
		const { service, trigger } = await watching(series(500, HOUR), { maxItems: 1 });
		const late = list(service, [filed(HOUR + 400.5 * SECOND)]);
		const news = list(service, series(3, MINUTE));
		const emitted = await trigger.poll({ pages: 3 });
		const readAt = trigger.now;
		emitted.push(...(await trigger.pollTimes(2, { room: () => 0 })));
		expect(emitted).toEqual(news);
		expect(stateOf(trigger).at).toBe(readAt);
		expect(stateOf(trigger).firstPage).toHaveLength(50);
		expect(await trigger.poll()).toEqual(late);
	});

	it.each([true, false])(
		'may be too small for what has no date: nothing comes twice while a page is stuck (durable cursors: %s)',
		async (hasDurableCursors) => {
			const { service, trigger } = await watching(undated(60), {
				undated: 'first',
				capacity: 40,
				hasDurableCursors,
			});
			const before = below({ failure: new Error('Page 2 is forbidden') });
			const news: string[] = [];
			const emitted: string[] = [];
			for (let round = 0; round < 5; round++) {
				news.push(...list(service, undated(8)));
				emitted.push(...(await trigger.pollTimes(4, { before })));
			}
			expect(emitted.toSorted()).toEqual(news.toSorted());
		},
	);

	it('tells the baseline from any number of new events above it: what turns up between is new', async () => {
		const { service, trigger } = triggerOn(series(2000, HOUR));
		await trigger.poll({ pages: 2 });
		const news = list(service, series(600, MINUTE));
		expect(await trigger.poll({ pages: 20 })).toEqual(news);
		trigger.loseProcess();
		const late = list(service, [filed(30 * MINUTE)]);
		expect(await trigger.pollTimes(15, { pages: 20 })).toEqual(late);
		expect(stateOf(trigger).baseline).toBeUndefined();
	});

	it('may be too small for what has no date: what was there stays quiet, though the newest has gone', async () => {
		const newest = filed(HOUR);
		const records = [...undated(60), ...series(100, 30 * DAY), newest];
		const { service, trigger } = await watching(records, { capacity: 40 });
		service.remove(newest);
		expect(await trigger.pollTimes(12)).toEqual([]);
	});

	it('may be too small for what has no date: what was there stays quiet below all that is seen', async () => {
		const { trigger } = await watching([...undated(100), ...series(50, HOUR)], { capacity: 120 });
		expect(await trigger.pollTimes(12)).toEqual([]);
	});

	it('may be too small for a baseline and its news: what is added on top comes', async () => {
		const { service, trigger } = triggerOn(series(1000, HOUR), { capacity: 40 });
		await trigger.poll({ pages: 2 });
		const news = list(service, series(60, MINUTE));
		expect(await trigger.poll({ pages: 4 })).toEqual(news);
		expect(stateOf(trigger).baseline?.keys).toBe('');
		trigger.loseProcess();
		const newest = list(service, [filed(0)]);
		expect(await trigger.poll()).toEqual(newest);
	});

	it('keeps what is in flight, though more without a date come than it remembers', async () => {
		const { service, trigger } = await watching(undated(60), { undated: 'first', capacity: 40 });
		const executions: Done[] = [];
		trigger.execution = (done) => void executions.push(done);
		const lost = list(service, undated(10)).toSorted();
		expect((await trigger.poll()).toSorted()).toEqual(lost);
		trigger.execution = accepted;
		list(service, undated(10));
		expect(await trigger.poll()).toHaveLength(10);
		executions.forEach(rejected);
		expect((await trigger.poll()).toSorted()).toEqual(lost);
	});

	it('remembers 2,000 without a date, and says once that there are more', async () => {
		const { service, trigger } = await watching(undated(3000));
		for (let polls = 0; polls < 3; polls++) {
			list(service, undated(10));
			trigger.now += 2 * HOUR;
			await trigger.poll();
		}
		expect(stateOf(trigger).seen.length).toBeLessThanOrEqual(2000 * 16);
		expect(trigger.log).toEqual([expect.stringContaining('without a date')]);
	});

	it('stays below 256 KB where thousands without a date come to all others', async () => {
		const { trigger } = await watching([...undated(2500), ...series(16_000, HOUR)], { pages: 400 });
		expect(savedBytes(trigger)).toBeLessThan(256 * 1024);
	});

	it('stays below 256 KB where a batch has thousands without a date', async () => {
		const { service, trigger } = await watching(series(16_000, HOUR), {
			undated: 'first',
			maxItems: 10_000,
		});
		list(service, undated(4000));
		expect(await trigger.poll()).toHaveLength(4000);
		expect(savedBytes(trigger)).toBeLessThan(256 * 1024);
	});

	it('stays below 256 KB where a page holds more than was asked for', async () => {
		const { service, trigger } = triggerOn(series(16_000, HOUR));
		await trigger.poll({ before: () => ({ records: service.records, cursor: null }) });
		expect(savedBytes(trigger)).toBeLessThan(256 * 1024);
	});

	it('holds the events of the last two days or so, though a backlog waits with each sweep', async () => {
		const { service, trigger } = await watching(series(60, HOUR), { maxItems: 1 });
		await trigger.poll();
		for (let hour = 0; hour < 200; hour++) {
			trigger.now += HOUR - 2 * MINUTE;
			const news = list(service, [filed(-hour * HOUR), filed(-hour * HOUR - MINUTE)]);
			expect(await trigger.pollTimes(2)).toEqual(news);
		}
		expect(stateOf(trigger).seen.length).toBeLessThan(2 * 50 * 16);
	});

	it('lets go of what has left the window while a long backlog waited', async () => {
		const { service, trigger } = await watching(series(60, HOUR), { maxItems: 1 });
		trigger.now += 3 * DAY;
		list(service, series(45, -3 * DAY));
		await trigger.pollTimes(46);
		expect(stateOf(trigger).seen).toHaveLength(45 * 16);
	});

	it.each([
		['grows', Infinity],
		['holds forty', 40],
	])(
		'holds the events of the last two days or so, however long the trigger has run: the list %s',
		async (_, most) => {
			const { service, trigger } = await watching([]);
			for (let hour = 0; hour < 500; hour++) {
				trigger.now += HOUR - MINUTE;
				const news = list(service, [filed(-hour * HOUR)]);
				for (const old of service.records.slice(most)) service.remove(old);
				expect(await trigger.poll()).toEqual(news);
			}
			expect(stateOf(trigger).seen.length).toBeLessThan(50 * 16);
		},
	);

	it.each([1, 3])('starts over, and says so, from what version %d has written', async (version) => {
		const { trigger } = await watching(series(60, HOUR), { startFrom: NOON - DAY });
		trigger.saved = JSON.stringify({ feed: { ...stateOf(trigger), version } });
		trigger.loseProcess();
		expect(await trigger.poll()).toEqual([]);
		expect(trigger.log).toEqual([expect.stringContaining('starts over')]);
	});

	it.each([{ keys: 1 }, { newsFrom: 1 }, { isOfOtherList: 1 }])(
		'starts over, and says so, where what it knows of a baseline is damaged: %j',
		async (damage) => {
			const { trigger } = await watching(series(300, HOUR), { pages: 1 });
			const { baseline, ...feed } = stateOf(trigger);
			trigger.saved = JSON.stringify({ feed: { ...feed, baseline: { ...baseline, ...damage } } });
			trigger.loseProcess();
			trigger.log.length = 0;
			expect(await trigger.poll({ pages: 10 })).toEqual([]);
			expect(trigger.log).toEqual([expect.stringContaining('starts over')]);
		},
	);

	it('may be damaged in any place: no poll breaks or emits what was there, and what is new comes', async () => {
		const old = series(60, HOUR);
		const feed = stateOf((await watching(old)).trigger);
		for (const name of [...Object.keys(feed), 'baseline']) {
			for (const damage of [null, [], {}, [{}], 'no', -1]) {
				const { service, trigger } = triggerOn(old);
				trigger.saved = JSON.stringify({ feed: { ...feed, [name]: damage } });
				trigger.loseProcess();
				const what = `${name}: ${JSON.stringify(damage)}`;
				expect(await trigger.poll(), what).toEqual([]);
				const news = list(service, [filed(0)]);
				expect(await trigger.poll(), what).toEqual(news);
			}
		}
	});
});

describe('The latest events', () => {
	/** A list of these, how its pages are read, and how many were. */
	function listing(records: License[]) {
		const service = new FakeService();
		const read = {
			ids: list(service, records),
			requests: 0,
			page: async (cursor: string | null) => {
				read.requests++;
				const page = service.page({ limit: '50', ...(cursor !== null && { cursor }) });
				if (!page) return { expired: true as const };
				return { records: page.data, cursor: page.pagination.cursor };
			},
		};
		return read;
	}

	it('are the newest that match, oldest first', async () => {
		const { ids, page } = listing(series(120, HOUR));
		const wanted = [ids[30], ids[100]];
		const found = await findTestEvents(page, ({ id }) => wanted.includes(String(id)), 5);
		expect(found).toMatchObject(wanted.map((id) => ({ id })));
	});

	it('cost at most ten requests, even where none match', async () => {
		const read = listing(series(2000, HOUR));
		expect(await findTestEvents(read.page, () => false, 5)).toEqual([]);
		expect(read.requests).toBe(10);
	});

	it.each([5, 50])('cost one request where the first page has %d', async (wanted) => {
		const read = listing(series(120, HOUR));
		const found = await findTestEvents(read.page, () => true, wanted);
		expect(found).toMatchObject(read.ids.slice(-wanted).map((id) => ({ id })));
		expect(read.requests).toBe(1);
	});

	it('are what could be read, where the list fails further down', async () => {
		const { ids, page } = listing(series(120, HOUR));
		const failing = async (cursor: string | null) =>
			cursor === null ? await page(null) : { failure: 'fault' };
		expect(await findTestEvents(failing, ({ id }) => id === ids[119], 5)).toMatchObject([
			{ id: ids[119] },
		]);
		expect(await findTestEvents(failing, () => false, 5)).toEqual({ failure: 'fault' });
	});
});

describe('The examples of docs/trigger.md', () => {
	const count = (keys = '') => keys.length / 16;

	it('show a baseline as it is, poll by poll', async () => {
		const { service, trigger } = triggerOn(series(2000, HOUR), { pages: 20 });
		const saved = () => {
			const { baseline, seen, batches } = stateOf(trigger);
			return [count(baseline?.keys), count(seen + batches.map(({ keys }) => keys).join(''))];
		};
		expect(await trigger.poll()).toEqual([]);
		expect(saved()).toEqual([1000, 0]);
		const n = list(service, [filed(0)]);
		expect(await trigger.poll()).toEqual(n);
		expect(saved()).toEqual([1900, 1]);
		trigger.loseProcess();
		list(service, [filed(HOUR + 100.5 * SECOND)]);
		expect(await trigger.poll()).toEqual([]);
		expect(saved()).toEqual([1901, 1]);
		const m = list(service, [filed(-HOUR)]);
		expect(await trigger.poll()).toEqual(m);
		expect(saved()).toEqual([1901, 2]);
		expect(await trigger.poll()).toEqual([]);
		expect(stateOf(trigger).baseline).toBeUndefined();
		const k = list(service, [filed(HOUR + 200.5 * SECOND)]);
		expect(await trigger.pollTimes(2)).toEqual([]);
		expect(await trigger.poll()).toEqual(k);
	});

	it.each([
		[true, 0],
		[false, 3],
	])('show a backlog as it is, poll by poll (killed: %s)', async (isKilled, pollsSinceSweep) => {
		const { service, trigger } = await watching(series(500, HOUR), { maxItems: 50 });
		const saved = () => {
			const { seen, batches, total, isIncomplete } = stateOf(trigger);
			return [count(seen + batches.map(({ keys }) => keys).join('')) - 500, total, isIncomplete];
		};
		const news = list(service, series(120, MINUTE));
		expect(await trigger.poll()).toEqual(news.slice(0, 50));
		expect(trigger.requests).toBe(3);
		expect(saved()).toEqual([50, null, true]);
		expect(await trigger.poll()).toEqual(news.slice(50, 100));
		expect(trigger.requests).toBe(1);
		expect(saved()).toEqual([100, null, true]);
		if (isKilled) trigger.loseProcess();
		expect(await trigger.poll()).toEqual(news.slice(100));
		expect(saved()).toEqual([120, 620, false]);
		expect(stateOf(trigger)).toMatchObject({ pollsSinceSweep });
	});

	it('show a page that cannot be read as it is, poll by poll', async () => {
		const { service, trigger } = await watching(series(500, HOUR));
		const news = list(service, series(120, MINUTE));
		const third = service.page({
			limit: '50',
			cursor: service.page({ limit: '50' })?.pagination.cursor ?? '',
		})?.pagination.cursor;
		const before = (cursor: string | null) =>
			cursor === third ? { failure: new Error('Page 3 is forbidden') } : undefined;
		const rounds = [];
		for (let polls = 0; polls < 4; polls++)
			rounds.push([await trigger.poll({ before }), trigger.requests]);
		expect(rounds).toEqual([
			[[], 3],
			[news.slice(20), 1],
			[[], 3],
			[[], 2],
		]);
		expect(trigger.shown).toHaveLength(1);
		expect(await trigger.poll()).toEqual(news.slice(0, 20));
	});
});
