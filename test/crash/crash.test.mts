import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, faults } from './faults.mts';
import { type Mode, modes } from './modes.mts';
import { Trial } from './trial.mts';

const { stopEmitting, killEmitting, killWorker, lockDatabase, refuseWrites } = faults;

/** The faults that have come closest to a loss, in what most people run and in what we recommend. */
const quick: Record<string, Fault[]> = {
	memory: [stopEmitting, lockDatabase],
	queue: [killEmitting, killWorker, refuseWrites],
};
/** How often each fault of each mode strikes in a night. */
const NIGHTLY_ROUNDS = 3;
const TRIGGERS = process.env.NIGHTLY ? 10 : 6;

const plan: Array<[title: string, mode: Mode, faults: Fault[]]> = process.env.NIGHTLY
	? modes.flatMap((mode) =>
			Array.from({ length: NIGHTLY_ROUNDS }, (_, round): (typeof plan)[number] => [
				`${mode.title}, round ${round + 1}`,
				mode,
				mode.faults,
			]),
		)
	: modes
			.filter(({ name }) => name in quick)
			.map((mode) => [mode.title, mode, quick[mode.name] ?? []]);

describe.each(plan)('%s', (_, mode, all) => {
	let trial: Trial;

	beforeAll(async () => {
		trial = await Trial.start(mode, TRIGGERS);
		await trial.warmUp();
	});
	afterAll(async () => await trial?.close());

	it('loses nothing, and repeats nothing where the database keeps the cursors', async () => {
		for (const fault of all) await trial.round(fault);
		for (const { fault, lost, repeated, troubles } of await trial.judge()) {
			const what = [fault.title, ...troubles].join('\n');
			expect(lost, `Lost: ${what}`).toBe(0);
			if (mode.saving === 'cursors') expect(repeated, `Repeated: ${what}`).toBe(0);
		}
	});
});
