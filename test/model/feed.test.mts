import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { pollFeed } from '../../nodes/LicensingData/feed/poll.ts';
import { largeHistory, smallHistory, type History } from './feed-history.mts';
import { feedWith, mutants } from './feed-mutants.mts';
import { play, type PollFeed } from './feed-player.mts';

/** Fixed here; `npm run test:model` plays as many others as it is asked for. */
const SEED = 20_260_701;
const SMALL_RUNS = 600;
const LARGE_RUNS = 20;

async function failsWithin(feed: PollFeed, histories: fc.Arbitrary<History>, numRuns: number) {
	const keepsPromises = async (history: History) =>
		(await play(history, feed)).violations.length === 0;
	const property = fc.asyncProperty(histories, keepsPromises);
	return (await fc.check(property, { seed: SEED, numRuns, endOnFailure: true })).failed;
}

async function expectAllKept(histories: fc.Arbitrary<History>, numRuns: number) {
	const property = fc.asyncProperty(histories, async (history) => {
		expect((await play(history, pollFeed)).violations).toEqual([]);
	});
	await fc.assert(property, { seed: SEED, numRuns });
}

describe('The feed, in random histories', () => {
	it('keeps its promises when pages are short and all goes wrong', async () => {
		await expectAllKept(smallHistory, SMALL_RUNS);
	});

	it('keeps its promises when more arrives than memory holds', async () => {
		await expectAllKept(largeHistory, LARGE_RUNS);
	});
});

describe('The model notices a feed that', () => {
	it.each(mutants)('$name', async (mutant) => {
		const feed = feedWith(mutant);
		const hasFailed = mutant.isLarge
			? failsWithin(feed, largeHistory, LARGE_RUNS)
			: failsWithin(feed, smallHistory, SMALL_RUNS);
		expect(await hasFailed).toBe(true);
	});
});
