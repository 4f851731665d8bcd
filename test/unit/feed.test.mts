import { describe, expect, it } from 'vitest';

import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';

import {
	DAY,
	daysAgo,
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

	it.each([5, 30, 60, 240, 720])(
		'comes though it is listed for a day alone, where first page and total stay (a poll each %i minutes)',
		async (minutes) => {
			const feed = await published(many(40));
			const days = Array.from({ length: 30 }, (_, index) => `day-${index}`);
			const came: string[] = [];
			for (const id of days) {
				feed.records[23] = filing(id);
				came.push(...(await feed.polls((24 * 60) / minutes, minutes * MINUTE)));
			}
			expect(came).toEqual(days);
		},
	);

	it('comes though it is listed for a day alone, after a process found again what it had found', async () => {
		const feed = await published(many(40), { maxItems: 1 });
		feed.records.splice(23, 2, filing('a'), filing('b'));
		expect(await feed.polls(47, 30 * MINUTE)).toHaveLength(1);
		feed.restart();
		expect(await feed.polls(2, 30 * MINUTE)).toHaveLength(1);
		feed.records[23] = filing('day');
		expect(await feed.polls(47, 30 * MINUTE)).toEqual(['day']);
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

	it.each([false, true])(
		'comes with the next poll, where polls are a day apart (each of a new process: %s)',
		async (isNew) => {
			const feed = await published(many(40));
			for (const id of ['one', 'two', 'three']) {
				feed.records[23] = filing(id);
				if (isNew) feed.restart();
				expect(await feed.poll(DAY)).toEqual([id]);
			}
		},
	);

	it.each([0.5, 900])(
		'comes though the clock was %d days ahead when the list was read',
		async (days) => {
			const feed = new FeedTrigger(many(40));
			feed.now += days * DAY;
			await feed.poll();
			feed.records[23] = filing('new');
			feed.now -= days * DAY;
			expect(await feed.polls(2, HOUR)).toEqual(['new']);
		},
	);

	it('comes from the list that is being read before another one is read, though that one was read longer ago', async () => {
		const feed = await published([...many(40), ...many(40, 'other', renewal)]);
		feed.records[0] = filing('old-0', daysAgo(1));
		await feed.poll(HOUR);
		feed.records[0] = filing('old-0', daysAgo(2));
		feed.time = 5;
		await feed.poll(HOUR);
		feed.records.pop();
		await feed.poll(MINUTE);
		expect(feed.asked.slice(2)).toEqual(['new_filing 4', 'new_filing 5', 'new_filing 6']);
	});

	it('comes at once from further pages while each of them brings something new', async () => {
		const feed = await published(many(40));
		feed.records.unshift(...many(12, 'new'));
		expect(await feed.poll(MINUTE)).toHaveLength(12);
		// The third page has something new, so the fourth is read as well: nothing there is. Then a full reading is due.
		expect(feed.asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((at) => `new_filing ${at}`));
	});

	it('comes when it begins to match, though it was listed before', async () => {
		const feed = await published([...many(9), filing('moved', bay)], { counties: ['Lee'] });
		feed.records[9] = filing('moved');
		expect(await feed.polls(25, HOUR)).toEqual(['moved']);
	});

	it('is one thing where the same page lists it with its holder and without', async () => {
		const feed = await published(many(3));
		const filedDate = '2026-06-30';
		feed.records.unshift(filing('a', { filedDate }), filing('a', { filedDate, legalName: null }));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		expect(await feed.polls(3, HOUR)).toEqual([]);
	});

	it.each<[eventType: string, License, License]>([
		['new_filing', {}, { legalName: 'Other Inc' }],
		['new_filing', { filedDate: '2026-06-20' }, { filedDate: '2026-06-30', legalName: 'Other' }],
		['renewal', { expirationDate: '2026-10-01' }, { expirationDate: '2027-10-01' }],
		['renewal', {}, daysAgo(-365)],
		['status_change', { status: 'active' }, { status: 'expired' }],
		['status_change', {}, daysAgo(-1)],
		['cancellation', {}, daysAgo(-1)],
		['ownership_transfer', {}, { legalName: 'Other Inc', ...daysAgo(-1) }],
	])('is another %s if its details differ: %j, %j', async (eventType, before, after) => {
		const feed = await published([filing('a', { eventType, ...before })]);
		feed.records.push(filing('a', { eventType, ...after }));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('leaves the list and returns without coming again', async () => {
		const feed = await published(many(20));
		const away = feed.records.splice(3, 10);
		await feed.polls(72, HOUR);
		feed.records.splice(3, 0, ...away);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});
});

describe('How old a license may be', () => {
	it('is, for new filings, the lookback before the newest date in the list; the rest is counted once', async () => {
		const feed = await published([...many(12), filing('year', daysAgo(300))]);
		feed.records.push(...many(3, 'old-one', daysAgo(91)), filing('young', daysAgo(89)));
		expect(await feed.polls(48, HOUR)).toEqual(['young']);
		expect(feed.log.filter((line) => line.includes('Lookback Days'))).toEqual([
			expect.stringMatching(/Records left out: 3 \(/),
		]);
	});

	it('goes by the list, which may be a year behind, and not by the clock', async () => {
		const feed = await published(many(9, 'old', daysAgo(365)));
		feed.records.push(filing('new', daysAgo(370)));
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});

	it('goes by the dates that the same page shows', async () => {
		const feed = await published(many(9, 'old', daysAgo(300)), { pageSize: 20 });
		feed.records.unshift(...many(10, 'new'), filing('between', daysAgo(200)));
		expect(await feed.poll(MINUTE)).toHaveLength(10);
	});

	it('goes by the newest date of the whole list', async () => {
		const feed = await published([...many(20, 'old', daysAgo(100)), ...many(10, 'newest')]);
		for (const id of ['old-one', 'another']) {
			feed.records.unshift(filing(id, daysAgo(150)));
			expect(await feed.polls(3, HOUR)).toEqual([]);
		}
	});

	it('goes by no date in the future, where ten have one', async () => {
		const feed = await published([...many(9), ...many(10, 'typo', daysAgo(-300))]);
		feed.records.push(filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
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
	});

	it('goes on with the next polls where its time ends, and knows what it has met until then', async () => {
		const feed = new FeedTrigger(many(40), { time: 3 });
		expect(await feed.polls(2, MINUTE)).toEqual([]);
		expect(feed.log.filter((line) => line.includes('for the first time'))).toHaveLength(2);
		feed.records.push(filing('meanwhile'));
		feed.time = 100;
		expect(await feed.polls(2, MINUTE)).toEqual([]);
		feed.records.splice(20, 0, filing('new'));
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
		expect(feed.listOf()?.filters).toBeDefined();
	});

	it('goes on where polls lie between, and counts though the list has changed', async () => {
		const feed = new FeedTrigger(many(40), { time: 3 });
		await feed.poll();
		for (let days = 0; days < 3; days++) {
			feed.records.unshift(filing(`next-${days}`));
			await feed.poll(DAY);
		}
		expect(feed.listOf()?.filters).toBeDefined();
		feed.records.splice(20, 0, filing('new'));
		feed.time = 100;
		expect(await feed.poll(DAY)).toContain('new');
	});

	it('that is lost with its process begins again, quietly', async () => {
		const feed = new FeedTrigger(many(40), { time: 3 });
		await feed.poll();
		feed.restart(MINUTE);
		expect(await feed.polls(10, MINUTE)).toEqual([]);
		expect(feed.listOf()?.filters).toBeDefined();
	});

	it('of an event that is added later waits for no other list', async () => {
		const feed = await published(many(40));
		feed.records.splice(23, 0, filing('new'), filing('renewed', renewal));
		feed.answer = (page) => (page === 4 ? new Failure('Slow', '', { status: 429 }) : undefined);
		await feed.poll(HOUR);
		feed.events = EVENTS;
		await feed.poll(MINUTE);
		expect(feed.listOf('renewal')?.filters).toBeDefined();
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
		feed.records.splice(4, 0, filing('new'), filing('new-bay', bay));
		feed.counties = ['Lee', 'Bay'];
		expect(await feed.poll(14 * DAY)).toEqual(['new']);
		feed.records.push(filing('later', bay));
		expect(await feed.poll(HOUR)).toEqual(['later']);
	});

	it.each([
		['bring nothing for a longer lookback', 0, 365, []],
		['leave out at once what is too old for a shorter one', 30, 60, ['young']],
	])('%s', async (_, lookbackDays, age, came) => {
		const feed = await published(many(9));
		feed.records.push(filing('old-one', daysAgo(age)));
		if (lookbackDays > 0) feed.records.push(filing('young', daysAgo(9)));
		feed.lookbackDays = lookbackDays;
		expect(await feed.polls(3, HOUR)).toEqual(came);
	});

	it('let nothing come that waits for a county, or an event, that is no longer chosen', async () => {
		const feed = await published([...many(9), filing('renewed', renewal)], { maxItems: 1 });
		feed.records.unshift(filing('a', daysAgo(1)), filing('b', bay), filing('c', renewal));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		Object.assign(feed, { maxItems: 9, counties: ['Lee'], events: ['new_filing'] });
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('begin a first reading again that has not ended', async () => {
		const records = [...many(5, 'top'), ...many(10, 'bay', bay), ...many(30)];
		const feed = await published(records, { counties: ['Lee'], time: 5 });
		Object.assign(feed, { counties: ['Lee', 'Bay'], time: 100 });
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});
});

describe('What waits', () => {
	it('comes oldest first, as many at a time as Max Items says', async () => {
		const feed = await published(many(9), { maxItems: 2 });
		feed.records.push(filing('c', daysAgo(1)), filing('a', daysAgo(3)), filing('b', daysAgo(2)));
		expect(await feed.poll(HOUR)).toEqual(['a', 'b']);
		expect(await feed.poll(HOUR)).toEqual(['c']);
	});

	it.each([{ status: 'active' }, { legalName: 'Corrected Inc' }])(
		'comes once, as the list shows it then: %j',
		async (change) => {
			const feed = await published(many(3), { maxItems: 2 });
			const c = filing('c', { ...daysAgo(1), filedDate: '2026-06-30' });
			feed.records.unshift(filing('a', daysAgo(3)), filing('b', daysAgo(2)), c);
			expect(await feed.poll(HOUR)).toEqual(['a', 'b']);
			feed.records[2] = { ...c, ...change };
			expect(await feed.poll(HOUR)).toEqual(['c']);
			expect(feed.items).toMatchObject([{ id: 'c', ...change }]);
			expect(await feed.polls(30, HOUR)).toEqual([]);
		},
	);

	it('is found again by a new process, though it was dated anew while it waited', async () => {
		const feed = await published(many(3), { maxItems: 1 });
		feed.records.unshift(filing('a', daysAgo(3)), filing('grocery', { filedDate: '2026-06-30' }));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		feed.maxItems = 2;
		feed.records[1] = filing('grocery', { filedDate: '2026-07-01' });
		feed.records.unshift(filing('b', daysAgo(3)), filing('c', daysAgo(3)));
		expect((await feed.poll(HOUR)).sort()).toEqual(['b', 'c']);
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

describe('A list that is longer than what can be remembered', () => {
	const crowded = async (limits: object = { room: 30 }) =>
		await published([...many(20, 'recent', daysAgo(2)), ...many(30, 'old', daysAgo(80))], limits);
	const saidToBeLonger = ({ log }: FeedTrigger) =>
		log.filter((line) => line.includes('longer than the trigger can'));

	it.each([{ room: 30 }, { room: 15_000, mostPages: 7 }])(
		'brings only what is dated within a week of its newest date, and says so: %j',
		async (limits) => {
			const feed = await crowded(limits);
			expect(saidToBeLonger(feed)).toHaveLength(1);
			feed.records.splice(7, 0, filing('new', daysAgo(8)), filing('old-one', daysAgo(10)));
			feed.records.splice(7, 0, filing('undated', { eventTimestamp: null }));
			expect(await feed.polls(30, HOUR)).toEqual(['new']);
		},
	);

	it('brings nothing that moves up where others leave, and all have one date of years ago', async () => {
		const feed = await published(many(50, 'old', daysAgo(1000)), { room: 30 });
		feed.records.splice(0, 15);
		expect(await feed.polls(60, HOUR)).toEqual([]);
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

	it('that is a month behind brings what it dates after the first reading', async () => {
		const feed = await published(many(50, 'old', daysAgo(30)), { room: 30 });
		await feed.polls(33, DAY);
		feed.records.splice(3, 0, filing('new', daysAgo(-2)));
		expect(await feed.polls(2, DAY)).toEqual(['new']);
	});

	it('brings what is new although the clock was years ahead when it was first read', async () => {
		const feed = new FeedTrigger(many(50), { room: 30 });
		feed.now += 900 * DAY;
		await feed.poll();
		feed.now -= 900 * DAY;
		await feed.polls(2, DAY);
		feed.records.splice(3, 0, filing('new'));
		expect(await feed.polls(2, DAY)).toEqual(['new']);
	});

	it('brings the rest of what Start From asks for after a restart', async () => {
		const records = many(50, 'asked', daysAgo(20));
		const feed = new FeedTrigger(records, { room: 30, startFrom: 1, maxItems: 12 });
		const before = await feed.poll();
		feed.restart(10 * MINUTE);
		const came = await feed.polls(40, HOUR);
		expect(new Set([...before, ...came]).size).toBe(35);
		expect(came).toHaveLength(35 - before.length);
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

	it('leaves nothing to another that cannot be read', async () => {
		const feed = await published(many(40), { room: 50 });
		feed.events = EVENTS;
		feed.answer = (_, event) => (event === 'renewal' ? new Failure('No such plan', '') : undefined);
		feed.records.splice(38, 0, filing('deep'));
		expect(await feed.polls(2, HOUR)).toEqual(['deep']);
	});

	it('takes no room from the next: nothing is forgotten that is listed', async () => {
		const dated = daysAgo(1);
		const records = [...many(60, 'old', dated), ...many(60, 'renewed', { ...dated, ...renewal })];
		const feed = new FeedTrigger(records, { room: 50 });
		expect(await feed.polls(60, HOUR)).toEqual([]);
	});

	it('forgets what left longest ago, and nothing that is still listed', async () => {
		const feed = await published(many(20), { room: 20 });
		for (let day = 0; day < 9; day++) {
			feed.records.splice(19, 1);
			feed.records.splice(10, 0, filing(`new-${day}`));
			expect(await feed.poll(DAY)).toEqual([`new-${day}`]);
		}
	});
});
