import type { IPollFunctions } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { startBudget } from '../../nodes/LicensingData/trigger/poll.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** A poll on a host that allows this many milliseconds, or does not say. */
const started = (allowed: number | undefined, isFirst: boolean) =>
	startBudget(
		(allowed === undefined
			? {}
			: {
					allowed,
					logger: { warn() {} },
					getPollBudgetMs(this: { allowed: number }) {
						return this.allowed;
					},
				}) as unknown as IPollFunctions,
		isFirst,
	);

describe('the time for a poll', () => {
	it.each([
		[60_000, false, 60_000],
		[60_000, true, 60_000],
		[90_000, true, 60_000],
		[10_000, true, 10_000],
		[0, false, 1],
		[undefined, false, 45_000],
		[undefined, true, 45_000],
	])('is, where n8n allows %s (first poll: %s), %d milliseconds', (allowed, isFirst, time) => {
		expect(started(allowed, isFirst).timeLeft()).toBe(time);
	});

	it.each([
		[44_999, true],
		[45_000, false],
	])('of a minute leaves room for one more page after %d milliseconds: %s', (passed, hasTime) => {
		const budget = started(60_000, false);
		vi.setSystemTime(Date.now() + passed);
		expect(budget.hasTime()).toBe(hasTime);
	});
});
