import type { IDataObject } from 'n8n-workflow';

import { DAY, HOUR, MINUTE } from '../../nodes/LicensingData/licenses/time.ts';
import {
	atMost,
	both,
	filed,
	listed,
	ListedTrigger,
	on,
	publishedOn,
	renewal,
	useClock,
} from '../support/listed-trigger.mts';
import type { Fate } from '../support/poller.mts';

beforeEach(() => useClock());

const small = { pageSize: 5 };
const published = async (records = listed(40), parameters: IDataObject = {}, more: object = {}) =>
	await publishedOn(records, parameters, { ...small, ...more });

/** What a page of small ones answers, from 0 on. */
const at = (page: number, status: number) => (query: Record<string, string>) =>
	query.cursor === String(5 * page) ? { status } : undefined;
/** What may be over by the next poll, and is not tried again before. */
const failing = (page: number) => at(page, 400);
const ok = () => undefined;

describe('A page that cannot be read', () => {
	it('fails the poll if it is the first, but what was found still comes', async () => {
		const trigger = await published(listed(9), atMost(2));
		trigger.records.unshift(...listed(3, 'new'));
		expect(await trigger.poll()).toHaveLength(2);
		trigger.answer = () => ({ status: 500 });
		expect(await trigger.poll()).toHaveLength(1);
		expect(trigger.poller.shown).toEqual([expect.stringContaining('HTTP 500')]);
		const { saved } = trigger.poller;
		expect(await trigger.poll()).toEqual([]);
		expect(trigger.failures).toEqual([expect.stringContaining('HTTP 500')]);
		expect(trigger.poller.saved).toEqual(saved);
	});

	it('of one list does not keep the others from going on', async () => {
		const trigger = await published(listed(9), both);
		trigger.answer = ({ event_type }) => (event_type === 'renewal' ? { status: 403 } : undefined);
		trigger.records.push(filed('new'));
		expect(await trigger.poll()).toEqual(['new']);
		expect(trigger.poller.shown).toHaveLength(1);
	});

	it('of new filings, at publishing, leaves the other lists their room', async () => {
		const trigger = new ListedTrigger(listed(40, 'renewed', renewal), both, small);
		trigger.answer = ({ event_type }) =>
			event_type === 'new_filing' ? { status: 403 } : undefined;
		await trigger.publish();
		expect(trigger.asked).toContainEqual({ event_type: 'renewal', cursor: '35', limit: '50' });
	});

	it('for want of time is read before the others with the next poll', async () => {
		const trigger = await published([...listed(9), filed('renewed', renewal)], both);
		trigger.records.push(filed('new', renewal));
		trigger.time = 1;
		expect(await trigger.polls(2)).toEqual(['new']);
	});

	it('for want of time, day after day, keeps no list from being read', async () => {
		const trigger = await published([...listed(40), ...listed(40, 'renewed', renewal)], both);
		trigger.records.splice(30, 0, filed('below'));
		trigger.records.splice(70, 0, filed('renewal below', renewal));
		trigger.time = 6;
		expect((await trigger.polls(6, DAY)).sort()).toEqual(['below', 'renewal below']);
	});

	it('is tried again, what is above comes, and no three failures show nothing', async () => {
		const trigger = await published();
		trigger.records.splice(3, 0, filed('above'));
		trigger.records.splice(35, 0, filed('below'));
		const came: string[][] = [];
		for (const page of [4, 4, 6, 6]) {
			trigger.answer = failing(page);
			came.push(await trigger.poll(10 * MINUTE));
		}
		expect(came).toEqual([['above'], [], [], []]);
		trigger.answer = ok;
		expect(await trigger.poll(MINUTE)).toEqual(['below']);
		expect(trigger.poller.shown).toEqual([]);
		expect(trigger.poller.notes.at(-1)).toContain('A page of the list can be read again');
	});

	it('in three polls ends a first reading, and what it has is quiet later', async () => {
		const trigger = new ListedTrigger(listed(40), {}, small);
		trigger.answer = failing(4);
		await trigger.publish();
		await trigger.polls(2, MINUTE);
		expect(trigger.poller.shown).toHaveLength(1);
		await trigger.poll(MINUTE);
		trigger.records.splice(3, 0, filed('above'));
		expect(await trigger.polls(10)).toEqual(['above']);
		trigger.answer = ok;
		expect(await trigger.polls(60)).toEqual([]);
		trigger.records.splice(30, 0, filed('new'));
		expect(await trigger.polls(30)).toEqual(['new']);
	});

	it('in three polls ends no list read before, and what is missing is said', async () => {
		const trigger = await published([...listed(40), ...listed(40, 'renewed', renewal)], both);
		trigger.records.splice(30, 0, filed('below'));
		trigger.records.splice(70, 0, filed('renewed', renewal));
		trigger.answer = (query) => (query.event_type === 'new_filing' ? failing(4)(query) : undefined);
		expect(await trigger.polls(12)).toEqual(['renewed']);
		expect(trigger.poller.shown).toHaveLength(1);
		expect(trigger.poller.warnings.join()).toMatch(
			/below this page has been missing since 2026-07-01T12:00.* It comes once a poll can read that far/,
		);
		trigger.answer = ok;
		expect(await trigger.polls(12)).toEqual(['below']);
	});

	it('for a rate limit is no failure, however often, and ends the poll', async () => {
		const trigger = await published(listed(40), both);
		trigger.records.splice(30, 0, filed('below'));
		trigger.records.splice(3, 0, filed('above'));
		trigger.answer = (query) =>
			at(4, 429)(query) && { status: 429, headers: { 'retry-after': '600' } };
		for (let polls = 0; polls < 5; polls++) {
			expect(await trigger.poll()).toEqual(polls === 0 ? ['above'] : []);
			expect(trigger.asked.at(-1)).toMatchObject({ event_type: 'new_filing', cursor: '20' });
		}
		trigger.answer = ok;
		expect(await trigger.poll()).toEqual(['below']);
		expect(trigger.poller.shown).toEqual([]);
	});

	it('as the list goes in circles ends the reading, and says so', async () => {
		const trigger = await published();
		trigger.records.splice(3, 0, filed('new'));
		const circle = { cursor: '20', hasMore: true, total: 41 };
		const body = { ...trigger.page({ cursor: '30', limit: '5' }), pagination: circle };
		trigger.answer = ({ cursor }) => (cursor === '30' ? { body } : undefined);
		expect(await trigger.poll()).toEqual(['new']);
		trigger.requests = 0;
		await trigger.polls(2, MINUTE);
		expect(trigger.requests).toBeLessThan(30);
		const { shown } = trigger.poller;
		expect(new Set(shown)).toEqual(new Set(["The service's list never ends"]));
	});

	it.each([
		['shows at once', 403, 'The API key does not allow this'],
		['shows nobody at once', 400, undefined],
	])('%s that it is refused, if it is below the first (%i)', async (_, status, words) => {
		const trigger = await published();
		trigger.records.unshift(filed('new'));
		trigger.answer = at(2, status);
		expect(await trigger.poll()).toEqual(['new']);
		const { shown, warnings } = trigger.poller;
		expect(shown).toEqual(words ? [expect.stringContaining(words)] : []);
		const line = words ? `could not be read: ${words}` : 'has been unreadable since';
		expect(warnings).toEqual([expect.stringContaining(`New Filing: A page of the list ${line}`)]);
	});

	it.each([
		['a sample alone', 270, 3, ['new'], ''],
		['over twice as much', 1300, 3, ['new'], ''],
		['a sample, each time', 270, 99, [], 'has 270 entries, and its first page said 601'],
	])('is asked for again where another server has %s', async (_, other, times, came, words) => {
		const trigger = await publishedOn(listed(600));
		trigger.records.splice(400, 0, filed('new'));
		let samples = times;
		trigger.answer = (query) =>
			query.cursor === '300' && samples-- > 0
				? { body: trigger.page(query, listed(other)) }
				: undefined;
		expect(await trigger.polls(3)).toEqual(came);
		expect(trigger.poller.warnings.join()).toContain(words);
	});
});

