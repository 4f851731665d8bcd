import { randomUUID } from 'node:crypto';

import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { fingerprint } from './fingerprint';

/** Less than the minute between two polls: an emission that n8n could not save comes again with the next. */
const SAVING_TIME = 30_000;

/** What triggers remembered before they emitted, and until when n8n may be busy saving the emission. */
const usedUp = new Map<string, number>();

/** What triggers know beyond what n8n was given to save: of each the latest, and the one before it. */
const withheld = new Map<string, Array<{ given: string; state: unknown }>>();

/** What n8n keeps for a trigger between polls. Nothing is written unless the poll succeeds. */
export interface TriggerMemory {
	saved: unknown;
	/** After a poll that emits nothing. */
	learn: (state: unknown) => void;
	/** After one that emits: each event once, but for a process killed while n8n saves. */
	emit: (state: unknown) => void;
	/** The same for those who would rather have events twice: a process that starts anew emits them again. */
	emitUntilRestart: (state: unknown) => void;
}

/** Undefined for a memory that led to an emission moments ago. */
export function openMemory(context: IPollFunctions, trigger: string): TriggerMemory | undefined {
	const data = context.getWorkflowStaticData('node');
	const identify = () => fingerprint([trigger, data.feed, data.emission]);
	const before = identify();
	// n8n saves an emission when the poll is over already. Whoever polls in between is given the memory from
	// before, and would emit the same events once more.
	if (isSaving(before)) return undefined;

	const further = withheld.get(trigger)?.find(({ given }) => given === before);
	const saved = further ? further.state : data.feed;
	// Always assigned whole, as n8n notices assignments.
	const learn = (state: unknown) => {
		data.feed = state as IDataObject;
	};
	return {
		saved,
		learn,
		emit(state) {
			learn(state);
			// Also when time is over: n8n allows some more than it says, and what it does discard comes again later.
			usedUp.set(before, Date.now() + SAVING_TIME);
		},
		emitUntilRestart(state) {
			// The in-memory scheduler saves the memory before the execution that it leads to. So it is given what
			// is known from before, and only this process knows of the emission, until a later poll is saved. The
			// mark tells it from the memory before, which comes back where n8n discards an emission.
			learn(saved);
			data.emission = randomUUID();
			withheld.set(trigger, [{ given: identify(), state }, ...(further ? [further] : [])]);
			usedUp.set(before, Date.now() + SAVING_TIME);
		},
	};
}

function isSaving(memory: string): boolean {
	for (const [old, until] of usedUp) if (until < Date.now()) usedUp.delete(old);
	return usedUp.has(memory);
}
