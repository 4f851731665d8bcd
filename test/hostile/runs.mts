/** How many times a property is tried; the long run asks for many times more. */
export const RUNS = Number(process.env.HOSTILE_RUNS ?? 5);

export const IS_LONG_RUN = RUNS > 100;

/** The same inputs in every test run; the long run draws others, and says its seed if one gets through. */
const seed = IS_LONG_RUN ? Date.now() % 2 ** 31 : 20_260_701;

export const made = (numRuns = RUNS) => ({ numRuns, seed });
