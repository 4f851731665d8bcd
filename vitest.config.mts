import { defineConfig } from 'vitest/config';

/**
 * One project a folder of test/, fastest first. End-to-end tests have a config of their own
 * (vitest.e2e.config.mts), because they need a real n8n.
 */
const project = (name: string) => ({
	extends: true as const,
	test: { name, include: [`test/${name}/**/*.test.mts`] },
});

export default defineConfig({
	test: {
		projects: ['unit', 'model', 'sandbox', 'engine'].map(project),
		coverage: {
			provider: 'v8',
			include: ['nodes/**/*.ts', 'credentials/**/*.ts'],
			reporter: ['text-summary', 'html'],
			thresholds: { lines: 95 },
		},
	},
});
