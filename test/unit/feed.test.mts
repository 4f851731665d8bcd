import type { IDataObject } from 'n8n-workflow';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { DAY, HOUR, MINUTE } from '../../nodes/LicensingData/licenses/time.ts';
import type { TriggerState } from '../../nodes/LicensingData/trigger/stateFormat.ts';
import {
	atMost,
	both,
	dayBefore,
	filed,
	limitTo,
	listed,
	ListedTrigger,
	on,
	publishedOn,
	renewal,
	useClock,
} from '../support/listed-trigger.mts';
import type { Saving } from '../support/poller.mts';

beforeEach(() => useClock());

const bay = { address: { county: 'Bay' } };
const counties = (...names: string[]): IDataObject => ({ filters: { counties: names } });

/** All of one day. */
const many = (count: number, name = 'old', more: License = {}) =>
	listed(count, name, { ...on(0), ...more });
const numbersOf = (records: License[]) => records.map((one) => String(one.licenseNumber)).sort();

type Options = ConstructorParameters<typeof ListedTrigger>[2];
const small = { pageSize: 5 };
const published = async (records: License[], parameters: IDataObject = {}, more: Options = small) =>
	await publishedOn(records, parameters, more);
const pagesOf = ({ asked }: ListedTrigger) => asked.map(({ cursor = '0' }) => Number(cursor) / 5);
/** The failed executions about bulk additions. */
const reported = ({ poller }: ListedTrigger) =>
	poller.shown.filter((message) => message.includes('at once'));

describe('What is new in my list', () => {
	it('comes once, as a new total or first page asks for a full reading', async () => {
		const trigger = await published(many(40));
		trigger.records.splice(23, 0, filed('new', on(0)));
		expect(await trigger.poll()).toEqual(['new']);
		trigger.records[0] = filed('old1', on(1));
		trigger.records[24] = filed('another', on(0));
		expect(await trigger.poll()).toEqual(['another']);
		expect(await trigger.polls(30)).toEqual([]);
	});

	it.each([
		[30, false],
		[1440, false],
		[1440, true],
	])('comes within thirty hours, polled each %i minutes (always anew: %s)', async (...row) => {
		const [minutes, isNew] = row;
		const trigger = await published(many(40), {}, { ...small, saving: 'durable' });
		await trigger.poll();
		for (const number of numbersOf(many(5, 'day'))) {
			trigger.records[23] = filed(number, on(0));
			if (isNew) await trigger.restart();
			const polls = Math.round((30 * 60) / minutes);
			expect(await trigger.polls(polls, minutes * MINUTE)).toEqual([number]);
		}
	});

	it('comes though the clock is set back, and page one and total stay', async () => {
		const trigger = await published(many(40));
		trigger.records[23] = filed('new', on(0));
		expect(await trigger.poll(-2 * DAY)).toEqual(['new']);
	});

	it('costs one full reading a day where all changes show on page one', async () => {
		const trigger = await published(many(40));
		const [, ...others] = trigger.records;
		const pages = 8;
		for (let day = 1; day <= 5; day++) {
			trigger.requests = 0;
			trigger.records = [filed('old1', on(-day)), ...others];
			await trigger.polls(48, 30 * MINUTE);
			// Page one is there already.
			if (day > 1) expect(trigger.requests).toBe(48 + pages - 1);
		}
	});

	it('comes at once from further pages while each of them brings something new', async () => {
		const trigger = await published(many(40));
		trigger.records.unshift(...many(12, 'new'));
		expect(await trigger.poll(MINUTE)).toHaveLength(12);
		// The third page has something new, so the fourth is read as well: nothing there is.
		expect(pagesOf(trigger)).toEqual([0, 1, 2, 3]);
	});

	it('comes when it begins to match, though it was listed before', async () => {
		const parameters = { filters: { cities: 'Tampa' } };
		const inCity = (city: string) => ({ ...on(0), address: { city, county: 'Lee' } });
		const records = [...many(9, 'old', inCity('Tampa')), filed('moved', inCity('Miami'))];
		const trigger = await published(records, parameters);
		trigger.records[9] = filed('moved', inCity('Tampa'));
		expect(await trigger.polls(30)).toEqual(['moved']);
	});
});

