/** Lets every file here and in test/support find the n8n that the playground installed. */
import * as nodeModule from 'node:module';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { hostFolder } from '../../playground/folders.mts';

type Resolve = (specifier: string, context: { parentURL?: string }) => unknown;
interface Hooks {
	resolve(specifier: string, context: { parentURL?: string }, next: Resolve): unknown;
}
const { registerHooks } = nodeModule as unknown as { registerHooks(hooks: Hooks): void };

const require = createRequire(join(hostFolder, 'package.json'));

/** Their CommonJS halves, as n8n itself loads them. */
const paths = new Map(
	['n8n-core', 'n8n-workflow', 'reflect-metadata'].map((name) => [name, require.resolve(name)]),
);

registerHooks({
	resolve(specifier, context, next) {
		const path = paths.get(specifier);
		if (path === undefined) return next(specifier, context);
		return { url: pathToFileURL(path).href, format: 'commonjs', shortCircuit: true };
	},
});
