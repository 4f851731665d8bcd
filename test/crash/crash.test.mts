import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults } from './faults.mts';
import { modes } from './modes.mts';
import { Trial } from './trial.mts';

const plan = [
	{ name: 'durable', faults: [faults.mainWhilePolling, faults.mainWhileEmitting] },
	{ name: 'queue', faults: [faults.mainWhileEmitting, faults.workerWhileExecuting] },
];
const TRIGGERS = 5;

describe.each(plan)('with durable cursors ($name)', ({ name, faults: strikes }) => {
	let trial: Trial;

	beforeAll(async () => {
		const mode = modes.find((one) => one.name === name);
		if (!mode) throw new Error(`No mode is called ${name}`);
		trial = await Trial.start(mode, TRIGGERS);
		await trial.warmUp();
	});

	it.each(strikes)('emits every event once: $title', async (fault) => {
		const { triggers, filed, emitted, lost, repeated } = await trial.round(fault);
		expect({ emitted, lost, repeated }).toEqual({
			emitted: triggers * filed,
			lost: 0,
			repeated: 0,
		});
	});

	afterAll(async () => {
		// What was emitted before may have come again in the meantime.
		const rounds = await trial.close();
		expect(rounds.filter(({ repeated }) => repeated > 0)).toEqual([]);
	});
});
