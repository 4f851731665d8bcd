import fc from 'fast-check';

import { LIMITS } from '../../nodes/LicensingData/trigger/limits.ts';
import { useClock } from '../support/listed-trigger.mts';
import { histories } from './history.mts';
import { play } from './player.mts';
import { type Situation, SITUATIONS } from './situations.mts';

/**
 * Meets each rare situation several times in few histories. `npm run test:model` plays more, `SEED=8` others, and `FROM`
 * goes on from the path that a failure names.
 */
const { SEED = '7', RUNS = '60', FROM } = process.env;

beforeEach(() => {
	// Waits are random in part. A history that fails must fail again.
	vi.spyOn(Math, 'random').mockReturnValue(0.5);
	useClock();
});

it('The polling trigger brings what is new in my list, once, in random histories', async () => {
	const limits = { ...LIMITS };
	onTestFinished(() => void Object.assign(LIMITS, limits));
	const met = new Map<Situation, number>(SITUATIONS.map((situation) => [situation, 0]));
	const meet = (situation: Situation) => met.set(situation, Number(met.get(situation)) + 1);
	const property = fc.asyncProperty(histories, async (history) => {
		expect(await play(history, meet)).toEqual([]);
		// The mocks of waits remember what each was called with.
		vi.clearAllMocks();
	});
	await fc.assert(property, { seed: Number(SEED), numRuns: Number(RUNS), path: FROM });
	if (process.env.RUNS) console.table([...met]);
	// A proof that never met what is rare has proved nothing.
	expect(SITUATIONS.filter((one) => met.get(one) === 0)).toEqual([]);
});
