import { describe, expect, it } from 'vitest';

import { simulatedClock } from '../../sandbox/index.mts';
import { started } from './client.mts';

describe('8. Limits', () => {
	it('gives ten records a page unless asked, and from 1 to 50 when asked', async () => {
		const { client } = await started();
		expect((await client.list()).body.data).toHaveLength(10);
		expect((await client.list()).body.pagination.limit).toBe(10);
		for (const limit of [1, 50]) {
			const { body } = await client.list({ limit });
			expect(body.data).toHaveLength(limit);
			expect(body.pagination.limit).toBe(limit);
		}
	});

	it('has no rate limit unless asked', async () => {
		const { client } = await started();
		const answers = await Promise.all(Array.from({ length: 100 }, () => client.list({ limit: 1 })));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	});

	it('answers 429 with Retry-After beyond the plan, and serves again after that wait', async () => {
		const clock = simulatedClock('2026-09-24T12:00:00Z');
		const { client } = await started({ clock, rateLimits: { perMinute: 6, burst: 3 } });
		for (let request = 0; request < 3; request++) expect((await client.list()).status).toBe(200);
		const { status, headers, body } = await client.fault('/licenses');
		expect(status).toBe(429);
		expect(body.error.type).toBe('rate_limited');
		expect(headers.get('retry-after')).toBe('10');
		await clock.advance(9_000);
		expect((await client.list()).status).toBe(429);
		await clock.advance(1_000);
		expect((await client.list()).status).toBe(200);
		expect((await client.list()).status).toBe(429);
	});

	it('gives each plan tier an allowance of its own', async () => {
		const allowed = async (rateLimits: 'starter' | 'growth') => {
			const clock = simulatedClock('2026-09-24T12:00:00Z');
			const { client } = await started({ clock, rateLimits });
			const answers = await Promise.all(
				Array.from({ length: 100 }, () => client.list({ limit: 1 })),
			);
			return answers.filter(({ status }) => status === 200).length;
		};
		expect(await allowed('starter')).toBe(20);
		expect(await allowed('growth')).toBe(60);
	});

	it('keeps the allowances of the two keys apart', async () => {
		const clock = simulatedClock('2026-09-24T12:00:00Z');
		const { client, sandbox } = await started({ clock, rateLimits: { perMinute: 6, burst: 1 } });
		expect((await client.list()).status).toBe(200);
		expect((await client.list()).status).toBe(429);
		expect((await client.list({}, sandbox.keys.test)).status).toBe(200);
	});
});
