import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

export default defineConfig({
	resolve: { alias: { 'n8n-workflow': createRequire(import.meta.url).resolve('n8n-workflow') } },
	test: {
		globalSetup: 'test/support/temporary.mts',
		setupFiles: 'test/support/throttles.mts',
		include: ['test/unit/*.test.mts'],
		// They read files of the project, or test its tools.
		exclude: [
			'test/unit/{documents,layering,playground,probe,troubleshooting,workflow-files}.test.mts',
		],
		runner: './test/mutation/runner.mts',
		provide: { folder: import.meta.dirname },
		isolate: true,
		maxWorkers: 2,
		testTimeout: 600_000,
		hookTimeout: 600_000,
		expect: { poll: { timeout: 1_000 } },
	},
});
