import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults } from './faults.mts';
import { modes } from './modes.mts';
import { Trial } from './trial.mts';

const plan = [
	{ name: 'in-memory-repeating', faults: [faults.mainWhileEmitting] },
	{ name: 'durable', faults: [faults.mainWhilePolling, faults.mainWhileEmitting] },
	{ name: 'queue', faults: [faults.mainWhileEmitting, faults.workerWhileExecuting] },
].map(({ name, faults: strikes }) => {
	const mode = modes.find((one) => one.name === name);
	if (!mode) throw new Error(`No mode is called ${name}`);
	return { name, mode, strikes };
});
const TRIGGERS = 5;

describe.each(plan)('killed at a random moment ($name)', ({ mode, strikes }) => {
	const promise = mode.repeating ? 'loses no event' : 'emits every event once';
	let trial: Trial;

	beforeAll(async () => {
		trial = await Trial.start(mode, TRIGGERS);
		await trial.warmUp();
	});

	it.each(strikes)(`${promise}: $title`, async (fault) => {
		const { triggers, filed, emitted, lost } = await trial.round(fault);
		expect({ emitted, lost }).toEqual({ emitted: triggers * filed, lost: 0 });
	});

	afterAll(async () => {
		// What was emitted before may have come again in the meantime.
		const rounds = await trial.close();
		if (!mode.repeating) expect(rounds.filter(({ repeated }) => repeated > 0)).toEqual([]);
	});
});