describe('An empty list', () => {
	it('that had entries shows one failed execution', async () => {
		const records = [...listed(60), ...listed(9, 'renewed', renewal)];
		const trigger = await published(records, both);
		const before = trigger.records.splice(0, 60);
		await trigger.polls(48);
		const isEmpty = 'New Filing: the list is empty';
		expect(trigger.poller.shown).toEqual([isEmpty]);
		trigger.records = [...listed(30, 'new'), ...before];
		expect(await trigger.polls(31)).toHaveLength(30);
	});

	it('with a total is no answer', async () => {
		const trigger = await published(listed(300));
		const pagination = { cursor: null, hasMore: false, total: 300 };
		trigger.answer = () => ({ body: { data: [], pagination } });
		await trigger.poll();
		expect(trigger.failures).toHaveLength(1);
		trigger.answer = ok;
		expect(await trigger.polls(30)).toEqual([]);
	});
});

describe('A new process', () => {
	it('looks once for what waited, and has left the list', async () => {
		const trigger = await published(listed(40), atMost(1), { saving: 'durable' });
		trigger.records.unshift(filed('a', on(3)), filed('b', on(2)));
		expect(await trigger.poll()).toEqual(['a']);
		trigger.records.splice(1, 1);
		for (const pages of [9, 1]) {
			await trigger.restart(6 * MINUTE);
			expect(await trigger.poll(0)).toEqual([]);
			expect(trigger.asked).toHaveLength(pages);
		}
	});

	it('repeats a full reading that was under way, once it is paid for', async () => {
		const trigger = await published(listed(100), {}, { saving: 'durable' });
		await trigger.poll();
		trigger.records[80] = filed('new');
		trigger.time = 3;
		expect(await trigger.poll(31 * HOUR)).toEqual([]);
		await trigger.restart(20 * MINUTE);
		trigger.time = 99;
		expect(await trigger.poll(0)).toEqual(['new']);
	});

	it('repeats what may not have arrived for five minutes, and never after', async () => {
		const trigger = await published();
		trigger.records.splice(23, 0, filed('new'));
		trigger.poller.fate = { stops: true };
		expect(await trigger.poll()).toEqual(['new']);
		let times = 0;
		for (let minute = 0; minute < 9; minute++) {
			await trigger.restart(MINUTE);
			trigger.poller.fate = { stops: true };
			times += (await trigger.poll(0)).length;
		}
		expect(times).toBe(4);
		expect(await trigger.polls(30)).toEqual([]);
	});

	it('starts over, quietly, from what it cannot read, and says so', async () => {
		const trigger = await published(listed(9), { options: { startFrom: '2026-06-30' } });
		const feed = { version: 4, accounts: [] };
		trigger.poller.database.saved = { feed, revision: 'of another' };
		await trigger.restart();
		trigger.records.push(filed('meanwhile'));
		expect(await trigger.polls(2)).toEqual([]);
		expect(trigger.said('cannot read what the trigger has saved')).toHaveLength(1);
	});
});

