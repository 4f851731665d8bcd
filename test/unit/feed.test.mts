import { describe, expect, it } from 'vitest';

import { Failure } from '../../nodes/LicensingData/domain/failure.ts';
import { DAY, FeedTrigger, filing, filings, HOUR, many, MINUTE } from '../support/feed-trigger.mts';

const WEEK = 7 * DAY;
const fault = (status?: number) => ({
	failure: new Failure('status', 'A fault', '', { status, isTransient: true }),
	isRateLimit: status === 429,
});
const daysAgo = (days: number) => ({
	eventTimestamp: new Date(Date.parse('2026-07-01T00:00:00Z') - days * DAY).toISOString(),
});

/** Published: what the list shows is known. */
async function published(...args: ConstructorParameters<typeof FeedTrigger>) {
	const feed = new FeedTrigger(...args);
	expect(await feed.poll()).toEqual([]);
	return feed;
}

describe('What is new in my list', () => {
	it('comes once, wherever it stands among equal dates, with the full reading that a new total asks for', async () => {
		const feed = await published(many(40));
		feed.records.splice(23, 0, filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
		expect(await feed.polls(30, HOUR)).toMatchObject({ came: [] });
	});

	it('comes within 25 hours in the middle of a list that keeps its first page and its total', async () => {
		const feed = await published(many(40));
		feed.records[23] = filing('new');
		expect((await feed.polls(23, HOUR)).came).toEqual([]);
		expect((await feed.polls(2, HOUR)).came).toEqual(['new']);
	});

	it('comes with each poll of a day, where polls are a day apart', async () => {
		const feed = await published(many(40));
		for (const id of ['one', 'two', 'three']) {
			feed.records[23] = filing(id);
			expect(await feed.poll(DAY)).toEqual([id]);
		}
	});

	it('comes at once from further pages while each of them brings something new', async () => {
		const feed = await published(many(40));
		feed.records.unshift(...many(12, 'new'));
		expect(await feed.poll(MINUTE)).toHaveLength(12);
		// The third page has something new, so the fourth is read as well: nothing there is.
		expect(feed.asked).toHaveLength(4);
	});

	it('comes when it begins to match, though it was listed before', async () => {
		const feed = new FeedTrigger([...many(9), filing('moved', { address: { county: 'Bay' } })]);
		feed.counties = ['Lee'];
		await feed.poll();
		feed.records[9] = filing('moved');
		expect((await feed.polls(25, HOUR)).came).toEqual(['moved']);
	});

	it('is a license and its holder, whatever date or type it gets later', async () => {
		const feed = await published(filings('a b'));
		feed.records = [
			filing('a', { eventTimestamp: '2026-07-02T00:00:00Z', licenseType: 'SRX' }),
			filing('b', { legalName: 'B, L.L.C.' }),
		];
		expect(await feed.poll(HOUR)).toEqual([]);
	});

	it('is another filing with another holder, beside the old one too', async () => {
		const feed = await published(filings('a b'));
		feed.records.push(filing('a', { legalName: 'Other Inc' }));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		expect((await feed.polls(30, HOUR)).came).toEqual([]);
	});

	it('is nothing if a name is filled in, or missing for a while', async () => {
		const feed = await published([filing('a', { legalName: null }), filing('b')]);
		feed.records = [filing('a'), filing('b', { legalName: ' ' })];
		expect(await feed.poll(HOUR)).toEqual([]);
		feed.records = [filing('a', { legalName: 'Other Inc' }), filing('b')];
		expect(await feed.poll(HOUR)).toEqual(['a']);
	});

	it('is, of other events, the license, the event and its time, or without one its status', async () => {
		const renewal = (eventTimestamp: string | null, status = 'active') =>
			filing('a', { eventType: 'renewal', eventTimestamp, status });
		const feed = new FeedTrigger([renewal('2026-07-01T00:00:00Z'), renewal(null)]);
		feed.events = ['renewal'];
		await feed.poll();
		feed.records.push(renewal('2026-07-02T00:00:00Z', 'expired'), renewal(null, 'expired'));
		expect(await feed.poll(HOUR)).toHaveLength(2);
		expect((await feed.polls(30, HOUR)).came).toEqual([]);
	});

	it('leaves the list and returns without coming again', async () => {
		const feed = await published(many(20));
		const away = feed.records.splice(3, 10);
		await feed.polls(72, HOUR);
		feed.records.splice(3, 0, ...away);
		expect((await feed.polls(30, HOUR)).came).toEqual([]);
	});
});

describe('How old a license may be', () => {
	it('is, for new filings, the lookback before the newest date in the list; the rest is counted once', async () => {
		const feed = await published([...many(9), filing('year', daysAgo(300))]);
		feed.records.push(...many(3, 'old-one', daysAgo(91)), filing('young', daysAgo(89)));
		expect((await feed.polls(48, HOUR)).came).toEqual(['young']);
		expect(feed.log.filter((line) => line.includes('Lookback Days'))).toEqual([
			expect.stringMatching(/^3 licenses new/),
		]);
	});

	it('goes by the list, which may be a year behind, and not by the clock', async () => {
		const feed = await published(many(9, 'old', daysAgo(365)));
		feed.records.push(filing('new', daysAgo(370)));
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});

	it('goes by no date in the future', async () => {
		const feed = await published([...many(9), filing('typo', daysAgo(-300))]);
		feed.records.push(filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});

	it('is any for other events, for what has no date, and where the lookback is 0', async () => {
		const feed = new FeedTrigger(many(9));
		feed.events = ['new_filing', 'renewal'];
		await feed.poll();
		feed.records.push(filing('renewed', { ...daysAgo(900), eventType: 'renewal' }));
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
	});

	it('goes on with the next polls where its time ends, and knows what it has met until then', async () => {
		const feed = new FeedTrigger(many(40));
		feed.time = 3;
		expect((await feed.polls(3, MINUTE)).came).toEqual([]);
		expect(feed.log.filter((line) => line.includes('for the first time'))).toHaveLength(3);
		feed.records.push(filing('meanwhile'));
		feed.time = 100;
		expect((await feed.polls(2, MINUTE)).came).toEqual([]);
		feed.records.splice(20, 0, filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});

	it('is repeated, three times in all, if page one or the total changes meanwhile, and says so', async () => {
		const feed = new FeedTrigger(many(12));
		let changes = 1;
		feed.answer = (page) => {
			if (page === 2 && changes-- > 0) feed.records.unshift(filing(`moved-${changes}`));
			return undefined;
		};
		await feed.poll();
		expect(feed.asked.filter((asked) => asked.endsWith(' 2'))).toHaveLength(2);
		changes = 9;
		feed.account = 'test';
		await feed.poll();
		expect(feed.asked.filter((asked) => asked.endsWith(' 2'))).toHaveLength(3);
		expect(feed.log.filter((line) => line.includes('changed whenever'))).toHaveLength(1);
	});

	it('that is lost with its process begins again, quietly', async () => {
		const feed = new FeedTrigger(many(40));
		feed.time = 3;
		await feed.poll();
		feed.restart(MINUTE);
		expect((await feed.polls(10, MINUTE)).came).toEqual([]);
		expect(feed.state.accounts[0]?.lists.new_filing?.filters).toBeDefined();
	});

	it('of an event that is added later is quiet too, whatever Start From says', async () => {
		const feed = new FeedTrigger(many(9));
		feed.startFrom = 1;
		expect(await feed.poll()).toHaveLength(9);
		feed.events = ['new_filing', 'renewal'];
		feed.records.push(filing('renewed', { eventType: 'renewal' }));
		expect(await feed.poll(HOUR)).toEqual([]);
	});
});

describe('Changed filters', () => {
	it('cost nothing of the old county in a fortnight without polls, and the new one starts quietly', async () => {
		const feed = new FeedTrigger([...many(9), ...many(9, 'bay', { address: { county: 'Bay' } })]);
		feed.counties = ['Lee'];
		await feed.poll();
		feed.records.splice(4, 0, filing('new'), filing('new-bay', { address: { county: 'Bay' } }));
		feed.counties = ['Lee', 'Bay'];
		expect(await feed.poll(2 * WEEK)).toEqual(['new']);
		feed.records.push(filing('later', { address: { county: 'Bay' } }));
		expect(await feed.poll(HOUR)).toEqual(['later']);
	});

	it('bring nothing for a longer lookback', async () => {
		const feed = await published(many(9));
		feed.records.push(filing('year', daysAgo(365)));
		feed.lookbackDays = 0;
		expect((await feed.polls(3, HOUR)).came).toEqual([]);
	});

	it('decide about what already waits, too', async () => {
		const feed = await published(many(9));
		feed.records.push(filing('lee'), filing('bay', { address: { county: 'Bay' } }));
		feed.maxItems = 1;
		const [first] = await feed.poll(HOUR);
		const left = first === 'lee' ? 'Lee' : 'Bay';
		feed.counties = [left];
		expect((await feed.polls(30, HOUR)).came).toEqual([]);
	});
});

describe('What waits', () => {
	it('comes oldest first, as many at a time as Max Items says', async () => {
		const feed = await published(many(9));
		feed.records.push(filing('c', daysAgo(1)), filing('a', daysAgo(3)), filing('b', daysAgo(2)));
		feed.maxItems = 2;
		expect(await feed.poll(HOUR)).toEqual(['a', 'b']);
		expect(await feed.poll(HOUR)).toEqual(['c']);
		expect(feed.log).toContain('1 event found and waiting for the next poll');
	});

	it('comes as the list shows it then', async () => {
		const feed = await published(many(3));
		feed.records.unshift(filing('a', daysAgo(3)), filing('b', daysAgo(2)));
		feed.maxItems = 1;
		await feed.poll(HOUR);
		feed.records[1] = filing('b', { legalName: 'b llc', id: 'b', status: 'active' });
		expect(await feed.poll(HOUR)).toEqual(['b']);
	});

	it('for a day is said to wait', async () => {
		const feed = await published(many(9));
		feed.maxItems = 1;
		for (let hour = 0; hour < 30; hour++) {
			feed.records.push(filing(`one-${hour}`, daysAgo(1)), filing(`two-${hour}`));
			await feed.poll(HOUR);
		}
		expect(feed.log.filter((line) => line.includes('more arrive than'))).toHaveLength(1);
	});
});

describe('A list that is longer than what can be remembered', () => {
	const recent = many(20, 'recent', daysAgo(2));
	const crowded = async (limits = { events: 30, pages: 400 }) =>
		await published([...recent, ...many(30, 'old', daysAgo(80))], limits);

	it.each([
		{ events: 30, pages: 400 },
		{ events: 15_000, pages: 7 },
	])(
		'brings only what is dated within a week of its newest date, and says so: %j',
		async (limits) => {
			const feed = await crowded(limits);
			expect(feed.log.filter((line) => line.includes('longer than the trigger can'))).toHaveLength(
				1,
			);
			feed.records.splice(7, 0, filing('new', daysAgo(8)), filing('old-one', daysAgo(10)));
			feed.records.splice(7, 0, filing('undated', { eventTimestamp: null }));
			expect((await feed.polls(30, HOUR)).came).toEqual(['new']);
		},
	);

	it('brings nothing that moves up where others leave, and all have one date of years ago', async () => {
		const feed = await published(many(50, 'old', daysAgo(1000)), { events: 30 });
		feed.records.splice(0, 15);
		expect((await feed.polls(60, HOUR)).came).toEqual([]);
	});

	it('brings nothing of before with changed filters', async () => {
		const feed = await crowded();
		feed.records.splice(3, 0, filing('new'));
		feed.counties = ['Lee', 'Bay'];
		expect((await feed.polls(3, HOUR)).came).toEqual([]);
	});

	it('gets the room that the others do not need, new filings first', async () => {
		const feed = new FeedTrigger(many(40), { events: 50 });
		feed.records.push(...many(5, 'renewed', { eventType: 'renewal' }));
		feed.events = ['new_filing', 'renewal'];
		await feed.polls(2, HOUR);
		expect(feed.log.filter((line) => line.includes('longer than'))).toEqual([]);
	});
});

describe('The brake', () => {
	const braked = async () => {
		const feed = await published(many(10), { newAtOnce: 20 });
		feed.records = [...many(30, 'other'), ...feed.records];
		expect(await feed.poll(HOUR)).toEqual([]);
		return feed;
	};

	it('holds for a day what is too much at once, says so, and then lets it come', async () => {
		const feed = await braked();
		expect(feed.shown).toEqual([
			'30 licenses are new at once, which is more than half of the list',
		]);
		expect((await feed.polls(23, HOUR)).came).toEqual([]);
		expect((await feed.polls(2, HOUR)).came).toHaveLength(30);
		expect(feed.shown).toHaveLength(1);
	});

	it('lets what else is new come meanwhile', async () => {
		const feed = await braked();
		feed.records.unshift(filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});

	it('holds the next flood for a day of its own', async () => {
		const feed = await braked();
		await feed.polls(26, HOUR);
		feed.records = [...many(60, 'third'), ...feed.records];
		expect((await feed.polls(20, HOUR)).came).toEqual([]);
		expect((await feed.polls(6, HOUR)).came).toHaveLength(60);
	});

	it('holds nothing that Start From asks for, and no more than what is usual', async () => {
		const feed = new FeedTrigger(many(30), { newAtOnce: 20 });
		feed.startFrom = 1;
		expect(await feed.poll()).toHaveLength(30);
		feed.records.unshift(...many(20, 'new'));
		expect(await feed.poll(HOUR)).toHaveLength(20);
		feed.records.push(...many(30, 'more'));
		expect(await feed.poll(HOUR)).toHaveLength(30);
	});

	it('goes on holding in a new process', async () => {
		const feed = await braked();
		feed.restart(HOUR);
		expect((await feed.polls(20, HOUR)).came).toEqual([]);
		expect((await feed.polls(5, HOUR)).came).toHaveLength(30);
	});
});

describe('A page that cannot be read', () => {
	it('fails the poll if no first page can be read, and changes nothing', async () => {
		const feed = await published(many(9));
		const before = structuredClone(feed.saved);
		feed.answer = () => fault();
		await expect(feed.poll(HOUR)).rejects.toThrow('A fault');
		expect(feed.saved).toEqual(before);
	});

	it('of one list does not keep the others from going on', async () => {
		const feed = new FeedTrigger(many(9));
		feed.events = ['new_filing', 'renewal'];
		await feed.poll();
		feed.answer = (_, event) =>
			event === 'renewal' ? { failure: new Failure('status', 'Refused', '') } : undefined;
		feed.records.push(filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
		expect(feed.shown).toEqual(['Refused']);
	});

	it('further down is tried again, and what stands above it comes', async () => {
		const feed = await published(many(40));
		feed.records.splice(3, 0, filing('above'));
		feed.records.splice(30, 0, filing('below'));
		let failures = 2;
		feed.answer = (page) => (page === 4 && failures-- > 0 ? fault() : undefined);
		expect((await feed.polls(2, HOUR / 2)).came).toEqual(['above']);
		expect((await feed.polls(1, MINUTE)).came).toEqual(['below']);
		expect(feed.shown).toEqual([]);
	});

	it('in three polls ends a first reading; what turns up below it later is quiet, and new above it is news', async () => {
		const feed = new FeedTrigger(many(40));
		feed.answer = (page) => (page === 4 ? fault() : undefined);
		await feed.polls(4, MINUTE);
		expect(feed.shown).toEqual(['A fault']);
		expect(feed.log.at(-1)).toMatch(/not watched until it can be read/);
		feed.records.splice(3, 0, filing('above'));
		expect((await feed.polls(10, HOUR)).came).toEqual(['above']);
		feed.answer = () => undefined;
		expect((await feed.polls(60, HOUR)).came).toEqual([]);
		feed.records.splice(30, 0, filing('new'));
		expect((await feed.polls(30, HOUR)).came).toEqual(['new']);
	});

	it('in three polls ends no list that was read to its end before', async () => {
		const feed = await published(many(40));
		feed.records.splice(30, 0, filing('below', daysAgo(20)));
		feed.answer = (page) => (page === 4 ? fault() : undefined);
		expect((await feed.polls(12, HOUR)).came).toEqual([]);
		expect(feed.shown.length).toBeGreaterThan(0);
		feed.answer = () => undefined;
		expect((await feed.polls(12, HOUR)).came).toEqual(['below']);
	});

	it('for a rate limit is no failure; no further request is sent in that poll, and the reading goes on', async () => {
		const feed = new FeedTrigger(many(40));
		feed.events = ['new_filing', 'renewal'];
		await feed.poll();
		feed.records.splice(30, 0, filing('below'));
		feed.answer = (page) => (page === 4 ? fault(429) : undefined);
		for (let polls = 0; polls < 5; polls++) {
			await feed.poll(HOUR);
			expect(feed.asked.filter((asked) => asked === 'new_filing 4')).toHaveLength(1);
			expect(feed.asked.at(-1)).toBe('new_filing 4');
		}
		feed.answer = () => undefined;
		expect(await feed.poll(MINUTE)).toEqual(['below']);
		expect(feed.asked).toHaveLength(2 + 5);
		expect(feed.shown).toEqual([]);
	});

	it('because its cursor has expired lets the reading begin again at the top', async () => {
		const feed = await published(many(40));
		feed.records.splice(30, 0, filing('below'));
		let refusals = 1;
		feed.answer = (page) => (page === 4 && refusals-- > 0 ? { expired: true } : undefined);
		expect((await feed.polls(2, HOUR)).came).toEqual(['below']);
		expect(feed.asked).toHaveLength(9);
	});

	it('as the list goes in circles ends the reading, and says so', async () => {
		const feed = await published(many(40));
		feed.records.splice(3, 0, filing('new'));
		feed.answer = (page) =>
			page === 3 ? { records: feed.records.slice(15, 20), cursor: '1', total: 41 } : undefined;
		expect(await feed.poll(HOUR)).toEqual(['new']);
		const { requests } = await feed.polls(2, MINUTE);
		expect(requests).toBeLessThan(30);
		expect(feed.shown).toEqual(['The list of the service goes in circles']);
	});
});

describe('A new process', () => {
	it('goes on from what is saved, without a full reading', async () => {
		const feed = await published(many(40));
		feed.restart(MINUTE);
		await feed.poll();
		expect(feed.asked).toEqual(['new_filing 0']);
	});

	it('finds again at once what waited when the last one ended', async () => {
		const feed = await published(many(40));
		feed.records.splice(23, 0, filing('a', daysAgo(3)), filing('b', daysAgo(2)));
		feed.maxItems = 1;
		expect(await feed.poll(HOUR)).toEqual(['a']);
		feed.restart(6 * MINUTE);
		expect(await feed.poll()).toEqual(['b']);
	});

	it('repeats what n8n may not have taken over for five minutes after it came first, and never after', async () => {
		const feed = await published(many(40));
		feed.records.splice(23, 0, filing('new'));
		feed.writes = 'stops';
		expect(await feed.poll(HOUR)).toEqual(['new']);
		let times = 0;
		for (let minute = 0; minute < 9; minute++) {
			feed.restart(MINUTE);
			times += (await feed.poll()).length;
		}
		expect(times).toBe(4);
		expect((await feed.polls(30, HOUR)).came).toEqual([]);
	});

	it('brings again what the database refused, at any time', async () => {
		const feed = await published(many(40));
		feed.records.splice(23, 0, filing('new'));
		feed.writes = 'memory only';
		expect(await feed.poll(HOUR)).toEqual(['new']);
		feed.writes = 'both';
		expect(await feed.poll(HOUR)).toEqual(['new']);
		expect((await feed.polls(30, HOUR)).came).toEqual([]);
	});

	it('starts over, quietly, from what it cannot read, and says so', async () => {
		const feed = await published(many(9));
		feed.saved = { feed: { version: 2, seen: '' }, revision: 'of another' };
		feed.restart();
		feed.records.push(filing('meanwhile'));
		expect(await feed.poll(HOUR)).toEqual([]);
		expect(feed.log.filter((line) => line.includes('cannot read the memory'))).toHaveLength(1);
		feed.records.push(filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});
});

describe('Each account', () => {
	it('has a memory of its own', async () => {
		const feed = await published(many(9));
		feed.account = 'test';
		expect(await feed.poll(HOUR)).toEqual([]);
		feed.records.push(filing('new'));
		feed.account = 'live';
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});

	it('is forgotten whole where memory is full, the one unused longest first', async () => {
		const feed = await published(many(9), { events: 20 });
		for (const account of ['second', 'third']) {
			feed.account = account;
			await feed.polls(2, HOUR);
		}
		const names = feed.state.accounts.map(({ account }) => account);
		expect(names).toEqual(['third', 'second']);
	});
});

describe('Requests', () => {
	it('are one for each event at a poll with no full reading due, however long the list is', async () => {
		const feed = new FeedTrigger(many(2000));
		feed.events = ['new_filing', 'renewal'];
		await feed.poll();
		expect(await feed.polls(5, HOUR)).toMatchObject({ requests: 10 });
	});

	it('of full readings are one a minute on average, though page one changes with every poll', async () => {
		const feed = await published(many(100));
		let requests = 0;
		for (let minute = 0; minute < 200; minute++) {
			feed.records.unshift(filing(`new-${minute}`));
			feed.records.pop();
			expect(await feed.poll(MINUTE)).toEqual([`new-${minute}`]);
			requests += feed.asked.length;
		}
		// At each poll, two pages bring the news.
		expect(requests).toBeLessThan(200 * 2 + 200);
		expect(requests).toBeGreaterThan(200 * 2 + 100);
	});

	it('go to lists in turns where one reading does not fit into a poll', async () => {
		const feed = new FeedTrigger([...many(40), ...many(40, 'renewed', { eventType: 'renewal' })]);
		feed.events = ['new_filing', 'renewal'];
		await feed.poll();
		feed.time = 6;
		feed.records[23] = filing('new');
		feed.records[63] = filing('renewed-new', { eventType: 'renewal' });
		expect((await feed.polls(30, HOUR)).came.sort()).toEqual(['new', 'renewed-new']);
	});

	it('for a county whose list is empty go to its other name, once a day, and then to that alone', async () => {
		const feed = new FeedTrigger(many(9));
		feed.spellings = 2;
		const empty = { records: [], cursor: null, total: 0 };
		feed.answer = () => empty;
		await feed.polls(20, HOUR);
		// The second spelling is asked past `asked`.
		let other = 0;
		feed.answer = (_, __, spelling) => {
			other += spelling;
			return empty;
		};
		await feed.polls(24, HOUR);
		expect(other).toBe(1);
		feed.answer = (_, __, spelling) => (spelling === 0 ? empty : undefined);
		await feed.polls(25, HOUR);
		expect(await feed.polls(2, HOUR)).toMatchObject({ came: [], requests: 2 });
		feed.records.push(filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});
});

it('What is saved of 15,000 events takes less than 256 KB, and more are not remembered', async () => {
	const feed = new FeedTrigger(many(20_000));
	feed.pageSize = 50;
	await feed.poll();
	const bytes = JSON.stringify(feed.saved).length;
	expect(bytes).toBeGreaterThan(15_000 * 13);
	expect(bytes).toBeLessThan(256_000);
});
