import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Failure } from '../../nodes/LicensingData/domain/failure.ts';
import { QuotaPolicy } from '../../nodes/LicensingData/transport/quota.ts';
import { RequestLimiter } from '../../nodes/LicensingData/transport/requestLimiter.ts';
import { quotaHeaders } from '../support/answers.mts';

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
		const { underWay } = await send(new RequestLimiter({ quota: {} }), 100);
		expect(underWay.slice(0, 2)).toEqual([1, 2]);
		expect(Math.max(...underWay.slice(0, 4))).toBeLessThan(5);
		expect(Math.max(...underWay)).toBe(8);
	});

	it('stay few where answers become slow', async () => {
		const took = (at: number) => (at < 2 ? 50 : 500);
		const { underWay } = await send(new RequestLimiter({ quota: {} }), 100, { took });
		expect(Math.max(...underWay)).toBeLessThanOrEqual(4);
	});
});

it('Requests are spread over the time that an answer takes, and are no fewer for it', async () => {
	const sent: number[] = [];
	const took = () => {
		sent.push(Date.now());
		return 80;
	};
	await send(new RequestLimiter({ fixed: 8 }), 40, { took });
	// Until the first answer, nobody knows how long one takes.
	const gaps = sent.slice(9).map((time, at) => time - (sent[at + 8] ?? 0));
	expect(gaps).toEqual(gaps.map(() => 10));
	expect((sent.at(-1) ?? 0) - (sent[0] ?? 0)).toBe(4 * 80 + 7 * 10);
});

it.each([undefined, 8])(
	'A rate limit halves the requests under way for the rest of the run (%s)',
	async (fixed) => {
		const limiter = new RequestLimiter({ fixed });
		await send(limiter, 100);
		limiter.slowDown(10);
		const { underWay } = await send(limiter, 100);
		expect(Math.max(...underWay)).toBe(4);
	},
);

