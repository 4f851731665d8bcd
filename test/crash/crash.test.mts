import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, faults } from './faults.mts';
import { type Mode, modes } from './modes.mts';
import { Trial } from './trial.mts';

const { stopEmitting, killEmitting, killWorker, lockDatabase, refuseWrites } = faults;

/** One round of each fault that has lost something before, or has come closest to it. */
const plan: Record<string, Fault[]> = {
	memory: [stopEmitting, lockDatabase],
	schedule: [stopEmitting],
	cursors: [killEmitting],
	queue: [killEmitting, killWorker, refuseWrites],
};
const TRIGGERS = 10;

describe.each(modes.filter(({ name }) => name in plan))('$title', (mode: Mode) => {
	let trial: Trial;

	beforeAll(async () => {
		trial = await Trial.start(mode, TRIGGERS);
		await trial.warmUp();
	});
	afterAll(async () => await trial.close());

	it('loses nothing, and repeats nothing where the database keeps the cursors', async () => {
		for (const fault of plan[mode.name] ?? []) await trial.round(fault);
		for (const { fault, lost, repeated } of await trial.judge()) {
			expect(lost, `${fault.title}: lost`).toBe(0);
			if (mode.saving === 'cursors') expect(repeated, `${fault.title}: repeated`).toBe(0);
		}
	});
});
