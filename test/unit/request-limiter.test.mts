import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { RequestLimiter } from '../../nodes/LicensingData/service/requestLimiter.ts';

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

/** Sends this many requests that take this long each, and records how many were in flight when each began. */
async function send(limiter: RequestLimiter, count: number, took = (_at: number) => 20) {
	const underWay: number[] = [];
	let now = 0;
	const all = Promise.all(
		Array.from({ length: count }, async (_, at) =>
			limiter.run(async () => {
				underWay.push(++now);
				await new Promise((resolve) => setTimeout(resolve, took(at)));
				now--;
			}),
		),
	);
	await vi.runAllTimersAsync();
	await all;
	return underWay;
}

describe('Without a number, requests under way', () => {
	it('start with two, grow to eight while answers come quickly, and never beyond', async () => {
		const underWay = await send(new RequestLimiter(), 100);
		expect(underWay.slice(0, 2)).toEqual([1, 2]);
		expect(Math.max(...underWay.slice(0, 4))).toBeLessThan(5);
		expect(Math.max(...underWay)).toBe(8);
	});

	it('stay few where answers become slow', async () => {
		const underWay = await send(new RequestLimiter(), 100, (at) => (at < 2 ? 50 : 500));
		expect(Math.max(...underWay)).toBeLessThanOrEqual(4);
	});
});

it.each([1, 3, 10])('With a number, that many requests are under way: %i', async (fixed) => {
	expect(Math.max(...(await send(new RequestLimiter({ fixed }), 50)))).toBe(fixed);
});

it('Of the requests that wait for their turn, none is sent once the reading has ended', async () => {
	const limiter = new RequestLimiter({ fixed: 1 });
	const sent: string[] = [];
	const all = ['first', 'second', 'third'].map((name) =>
		limiter.run(async () => {
			sent.push(name);
			await new Promise((resolve) => setTimeout(resolve, 20));
		}),
	);
	const settled = Promise.allSettled(all);
	limiter.close();
	await vi.runAllTimersAsync();
	expect((await settled).slice(1).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
	expect(sent).not.toContain('second');
});
