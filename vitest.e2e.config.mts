import { defineConfig } from 'vitest/config';

/** What a change breaks first. All others take too long for every change: `npm run test:e2e:night`. */
const EVERY_TIME = ['editor', 'florida', 'versions', 'workflows'].map(
	(name) => `test/e2e/${name}.test.mts`,
);

/** Each file starts an n8n of its own and has the machine to itself: two at once would only wait for each other. */
export default defineConfig({
	test: {
		globals: true,
		include: process.env.E2E_N8N_ADDRESS
			? ['test/e2e/versions.test.mts']
			: process.env.VIDEO
				? ['scripts/video/video.take.mts']
				: process.env.NIGHTLY
					? ['test/e2e/**/*.test.mts']
					: EVERY_TIME,
		exclude: process.env.NIGHTLY ? EVERY_TIME : [],
		globalSetup: 'test/e2e/setup.mts',
		fileParallelism: false,
		testTimeout: 300_000,
		hookTimeout: 240_000,
		// n8n answers before it has done all that it was asked to.
		expect: { poll: { timeout: 120_000 } },
	},
});