it.each<[string, object, Fate, left: number]>([
	['the database refused', {}, { losesExecution: true }, 0],
	['it refused with the state', { saving: 'durable' }, { losesExecution: true }, 0],
	['it refused with the state, and is gone', { saving: 'durable' }, { losesState: true }, 1],
])('A batch that %s comes again, once', async (_, saving, fate, left) => {
	const trigger = await published(listed(40), {}, saving);
	await trigger.poll();
	trigger.records.splice(23, 0, filed('new'));
	trigger.poller.fate = fate;
	expect(await trigger.poll(DAY)).toEqual(['new']);
	trigger.poller.fate = {};
	trigger.records.splice(23, left);
	expect(await trigger.polls(30, MINUTE)).toEqual(['new']);
});

it('With a key that is not accepted, publishing asks once', async () => {
	const trigger = new ListedTrigger([], { eventTypes: [] });
	trigger.answer = () => ({ status: 401 });
	await expect(trigger.publish()).rejects.toThrow('The API key was not accepted');
	expect(trigger.asked).toHaveLength(1);
});

it('Test keys and live keys have a memory each, and what waits for themselves', async () => {
	const trigger = await published(listed(9), atMost(1));
	const { credentials } = trigger.poller;
	trigger.records.push(filed('a', on(3)), filed('b'));
	expect(await trigger.poll()).toEqual(['a']);
	trigger.poller.credentials = { ...credentials, apiKey: 'ls_test_beside_it' };
	expect(await trigger.polls(2)).toEqual([]);
	trigger.records.push(filed('new', on(0)));
	trigger.poller.credentials = credentials;
	expect(await trigger.polls(2)).toEqual(['b', 'new']);
});

describe('Requests', () => {
	it('are one for each event at a poll, however long the list is', async () => {
		const trigger = await published(listed(2003), both);
		// 400 pages, page one again, and the other list.
		expect(trigger.requests).toBe(402);
		await trigger.polls(5);
		expect(trigger.requests).toBe(402 + 10);
	});

	it('of full readings are one a minute, though page one changes each minute', async () => {
		const records = [...listed(1500), ...listed(1500, 'renewed', renewal)];
		const trigger = await publishedOn(records, both);
		trigger.requests = 0;
		for (let minute = 0; minute < 120; minute++) {
			trigger.records[0] = filed('old1', on(-minute));
			trigger.records[1500] = filed('renewed1', { ...renewal, ...on(minute) });
			await trigger.poll(MINUTE);
		}
		expect(trigger.requests).toBe(120 * 2 + 2 * 2 * 29);
	});

	it('of a full reading begin at once with over twenty new ones on top', async () => {
		const trigger = await published(listed(1900));
		const listNew = async (number: string, minutes: number) => {
			trigger.records.splice(900, 0, filed(number));
			return await trigger.poll(minutes * MINUTE);
		};
		expect(await listNew('a', 379)).toEqual([]);
		expect((await listNew('b', 1)).sort()).toEqual(['a', 'b']);
		expect(await listNew('c', 379)).toEqual([]);
		trigger.records.unshift(...listed(21, 'new'));
		expect(await trigger.poll(MINUTE)).toHaveLength(22);
	});
});
