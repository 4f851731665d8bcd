/** Milliseconds: anything longer is a request's timeout, 20 seconds in a trigger that is being published. */
const LONGEST_WAIT = 15_000;

/**
 * Lets the waits between tries pass at once, and records how long they would have been. Shorter timers are
 * n8n's and nock's own, and a request's timeout stays as it is.
 */
export function skipWaits(): number[] {
	const waits: number[] = [];
	const { setTimeout } = globalThis;
	vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, wait = 0) => {
		const isWait = wait >= 100 && wait <= LONGEST_WAIT;
		if (isWait) waits.push(wait);
		return setTimeout(run, isWait ? 0 : wait);
	}) as typeof setTimeout);
	return waits;
}

/**
 * The clock of a test stands still, except while a node sleeps, which is over at once. Other timers, such as a request's
 * timeout, stay as they are.
 */
export function sleepOnClock(clock: { time: number }): void {
	const { setTimeout } = globalThis;
	vi.spyOn(Date, 'now').mockImplementation(() => clock.time);
	const skip = (run: (...given: unknown[]) => void, wait = 0, ...given: unknown[]) => {
		const isSleep = /\bsleep/i.test(new Error().stack ?? '');
		if (isSleep) clock.time += wait;
		return setTimeout(run, isSleep ? 0 : wait, ...given);
	};
	vi.spyOn(globalThis, 'setTimeout').mockImplementation(skip as typeof setTimeout);
}
