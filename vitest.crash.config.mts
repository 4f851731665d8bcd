import { defineConfig } from 'vitest/config';

/** Each mode has the machine to itself. `NIGHTLY=1` plays all faults of all modes. */
export default defineConfig({
	test: {
		include: ['test/crash/**/*.test.mts'],
		fileParallelism: false,
		// A busy machine must not decide what passes, and full readings take their time.
		testTimeout: 1_800_000,
		// May have to install n8n first.
		hookTimeout: 900_000,
	},
});
