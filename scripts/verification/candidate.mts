import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Manifest {
	name: string;
	version: string;
	n8n: { nodes: string[]; credentials: string[]; [field: string]: unknown };
	scripts: Record<string, string>;
	[field: string]: unknown;
}

/** What a reviewer looks at: the sources, and the archive that npm would publish. */
export interface Candidate {
	/** The folder of the sources. */
	source: string;
	/** The folder of the unpacked archive. */
	archive: string;
	/** The size of the archive in bytes. */
	size: number;
	/** The paths of the files in the archive. */
	files: string[];
	manifest: Manifest;
}

/** Packs built sources, as a publication would, and unpacks the archive into a folder. */
export function pack(source: string, into: string): Candidate {
	const printed = execFileSync(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', into],
		{ cwd: source, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
	);
	const [packed] = JSON.parse(printed) as [{ filename: string; size: number }];
	execFileSync('tar', ['-xzf', join(into, packed.filename), '-C', into]);
	const archive = join(into, 'package');
	const files = readdirSync(archive, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(archive.length + 1));
	const manifest = JSON.parse(readFileSync(join(archive, 'package.json'), 'utf8')) as Manifest;
	return { source, archive, size: packed.size, files, manifest };
}
