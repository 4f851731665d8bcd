import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Failure } from '../../nodes/LicensingData/domain/failure.ts';
import {
	type KnownQuota,
	RequestLimiter,
} from '../../nodes/LicensingData/transport/requestLimiter.ts';

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

/** Sends this many requests that take this long each, and records how many were in flight when each began. */
async function send(
	limiter: RequestLimiter,
	count: number,
	{
		took = () => 20,
		headers,
	}: { took?: (at: number) => number; headers?: (at: number) => object } = {},
) {
	const underWay: number[] = [];
	let now = 0;
	const all = Promise.allSettled(
		Array.from({ length: count }, async (_, at) =>
			limiter.run(async () => {
				underWay.push(++now);
				await new Promise((resolve) => setTimeout(resolve, took(at)));
				now--;
				if (headers) limiter.observe({ ...headers(underWay.length) });
			}, false),
		),
	);
	await vi.runAllTimersAsync();
	return { underWay, results: await all };
}

describe('Without a number, requests under way', () => {
	it('start with two, grow to eight while answers come quickly, and never beyond', async () => {
		const { underWay } = await send(new RequestLimiter(undefined), 100);
		expect(underWay.slice(0, 2)).toEqual([1, 2]);
		expect(Math.max(...underWay.slice(0, 4))).toBeLessThan(5);
		expect(Math.max(...underWay)).toBe(8);
	});

	it('stay few where answers become slow', async () => {
		const took = (at: number) => (at < 2 ? 50 : 500);
		const { underWay } = await send(new RequestLimiter(undefined), 100, { took });
		expect(Math.max(...underWay)).toBeLessThanOrEqual(4);
	});
});

it('Requests are spread over the time that an answer takes, and are no fewer for it', async () => {
	const sent: number[] = [];
	const took = () => {
		sent.push(Date.now());
		return 80;
	};
	await send(new RequestLimiter(8), 40, { took });
	// Until the first answer, nobody knows how long one takes.
	const gaps = sent.slice(9).map((time, at) => time - (sent[at + 8] ?? 0));
	expect(gaps).toEqual(gaps.map(() => 10));
	expect((sent.at(-1) ?? 0) - (sent[0] ?? 0)).toBe(4 * 80 + 7 * 10);
});

it.each([undefined, 8])(
	'A rate limit halves the requests under way for the rest of the run (%s)',
	async (fixed) => {
		const limiter = new RequestLimiter(fixed);
		await send(limiter, 100);
		limiter.slowDown(10);
		const { underWay } = await send(limiter, 100);
		expect(Math.max(...underWay)).toBe(4);
	},
);

it('Rate limits of one moment count once, and the longest wait is kept', async () => {
	const limiter = new RequestLimiter(8);
	limiter.slowDown(1_000);
	limiter.slowDown(10);
	const start = Date.now();
	const sent: number[] = [];
	const took = () => {
		sent.push(Date.now() - start);
		return 20;
	};
	const { underWay } = await send(limiter, 100, { took });
	expect(sent[0]).toBe(1_000);
	expect(Math.max(...underWay)).toBe(4);
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
		const { sent } = queue(new RequestLimiter(1), ['second', false], ['retry', true]);
		await vi.runAllTimersAsync();
		expect(sent).toEqual(['first', 'retry', 'second']);
	});

	it('none is sent once the reading has ended', async () => {
		const limiter = new RequestLimiter(1);
		const { sent, all } = queue(limiter, ['second', false], ['retry', true]);
		limiter.close();
		await vi.runAllTimersAsync();
		expect((await all).slice(1).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		expect(sent).not.toContain('second');
	});
});

it.each([1, 3, 10])('With a number, that many requests are under way: %i', async (fixed) => {
	const { underWay } = await send(new RequestLimiter(fixed), 50);
	expect(Math.max(...underWay)).toBe(fixed);
});

