import { symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { packFlorida } from '../../scripts/florida-package.mts';
import { ROOT } from '../support/manifest.mts';
import { folder } from './state-files.mts';

let built: Promise<string> | undefined;

/** The folder that runs without the repository, with its one dependency as the lock file has it. */
export const packed = async (): Promise<string> => await (built ??= pack());

async function pack(): Promise<string> {
	const target = folder();
	await packFlorida(target);
	symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'));
	return target;
}
