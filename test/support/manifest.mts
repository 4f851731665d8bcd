import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** A file of the repository. */
export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The files in a folder, and in the folders in it, whose names end so. */
export const filesIn = (folder: string, ending = ''): string[] =>
	readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith(ending))
		.map((file) => join(folder, file));

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
	[field: string]: unknown;
}

export const manifest = JSON.parse(readText('package.json')) as Manifest;

/** The file that a compiled file in the manifest is made from. */
export const sourceOf = (compiled: string): string =>
	compiled.replace(/^dist\//, '').replace(/\.js$/, '.ts');
