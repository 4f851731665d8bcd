import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

/**
 * One project a folder of test/, fastest first. End-to-end tests have a config of their own
 * (vitest.e2e.config.mts), because they need a real n8n.
 */
const project = (name: string, more = {}) => ({
	extends: true as const,
	test: { name, include: [`test/${name}/**/*.test.mts`], ...more },
});

export default defineConfig({
	// n8n loads its CommonJS half; with the other one there would be two of every error class.
	resolve: { alias: { 'n8n-workflow': createRequire(import.meta.url).resolve('n8n-workflow') } },
	test: {
		globals: true,
		globalSetup: 'test/support/temporary.mts',
		setupFiles: 'test/support/throttles.mts',
		projects: [
			project('unit'),
			project('model'),
			project('sandbox'),
			project('florida'),
			project('hostile'),
			project('engine', { globalSetup: 'test/support/built.mts' }),
		],
		// Vitest would leave one core alone, which is half of what CI has.
		maxWorkers: 2,
		// Loading n8n-core takes seconds: once a worker, not once a file.
		isolate: false,
		// Nothing here takes long by itself, and a busy machine must not decide what passes.
		testTimeout: 600_000,
		hookTimeout: 600_000,
		expect: { poll: { timeout: 120_000 } },
		coverage: {
			provider: 'v8',
			include: ['nodes/**/*.ts', 'credentials/**/*.ts'],
			reporter: ['text-summary', 'lcovonly'],
			thresholds: { lines: 95 },
		},
	},
});
