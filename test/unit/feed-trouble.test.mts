import { describe, expect, it } from 'vitest';

import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
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

const fault = (status?: number) =>
	new Failure('A fault', '', { status, isTransient: status !== 429 });
/** A day's requests for full readings, which come on top of one a minute. */
const CREDIT = 24 * 60;
/** A list of 40 of each event. */
const BOTH = [...many(40), ...many(40, 'renewed', renewal)];
const EVENTS = ['new_filing', 'renewal'];

describe('A page that cannot be read', () => {
	it('fails the poll if no first page can be read, and changes nothing', async () => {
		const feed = await published(many(9));
		const before = structuredClone(feed.saved);
		feed.answer = () => fault();
		await expect(feed.poll(HOUR)).rejects.toThrow('A fault');
		expect(feed.saved).toEqual(before);
	});

	it('of one list does not keep the others from going on', async () => {
		const feed = await published(many(9), { events: EVENTS });
		feed.answer = (_, event) => (event === 'renewal' ? new Failure('Refused', '') : undefined);
		feed.records.push(filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
		expect(feed.shown).toEqual(['Refused']);
	});

	it('of all lists is said of the first of them', async () => {
		const feed = await published([...many(4), ...many(40, 'other', renewal)]);
		feed.records.unshift(filing('new'));
		await feed.polls(2, HOUR);
		feed.answer = (_, event) => fault(event === 'renewal' ? 403 : 500);
		await expect(feed.poll(HOUR)).rejects.toMatchObject({ facts: { status: 500 } });
	});

	it('hides from nobody that a test key shows the same every time', async () => {
		const feed = new FeedTrigger(many(40), { kind: 'test' });
		feed.answer = (page) => (page === 4 ? fault() : undefined);
		await feed.polls(24 * 10, HOUR);
		expect(feed.shown).toContain('Nothing at all has changed for seven days');
	});

	it('further down is tried again, and what stands above it comes', async () => {
		const feed = await published(many(40));
		feed.records.splice(3, 0, filing('above'));
		feed.records.splice(30, 0, filing('below'));
		let failures = 2;
		feed.answer = (page) => (page === 4 && failures-- > 0 ? fault() : undefined);
		expect(await feed.polls(2, HOUR / 2)).toEqual(['above']);
		expect(await feed.poll(MINUTE)).toEqual(['below']);
		expect(feed.shown).toEqual([]);
	});

	it('in three polls ends a first reading; what turns up below it later is quiet, and new above it is news', async () => {
		const feed = new FeedTrigger(many(40));
		feed.answer = (page) => (page === 4 ? fault() : undefined);
		await feed.polls(4, MINUTE);
		expect(feed.shown).toEqual(['A fault']);
		expect(feed.advice).toMatch(/Only new licenses further down the list are delayed/);
		feed.records.splice(3, 0, filing('above'));
		expect(await feed.polls(10, HOUR)).toEqual(['above']);
		feed.answer = () => undefined;
		expect(await feed.polls(60, HOUR)).toEqual([]);
		feed.records.splice(30, 0, filing('new'));
		expect(await feed.polls(30, HOUR)).toEqual(['new']);
	});

	it('counts from the last page that could be read', async () => {
		const feed = new FeedTrigger(many(40));
		let failures = 4;
		feed.answer = (page) =>
			page === (failures > 2 ? 4 : 6) && failures-- > 0 ? fault() : undefined;
		await feed.polls(7, MINUTE);
		expect(failures).toBeLessThan(0);
		expect(feed.shown).toEqual([]);
	});

	it('in three polls ends no list that was read to its end before', async () => {
		const feed = await published(many(40));
		feed.records.splice(30, 0, filing('below', daysAgo(20)));
		feed.answer = (page) => (page === 4 ? fault() : undefined);
		expect(await feed.polls(12, HOUR)).toEqual([]);
		expect(feed.shown).toHaveLength(1);
		feed.answer = () => undefined;
		expect(await feed.polls(12, HOUR)).toEqual(['below']);
	});

	it('in three polls is tried again soon, though the list shows no change', async () => {
		const feed = await published(many(40));
		feed.records.splice(30, 1, filing('below'));
		let failures = 3;
		feed.answer = (page) => (page === 4 && failures-- > 0 ? fault() : undefined);
		await feed.poll(25 * HOUR);
		expect(await feed.polls(2, MINUTE)).toEqual([]);
		expect(await feed.polls(2, MINUTE)).toEqual(['below']);
	});

	it('costs a failed execution a day: at once if it is not to pass, else after three polls', async () => {
		const feed = new FeedTrigger(many(40));
		const refused = new Failure('Refused', 'Ask.', { status: 403 });
		feed.answer = (page) => (page === 4 ? refused : undefined);
		await feed.poll();
		expect(feed.shown).toHaveLength(1);
		expect(feed.advice).toMatch(
			/^Ask. A page cannot be read. Only new licenses further down the list are delayed/,
		);
		await feed.polls(23, HOUR);
		expect(feed.shown).toHaveLength(1);
		await feed.polls(2, HOUR);
		expect(feed.shown).toHaveLength(2);
	});

	it('poll after poll, deep in one list, does not keep another from its full readings', async () => {
		const feed = await published([...BOTH]);
		feed.answer = (page, event) => (page === 6 && event === 'new_filing' ? fault() : undefined);
		feed.records.splice(20, 0, filing('deep'));
		feed.records.splice(70, 0, filing('renewed', renewal));
		expect((await feed.polls(60, MINUTE)).sort()).toEqual(['deep', 'renewed']);
	});

	it('in three polls ends a first reading, though something new stands above it each time', async () => {
		const feed = new FeedTrigger(many(40));
		feed.answer = (page) => (page === 1 ? fault() : undefined);
		for (let day = 0; day < 3; day++) {
			feed.records.unshift(filing(`new-${day}`));
			await feed.poll(24 * HOUR);
		}
		expect(feed.shown).toHaveLength(2);
		feed.records.unshift(filing('news'));
		expect(await feed.poll(24 * HOUR)).toEqual(['news']);
	});

	it('for a rate limit is no failure; no further request is sent in that poll, and the reading goes on', async () => {
		const feed = await published(many(40), { events: EVENTS });
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

	it('for a rate limit ends no first reading, and on the first page stops the poll', async () => {
		const feed = new FeedTrigger(many(40), { events: EVENTS });
		feed.answer = (page) => (page === 4 ? fault(429) : undefined);
		await feed.polls(6, MINUTE);
		feed.answer = () => fault(429);
		await expect(feed.poll(MINUTE)).rejects.toThrow('A fault');
		expect(feed.asked).toHaveLength(1);
		feed.answer = () => undefined;
		await feed.poll(MINUTE);
		feed.records.splice(30, 0, filing('new', daysAgo(20)));
		expect(await feed.poll(HOUR)).toEqual(['new']);
	});

	it('below a first page of a bulk addition lets nothing of that page go out', async () => {
		const feed = await published(many(9, 'old', daysAgo(1)), { pageSize: 50 });
		feed.records.push(...many(200, 'older', daysAgo(30)));
		feed.answer = (page) => (page === 1 ? fault(429) : undefined);
		expect(await feed.poll(HOUR)).toEqual([]);
		expect(feed.shown).toEqual([expect.stringMatching(/at once are not reported as new \(41\)/)]);
		feed.answer = (page) => (page === 2 ? fault() : undefined);
		expect(await feed.polls(2, HOUR)).toEqual([]);
		expect(feed.asked).toEqual(['new_filing 0', 'new_filing 2']);
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
	async function emitted(writes: FeedTrigger['writes'], at = 23, news = [filing('new')]) {
		const feed = await published(many(40));
		feed.records.splice(at, 0, ...news);
		feed.writes = writes;
		expect(await feed.poll(HOUR)).toHaveLength(news.length);
		return feed;
	}

	it('goes on from what is saved, without a full reading', async () => {
		const feed = await published(many(40));
		feed.restart(MINUTE);
		await feed.poll();
		expect(feed.asked).toEqual(['new_filing 0']);
	});

	it('finds again at once what waited when the last one ended', async () => {
		const feed = await published(many(40), { maxItems: 1 });
		feed.records.splice(23, 0, filing('a', daysAgo(3)), filing('b', daysAgo(2)));
		expect(await feed.poll(HOUR)).toEqual(['a']);
		feed.restart(6 * MINUTE);
		expect(await feed.poll()).toEqual(['b']);
	});

	it('judges a bulk addition, though much waited when the last one ended', async () => {
		const feed = await published(many(100, 'old', daysAgo(1)), { maxItems: 3 });
		feed.records.unshift(...many(20, 'new'));
		const came = await feed.poll(HOUR);
		feed.restart(6 * MINUTE);
		feed.records.splice(60, 0, ...many(400, 'older', daysAgo(30)));
		came.push(...(await feed.polls(60, HOUR)));
		const isOlder = (id: string) => id.startsWith('older');
		expect(came.filter((id) => !isOlder(id))).toHaveLength(20);
		expect(came.filter(isOlder).length).toBeLessThan(100);
		expect(feed.shown.length).toBeGreaterThan(0);
	});

	it('judges nothing that it finds again, though it is most of the list, and a page fails meanwhile', async () => {
		const feed = await published(many(10, 'old', daysAgo(9)));
		for (let days = 0; days < 8; days++)
			feed.records.push(...many(8, `new-${days}`, daysAgo(days)));
		feed.writes = 'stops';
		expect(await feed.poll(HOUR)).toHaveLength(64);
		feed.restart(MINUTE);
		feed.writes = 'both';
		let failures = 3;
		feed.answer = (page) => (page === 3 && failures-- > 0 ? fault() : undefined);
		expect(await feed.polls(9, MINUTE / 4)).toHaveLength(64);
		expect(feed.shown).toEqual(['A fault']);
	});

	it('reads all lists again at once, whatever that costs', async () => {
		const feed = await published([...BOTH]);
		feed.records.splice(63, 0, filing('renewed', renewal));
		feed.writes = 'stops';
		expect(await feed.poll(HOUR)).toEqual(['renewed']);
		feed.restart(MINUTE);
		expect(await feed.poll()).toEqual(['renewed']);
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

	it('repeats it as well if others have polled in between, and have not got as far', async () => {
		const feed = await emitted('stops');
		expect(await feed.poll(MINUTE)).toEqual([]);
		feed.restart(MINUTE);
		feed.time = 1;
		expect(await feed.poll()).toEqual([]);
		const { saved, now } = feed;
		feed.restart(MINUTE);
		feed.time = 100;
		expect(await feed.poll()).toEqual(['new']);
		// Where that process comes later, it has been five minutes.
		Object.assign(feed, { saved, now });
		feed.restart(6 * MINUTE);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('repeats it once, and not what of it had to wait until five minutes were over', async () => {
		const feed = await emitted('stops', 0, [filing('a', daysAgo(2)), filing('b')]);
		feed.restart(MINUTE);
		Object.assign(feed, { writes: 'both', maxItems: 1 });
		expect(await feed.poll()).toEqual(['a']);
		expect(await feed.polls(9, 5 * MINUTE)).toEqual([]);
		feed.restart(MINUTE);
		expect(await feed.polls(9, 5 * MINUTE)).toEqual([]);
	});

	it.each([false, true])(
		'repeats it once, though it stands on the first page (with durable cursors from then on: %s)',
		async (hasCursors) => {
			const feed = await emitted('stops', 0);
			feed.restart(MINUTE);
			Object.assign(feed, { writes: 'both', hasCursors });
			expect(await feed.polls(4, MINUTE)).toEqual(['new']);
		},
	);

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

	it('brings again what the database refused, at any time', async () => {
		const feed = await emitted('memory only');
		feed.writes = 'both';
		expect(await feed.poll(HOUR)).toEqual(['new']);
		expect(await feed.polls(30, HOUR)).toEqual([]);
	});

	it('brings again what the database refused, though the batch repeated another one as well', async () => {
		const feed = await emitted('stops', 0, [filing('a', daysAgo(2))]);
		feed.restart(MINUTE);
		feed.records.unshift(filing('b'));
		feed.writes = 'memory only';
		expect(await feed.poll()).toEqual(['a', 'b']);
		feed.writes = 'both';
		feed.records.shift();
		expect(await feed.poll(6 * MINUTE)).toEqual(['b']);
	});

	it('repeats a license with a filled in holder for five minutes in all, also if it had to wait', async () => {
		const filedDate = '2026-06-30';
		const b = filing('b', { filedDate, legalName: null });
		const feed = await emitted('stops', 0, [filing('a', daysAgo(2)), b]);
		feed.restart(MINUTE);
		feed.records[1] = filing('b', { filedDate });
		feed.maxItems = 1;
		feed.writes = 'both';
		expect(await feed.poll()).toEqual(['a']);
		feed.writes = 'memory only';
		expect(await feed.poll(MINUTE)).toEqual(['b']);
		feed.writes = 'both';
		expect(await feed.poll(6 * MINUTE)).toEqual([]);
	});

	it('repeats what another one emitted between two of its polls, and may not have handed over', async () => {
		const feed = await published(many(9));
		const other = new FeedTrigger(feed.records);
		Object.assign(other, { saved: feed.saved, writes: 'stops' });
		feed.records.unshift(filing('new'));
		expect(await other.poll(MINUTE)).toEqual(['new']);
		feed.saved = other.saved;
		expect(await feed.poll(2 * MINUTE)).toEqual(['new']);
	});

	it('starts over, quietly, from what it cannot read, and says so', async () => {
		const feed = await published(many(9));
		feed.saved = { feed: { version: 4, accounts: [] }, revision: 'of another' };
		feed.restart();
		feed.records.push(filing('meanwhile'));
		expect(await feed.poll(HOUR)).toEqual([]);
		expect(
			feed.log.filter((line) => line.includes('cannot read what the trigger has saved')),
		).toHaveLength(1);
		feed.records.push(filing('new'));
		expect(await feed.poll(HOUR)).toEqual(['new']);
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
		expect(feed.requests).toBeLessThan(200 * 4 + 200 + CREDIT + 20);
		expect(feed.requests).toBeGreaterThan(200 * 4 + 100);
	});

	it('go on with the other lists where one that is being read has no first page any more', async () => {
		const feed = await published([...BOTH]);
		feed.time = 4;
		feed.records.splice(23, 0, filing('new'));
		await feed.poll(HOUR);
		feed.answer = (_, event) => (event === 'new_filing' ? fault() : undefined);
		feed.time = 100;
		feed.records.splice(64, 0, filing('renewed-new', renewal));
		expect(await feed.polls(3, HOUR)).toEqual(['renewed-new']);
	});

	it('go to lists in turns where one reading does not fit into a poll', async () => {
		const feed = await published([...BOTH]);
		feed.time = 6;
		feed.records[23] = filing('new');
		feed.records[63] = filing('renewed-new', renewal);
		expect((await feed.polls(30, HOUR)).sort()).toEqual(['new', 'renewed-new']);
	});

	it('of a full reading do not wait for their pace where more than twenty new ones stand on top', async () => {
		const feed = await published(many(60));
		Object.assign(feed.state.memories.live ?? {}, { paidUntil: feed.now + DAY });
		feed.restart();
		feed.records.unshift(...many(21, 'added', { licenseType: 'COP' }));
		expect(await feed.poll(HOUR)).toEqual([]);
		expect(feed.shown).toEqual([expect.stringContaining('(21)')]);
	});

	it('of full readings are counted, not the polls in which first readings had to wait', async () => {
		const events = ['new_filing', 'renewal', 'ownership_transfer', 'status_change'];
		const records = events.flatMap((eventType) => many(100, eventType, { eventType }));
		const feed = new FeedTrigger(records, { startFrom: 0, maxItems: 3, time: 30 });
		await feed.poll();
		feed.maxItems = 1;
		await feed.polls(600, MINUTE);
		expect((feed.state.memories.live?.paidUntil ?? 0) - feed.now).toBeLessThan(HOUR);
	});

	it('go to one list after the other where there is no time for more', async () => {
		const feed = new FeedTrigger([...many(4), ...many(4, 'renewed', renewal)], { time: 1 });
		const asked: string[] = [];
		for (let polls = 0; polls < 4; polls++) {
			await feed.poll(MINUTE);
			asked.push(...feed.asked);
		}
		expect(asked.sort()).toEqual(['new_filing 0', 'new_filing 0', 'renewal 0', 'renewal 0']);
	});
});

it('What is saved of 15,000 events takes less than 256 KB, and more are not remembered', async () => {
	const records = many(20_000, 'old', { filedDate: '2026-06-30' });
	const feed = await published(records, { pageSize: 50 });
	const bytes = JSON.stringify(feed.saved).length;
	expect(bytes).toBeGreaterThan(15_000 * 10);
	expect(bytes).toBeLessThan(256_000);
});
