import fc from 'fast-check';
import { expect, it } from 'vitest';

import { histories } from './history.mts';
import { kinds } from './kinds.mts';
import { play } from './player.mts';
import { CROWDED_SITUATIONS, SITUATIONS, Situations } from './situations.mts';

/** Meets each rare situation several times in few histories; `npm run test:model` plays as many others as it is told to. */
const SEED = 20_261_139;

it.each([
	{ kind: 'roomy', runs: 60, expected: SITUATIONS, name: 'brings what is new in my list, once' },
	{
		kind: 'crowded',
		runs: 20,
		expected: CROWDED_SITUATIONS,
		name: 'brings nothing old and nothing twice where it can remember little',
	},
] as const)('The polling trigger $name, in random histories', async ({ kind, runs, expected }) => {
	const situations = new Situations();
	const property = fc.asyncProperty(histories, async (history) => {
		expect((await play(history, kinds[kind], situations)).violations).toEqual([]);
	});
	await fc.assert(property, { seed: SEED, numRuns: runs });
	// A proof that never met what is rare has proved nothing.
	expect(expected.filter((one) => situations.count(one) === 0)).toEqual([]);
});
