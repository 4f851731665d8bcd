import { defineConfig } from 'vitest/config';

/** Apart from the end-to-end tests, because an older n8n takes minutes to install. */
export default defineConfig({
	test: {
		include: ['test/compatibility/**/*.test.mts'],
		globalSetup: 'test/compatibility/setup.mts',
		fileParallelism: false,
		testTimeout: 300_000,
		hookTimeout: 240_000,
		expect: { poll: { timeout: 120_000 } },
	},
});
