import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['nodes/LicensingData/trigger/**/*.ts'],
	testRunner: 'vitest',
	// Those of the built package see no change of the sources; those over HTTP are slow.
	ignorePatterns: [
		'.playground',
		'artifacts',
		'coverage',
		'test/engine',
		'test/hostile',
		'test/sandbox',
	],
	// What runs while a module loads runs once for all test files, as they share their modules.
	ignoreStatic: true,
	// Outside of the project, where no other tool finds the changed copy.
	tempDirName: join(tmpdir(), 'licensing-data-mutation'),
	htmlReporter: { fileName: 'artifacts/mutation.html' },
};
