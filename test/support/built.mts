import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './manifest.mts';

const timesOf = (folders: string[], ending: string): number[] =>
	folders
		.map((folder) => join(ROOT, folder))
		.filter((folder) => existsSync(folder))
		.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile() && entry.name.endsWith(ending))
		.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs);

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