it('Rate limits of one moment count once, and the longest wait is kept', async () => {
	const limiter = new RequestLimiter({ fixed: 8 });
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

it.each([1, 3, 10])('With a number, that many requests are under way: %i', async (fixed) => {
	const { underWay } = await send(new RequestLimiter({ fixed }), 50);
	expect(Math.max(...underWay)).toBe(fixed);
});

describe('The last tenth of a quota', () => {
	/** Of a hundred. */
	const leftAfter = (sent: number, reset?: number) => quotaHeaders(100, 100 - sent, reset);

	it('is left to others, and the run is refused in words', async () => {
		const { underWay, results } = await send(new RequestLimiter({ quota: {} }), 200, {
			headers: (sent) => leftAfter(sent, 3600),
		});
		expect(underWay).toHaveLength(90);
		const [refused] = results.filter(({ status }) => status === 'rejected');
		expect((refused as PromiseRejectedResult).reason).toBeInstanceOf(Failure);
		const { message, description } = (refused as PromiseRejectedResult).reason as Failure;
		expect(message).toContain('nearly used up');
		expect(description).toContain(
			'It is renewed in 60 minutes. The last tenth of its 100 requests',
		);
	});

	it('is not touched while the run waits until the quota is renewed', async () => {
		let renewals = 0;
		const start = Date.now();
		const { underWay, results } = await send(new RequestLimiter({ quota: {} }), 200, {
			headers: (sent) => {
				renewals = Math.max(renewals, Math.floor((sent - 1) / 90));
				return leftAfter(sent - renewals * 90, 30);
			},
		});
		expect(underWay).toHaveLength(200);
		expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
		const elapsed = Date.now() - start;
		expect(elapsed).toBeGreaterThanOrEqual(60_000);
		expect(elapsed).toBeLessThan(90_000);
	});

	it('costs one more request where the service does not say when it is renewed', async () => {
		const { underWay } = await send(new RequestLimiter({ quota: {} }), 200, { headers: leftAfter });
		expect(underWay).toHaveLength(91);
	});

	it('is left of a small quota as well, and reading goes on when it is renewed', async () => {
		let sentBefore = 0;
		const { underWay, results } = await send(new RequestLimiter({ quota: {} }), 40, {
			headers: (sent) => {
				if (sent - sentBefore > 9) sentBefore += 9;
				return quotaHeaders(10, 10 - (sent - sentBefore), 1);
			},
		});
		expect(underWay).toHaveLength(40);
		expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
	});

	it.each([1, 2, 4, 9, 13, 18, 25, 60, 77])(
		'is left of a quota of %i, and reading goes on when it is renewed',
		async (limit) => {
			// All is used up when the run begins with two requests; from then on each request brings a new quota.
			const { results } = await send(new RequestLimiter({ quota: {} }), 5, {
				headers: (sent) => quotaHeaders(limit, sent <= 2 ? 0 : limit, 1),
			});
			expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
		},
	);

	it.each([
		[11, 11],
		[20, 12],
		[21, 21],
	])('is known from the lowest number, unless it was renewed: %i after 12', (later, remaining) => {
		const quota = new QuotaPolicy({});
		for (const left of [12, later]) quota.observe(quotaHeaders(100, left));
		const available = remaining - 10;
		expect([available - 1, available].map((underWay) => quota.allows(underWay))).toEqual([
			true,
			false,
		]);
	});

	it('is known anew where the time of renewal has moved on', () => {
		const quota = new QuotaPolicy({});
		quota.observe(quotaHeaders(5, 1, 1));
		quota.observe(quotaHeaders(5, 4, 60));
		expect(quota.allows(2)).toBe(true);
	});

	it.each([
		[1, 0],
		[2, 1],
		[5, 1],
		[10, 1],
		[11, 2],
		[100, 10],
	])('of a quota of %i is %i', async (limit, kept) => {
		const { underWay } = await send(new RequestLimiter({ quota: {} }), 200, {
			headers: (sent) => quotaHeaders(limit, Math.max(0, limit - sent), 3600),
		});
		// Until the first answers, nobody knows of a quota, and two are sent.
		expect(underWay).toHaveLength(Math.max(2, limit - kept));
	});

	it('is used by a run that minds no quota', async () => {
		const { underWay } = await send(new RequestLimiter(), 95, { headers: leftAfter });
		expect(underWay).toHaveLength(95);
	});

	it.each([
		['nothing', {}],
		['a limit of zero', { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' }],
		['words', { 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': 'few' }],
		['no number', { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '' }],
		['less than nothing', { 'x-ratelimit-limit': '-10', 'x-ratelimit-remaining': '-5' }],
	])('is nothing where the headers hold %s', async (_, headers) => {
		const { underWay } = await send(new RequestLimiter({ quota: {} }), 50, {
			headers: () => headers,
		});
		expect(underWay).toHaveLength(50);
	});
});

it('Of several quotas, the tightest counts', () => {
	const quota = new QuotaPolicy({});
	quota.observe({ ...quotaHeaders(100, 90, 10), ratelimit: '"minute";r=3;t=42' });
	expect([1, 2].map((underWay) => quota.allows(underWay))).toEqual([true, false]);
});

describe('More requests than the quota holds', () => {
	const observed = (headers: object, known = {}) => {
		const quota = new QuotaPolicy(known);
		quota.observe({ ...headers });
		return quota;
	};
	const fiveAMinute = quotaHeaders(5, 4, 60);

	it.each([
		[1, true],
		// Three now, and four after each of ten waits.
		[43, true],
		[44, false],
	])('are waited for up to ten minutes: %i', (requests, isFine) => {
		const expectThem = () => observed(fiveAMinute).expect(requests);
		if (isFine) return expect(expectThem).not.toThrow();
		expect(expectThem).toThrow('The quota of the plan is too small for this list');
	});

	it('are fewer where earlier items of the run have waited', () => {
		expect(() => observed(fiveAMinute, { waited: 300_000 }).expect(24)).toThrow('too small');
	});

	it('are refused with the figure and the ways out', () => {
		expect(() => observed(fiveAMinute).expect(600)).toThrow(
			expect.objectContaining({
				description: expect.stringMatching(
					/^It takes about 600 more requests\. The quota is 5, of which a tenth .* would wait about 3 hours .* 10 minutes at most\. Ask for less with 'Filters' or 'Limit'.*a higher limit/,
				),
			}),
		);
	});

	it('are refused where the quota is renewed only after more than a minute', () => {
		const quota = observed({ ...fiveAMinute, 'x-ratelimit-reset': '66' });
		expect(() => quota.expect(3)).not.toThrow();
		expect(() => quota.expect(4)).toThrow('too small');
	});

	it.each([
		['RateLimit', { ratelimit: '"default";r=0;t=42' }],
		['RateLimit, with some left', { ratelimit: '"default";r=20;t=42' }],
		['X-RateLimit-…', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '42' }],
	])('are waited for where %s does not say how many it holds', (_, headers) => {
		const quota = observed(headers);
		expect(() => quota.expect(400)).not.toThrow();
		quota.observe({ ratelimit: '"default";r=0;t=42' });
		expect(quota.allows(0)).toBe(false);
		expect(Math.round(quota.awaitRenewal(400) / 1000)).toBe(42);
		expect(quota.allows(0)).toBe(true);
	});

	it('are refused without a number where the service does not say one and the wait is long', () => {
		const quota = observed({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '3600' });
		expect(() => quota.expect(400)).toThrow(
			expect.objectContaining({
				message: 'The quota of the plan is nearly used up',
				description: expect.stringMatching(
					/renewed in 60 minutes\. The last tenth of its requests/,
				),
			}),
		);
	});

	it('are tried where the service does not say when it is renewed', () => {
		const { 'x-ratelimit-reset': _, ...silent } = fiveAMinute;
		expect(() => observed(silent).expect(600)).not.toThrow();
	});
});

it('A quota that is not renewed when the service says so is waited for once more, for a minute', async () => {
	const log: string[] = [];
	const sent: number[] = [];
	const start = Date.now();
	const { results } = await send(
		new RequestLimiter({ quota: {}, log: (line) => log.push(line) }),
		4,
		{
			headers: (count) => {
				sent.push(Date.now() - start);
				return quotaHeaders(20, Math.max(0, 2 - count), 5);
			},
		},
	);
	// Two find out, one after five seconds and one after a minute more.
	expect(sent.map((time) => Math.round(time / 1000))).toEqual([0, 0, 5, 65]);
	expect(log).toEqual([
		"Waits 5 seconds for the plan's quota to be renewed",
		"Waits 60 seconds for the plan's quota to be renewed",
	]);
	expect(results.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
});
