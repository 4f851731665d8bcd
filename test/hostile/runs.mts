/** How many times a property is tried; the long run asks for many times more. */
export const RUNS = Number(process.env.HOSTILE_RUNS ?? 5);

/** The same inputs in every test run; the long run draws others, and says its seed if one gets through. */
const seed = RUNS > 100 ? Date.now() % 2 ** 31 : 20_260_701;

/** The examples come first, and are all tried. */
export const made = <Inputs,>(numRuns = RUNS, examples: Inputs[] = []) => ({
	...{ seed, examples, numRuns: examples.length + numRuns },
});
