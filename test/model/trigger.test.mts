import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LARGE_SITUATIONS, RARE_SITUATIONS, Situations } from './rare-situations.mts';
import { kinds, type Kind } from './runs.mts';
import { readHistory } from './trigger-history.mts';
import { play } from './trigger-player.mts';
import { trigger } from './trigger-under-test.mts';

/** Fixed here; `npm run test:model` plays as many others as it is told to. */
const SEED = 20_260_702;

async function expectAllKept(
	{ histories, room, world }: Kind,
	numRuns: number,
): Promise<Situations> {
	const situations = new Situations();
	const property = fc.asyncProperty(histories, async (history) => {
		expect((await play(history, trigger, room, situations, world)).violations).toEqual([]);
	});
	await fc.assert(property, { seed: SEED, numRuns });
	return situations;
}

const met = new Set<string>();

function note(situations: Situations): void {
	for (const situation of [...RARE_SITUATIONS, ...LARGE_SITUATIONS])
		if (situations.count(situation) > 0) met.add(situation);
}

describe('The polling trigger, in random histories', () => {
	it.each([
		{ kind: 'promised', runs: 250, name: 'n8n and the service fail within its limits' },
		{ kind: 'hostile', runs: 250, name: 'all goes wrong' },
		{ kind: 'crowded', runs: 80, name: 'more arrives than memory holds' },
		{ kind: 'large', runs: 8, name: 'thousands arrive' },
		{ kind: 'largeHostile', runs: 8, name: 'thousands arrive and all goes wrong' },
	] as const)('keeps its promises when $name', async ({ kind, runs }) => {
		note(await expectAllKept(kinds[kind], runs));
	});
});

/** Each of these once broke a promise, or seemed to, and is as short as it could be made. */
const REGRESSIONS = join(import.meta.dirname, 'regressions');

describe('The polling trigger keeps its promises again', () => {
	it.each(readdirSync(REGRESSIONS))('in %s', async (name) => {
		const history = readHistory(readFileSync(join(REGRESSIONS, name), 'utf8'));
		const isCrowded = name.startsWith('crowded-');
		for (const { room, world } of isCrowded ? [kinds.crowded] : [kinds.promised, kinds.hostile]) {
			const situations = new Situations();
			const { violations } = await play(history, trigger, room, situations, world);
			expect(violations).toEqual([]);
			note(situations);
		}
	});
});

it('The histories have met every rare situation that a proof needs', () => {
	expect([...RARE_SITUATIONS, ...LARGE_SITUATIONS].filter((one) => !met.has(one))).toEqual([]);
});
