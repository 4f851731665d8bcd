import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { filesIn, ROOT } from './manifest.mts';

const timesOf = (folders: string[], ending: string): number[] =>
	folders
		.flatMap((folder) => (existsSync(join(ROOT, folder)) ? filesIn(folder, ending) : []))
		.map((file) => statSync(join(ROOT, file)).mtimeMs);

/** The build must be as new as the sources: an older one would prove another node. */
export function setup(): void {
	const built = timesOf(['dist/credentials', 'dist/nodes'], '.js');
	const written = timesOf(['credentials', 'nodes'], '.ts');
	if (Math.max(...written) > Math.max(...built)) {
		throw new Error(
			'These tests run what is compiled, and dist/ is missing, or older than the sources: npm run build',
		);
	}
}
