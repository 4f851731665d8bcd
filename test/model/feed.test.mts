import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { pollFeed } from '../../nodes/LicensingData/feed/poll.ts';
import { crowdedHistory, largeHistory, smallHistory, type History } from './feed-history.mts';
import { feedWith, mutants, SMALL_MEMORY, smallMemory } from './feed-mutants.mts';
import { play, type PollFeed } from './feed-player.mts';

/** Fixed here; `npm run test:model` plays as many others as it is asked for. */
const SEED = 20_260_701;
const RUNS = 600;

async function expectAllKept(
	histories: fc.Arbitrary<History>,
	numRuns: number,
	feed: PollFeed = pollFeed,
	mostBytes?: number,
) {
	const property = fc.asyncProperty(histories, async (history) => {
		expect((await play(history, feed, mostBytes)).violations).toEqual([]);
	});
	await fc.assert(property, { seed: SEED, numRuns });
}

async function isNoticed(feed: PollFeed, mostBytes?: number): Promise<boolean> {
	const keepsAll = async (history: History) =>
		(await play(history, feed, mostBytes)).violations.length === 0;
	const histories = mostBytes === undefined ? smallHistory : fc.oneof(smallHistory, crowdedHistory);
	const property = fc.asyncProperty(histories, keepsAll);
	return (await fc.check(property, { seed: SEED, numRuns: RUNS * 10, endOnFailure: true })).failed;
}

describe('The feed, in random histories', () => {
	it('keeps its promises when pages are short and all goes wrong', async () => {
		await expectAllKept(smallHistory, RUNS);
	});

	it('keeps its promises when thousands arrive', async () => {
		await expectAllKept(largeHistory, 10);
	});

	it('keeps its promises when more arrives than memory holds', async () => {
		await expectAllKept(smallHistory, RUNS, feedWith(smallMemory), SMALL_MEMORY.bytes);
	});

	it('loses no news when more arrives than memory holds, again and again', async () => {
		await expectAllKept(crowdedHistory, RUNS, feedWith(smallMemory), SMALL_MEMORY.bytes);
	});
});

describe('The model notices a feed that', () => {
	it.each(mutants)('$name', async (mutant) => {
		const noticed = mutant.overflows
			? isNoticed(feedWith([mutant, ...smallMemory]), SMALL_MEMORY.bytes)
			: isNoticed(feedWith([mutant]));
		expect(await noticed).toBe(true);
	});
});
