import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LARGE_SITUATIONS, RARE_SITUATIONS, Situations } from './rare-situations.mts';
import { kinds, type Kind } from './runs.mts';
import type { History } from './trigger-history.mts';
import { play } from './trigger-player.mts';
import { trigger } from './trigger-under-test.mts';

/** Fixed here; `npm run test:model` plays as many others as it is told to. */
const SEED = 20_260_701;

async function expectAllKept({ histories, memory }: Kind, numRuns: number): Promise<Situations> {
	const situations = new Situations();
	const property = fc.asyncProperty(histories, async (history) => {
		expect((await play(history, trigger, memory, situations)).violations).toEqual([]);
	});
	await fc.assert(property, { seed: SEED, numRuns });
	return situations;
}

describe('The polling trigger, in random histories', () => {
	const met = new Set<string>();

	it.each([
		{ kind: 'usual', runs: 300, name: 'pages are short and all goes wrong' },
		{ kind: 'crowded', runs: 120, name: 'more arrives than memory holds' },
		{ kind: 'large', runs: 16, name: 'thousands arrive' },
	] as const)('keeps its promises when $name', async ({ kind, runs }) => {
		const situations = await expectAllKept(kinds[kind], runs);
		for (const situation of [...RARE_SITUATIONS, ...LARGE_SITUATIONS])
			if (situations.count(situation) > 0) met.add(situation);
	});

	it('has met every rare situation that a proof needs', () => {
		expect([...RARE_SITUATIONS, ...LARGE_SITUATIONS].filter((one) => !met.has(one))).toEqual([]);
	});
});

/** Each of these once broke a promise, or seemed to, and is as short as it could be made. */
const REGRESSIONS = join(import.meta.dirname, 'regressions');

describe('The polling trigger keeps its promises again', () => {
	it.each(readdirSync(REGRESSIONS))('in %s', async (name) => {
		const history = JSON.parse(readFileSync(join(REGRESSIONS, name), 'utf8')) as History;
		const { memory } = name.startsWith('crowded-') ? kinds.crowded : kinds.usual;
		const { violations } = await play(history, trigger, memory, new Situations());
		expect(violations).toEqual([]);
	});
});