describe('The last tenth of a quota', () => {
	const quota =
		(more: object = {}) =>
		(sent: number) => ({
			'x-ratelimit-limit': '100',
			'x-ratelimit-remaining': String(100 - sent),
			...more,
		});

	it('is left to others, and the run is refused in words', async () => {
		const { underWay, results } = await send(new RequestLimiter(undefined), 200, {
			headers: quota({ 'x-ratelimit-reset': '3600' }),
		});
		expect(underWay).toHaveLength(90);
		const [refused] = results.filter(({ status }) => status === 'rejected');
		expect((refused as PromiseRejectedResult).reason).toBeInstanceOf(Failure);
		expect(String((refused as PromiseRejectedResult).reason.message)).toContain('nearly used up');
	});

	it('is not touched while the run waits until the quota is renewed', async () => {
		let renewals = 0;
		const start = Date.now();
		const { underWay, results } = await send(new RequestLimiter(undefined), 200, {
			headers: (sent) => {
				renewals = Math.max(renewals, Math.floor((sent - 1) / 90));
				return quota({ 'x-ratelimit-reset': '30' })(sent - renewals * 90);
			},
		});
		expect(underWay).toHaveLength(200);
		expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
		const elapsed = Date.now() - start;
		expect(elapsed).toBeGreaterThanOrEqual(60_000);
		expect(elapsed).toBeLessThan(90_000);
	});

	it('costs one more request where the service does not say when it is renewed', async () => {
		const { underWay } = await send(new RequestLimiter(undefined), 200, { headers: quota() });
		expect(underWay).toHaveLength(91);
	});

	it('is left of a small quota as well, and reading goes on when it is renewed', async () => {
		let sentBefore = 0;
		const { underWay, results } = await send(new RequestLimiter(undefined), 40, {
			headers: (sent) => {
				if (sent - sentBefore > 9) sentBefore += 9;
				const remaining = String(10 - (sent - sentBefore));
				return {
					'x-ratelimit-limit': '10',
					'x-ratelimit-remaining': remaining,
					'x-ratelimit-reset': '1',
				};
			},
		});
		expect(underWay).toHaveLength(40);
		expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
	});

	it.each([1, 2, 4, 9, 13, 18, 25, 60, 77])(
		'is left of a quota of %i, and reading goes on when it is renewed',
		async (limit) => {
			// All is used up when the run begins with two requests; from then on each request brings a new quota.
			const { results } = await send(new RequestLimiter(undefined), 5, {
				headers: (sent) => ({
					'x-ratelimit-limit': String(limit),
					'x-ratelimit-remaining': String(sent <= 2 ? 0 : limit),
					'x-ratelimit-reset': '1',
				}),
			});
			expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
		},
	);

	const observed = (...headers: object[]) => {
		const known: KnownQuota = {};
		const limiter = new RequestLimiter(undefined, undefined, known);
		for (const one of headers) limiter.observe({ 'x-ratelimit-limit': '100', ...one });
		return known.quota;
	};

	it.each([
		[11, 11],
		[20, 12],
		[21, 21],
	])('is known from the lowest number, unless it was renewed: %i after 12', (later, remaining) => {
		const left = [12, later].map((number) => ({ 'x-ratelimit-remaining': String(number) }));
		expect(observed(...left)?.remaining).toBe(remaining);
	});

	it.each([
		['seconds', () => 30, 30_000],
		['a moment', () => Date.now() / 1_000 + 30, 30_000],
		['a moment that has passed', () => Date.now() / 1_000 - 30, 0],
	])('is renewed at the time that the service gives as %s', (_, reset, wait) => {
		const headers = { 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': String(reset()) };
		expect(observed(headers)?.renewedIn).toBeCloseTo(wait, 0);
	});

	it('is used where a number is given', async () => {
		const { underWay } = await send(new RequestLimiter(4), 95, { headers: quota() });
		expect(underWay).toHaveLength(95);
	});

	it.each([
		['nothing', {}],
		['a limit of zero', { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' }],
		['words', { 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': 'few' }],
		['no number', { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '' }],
		['less than nothing', { 'x-ratelimit-limit': '-10', 'x-ratelimit-remaining': '-5' }],
	])('is nothing where the headers hold %s', async (_, headers) => {
		const { underWay } = await send(new RequestLimiter(undefined), 50, { headers: () => headers });
		expect(underWay).toHaveLength(50);
	});
});
