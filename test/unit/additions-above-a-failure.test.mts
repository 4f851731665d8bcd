import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { filed, listed, MINUTE, publishedOn, useClock } from '../support/listed-trigger.mts';

beforeEach(useClock);
afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
});

it.each([1, 2, 3, 4])(
	'A bulk addition is reported, not sent, where it appears with failure %i of a page below',
	async (failure) => {
		const trigger = await publishedOn(listed(600));
		trigger.answer = ({ cursor }) => (cursor === '300' ? { status: 500 } : undefined);
		trigger.records.unshift(filed('new'));
		for (let failures = 1; failures < failure; failures++) await trigger.poll(5 * MINUTE);
		trigger.records.unshift(...listed(90, 'added', { licenseType: 'MOBILE_FOOD' }));
		await trigger.polls(5, 5 * MINUTE);
		expect(trigger.came).toEqual(['new']);
		expect(trigger.poller.shown.filter((message) => message.includes('all at once'))).toEqual([
			expect.stringMatching(/^90 licenses/),
		]);
	},
);
