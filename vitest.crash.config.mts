import { defineConfig } from 'vitest/config';

/** A few rounds of `npm run test:crash`, as tests: rounds of one n8n, one after the other. */
export default defineConfig({
	test: {
		include: ['test/crash/**/*.test.mts'],
		fileParallelism: false,
		testTimeout: 300_000,
		// May have to install n8n first.
		hookTimeout: 900_000,
	},
});
