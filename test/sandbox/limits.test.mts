import { describe, expect, it } from 'vitest';

import { simulatedClock } from '../../sandbox/index.mts';
import { started } from './client.mts';

describe('8. Limits', () => {
	it('gives ten records a page unless asked, and from 1 to 50 when asked', async () => {
		const { client } = await started();
		for (const [query, limit] of [
			[{}, 10],
			[{ limit: 1 }, 1],
			[{ limit: 50 }, 50],
		] as const) {
			const { body } = await client.list(query);
			expect(body.data).toHaveLength(limit);
			expect(body.pagination.limit).toBe(limit);
		}
	});

	it('answers 429 with Retry-After beyond the plan, and serves again after that wait', async () => {
		const clock = simulatedClock('2026-09-24T12:00:00Z');
		const { client, sandbox } = await started({ clock, rateLimits: { test: 3, live: 3 } });
		for (let request = 0; request < 3; request++) expect((await client.list()).status).toBe(200);
		const { status, headers, body } = await client.fault('/licenses');
		expect(status).toBe(429);
		expect(body.error.type).toBe('rate_limited');
		expect(headers.get('retry-after')).toBe('60');
		// The other key has its own allowance.
		expect((await client.list({}, sandbox.keys.test)).status).toBe(200);
		await clock.advance(59_000);
		expect((await client.list()).status).toBe(429);
		await clock.advance(1_000);
		expect((await client.list()).status).toBe(200);
	});
});