describe('How old a license may be', () => {
	it('is the lookback before the newest date; the rest is counted once', async () => {
		const trigger = await published([...many(12), filed('year', on(300))]);
		trigger.records.push(...many(3, 'older', on(91)), filed('young', on(89)));
		expect(await trigger.polls(48)).toEqual(['young']);
		const leftOut = expect.stringMatching(/Records left out: 3 \(/);
		expect(trigger.said('Lookback Days')).toEqual([leftOut]);
	});

	const news = many(10, 'new');
	const late = filed('late', { filedDate: dayBefore(92) });
	const early = filed('early', { ...on(200), filedDate: dayBefore(9) });
	const yearOld = many(10, 'old', on(365));
	const older = many(1, 'b', on(370));
	const food = many(12, 'food', { licenseType: 'SEATING' });
	it.each<[string, before: License[], added: License[], came: License[]]>([
		['the list, a year behind', many(9, 'old', on(365)), older, older],
		['the same page', many(9, 'old', on(300)), [...news, filed('middle', on(200))], news],
		['the whole list', [...many(20, 'old', on(100)), ...news], many(1, 'b', on(150)), []],
		['the list, but for nine that are wild', [...yearOld, ...many(9, 'wild')], older, older],
		['its type', [...yearOld, ...food], older, older],
		['filing alone', many(12, 'old', on(1)), [late, early], [early]],
		['no future, even of ten', [...many(9), ...many(10, 'typo', on(-300))], news, news],
	])('goes by the newest date of %s', async (_, before, added, came) => {
		const trigger = await published(before, {}, { pageSize: 20 });
		trigger.records.unshift(...added);
		expect((await trigger.polls(3)).sort()).toEqual(numbersOf(came));
	});

	it('is any for other events, without a date, and where the lookback is 0', async () => {
		const trigger = await published([...many(9), filed('young', renewal)], both);
		trigger.records.push(filed('renewed', { ...on(900), ...renewal }));
		trigger.records.push(filed('undated', { filedDate: null, eventTimestamp: null }));
		expect((await trigger.poll()).sort()).toEqual(['renewed', 'undated']);
		await trigger.publish({ options: { lookbackDays: 0 } });
		await trigger.polls(2);
		trigger.records.push(filed('ancient', on(3600)));
		expect(await trigger.poll()).toEqual(['ancient']);
	});
});

describe('A first reading', () => {
	it('brings what Start From asks for, and later what is new, whatever its age', async () => {
		vi.setSystemTime(Date.now() + 2 * DAY);
		const records = [...many(9), ...many(2, 'since', on(-1))];
		const parameters = { options: { startFrom: dayBefore(0) } };
		const trigger = new ListedTrigger(records, parameters, small);
		expect((await trigger.publish()).sort()).toEqual(['since1', 'since2']);
		expect(await trigger.poll()).toEqual([]);
		trigger.records.push(filed('older', on(1)));
		expect(await trigger.poll()).toEqual(['older']);
		trigger.records.push(filed('filed long ago', { ...on(-1), filedDate: '2026-01-01' }));
		expect(await trigger.poll()).toEqual(['filed long ago']);
	});

	it('goes on with the next polls, or begins again in a new process', async () => {
		const trigger = new ListedTrigger(many(40), {}, small);
		trigger.time = 3;
		expect([...(await trigger.publish()), ...(await trigger.poll(MINUTE))]).toEqual([]);
		expect(trigger.said('for the first time, and the next poll')).toHaveLength(2);
		await trigger.restart();
		trigger.records.push(filed('meanwhile', on(0)));
		expect(await trigger.polls(6, MINUTE)).toEqual([]);
		trigger.records.splice(20, 0, filed('new', on(0)));
		trigger.time = 100;
		expect(await trigger.poll()).toEqual(['new']);
	});

	it.each<[string, page: number, change: (records: License[]) => void]>([
		['comes on top meanwhile', 2, (records) => void records.unshift(filed('meanwhile'))],
		['it has missed, as records left', 20, (records) => void records.splice(0, 9)],
	])('knows what %s', async (_, page, change) => {
		const trigger = new ListedTrigger(listed(200), {}, small);
		const { length } = trigger.records;
		trigger.answer = ({ cursor }) => {
			if (cursor === String(5 * page) && trigger.records.length === length) change(trigger.records);
		};
		await trigger.publish();
		expect(await trigger.polls(31)).toEqual([]);
	});

	it('says how many of how many it has shown, and reads no third time', async () => {
		const trigger = new ListedTrigger(listed(120));
		trigger.answer = (query) => {
			const { data, pagination } = trigger.page(query);
			return { body: { data, pagination: { ...pagination, total: 130 } } };
		};
		await trigger.publish();
		expect(trigger.asked).toHaveLength(7);
		expect(trigger.said('It showed 120 of 130 entries')).toHaveLength(1);
	});

	it('of an event that is added later is quiet too, whatever Start From says', async () => {
		const parameters = { options: { startFrom: '2026-01-01' } };
		const trigger = new ListedTrigger(many(9), parameters, small);
		expect(await trigger.publish()).toHaveLength(9);
		trigger.records.push(filed('renewed', renewal));
		expect([...(await trigger.publish(both)), ...(await trigger.polls(2))]).toEqual([]);
	});
});

describe('Changed filters', () => {
	it('cost nothing that both select, the rest starts quietly, and one line says so', async () => {
		const trigger = await published([...many(9), ...many(9, 'bay', bay)], counties('Lee'));
		// With the old filters, so many would be a bulk addition.
		const news = many(30, 'new', on(30));
		trigger.records.splice(4, 0, ...news, filed('new-bay', bay));
		vi.setSystemTime(Date.now() + 14 * DAY);
		const came = await trigger.publish(counties('Lee', 'Bay'));
		expect([...came, ...(await trigger.polls(2))].sort()).toEqual(numbersOf(news));
		const words = 'Those that only the new filters select, and that are listed now, are not.';
		expect(trigger.said('The filters have changed')).toEqual([expect.stringContaining(words)]);
		trigger.records.push(filed('later', bay));
		expect(await trigger.poll()).toEqual(['later']);
	});

	it('begin a reading under way anew', async () => {
		const records = [...many(9, 'bay', { address: { county: 'Lee', city: 'Bay' } }), ...many(40)];
		const trigger = new ListedTrigger(records, { filters: { cities: 'Lee' } }, small);
		trigger.time = 4;
		await trigger.publish();
		trigger.time = 99;
		await trigger.publish({ filters: {} });
		expect(await trigger.polls(31)).toEqual([]);
	});

	it('bring nothing for a longer lookback', async () => {
		const trigger = await published(many(9));
		trigger.records.push(filed('year', on(365)));
		const came = await trigger.publish({ options: { lookbackDays: 0 } });
		expect([...came, ...(await trigger.polls(2))]).toEqual([]);
	});

	it('let nothing come that waits for what is no longer chosen', async () => {
		const records = [...many(9), filed('renewed', renewal)];
		const trigger = await published(records, { ...both, ...atMost(1) });
		trigger.records.unshift(filed('a', on(2)), filed('b', bay), filed('c', renewal));
		expect(await trigger.poll()).toEqual(['a']);
		const fewer = { ...counties('Lee'), ...atMost(9), eventTypes: ['new_filing'] };
		expect([...(await trigger.publish(fewer)), ...(await trigger.polls(30))]).toEqual([]);
	});
});

describe('What waits', () => {
	it('comes oldest first, up to Max Items, once, as the list shows it then', async () => {
		const trigger = await published(many(9), atMost(2));
		const c = filed('c', on(1));
		trigger.records.unshift(c, filed('a', on(3)), filed('b', on(2)));
		expect(await trigger.poll()).toEqual(['a', 'b']);
		trigger.records[0] = { ...c, legalName: 'Corrected Inc' };
		expect(await trigger.poll()).toEqual(['c']);
		expect(trigger.items).toMatchObject([{ legalName: 'Corrected Inc' }]);
		expect(await trigger.polls(30)).toEqual([]);
	});

	it('keeps its expiration date, where another row of a renewal lacks it', async () => {
		const trigger = await published(many(9, 'old', renewal), { ...both, ...atMost(1) });
		const waiting = filed('waits', { ...renewal, expirationDate: '2027-01-01' });
		const first = filed('first', { ...renewal, ...on(2) });
		trigger.records.unshift(first, waiting, { ...waiting, expirationDate: null });
		expect(await trigger.poll()).toEqual(['first']);
		expect(await trigger.poll()).toEqual(['waits']);
		expect(trigger.items).toMatchObject([{ expirationDate: '2027-01-01' }]);
	});

	it('is found again by a new process, though it was dated anew meanwhile', async () => {
		const trigger = await published(many(3), atMost(1));
		const grocery = (days: number) => filed('grocery', { ...on(0), filedDate: dayBefore(days) });
		trigger.records.unshift(filed('a', on(3)), grocery(1));
		expect(await trigger.poll()).toEqual(['a']);
		trigger.records[1] = grocery(0);
		trigger.records.unshift(filed('b', on(3)), filed('c', on(3)));
		expect((await trigger.publish(atMost(2))).sort()).toEqual(['b', 'c']);
		expect(JSON.stringify(trigger.poller.saved)).not.toContain('LLC');
		await trigger.restart(HOUR);
		expect(await trigger.poll(0)).toEqual(['grocery']);
		expect(await trigger.polls(30)).toEqual([]);
	});

	it('is emitted before more is read, once it is as much as Max Items', async () => {
		const trigger = await published(many(40), atMost(6));
		trigger.records.unshift(...many(20, 'new'));
		expect(await trigger.poll()).toHaveLength(6);
		expect(trigger.asked).toHaveLength(2);
		expect(await trigger.polls(9)).toHaveLength(14);
	});
});

describe('When n8n starts anew and saves in another way', () => {
	const since = { options: { startFrom: dayBefore(0) } };
	it.each<[string, Saving, Saving, left: string, parameters: IDataObject, came: string[]]>([
		['turning durable cursors on repeats none', 'memory', 'durable', 'all', {}, ['third']],
		['leaving them on repeats none', 'durable', 'durable', 'all', {}, ['third']],
		['deleting the cursors', 'durable', 'memory', 'earlier', {}, ['second', 'third']],
		['deleting all there is', 'durable', 'memory', 'nothing', {}, []],
		['the same with Start From', 'durable', 'memory', 'nothing', since, ['second', 'third']],
	])('%s, and costs none', async (_, before, after, left, parameters, came) => {
		const trigger = await published(many(40, 'old', on(9)), parameters);
		trigger.records.splice(9, 0, filed('first', on(9)));
		expect(await trigger.poll()).toEqual(['first']);
		const { saved } = trigger.poller;
		await trigger.restart(HOUR, { saving: before });
		trigger.records.splice(23, 0, filed('second', on(-1)));
		expect(await trigger.poll(0)).toEqual(['second']);
		trigger.records.splice(31, 0, filed('third', on(-1)));
		if (left !== 'all') trigger.poller.database.saved = left === 'earlier' ? saved : {};
		await trigger.restart(DAY, { saving: after });
		expect((await trigger.poll(0)).sort()).toEqual(came);
		expect(await trigger.polls(30)).toEqual([]);
	});
});

describe('A list that is longer than what can be remembered', () => {
	const crowd = () => [...many(20, 'recent', on(2)), ...many(30, 'old', on(80))];
	const LONGER = 'the list is longer than';

	it.each([
		[{ events: 30 }, "Choose fewer 'Counties'"],
		[{ pages: 7 }, "Choose at most four 'Counties'"],
	])('is watched as far as it is read, and the log says why: %j', async (limits, help) => {
		limitTo(limits);
		const trigger = await published(crowd());
		expect(trigger.said(LONGER)).toEqual([expect.stringContaining(help)]);
		trigger.records.splice(7, 0, filed('new', on(8)));
		trigger.records.splice(45, 0, filed('below'));
		expect(await trigger.polls(31)).toEqual(['new']);
		expect(trigger.said(LONGER)).toHaveLength(2);
	});

	it('brings nothing that moves up where others leave', async () => {
		limitTo({ events: 30 });
		const trigger = await published(many(50, 'old', on(1000)));
		trigger.records.splice(0, 15);
		expect(await trigger.polls(60)).toEqual([]);
	});

	it('brings nothing of before from where no reading got to', async () => {
		const trigger = new ListedTrigger(many(20), {}, small);
		trigger.answer = ({ cursor }) => (cursor === '10' ? { status: 500 } : undefined);
		await trigger.publish();
		await trigger.polls(2);
		expect(trigger.said(LONGER)).toHaveLength(1);
		Object.assign(trigger, { answer: () => undefined, time: 3 });
		trigger.records.unshift(filed('new'));
		expect(await trigger.polls(31)).toEqual(['new']);
	});

	it('brings nothing of before with changed filters', async () => {
		limitTo({ events: 30 });
		const trigger = await published(crowd());
		trigger.records.splice(3, 0, filed('new'));
		const came = await trigger.publish({ filters: { status: 'active' } });
		expect([...came, ...(await trigger.polls(2))]).toEqual([]);
	});

	it.each([
		['gets the room that the others do not need, new filings first', 5, []],
		['is cut at publishing where new filings leave too little', 40, ['Renewal']],
	])('%s', async (_, renewals, cut) => {
		limitTo({ events: 50 });
		const trigger = await published([...many(40), ...many(renewals, 'r', renewal)], both);
		await trigger.poll();
		const lines = cut.map((name) => expect.stringContaining(`${name}: the list is longer`));
		expect(trigger.said(LONGER)).toEqual(lines);
	});

	it('forgets nothing that stays, nor a fifth more that leaves and returns', async () => {
		limitTo({ events: 30 });
		const trigger = await published(many(30));
		const gone = trigger.records.splice(0, 6, ...many(6, 'new'));
		expect(await trigger.polls(30)).toHaveLength(6);
		trigger.records.splice(0, 6, ...gone);
		expect(await trigger.polls(30)).toEqual([]);
		for (let day = 1; day <= 9; day++) {
			trigger.records.splice(0, 6, ...many(6, `day ${day}-`));
			expect(await trigger.polls(2, 13 * HOUR)).toHaveLength(6);
		}
		const { seen } = (trigger.poller.saved.feed as unknown as TriggerState).memories.live!;
		expect(seen.length / 6).toBeLessThanOrEqual(30 * 2.4);
	});

	it('takes less than 256 KB of what n8n saves', async () => {
		const { poller } = await published(many(20_000), {}, {});
		const bytes = JSON.stringify(poller.saved).length;
		expect(bytes).toBeGreaterThan(15_000 * 12);
		expect(bytes).toBeLessThan(256_000);
	});
});

describe('Bulk additions', () => {
	const young = (count: number) => many(count, 'young', on(1));
	const older = (count: number) => many(count, 'older', on(30));
	const undated = (days: number) => ({ ...on(days), filedDate: null });
	const food = { licenseType: 'FOOD_SERVICE' };
	const permit = { licenseType: 'TEMP_PERMIT' };
	const foods = (days: number) => many(400, 'food', { ...food, ...undated(days) });

	it.each<[string, before: License[], added: License[], isNews: boolean]>([
		['a source', listed(200), listed(400, 'food', food), false],
		['a source without dates of its own', listed(200), foods(14), false],
		['its filings of the last two weeks', listed(200), foods(13), true],
		['a county', listed(200), listed(60, 'bay', bay, 9), false],
		['the rest of a sample', listed(100), listed(2000, 'more', {}, 9), false],
		['twenty old ones', young(10), older(20), true],
		['more than twenty', young(10), older(21), false],
		['half of what is listed then', young(40), older(41), true],
		['more than half of it', young(40), older(42), false],
		['150 of one day', listed(2000), many(150, 'one'), true],
		['more than 150', listed(2000), many(151, 'one'), false],
		['176 of a weekly file, without a date', listed(2000), many(176, 'one', undated(0)), true],
		[
			'200 permits for a festival',
			[...listed(2000), ...listed(20, 'permit', permit)],
			many(200, 'one', permit),
			true,
		],
		['six weeks of a list that stood still', listed(1300), listed(900, 'new', {}, -42), true],
	])('are reported, not sent, beside what is new: %s', async (_, before, added, isNews) => {
		const trigger = await published([...before], atMost(10_000), {});
		trigger.records.splice(before.length / 2, 0, ...added);
		trigger.records.push(filed('real', on(1)));
		const came = await trigger.polls(3, 42 * DAY);
		expect(came.sort()).toEqual(numbersOf([...(isNews ? added : []), filed('real')]));
		expect(reported(trigger)).toHaveLength(isNews ? 0 : 1);
	});

	it('are judged by what a reading has shown, while it is under way', async () => {
		const trigger = await published(listed(600), {}, {});
		trigger.records.unshift(...older(30));
		trigger.time = 1;
		expect(await trigger.polls(3)).toEqual([]);
		expect(reported(trigger)).toEqual([expect.stringContaining('(30)')]);
	});

	it('are reported where the list was empty, and not judged once it was not', async () => {
		const trigger = await published([], both, {});
		trigger.records.push(...listed(300, 'old', { ...renewal, ...on(60) }));
		expect(await trigger.polls(9)).toEqual([]);
		expect(reported(trigger)).toHaveLength(1);
		trigger.records.unshift(...listed(300, 'x', { ...renewal, ...on(90) }));
		expect(await trigger.poll()).toHaveLength(300);
	});

	it('of an event are what is old of it, and not what is recent', async () => {
		const trigger = await published(listed(60), both, {});
		const today = listed(25, 'today', { ...renewal, ...on(0) });
		trigger.records.push(...listed(270, 'old', renewal, 30), ...today);
		expect(await trigger.poll()).toHaveLength(25);
		expect(reported(trigger)).toEqual([expect.stringContaining('(270)')]);
	});

	it.each([0, 3])(
		'are reported though a page below fails, in %i polls before',
		async (failures) => {
			const trigger = await published(listed(600), {}, {});
			trigger.answer = ({ cursor }) => (cursor === '300' ? { status: 400 } : undefined);
			trigger.records.unshift(filed('new'));
			const came = await trigger.polls(failures, 5 * MINUTE);
			trigger.records.unshift(...listed(90, 'added', { licenseType: 'MOBILE_FOOD' }));
			expect([...came, ...(await trigger.polls(5, 5 * MINUTE))]).toEqual(['new']);
			expect(reported(trigger)).toEqual([expect.stringContaining('(90)')]);
		},
	);

	it('are no events that a new process finds again, though they are most', async () => {
		const trigger = await published(young(10));
		const news = Array.from({ length: 8 }, (_, days) => many(8, `new ${days}-`, on(days - 7)));
		trigger.records.push(...news.flat());
		trigger.poller.fate = { stops: true };
		expect(await trigger.poll(9 * DAY)).toHaveLength(64);
		await trigger.restart(MINUTE);
		expect(await trigger.polls(9, MINUTE / 4)).toHaveLength(64);
	});
});

describe('Renewals', () => {
	const renewals = (more: License) =>
		listed(200, 'old', { ...renewal, ...on(0), expirationDate: '2026-09-30', ...more });

	it.each<[string, License]>([
		['expire a year later, and took effect on the same day', { expirationDate: '2027-09-30' }],
		['no longer say when they expire', { expirationDate: null, ...on(-365) }],
	])('of the next year come, though they %s', async (_, more) => {
		const trigger = await published(renewals({}), both, {});
		trigger.records = renewals(more);
		expect(await trigger.poll(365 * DAY)).toHaveLength(200);
		trigger.records = renewals({ ...more, expirationDate: null });
		expect(await trigger.poll(DAY)).toEqual([]);
	});
});
