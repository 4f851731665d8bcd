import { describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import type { TriggerState } from '../../nodes/LicensingData/trigger/state.ts';
import {
	DAY,
	daysAgo,
	fault,
	FeedTrigger,
	filing,
	HOUR,
	many,
	MINUTE,
	published,
	renewal,
} from '../support/feed-trigger.mts';

const bay = { address: { county: 'Bay' } };
const EVENTS = ['new_filing', 'renewal'];
const idsOf = (records: License[]) => records.map(({ id }) => String(id)).sort();

describe('What is new in my list', () => {
	it('comes once, wherever it stands among equal dates, with the full reading that a new total or a new date on the first page asks for', async () => {
		const feed = await published(many(40));
		feed.records.splice(23, 0, filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
		feed.records[0] = filing('old-0', daysAgo(1));
		feed.records[24] = filing('another');
		expect(await feed.poll(HOUR)).toEqual(['another']);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it.each([
		[30, false],
		[720, false],
		[1439, false],
		[1440, false],
		[1440, true],
	])(
		'comes though it is listed for thirty hours alone, and page one and total stay (a poll each %i minutes, in a new process: %s)',
		async (minutes, isNew) => {
			const feed = await published(many(40));
			for (const id of idsOf(many(9, 'day'))) {
				feed.records[23] = filing(id);
				if (isNew) feed.restart();
				expect(await feed.polls(Math.round((30 * 60) / minutes), minutes * MINUTE)).toEqual([id]);
			}
		},
	);

	it('comes though the clock is set back, and page one and total stay', async () => {
		const feed = await published(many(40));
		feed.records[23] = filing('new');
		expect(await feed.poll(-2 * DAY)).toEqual(['new']);
	});

	it('costs one full reading a day where each change of the list shows on its first page', async () => {
		const feed = await published(many(40));
		const [, ...others] = feed.records;
		const pages = 8;
		for (let day = 1; day <= 5; day++) {
			feed.requests = 0;
			feed.records = [filing('old-0', daysAgo(-day)), ...others];
			await feed.polls(48, 30 * MINUTE);
			// Page one is there already.
			if (day > 1) expect(feed.requests).toBe(48 + pages - 1);
		}
	});

	it('comes at once from further pages while each of them brings something new', async () => {
		const feed = await published(many(40));
		feed.records.unshift(...many(12, 'new'));
		expect(await feed.poll(MINUTE)).toHaveLength(12);
		// The third page has something new, so the fourth is read as well: nothing there is.
		expect(feed.asked).toEqual([0, 1, 2, 3].map((at) => `new_filing ${at}`));
	});

	it('comes when it begins to match, though it was listed before', async () => {
		const feed = await published([...many(9), filing('moved', bay)], { counties: ['Lee'] });
		feed.records[9] = filing('moved');
		expect(await feed.polls(30, HOUR)).toEqual(['moved']);
	});

	it('leaves the list and returns without coming again', async () => {
		const feed = await published(many(20));
		const away = feed.records.splice(3, 10);
		await feed.polls(72, HOUR);
		feed.records.splice(3, 0, ...away);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});
});

it.each<['live' | 'test', times: number]>([
	['live', 0],
	['test', 1],
])(
	'A list that stands still for weeks is said with a %s key so many times: %i',
	async (kind, times) => {
		const feed = await published(many(9), { kind });
		await feed.polls(30, DAY);
		expect(feed.shown).toHaveLength(times);
	},
);

describe('How old a license may be', () => {
	it('is, for new filings, the lookback before the newest date in the list; the rest is counted once', async () => {
		const feed = await published([...many(12), filing('year', daysAgo(300))]);
		feed.records.push(...many(3, 'old-one', daysAgo(91)), filing('young', daysAgo(89)));
		expect(await feed.polls(48, HOUR)).toEqual(['young']);
		expect(feed.log.filter((line) => line.includes('Lookback Days'))).toEqual([
			expect.stringMatching(/Records left out: 3 \(/),
		]);
	});

	const news = many(10, 'new');
	const filedAgo = (days: number) => ({ filedDate: daysAgo(days).eventTimestamp });
	const late = filing('late', filedAgo(92));
	const early = filing('early', { ...daysAgo(200), ...filedAgo(9) });
	const yearOld = many(10, 'old', daysAgo(365));
	const older = many(1, 'b', daysAgo(370));
	it.each<[string, before: License[], added: License[], came: License[]]>([
		[
			'the list, a year behind',
			many(9, 'old', daysAgo(365)),
			many(1, 'new', daysAgo(370)),
			[news[0]!],
		],
		[
			'the same page',
			many(9, 'old', daysAgo(300)),
			[...news, filing('middle', daysAgo(200))],
			news,
		],
		['the whole list', [...many(20, 'old', daysAgo(100)), ...news], many(1, 'b', daysAgo(150)), []],
		['the list, but for nine that are wild', [...yearOld, ...many(9, 'wild')], older, older],
		['its type', [...yearOld, ...many(12, 'food', { licenseType: 'SEATING' })], older, older],
		['filing alone', many(12, 'old', filedAgo(1)), [late, early], [early]],
		['no future, even of ten', [...many(9), ...many(10, 'typo', daysAgo(-300))], news, news],
	])('goes by the newest date of %s', async (_, before, added, came) => {
		const feed = await published(before, { pageSize: 20 });
		feed.records.unshift(...added);
		expect((await feed.polls(3, HOUR)).sort()).toEqual(idsOf(came));
	});

	it('is any for other events, for what has no date, and where the lookback is 0', async () => {
		const feed = await published([...many(9), filing('young', renewal)]);
		feed.records.push(filing('renewed', { ...daysAgo(900), ...renewal }));
		feed.records.push(filing('undated', { eventTimestamp: null }));
		expect((await feed.poll(HOUR)).sort()).toEqual(['renewed', 'undated']);
		feed.lookbackDays = 0;
		await feed.polls(2, HOUR);
		feed.records.push(filing('ancient', daysAgo(9000)));
		expect(await feed.poll(HOUR)).toEqual(['ancient']);
	});
});

describe('A first reading', () => {
	it('brings what Start From asks for alone, whatever its age, and later what is new', async () => {
		const feed = new FeedTrigger([...many(9), ...many(2, 'since', daysAgo(-1))]);
		feed.now += 2 * DAY;
		feed.startFrom = feed.now - 2 * DAY;
		expect((await feed.poll()).sort()).toEqual(['since-0', 'since-1']);
		expect(await feed.poll(HOUR)).toEqual([]);
		feed.records.push(filing('older', daysAgo(-0.5)));
		expect(await feed.poll(HOUR)).toEqual(['older']);
		feed.records.push(filing('filed long ago', { ...daysAgo(-1), filedDate: '2026-01-01' }));
		expect(await feed.poll(HOUR)).toEqual(['filed long ago']);
	});

	it('goes on with the next polls where its time ends, or begins again in a new process, and knows what it meets until then', async () => {
		const feed = new FeedTrigger(many(40), { time: 3 });
		expect(await feed.polls(2, MINUTE)).toEqual([]);
		expect(feed.log.filter((line) => line.includes('for the first time'))).toHaveLength(2);
		feed.restart();
		feed.records.push(filing('meanwhile'));
		expect(await feed.polls(6, MINUTE)).toEqual([]);
		feed.records.splice(20, 0, filing('new'));
		feed.time = 100;
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});

	it('knows what comes on top while one poll reads it', async () => {
		const feed = new FeedTrigger(many(12));
		feed.answer = (page) => {
			if (page === 2) feed.records.unshift(filing('meanwhile'));
			return undefined;
		};
		await feed.poll();
		feed.answer = () => undefined;
		expect(await feed.polls(2, HOUR)).toEqual([]);
	});

	it('of an event that is added later is quiet too, whatever Start From says', async () => {
		const feed = new FeedTrigger(many(9), { startFrom: 1 });
		expect(await feed.poll()).toHaveLength(9);
		feed.events = EVENTS;
		feed.records.push(filing('renewed', renewal));
		expect(await feed.poll(HOUR)).toEqual([]);
	});
});

describe('Changed filters', () => {
	it('cost nothing of the old county in a fortnight without polls, and the new one starts quietly', async () => {
		const feed = await published([...many(9), ...many(9, 'bay', bay)], { counties: ['Lee'] });
		// With the old filters, so many would be a bulk addition.
		const news = many(30, 'new', daysAgo(30));
		feed.records.splice(4, 0, ...news, filing('new-bay', bay));
		feed.counties = ['Lee', 'Bay'];
		expect((await feed.poll(14 * DAY)).sort()).toEqual(idsOf(news));
		feed.records.push(filing('later', bay));
		expect(await feed.poll(HOUR)).toEqual(['later']);
	});

	it('begin a reading under way anew', async () => {
		const records = [...many(9, 'bay', bay), ...many(40)];
		const feed = new FeedTrigger(records, { counties: ['Lee'], time: 4 });
		await feed.poll();
		Object.assign(feed, { counties: ['Lee', 'Bay'], time: 99 });
		expect(await feed.polls(31, HOUR)).toEqual([]);
	});

	it('bring nothing for a longer lookback', async () => {
		const feed = await published(many(9));
		feed.records.push(filing('year', daysAgo(365)));
		feed.lookbackDays = 0;
		expect(await feed.polls(3, HOUR)).toEqual([]);
	});

	it('let nothing come that waits for a county, or an event, that is no longer chosen', async () => {
		const feed = await published([...many(9), filing('renewed', renewal)], { maxItems: 1 });
		feed.records.unshift(filing('a', daysAgo(1)), filing('b', bay), filing('c', renewal));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		Object.assign(feed, { maxItems: 9, counties: ['Lee'], events: ['new_filing'] });
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});
});

describe('What waits', () => {
	it('comes oldest first, as many at a time as Max Items says, once, as the list shows it then', async () => {
		const feed = await published(many(9), { maxItems: 2 });
		const c = filing('c', { ...daysAgo(1), filedDate: '2026-06-30' });
		feed.records.unshift(c, filing('a', daysAgo(3)), filing('b', daysAgo(2)));
		expect(await feed.poll(HOUR)).toEqual(['a', 'b']);
		feed.records[0] = { ...c, legalName: 'Corrected Inc' };
		expect(await feed.poll(HOUR)).toEqual(['c']);
		expect(feed.items).toMatchObject([{ legalName: 'Corrected Inc' }]);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('is found again by a new process, though it was dated anew while it waited', async () => {
		const feed = await published(many(3), { maxItems: 1 });
		feed.records.unshift(filing('a', daysAgo(3)), filing('grocery', { filedDate: '2026-06-30' }));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		feed.maxItems = 2;
		feed.records[1] = filing('grocery', { filedDate: '2026-07-01' });
		feed.records.unshift(filing('b', daysAgo(3)), filing('c', daysAgo(3)));
		expect((await feed.poll(HOUR)).sort()).toEqual(['b', 'c']);
		expect(JSON.stringify(feed.saved)).not.toContain('LLC');
		feed.restart(HOUR);
		expect(await feed.poll()).toEqual(['grocery']);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('is emitted before more is read, once it is as much as Max Items says', async () => {
		const feed = await published(many(40), { maxItems: 6 });
		feed.records.unshift(...many(20, 'new'));
		expect(await feed.poll(HOUR)).toHaveLength(6);
		expect(feed.asked).toHaveLength(2);
		expect(await feed.polls(9, HOUR)).toHaveLength(14);
	});
});

describe('When n8n starts anew and saves in another way', () => {
	/** Two filings have come, the second since this way of saving; a third appears while n8n is down. */
	async function stopped(hasCursors: boolean) {
		const feed = await published(many(40));
		feed.records.splice(9, 0, filing('first'));
		expect(await feed.poll(HOUR)).toEqual(['first']);
		const before = structuredClone(feed.saved);
		feed.hasCursors = hasCursors;
		feed.restart(HOUR);
		feed.records.splice(23, 0, filing('second'));
		expect(await feed.poll()).toEqual(['second']);
		feed.records.splice(31, 0, filing('third'));
		feed.restart(DAY);
		return { feed, before };
	}

	it('turning durable cursors on costs no event, and repeats none', async () => {
		const { feed } = await stopped(false);
		feed.hasCursors = true;
		expect(await feed.poll()).toEqual(['third']);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('turning them off for the whole instance, for one workflow that n8n cannot check, costs and repeats none: it goes on handing out the cursors', async () => {
		const { feed } = await stopped(true);
		expect(await feed.poll()).toEqual(['third']);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('deleting the cursors costs none, and repeats what came since they were turned on', async () => {
		const { feed, before } = await stopped(true);
		Object.assign(feed, { hasCursors: false, saved: before });
		expect((await feed.poll()).sort()).toEqual(['second', 'third']);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it.each<[number | undefined, string[]]>([
		[undefined, []],
		[Date.parse('2026-07-01'), ['second', 'third']],
	])(
		'deleting the cursor of a trigger that has nothing else starts it quietly, and brings what is since Start From (%s)',
		async (startFrom, expected) => {
			const { feed } = await stopped(true);
			feed.records = feed.records.map((one) =>
				expected.includes(String(one.id)) ? one : { ...one, ...daysAgo(9) },
			);
			Object.assign(feed, { hasCursors: false, saved: {}, startFrom });
			expect((await feed.poll()).sort()).toEqual(expected);
		},
	);
});

describe('A list that is longer than what can be remembered', () => {
	const crowded = async (limits: object = { room: 30 }) =>
		await published([...many(20, 'recent', daysAgo(2)), ...many(30, 'old', daysAgo(80))], limits);
	const saidToBeLonger = ({ log }: FeedTrigger) =>
		log.filter((line) => line.includes('the list is longer than'));

	it.each<[object, help: string]>([
		[{ room: 30 }, "Choose fewer 'Counties'"],
		[{ room: 15_000, mostPages: 7 }, "Choose at most four 'Counties'"],
	])('is watched as far as it is read, and the log says which filter helps: %j', async (...row) => {
		const [limits, help] = row;
		const feed = await crowded(limits);
		expect(saidToBeLonger(feed)).toEqual([expect.stringContaining(help)]);
		feed.records.splice(7, 0, filing('new', daysAgo(8)));
		feed.records.splice(45, 0, filing('below'));
		expect(await feed.polls(31, HOUR)).toEqual(['new']);
		expect(saidToBeLonger(feed)).toHaveLength(2);
	});

	it('brings nothing that moves up where others leave, and all have one date of years ago', async () => {
		const feed = await published(many(50, 'old', daysAgo(1000)), { room: 30 });
		feed.records.splice(0, 15);
		expect(await feed.polls(60, HOUR)).toEqual([]);
	});

	it('brings nothing of before with changed filters', async () => {
		const feed = await crowded();
		feed.records.splice(3, 0, filing('new'));
		feed.counties = ['Lee', 'Bay'];
		expect(await feed.polls(3, HOUR)).toEqual([]);
	});

	it.each([
		['gets the room that the others do not need, new filings first', 5, []],
		['is cut at publishing where new filings leave too little', 40, ['Renewal']],
	])('%s', async (_, renewals, cut) => {
		const records = [...many(40), ...many(renewals, 'renewed', renewal)];
		const feed = await published(records, { room: 50 });
		await feed.poll(HOUR);
		expect(saidToBeLonger(feed)).toEqual(
			cut.map((name) => expect.stringContaining(`${name}: the list is longer`)),
		);
	});

	it('does not forget a fifth more, which has left it for a while', async () => {
		// With two keys each.
		const dated = { filedDate: '2026-07-01' };
		const feed = await published(many(30, 'old', dated), { room: 30 });
		const gone = feed.records.splice(0, 6, ...many(6, 'new', dated));
		expect(await feed.polls(30, HOUR)).toHaveLength(6);
		feed.records.splice(0, 6, ...gone);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('forgets nothing that stays, however much comes and goes', async () => {
		const feed = await published(many(30), { room: 30 });
		for (let day = 1; day <= 20; day++) {
			feed.records.splice(0, 6, ...many(6, `day-${day}`));
			expect(await feed.polls(2, 13 * HOUR)).toHaveLength(6);
		}
		const { seen } = (feed.saved.feed as unknown as TriggerState).memories.live!;
		expect(seen.length / 6).toBeLessThanOrEqual(30 * 2.4);
	});

	it('takes less than 256 KB of what n8n saves', async () => {
		const records = many(20_000, 'old', { filedDate: '2026-06-30' });
		const { saved } = await published(records, { pageSize: 50 });
		const bytes = JSON.stringify(saved).length;
		expect(bytes).toBeGreaterThan(15_000 * 12);
		expect(bytes).toBeLessThan(256_000);
	});
});

describe('Bulk additions', () => {
	/** The failed executions about them. */
	const said = ({ shown }: FeedTrigger) => shown.filter((message) => message.includes('at once'));
	const filedAgo = (days: number) => {
		const { eventTimestamp } = daysAgo(days);
		return { eventTimestamp, filedDate: eventTimestamp };
	};
	/** Filed on sixty days. */
	const spread = (count: number, name = 'old', more: License = {}, newest = 1) =>
		many(count, name).map((one, at) => ({ ...one, ...filedAgo(newest + (at % 60)), ...more }));
	const young = (count: number) => many(count, 'young', daysAgo(1));
	const older = (count: number) => many(count, 'older', daysAgo(30));
	const permit = { licenseType: 'TEMP_PERMIT' };
	const recent = many(400, 'food', { licenseType: 'FOOD_SERVICE', ...daysAgo(13) });
	const ofOneDay = (count: number, more: License = {}) =>
		many(count, 'one', { filedDate: '2026-07-01', ...more });

	it.each<[string, before: License[], added: License[], isNews: boolean]>([
		['a source', spread(200), spread(400, 'food', { licenseType: 'FOOD_SERVICE' }), false],
		[
			'a source without dates of its own',
			spread(200),
			many(400, 'food', { licenseType: 'FOOD_SERVICE', ...daysAgo(14) }),
			false,
		],
		['its filings of the last two weeks', spread(200), recent, true],
		['a county', spread(200), spread(60, 'bay', bay, 9), false],
		['the rest of a sample', spread(100), spread(2000, 'more', {}, 9), false],
		['twenty old ones', young(10), older(20), true],
		['more than twenty', young(10), older(21), false],
		['half of what is listed then', young(40), older(41), true],
		['more than half of it', young(40), older(42), false],
		['150 of one day', spread(2000), ofOneDay(150), true],
		['more than 150', spread(2000), ofOneDay(151), false],
		['more than 150 that lack their own date', spread(2000), many(176, 'one'), true],
		[
			'200 permits for a festival',
			[...spread(2000), ...spread(20, 'permit', permit)],
			ofOneDay(200, permit),
			true,
		],
		['six weeks of a list that stood still', spread(1300), spread(900, 'new', {}, -42), true],
	])('are reported, not sent, and what is new beside them comes: %s', async (...row) => {
		const [, before, added, isNews] = row;
		const feed = await published([...before], { pageSize: 50, maxItems: 10_000 });
		feed.records.splice(before.length / 2, 0, ...added);
		feed.records.push(filing('real', daysAgo(1)));
		const came = await feed.polls(3, 42 * DAY);
		expect(came.sort()).toEqual(idsOf([...(isNews ? added : []), filing('real')]));
		expect(said(feed)).toHaveLength(isNews ? 0 : 1);
	});

	it('are judged by what a reading has shown, while it is under way', async () => {
		const feed = await published(spread(600), { pageSize: 50, time: 99 });
		feed.records.unshift(...older(30));
		feed.time = 1;
		expect(await feed.polls(3, HOUR)).toEqual([]);
		expect(said(feed)).toEqual([expect.stringContaining('(30)')]);
	});

	it('are reported, not sent, where the list was empty', async () => {
		const feed = await published([], { events: EVENTS });
		feed.records.push(...spread(300));
		expect(await feed.polls(9, HOUR)).toEqual([]);
		expect(said(feed)).toHaveLength(1);
	});

	it.each([0, 1, 2, 3])(
		'are reported, not sent, though a page below fails, in %i polls before as well',
		async (failures) => {
			const feed = await published(spread(600), { pageSize: 50 });
			feed.answer = (page) => (page === 6 ? fault() : undefined);
			feed.records.unshift(filing('new'));
			const came = await feed.polls(failures, 5 * MINUTE);
			feed.records.unshift(...spread(90, 'added', { licenseType: 'MOBILE_FOOD' }));
			expect([...came, ...(await feed.polls(5, 5 * MINUTE))]).toEqual(['new']);
			expect(said(feed)).toEqual([expect.stringContaining('(90)')]);
		},
	);

	it('are no events that a new process finds again, though they are most of the list', async () => {
		const feed = await published(young(10));
		const news = Array.from({ length: 8 }, (_, days) => many(8, `new-${days}`, daysAgo(days - 7)));
		feed.records.push(...news.flat());
		feed.writes = 'stops';
		expect(await feed.poll(9 * DAY)).toHaveLength(64);
		feed.restart(MINUTE);
		feed.writes = 'both';
		expect(await feed.polls(9, MINUTE / 4)).toHaveLength(64);
	});
});
