import { defineConfig } from 'vitest/config';

/** Each mode has the machine to itself. `NIGHTLY=1` lets more faults strike. */
export default defineConfig({
	test: {
		globals: true,
		include: ['test/crash/crash.test.mts'],
		fileParallelism: false,
		// A busy machine must not decide what passes.
		testTimeout: 3_600_000,
		// May have to install n8n first.
		hookTimeout: 900_000,
	},
});
