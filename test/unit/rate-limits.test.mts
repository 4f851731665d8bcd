import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import { LICENSE_TYPES } from '../../nodes/LicensingData/licenses/licenseTypes.ts';
import { WaitAllowance } from '../../nodes/LicensingData/service/waitAllowance.ts';
import { Throttle } from '../../nodes/LicensingData/service/throttle.ts';
import { randomSequence } from '../../sandbox/register/random.mts';
import { ListService, readWithGetMany } from '../support/list-service.mts';
import { license } from '../support/records.mts';

const MINUTE = 60_000;
/** What an answer takes on the clock of these tests. */
const LATENCY = 50;

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: 1_800_000_000_000 });
});
afterEach(() => void vi.useRealTimers());

const pause = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends this many requests that take this long each, and records how many were in flight when each began. */
async function send(count: number, took: (at: number) => number) {
	const throttle = new Throttle();
	const caller = new WaitAllowance(() => {}).open();
	const underWay: number[] = [];
	let now = 0;
	const all = Array.from({ length: count }, async (_, at) =>
		throttle.run(caller, async () => {
			underWay.push(++now);
			await pause(took(at));
			now--;
		}),
	);
	await vi.runAllTimersAsync();
	await Promise.all(all);
	return underWay;
}

it('Without a number, requests start with two, and grow to eight while answers are quick', async () => {
	const underWay = await send(100, () => 20);
	expect(underWay.slice(0, 2)).toEqual([1, 2]);
	expect(Math.max(...underWay.slice(0, 4))).toBeLessThan(5);
	expect(Math.max(...underWay)).toBe(8);
	const slow = await send(100, (at) => (at < 2 ? 50 : 500));
	expect(Math.max(...slow)).toBeLessThanOrEqual(4);
});

it('Two workflows share a limit of 60 a minute, and few requests are refused', async () => {
	const throttle = new Throttle();
	let [start, used, answered, refused] = [Date.now(), 0, 0, 0];
	const answer = async () => {
		await pause(200);
		if (Date.now() - start >= MINUTE) [start, used] = [Date.now(), 0];
		if (++used <= 60) return void answered++;
		refused++;
		return new Failure('', '', { status: 429, retryAfter: start + MINUTE - Date.now() });
	};
	const workflow = async () => {
		const caller = new WaitAllowance(() => {}).open();
		let left = 500;
		const one = async () => {
			while (left-- > 0) while ((await throttle.run(caller, answer)) instanceof Failure);
		};
		await Promise.all(Array.from({ length: 8 }, one));
	};
	const both = Promise.all([workflow(), workflow()]);
	await vi.runAllTimersAsync();
	await both;
	expect(answered).toBe(1000);
	expect(refused).toBeLessThanOrEqual(50);
});

it('While a wait lasts, nothing is sent; then one request tries', async () => {
	const throttle = new Throttle();
	const caller = new WaitAllowance(() => {}).open(8);
	const refused = new Failure('', '', { status: 429, retryAfter: MINUTE });
	let sent = 0;
	const answer = async () => {
		const isFirst = ++sent === 1;
		await pause(isFirst ? 10 : 20);
		return isFirst ? refused : {};
	};
	const all = Array.from({ length: 16 }, async () => await throttle.run(caller, answer));
	const counts: number[] = [];
	for (const wait of [30, MINUTE - 21, 1]) {
		await vi.advanceTimersByTimeAsync(wait);
		counts.push(sent);
	}
	expect(counts).toEqual([8, 8, 9]);
	await vi.runAllTimersAsync();
	await Promise.all(all);
	expect([sent, throttle.waitLeft]).toEqual([16, 0]);
});

