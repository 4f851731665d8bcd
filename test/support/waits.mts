/**
 * Until the test has ended, its clock stands still, except while a node sleeps, which is over at once. Other timers,
 * such as a request's timeout, stay as they are. Returns how long each sleep would have been.
 */
export function skipWaits(now = Date.now()): number[] {
	const waits: number[] = [];
	const { setTimeout } = globalThis;
	vi.useFakeTimers({ toFake: ['Date'], now });
	const skip = (run: (...given: unknown[]) => void, wait = 0, ...given: unknown[]) => {
		const isSleep = /\bsleep/i.test(new Error().stack ?? '');
		if (isSleep) vi.setSystemTime(Date.now() + wait);
		if (isSleep) waits.push(wait);
		return setTimeout(run, isSleep ? 0 : wait, ...given);
	};
	vi.spyOn(globalThis, 'setTimeout').mockImplementation(skip as typeof setTimeout);
	onTestFinished(() => {
		vi.useRealTimers();
		vi.restoreAllMocks();
	});
	return waits;
}
