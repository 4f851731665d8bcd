import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { RequestLimiter } from '../../nodes/LicensingData/transport/requestLimiter.ts';

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
			}, false),
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

describe('Of the requests that wait for their turn', () => {
	/** The first is under way, and the others wait. */
	function queue(limiter: RequestLimiter, ...others: Array<[name: string, isRepeat: boolean]>) {
		const sent: string[] = [];
		const all = [['first', false] as const, ...others].map(([name, isRepeat]) =>
			limiter.run(async () => {
				sent.push(name);
				await new Promise((resolve) => setTimeout(resolve, 20));
			}, isRepeat),
		);
		return { sent, all: Promise.allSettled(all) };
	}

	it('a retry goes first', async () => {
		const { sent } = queue(new RequestLimiter({ fixed: 1 }), ['second', false], ['retry', true]);
		await vi.runAllTimersAsync();
		expect(sent).toEqual(['first', 'retry', 'second']);
	});

	it('none is sent once the reading has ended', async () => {
		const limiter = new RequestLimiter({ fixed: 1 });
		const { sent, all } = queue(limiter, ['second', false], ['retry', true]);
		limiter.close();
		await vi.runAllTimersAsync();
		expect((await all).slice(1).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		expect(sent).not.toContain('second');
	});
});
