import type { TestContext } from 'vitest';

declare module 'vitest' {
	interface TaskMeta {
		/** How many hostile inputs the test tried; one unless it says otherwise. */
		tried?: number;
	}
}

/** How many times a property is tried; the long run asks for many times more. */
export const RUNS = Number(process.env.HOSTILE_RUNS ?? 15);

/** The same inputs in every test run; the long run draws others, and reports their seed. */
const seed = Number(process.env.HOSTILE_SEED ?? 20_260_701);

export const made = (numRuns = RUNS) => ({ numRuns, seed });

export const IS_LONG_RUN = RUNS > 100;

/** For a test that tries many inputs at once: the count goes into the table of the long run. */
export function tried({ task }: TestContext, count: number): void {
	task.meta.tried = (task.meta.tried ?? 0) + count;
}
