import fc from 'fast-check';
import { expect, it } from 'vitest';

import { histories } from './history.mts';
import { play } from './player.mts';
import { type Situation, SITUATIONS } from './situations.mts';

/** Meets each rare situation several times in few histories; `npm run test:model` plays as many others as it is told to. */
const SEED = 20_261_139;

it('The polling trigger brings what is new in my list, once, in random histories', async () => {
	const met = new Set<Situation>();
	const property = fc.asyncProperty(histories, async (history) => {
		expect((await play(history, (situation) => met.add(situation))).violations).toEqual([]);
	});
	await fc.assert(property, { seed: SEED, numRuns: 80 });
	// A proof that never met what is rare has proved nothing.
	expect(SITUATIONS.filter((one) => !met.has(one))).toEqual([]);
});