it('Of requests that wait, none is sent once the reading has ended', async () => {
	const throttle = new Throttle();
	const caller = new WaitAllowance(() => {}).open(1);
	let sent = 0;
	const ask = async () => await throttle.run(caller, async () => await pause(20 * ++sent));
	const all = Promise.allSettled([ask(), ask(), ask()]);
	caller.hasEnded = true;
	await vi.runAllTimersAsync();
	expect((await all).slice(1).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
	expect(sent).toBeLessThan(2);
});

/** Reads all of a list, on a clock that moves only while everything waits for it. */
async function readOnClock(service: ListService, parallelRequests?: number) {
	let isDone = false;
	const reading = readWithGetMany(service, {}, parallelRequests).finally(() => (isDone = true));
	reading.catch(() => {});
	while (!isDone) {
		for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
		if (!isDone && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync();
	}
	return await reading;
}

/** So many requests a minute, counted in each server by itself, with numbers that jump. Chance picks the server. */
function limited(count: number, { limit = 60, servers = 1, retryAfter = '60' }) {
	const roll = randomSequence(limit + servers);
	const used = new Map<string, number>();
	const counts = { sent: 0, refused: 0 };
	const register = Array.from({ length: count }, (_, at) => ({
		...license({ id: `lic_${at}`, licenseType: LICENSE_TYPES[at % LICENSE_TYPES.length]?.value }),
		eventTimestamp: '2026-07-01T00:00:00Z',
	}));
	const service: ListService = new ListService(register, {
		cursors: 'position',
		async before({ query }) {
			counts.sent++;
			const minute = `${Math.floor(roll() * servers)} ${Math.floor(Date.now() / MINUTE)}`;
			const now = (used.get(minute) ?? 0) + 1;
			used.set(minute, now);
			const headers = {
				'x-ratelimit-limit': String(limit),
				'x-ratelimit-remaining': String(Math.max(0, limit - now)),
				'x-ratelimit-reset': String(Math.ceil(Date.now() / MINUTE) * 60),
			};
			if (now > limit) counts.refused++;
			await pause(LATENCY);
			if (now <= limit) return { statusCode: 200, headers, body: service.page(query) };
			return { statusCode: 429, headers: { ...headers, 'retry-after': retryAfter }, body: {} };
		},
	});
	return { service, counts };
}

it('A list behind a limit in each of two servers comes whole; few are refused', async () => {
	const start = Date.now();
	const { service, counts } = limited(20_000, { servers: 2 });
	const { licenses, hints } = await readOnClock(service);
	expect(new Set(licenses.map(({ id }) => id)).size).toBe(20_000);
	const { sent, refused } = counts;
	expect((sent - refused) / 400).toBeLessThanOrEqual(1.05);
	expect(refused / sent).toBeLessThanOrEqual(1 / 10);
	expect(hints).toHaveLength(1);
	expect(service.requests.some(({ query }) => query.license_type)).toBe(false);
	// Three waits at least. One that is asked for begins at the refusal, and not with the minute.
	expect((Date.now() - start) / MINUTE).toBeLessThanOrEqual(2 * 3 + 2);
});

it('The first wait says how long the list will take, once', async () => {
	const { hints } = await readOnClock(limited(15_000, {}).service, 1);
	const said =
		/asks to wait 60 seconds\. About 240 more requests are needed, which takes about \d min/;
	expect(hints).toEqual([expect.stringMatching(said)]);
});

it('A list that takes more than an hour stops with what to do about it', async () => {
	const { service, counts } = limited(15_000, { limit: 1 });
	const start = Date.now();
	await expect(readOnClock(service, 1)).rejects.toMatchObject({
		message: 'The rate limit of the plan is too low for this',
		description: expect.stringMatching(/up to an hour in all.*more requests.*Ask for less/),
	});
	expect(Date.now() - start).toBeLessThanOrEqual(61 * MINUTE);
	expect(counts.sent).toBeLessThan(150);
});

it('A service that refuses everything and asks for no wait is asked ever less often', async () => {
	const { service, counts } = limited(100, { limit: 0, retryAfter: '0' });
	const description = expect.stringContaining('does not say how long to wait');
	await expect(readOnClock(service, 1)).rejects.toMatchObject({ description });
	expect(counts.sent).toBeLessThan(75);
});
