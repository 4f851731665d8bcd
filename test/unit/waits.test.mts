import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { BASE_URL, service, useAnswers } from '../support/answers.mts';
import type { Saving } from '../support/poller.mts';
import { page } from '../support/records.mts';
import { pollerOf } from '../support/nodes.mts';
import { type Clock, sleepOnClock } from '../support/waits.mts';

useAnswers();

// A service may limit each key, so each test has its own.
let tests = 0;
let apiKey: string;

beforeEach(() => {
	apiKey = `ls_live_example_${++tests}`;
	clock.time = Date.parse('2026-07-01T12:00:00Z');
	sleepOnClock(clock);
});
afterEach(() => void vi.restoreAllMocks());

const clock: Clock = { time: 0 };
const later = (seconds: number) => void (clock.time += seconds * 1000);

const trigger = (saving: Saving = 'memory') =>
	pollerOf({ baseUrl: BASE_URL, apiKey }, {}, { saving });

const filing = (id: string): License => ({
	id,
	businessName: 'The Rusty Anchor',
	eventType: 'new_filing',
	eventTimestamp: `2026-07-01T00:00:${id.padStart(2, '0')}Z`,
});

/** Published; its baseline is one license. */
async function published(saving?: Saving) {
	const poller = trigger(saving);
	answer(page([filing('1')]));
	await poller.activate();
	return poller;
}

/** Published, and refused by the service: nobody asks it until then. */
async function refused(seconds: string) {
	const poller = await published();
	answer([429, seconds]);
	await expect(poller.poll()).rejects.toThrow('HTTP 429');
	return poller;
}

type Reply = License | [status: number, seconds: string];

/** Answers one request after another: a page, or a refusal with its Retry-After. */
function answer(...replies: Reply[]): void {
	for (const reply of replies) {
		const asked = service(apiKey).get('/licenses').query(true);
		if (!Array.isArray(reply)) asked.reply(200, reply);
		else asked.reply(reply[0], {}, { 'retry-after': reply[1] });
	}
}

describe('After Retry-After', () => {
	const REFUSED = [
		[429, 'Too many requests for your plan (HTTP 429)'],
		[503, 'The service could not answer (HTTP 503)'],
	] as const;
	const MODES = ['memory', 'scheduler', 'durable'] as const;
	const cases = MODES.flatMap((saving) => REFUSED.map((refused) => [saving, ...refused] as const));

	it.each(cases)('nothing is asked until then (%s, %i)', async (saving, status, words) => {
		const poller = await published(saving);
		answer([status, '120']);
		await expect(poller.poll()).rejects.toThrow(words);
		// No answer is prepared: a request would fail, and the poll with it.
		for (const seconds of [1, 60, 28]) {
			later(seconds);
			expect(await poller.poll()).toEqual([]);
		}
		// Half of its time is enough to wait until then.
		later(2);
		answer(page([filing('2'), filing('1')]));
		expect(await poller.poll()).toMatchObject([{ id: '2' }]);
		expect(poller.warnings).toEqual([expect.stringContaining(`asks to wait (${words})`)]);
	});

	const ofThree = (ids: string[], cursor: string | null = null) => {
		const { data, pagination } = page(ids.map(filing), cursor);
		return { data, pagination: { ...pagination, total: 3 } };
	};

	it.each(MODES)(
		'on a page below the first, what was found comes, and nothing is asked until then (%s)',
		async (saving) => {
			const poller = await published(saving);
			answer(ofThree(['3'], 'second'), [429, '120']);
			expect(await poller.poll()).toMatchObject([{ id: '3' }]);
			later(60);
			expect(await poller.poll()).toEqual([]);
			later(60);
			service(apiKey)
				.persist()
				.get('/licenses')
				.query(true)
				.reply(200, (uri) =>
					uri.includes('cursor=second') ? ofThree(['2', '1']) : ofThree(['3'], 'second'),
				);
			expect(await poller.poll()).toMatchObject([{ id: '2' }]);
		},
	);

	it.each([
		['of days, it asks again after an hour', '259200', 3590, 20],
		['it asks again where the clock is set back', '3600', -60, 120],
	])('%s', async (_, seconds, nothingAfter, more) => {
		const poller = await refused(seconds);
		later(nothingAfter);
		if (nothingAfter < 0) answer(page([filing('1')]));
		expect(await poller.poll()).toEqual([]);
		later(more);
		answer(page([filing('2'), filing('1')]));
		expect(await poller.poll()).toMatchObject([{ id: '2' }]);
	});

	it('other triggers with the same key wait, and those with another do not', async () => {
		const other = await published();
		apiKey = `${apiKey}_other`;
		const second = await published();
		await refused('120');
		expect(await second.poll()).toEqual([]);
		apiKey = apiKey.replace('_other', '');
		answer(page([filing('2'), filing('1')]));
		expect(await other.poll()).toMatchObject([{ id: '2' }]);
	});

	it('a service at another address is asked, also with the same key', async () => {
		await refused('120');
		nock('https://licenses.example.org')
			.get('/v1/licenses')
			.query(true)
			.reply(200, page([filing('1')]));
		const other = pollerOf({ baseUrl: 'https://licenses.example.org/v1', apiKey }, {});
		expect(await other.activate()).toEqual([]);
	});

	it('publishing goes well, and says that reading begins then', async () => {
		await refused('120');
		const other = trigger();
		expect(await other.activate()).toEqual([]);
		const said = 'The trigger begins to read when the rate limit allows';
		expect(other.warnings.join()).toContain(said);
		later(121);
		answer(page([filing('1')]));
		expect(await other.poll()).toEqual([]);
	});

	it('a test run says so, and asks nothing', async () => {
		const poller = await refused('120');
		await expect(poller.fetchTestEvent()).rejects.toThrow('HTTP 429');
	});
});
