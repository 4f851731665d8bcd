import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { quotasIn } from '../../nodes/LicensingData/transport/quotaHeaders.ts';

describe('What the headers of an answer say about quotas', () => {
	const NOW = Date.parse('2026-07-03T12:00:00Z');
	const DATE = 'Fri, 03 Jul 2026 12:00:00 GMT';
	const left = (reset: string | undefined, prefix = 'x-ratelimit') => ({
		[`${prefix}-limit`]: '100',
		[`${prefix}-remaining`]: '5',
		[`${prefix}-reset`]: reset,
	});
	beforeEach(() => {
		vi.useFakeTimers();
		// This machine's clock is an hour behind the service's.
		vi.setSystemTime(NOW - 3_600_000);
	});
	afterEach(() => void vi.useRealTimers());

	it.each([
		['seconds left', '30', 30_000],
		['seconds since 1970', String(NOW / 1000 + 61), 61_000],
		['seconds since 1970, of the past', String(NOW / 1000 - 5), 0],
		['milliseconds since 1970', String(NOW + 30_000), 30_000],
		['a date and time', '2026-07-03T12:00:42Z', 42_000],
		['a date and time without a zone, which is UTC', '2026-07-03 12:00:42', 42_000],
		['a date of HTTP', 'Fri, 03 Jul 2026 12:00:42 GMT', 42_000],
		['nothing', undefined, undefined],
		['a word', 'soon', undefined],
		['a year', '2026-07', undefined],
	])('is measured by the clock of the service: %s', (_, reset, renewedIn) => {
		expect(quotasIn({ date: DATE, ...left(reset) })).toMatchObject([{ renewedIn }]);
	});

	it.each<[what: string, headers: object, quotas: object[]]>([
		['RateLimit-…', left('42', 'ratelimit'), [{ limit: 100, remaining: 5, renewedIn: 42_000 }]],
		[
			'a limit with its policy',
			{ ...left('1'), 'x-ratelimit-limit': '100, 100;w=60' },
			[{ limit: 100, remaining: 5 }],
		],
		['RateLimit', { ratelimit: '"default";r=3;t=42' }, [{ remaining: 3, renewedIn: 42_000 }]],
		[
			'RateLimit and its policy',
			{ ratelimit: '"default";r=3;t=42', 'ratelimit-policy': '"default";q=5;w=60' },
			[{ limit: 5, remaining: 3, renewedIn: 42_000, window: 60_000 }],
		],
		[
			'several policies',
			{ ratelimit: '"minute";r=3;t=42, "month";r=900;t=86400' },
			[{ remaining: 3 }, { remaining: 900, renewedIn: 86_400_000 }],
		],
		['nothing where a policy does not say what is left', { ratelimit: '"default";t=42' }, []],
	])('is read from %s', (_, headers, quotas) => {
		expect(quotasIn({ date: DATE, ...headers })).toMatchObject(quotas);
		expect(quotasIn({ date: DATE, ...headers })).toHaveLength(quotas.length);
	});
});
