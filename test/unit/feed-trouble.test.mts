import { describe, expect, it } from 'vitest';

import {
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

const EVENTS = ['new_filing', 'renewal'];

describe('A page that cannot be read', () => {
	it('fails the poll and changes nothing if it is the first, except that what was found still comes', async () => {
		const feed = await published(many(9), { maxItems: 2 });
		feed.records.unshift(...many(3, 'new'));
		expect(await feed.poll(HOUR)).toHaveLength(2);
		feed.answer = () => fault();
		expect(await feed.poll(HOUR)).toHaveLength(1);
		expect(feed.shown).toEqual(['A fault']);
		const before = structuredClone(feed.saved);
		await expect(feed.poll(HOUR)).rejects.toThrow('A fault');
		expect(feed.saved).toEqual(before);
	});

	it('of one list does not keep the others from going on', async () => {
		const feed = await published(many(9), { events: EVENTS });
		feed.answer = (_, event) => (event === 'renewal' ? fault() : undefined);
		feed.records.push(filing('new'));
		expect(await feed.polls(2, HOUR)).toEqual(['new']);
		expect(feed.shown).toEqual(['A fault']);
	});

	it('of new filings, at publishing, leaves the other lists their room', async () => {
		const feed = new FeedTrigger(many(40, 'renewed', renewal), { events: EVENTS });
		feed.answer = (_, event) => (event === 'new_filing' ? fault() : undefined);
		await feed.poll();
		expect(feed.asked).toContain('renewal 7');
	});

	it('for want of time is read before the others with the next poll', async () => {
		const feed = await published([...many(9), filing('renewed', renewal)]);
		feed.records.push(filing('new', renewal));
		feed.time = 1;
		expect(await feed.polls(2, HOUR)).toEqual(['new']);
	});

	it('for want of time, day after day, keeps no list from being read in full', async () => {
		const feed = await published([...many(40), ...many(40, 'renewed', renewal)]);
		feed.records.splice(30, 0, filing('below'));
		feed.records.splice(70, 0, filing('renewal below', renewal));
		feed.time = 6;
		expect((await feed.polls(6, 24 * HOUR)).sort()).toEqual(['below', 'renewal below']);
	});

	it('further down is tried again, and what stands above it comes; no three failures in a row, no failed execution', async () => {
		const feed = await published(many(40));
		feed.records.splice(3, 0, filing('above'));
		feed.records.splice(35, 0, filing('below'));
		const failing = [4, 4, 6, 6];
		feed.answer = (page) => {
			if (page !== failing[0]) return undefined;
			failing.shift();
			return fault();
		};
		expect(await feed.polls(4, 10 * MINUTE)).toEqual(['above']);
		expect(await feed.poll(MINUTE)).toEqual(['below']);
		expect(feed.shown).toEqual([]);
		expect(feed.log.at(-1)).toContain('A page of the list can be read again');
	});

	it('in three polls ends a first reading; what turns up below it later is quiet, and new above it is news', async () => {
		const feed = new FeedTrigger(many(40));
		feed.answer = (page) => (page === 4 ? fault() : undefined);
		await feed.polls(3, MINUTE);
		expect(feed.shown).toEqual(['A fault']);
		await feed.poll(MINUTE);
		feed.records.splice(3, 0, filing('above'));
		expect(await feed.polls(10, HOUR)).toEqual(['above']);
		feed.answer = () => undefined;
		expect(await feed.polls(60, HOUR)).toEqual([]);
		feed.records.splice(30, 0, filing('new'));
		expect(await feed.polls(30, HOUR)).toEqual(['new']);
	});

	it('in three polls ends no list that was read to its end before', async () => {
		const feed = await published([...many(40), ...many(40, 'renewed', renewal)]);
		feed.records.splice(30, 0, filing('below', daysAgo(20)));
		feed.records.splice(70, 0, filing('renewed', renewal));
		feed.answer = (page, event) => (page === 4 && event === 'new_filing' ? fault() : undefined);
		expect(await feed.polls(12, HOUR)).toEqual(['renewed']);
		expect(feed.shown).toHaveLength(1);
		feed.answer = () => undefined;
		expect(await feed.polls(12, HOUR)).toEqual(['below']);
	});

	it('for a rate limit is no failure; no further request is sent in that poll, and the reading goes on', async () => {
		const feed = await published(many(40), { events: EVENTS });
		feed.records.splice(30, 0, filing('below'));
		feed.answer = (page) => (page === 4 ? fault(429) : undefined);
		for (let polls = 0; polls < 5; polls++) {
			await feed.poll(HOUR);
			expect(feed.asked.at(-1)).toBe('new_filing 4');
		}
		feed.answer = () => fault(429);
		await expect(feed.poll(HOUR)).rejects.toThrow('A fault');
		expect(feed.asked).toHaveLength(1);
		feed.answer = () => undefined;
		expect(await feed.poll(MINUTE)).toEqual(['below']);
		expect(feed.shown).toEqual([]);
	});

	it('as the list goes in circles ends the reading, and says so', async () => {
		const feed = await published(many(40));
		feed.records.splice(3, 0, filing('new'));
		feed.answer = (page) =>
			page === 6 ? { records: feed.records.slice(30, 35), cursor: '4', total: 41 } : undefined;
		expect(await feed.poll(HOUR)).toEqual(['new']);
		feed.requests = 0;
		await feed.polls(2, MINUTE);
		expect(feed.requests).toBeLessThan(30);
		expect(new Set(feed.shown)).toEqual(new Set(["The service's list never ends"]));
	});
});

describe('A new process', () => {
	/** Has emitted what is new, of which n8n then makes this. */
	async function emitted(writes: FeedTrigger['writes']) {
		const feed = await published(many(40));
		feed.records.splice(23, 0, filing('new'));
		feed.writes = writes;
		expect(await feed.poll(HOUR)).toEqual(['new']);
		return feed;
	}

	it('goes on from what is saved, without a full reading, but finds again at once what waited', async () => {
		const feed = await published(many(40), { maxItems: 1 });
		feed.restart(MINUTE);
		await feed.poll();
		expect(feed.asked).toEqual(['new_filing 0']);
		feed.records.splice(23, 0, filing('a', daysAgo(3)), filing('b', daysAgo(2)));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		feed.restart(6 * MINUTE);
		expect(await feed.poll()).toEqual(['b']);
	});

	it('looks once for what waited, and has left the list', async () => {
		const feed = await published(many(40), { maxItems: 1 });
		feed.records.unshift(filing('a', daysAgo(3)), filing('b', daysAgo(2)));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		feed.records.splice(1, 1);
		for (const pages of [9, 1]) {
			feed.restart(6 * MINUTE);
			expect(await feed.poll()).toEqual([]);
			expect(feed.asked).toHaveLength(pages);
		}
	});

	it('repeats a full reading that was under way, as soon as the requests of a minute allow', async () => {
		const feed = await published(many(100), { time: 99 });
		feed.records[80] = filing('new');
		feed.time = 3;
		expect(await feed.poll(31 * HOUR)).toEqual([]);
		feed.restart(20 * MINUTE);
		feed.time = 99;
		expect(await feed.poll()).toEqual(['new']);
	});

	it('repeats what n8n may not have taken over for five minutes after it came first, and never after', async () => {
		const feed = await emitted('stops');
		let times = 0;
		for (let minute = 0; minute < 9; minute++) {
			feed.restart(MINUTE);
			times += (await feed.poll()).length;
		}
		expect(times).toBe(4);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('brings again what the database refused, at any time', async () => {
		const feed = await emitted('memory only');
		feed.writes = 'both';
		expect(await feed.poll(HOUR)).toEqual(['new']);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it.each([true, false])(
		'of n8n that refused both state and events emits them again, also if they have left the list: %s',
		async (hasLeft) => {
			const feed = await published(many(40), { hasCursors: true });
			feed.records.splice(23, 0, filing('new'));
			const { saved } = feed;
			expect(await feed.poll(24 * HOUR)).toEqual(['new']);
			feed.saved = saved;
			if (hasLeft) feed.records.splice(23, 1);
			expect(await feed.polls(3, MINUTE)).toEqual(['new']);
		},
	);

	it('starts over, quietly, from what it cannot read, and says so', async () => {
		const feed = await published(many(9));
		feed.saved = { feed: { version: 4, accounts: [] }, revision: 'of another' };
		feed.startFrom = 1;
		feed.restart();
		feed.records.push(filing('meanwhile'));
		expect(await feed.polls(2, HOUR)).toEqual([]);
		expect(feed.log.join().split('cannot read what the trigger has saved')).toHaveLength(2);
	});
});

it('Test keys and live keys have a memory each, and what waits for themselves', async () => {
	const feed = await published(many(9), { maxItems: 1 });
	feed.records.push(filing('a', daysAgo(3)), filing('b'));
	expect(await feed.poll(HOUR)).toEqual(['a']);
	feed.kind = 'test';
	expect(await feed.polls(2, HOUR)).toEqual([]);
	feed.records.push(filing('new', daysAgo(-1)));
	feed.kind = 'live';
	expect(await feed.polls(2, HOUR)).toEqual(['b', 'new']);
});

describe('Requests', () => {
	it('are one for each event at a poll with no full reading due, however long the list is', async () => {
		const feed = await published(many(2003), { events: EVENTS });
		// 400 pages, page one again, and the other list.
		expect(feed.requests).toBe(402);
		await feed.polls(5, HOUR);
		expect(feed.requests).toBe(402 + 10);
	});

	it('of full readings are one a minute on average, though page one changes with every poll', async () => {
		const feed = await published([...many(100), ...many(100, 'renewed', renewal)]);
		feed.requests = 0;
		let isFound = false;
		for (let minute = 0; minute < 200; minute++) {
			feed.records.unshift(filing(`new-${minute}`), filing(`renewed-new-${minute}`, renewal));
			feed.records.splice(101, 1);
			feed.records.pop();
			if (minute === 100) feed.records[150] = filing('middle', renewal);
			const came = await feed.poll(MINUTE);
			isFound ||= came.includes('middle');
		}
		expect(isFound).toBe(true);
		// At each poll, two pages of each list bring the news.
		expect(feed.requests).toBeLessThan(200 * 4 + 200 + 40);
		expect(feed.requests).toBeGreaterThan(200 * 4 + 100);
	});

	it('of a full reading begin when the last one is paid for, or at once with more than twenty new ones on top', async () => {
		const feed = await published(many(1900));
		const listNew = async (id: string, minutes: number) => {
			feed.records.splice(900, 0, filing(id));
			return await feed.poll(minutes * MINUTE);
		};
		expect(await listNew('a', 379)).toEqual([]);
		expect((await listNew('b', 1)).sort()).toEqual(['a', 'b']);
		expect(await listNew('c', 379)).toEqual([]);
		feed.records.unshift(...many(21, 'new'));
		expect(await feed.poll(MINUTE)).toHaveLength(22);
	});
});
