/** The triggers that are polling right now, in this process. */
const polling = new Set<string>();

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
