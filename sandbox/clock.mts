import type { Clock } from '../server/clock.mts';

interface SimulatedClock extends Clock {
	/** Moves time on and wakes, in order, everyone who sleeps until then. */
	advance(milliseconds: number): Promise<void>;
}

export function simulatedClock(start: number | string | Date): SimulatedClock {
	let now = new Date(start).getTime();
	let sleepers: Array<{ until: number; wake: () => void }> = [];
	return {
		now: () => now,
		sleep: async (milliseconds) =>
			await new Promise((wake) => sleepers.push({ until: now + milliseconds, wake })),
		async advance(milliseconds) {
			const end = now + milliseconds;
			for (;;) {
				const [next] = sleepers.sort((a, b) => a.until - b.until);
				if (!next || next.until > end) break;
				sleepers = sleepers.filter((sleeper) => sleeper !== next);
				now = Math.max(now, next.until);
				next.wake();
				// A sleeper that woke may sleep again before `end`; let it get there first.
				await new Promise(setImmediate);
			}
			now = end;
		},
	};
}
