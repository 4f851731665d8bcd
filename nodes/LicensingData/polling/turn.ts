/** Less than the minute between two polls: an emission that n8n could not save comes again with the next. */
const SAVING_TIME = 30_000;

/** The triggers that are polling right now, in this process. */
const polling = new Set<string>();

/** What triggers remembered before they emitted, and until when n8n may be busy saving the emission. */
const usedUp = new Map<string, number>();

/** Promise 10: one poll of a trigger at a time; any other does nothing. */
export async function inTurn<Result>(
	trigger: string,
	work: () => Promise<Result>,
): Promise<Result | null> {
	if (polling.has(trigger)) return null;
	polling.add(trigger);
	try {
		return await work();
	} finally {
		polling.delete(trigger);
	}
}

/**
 * n8n saves an emission when the poll is over already. Whoever polls in between is given the memory from
 * before, and would emit the same events once more.
 */
export function isUsedUp(memory: string): boolean {
	for (const [old, until] of usedUp) if (until < Date.now()) usedUp.delete(old);
	return usedUp.has(memory);
}

export function useUp(memory: string): void {
	usedUp.set(memory, Date.now() + SAVING_TIME);
}
